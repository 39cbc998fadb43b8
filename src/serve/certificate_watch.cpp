#include "serve/certificate_watch.h"

#include <openssl/sha.h>

#include <fstream>
#include <sstream>

namespace rollcall::serve {
namespace {

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A hash: the key itself is not kept a second time.
std::string sha256(const std::string& text) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(),
         reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

}  // namespace

CertificateWatch::CertificateWatch(std::string certificate_file, std::string key_file, std::function<Status()> reload)
    : certificate_file_(std::move(certificate_file)),
      key_file_(std::move(key_file)),
      reload_(std::move(reload)),
      loaded_(content()) {}

std::string CertificateWatch::content() const { return sha256(read(certificate_file_) + '\n' + read(key_file_)); }

CertificateWatch::Look CertificateWatch::look() {
  auto now = content();
  if (now == loaded_) return Look::Same;
  if (auto done = reload_(); !done) {
    error_ = done.error().message;
    return Look::Failed;
  }
  error_.clear();
  loaded_ = std::move(now);
  return Look::Reloaded;
}

}  // namespace rollcall::serve
