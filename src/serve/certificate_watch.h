#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace rollcall::serve {

/// Looks whether certificate and key changed, by content: the kubelet swaps links, and times and inodes of what they
/// point at say little. One thread.
class CertificateWatch {
 public:
  /// `reload` makes the server read the pair; an Error of it is tried again at the next look (a pair can be seen half
  /// changed).
  CertificateWatch(std::string certificate_file, std::string key_file, std::function<Status()> reload);

  enum class Look { Same, Reloaded, Failed };
  Look look();
  const std::string& error() const { return error_; }

 private:
  std::string content() const;

  const std::string certificate_file_, key_file_;
  const std::function<Status()> reload_;
  std::string loaded_;
  std::string error_;
};

}  // namespace rollcall::serve
