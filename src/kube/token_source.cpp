#include "kube/token_source.h"

#include <utility>

namespace rollcall::kube {

namespace {
constexpr std::chrono::seconds kReadAgainAfter{10};
}

TokenSource::TokenSource(const Credentials& credentials, Now now)
    : file_(credentials.token_file), now_(std::move(now)), token_(credentials.token) {}

Status TokenSource::read() {
  auto text = read_small_file(file_);
  if (!text) return text.error().in("token");
  std::string token = *text;
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r' || token.back() == ' ')) token.pop_back();
  if (token.empty()) return Error{"token: " + file_ + " is empty"};
  if (token.find_first_of("\r\n") != std::string::npos) return Error{"token: " + file_ + " holds more than one line"};
  token_ = std::move(token);
  read_at_ = now_();
  read_once_ = true;
  return Done{};
}

Result<std::string> TokenSource::token() {
  const std::lock_guard lock(mutex_);
  if (file_.empty() || (read_once_ && now_() - read_at_ < kReadAgainAfter)) return token_;
  if (auto status = read(); !status) {
    // The kubelet swaps the file by renaming; a moment without it must not stop a client that has a good token.
    if (token_.empty()) return status.error();
  }
  return token_;
}

bool TokenSource::refresh(const std::string& refused) {
  const std::lock_guard lock(mutex_);
  if (file_.empty()) return false;
  if (auto status = read(); !status) return false;  // the 401 itself is reported
  return token_ != refused;
}

}  // namespace rollcall::kube
