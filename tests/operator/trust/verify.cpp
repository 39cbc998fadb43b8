#include "operator/trust/verify.h"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <memory>
#include <vector>

#include "base/freed.h"

namespace rollcall::operator_::testing_world {
namespace {

using Certificate = std::unique_ptr<X509, Freed<X509_free>>;

std::vector<Certificate> all_in(const std::string& pem) {
  std::vector<Certificate> all;
  const std::unique_ptr<BIO, Freed<BIO_free_all>> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) all.emplace_back(next);
  ERR_clear_error();
  return all;
}

}  // namespace

std::string why_not_accepted(const std::string& chain, const std::string& bundle, const std::string& name,
                             WallTime now) {
  const auto sent = all_in(chain);
  if (sent.empty()) return "no certificate was sent";
  const std::unique_ptr<X509_STORE, Freed<X509_STORE_free>> trusted(X509_STORE_new());
  for (const auto& authority : all_in(bundle)) X509_STORE_add_cert(trusted.get(), authority.get());
  struct StackFree {
    void operator()(STACK_OF(X509) * stack) const { sk_X509_free(stack); }
  };
  const std::unique_ptr<STACK_OF(X509), StackFree> others(sk_X509_new_null());
  for (std::size_t i = 1; i < sent.size(); ++i) sk_X509_push(others.get(), sent[i].get());

  const std::unique_ptr<X509_STORE_CTX, Freed<X509_STORE_CTX_free>> context(X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), trusted.get(), sent.front().get(), others.get());
  X509_STORE_CTX_set_default(context.get(), "ssl_server");
  X509_VERIFY_PARAM* param = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set1_host(param, name.data(), name.size());
  X509_VERIFY_PARAM_set_time(param, std::chrono::system_clock::to_time_t(now));
  if (X509_verify_cert(context.get()) == 1) return "";
  return X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()));
}

}  // namespace rollcall::operator_::testing_world
