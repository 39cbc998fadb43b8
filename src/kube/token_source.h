#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>

#include "base/result.h"
#include "kube/credentials.h"

namespace rollcall::kube {

/// The bearer token to send: fixed, or of a file that the kubelet replaces (at 80 % of its life). From any thread.
class TokenSource {
 public:
  using Now = std::function<std::chrono::steady_clock::time_point()>;
  explicit TokenSource(
      const Credentials& credentials, Now now = [] { return std::chrono::steady_clock::now(); });

  /// The token; empty when the credentials have none. The file is read at most every 10 s; while it cannot be read the
  /// last token read serves on. An Error only when none was ever read.
  Result<std::string> token();

  /// After a 401: reads the file now. True when it holds another token than `refused`, so that asking again makes
  /// sense.
  bool refresh(const std::string& refused);

 private:
  Status read();  ///< with mutex_ held

  const std::string file_;
  Now now_;
  std::mutex mutex_;
  std::string token_;
  std::chrono::steady_clock::time_point read_at_;
  bool read_once_ = false;
};

}  // namespace rollcall::kube
