#pragma once

#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "base/result.h"

namespace rollcall::serve {

/// A server's TLS context: TLS 1.2 with AEAD suites or 1.3, certificate chain and key from PEM files. An Error names
/// the file and what OpenSSL said of it; also when key and certificate do not belong together.
Result<std::shared_ptr<boost::asio::ssl::context>> make_tls_context(const std::string& certificate_file,
                                                                    const std::string& key_file);

/// notAfter of the certificate that a context of make_tls_context() serves.
std::chrono::system_clock::time_point end_of_certificate(boost::asio::ssl::context& context);

}  // namespace rollcall::serve
