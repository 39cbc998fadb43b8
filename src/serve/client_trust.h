#pragma once

#include <boost/asio/ssl/context.hpp>
#include <string>
#include <vector>

#include "base/result.h"

namespace rollcall::serve {

/// Lets `context` take only clients with a certificate that an authority of the PEM file `ca_file` signed for client
/// authentication and, unless `names` is empty, that carries one of these names: its common name, as it stands, or a
/// DNS name. An Error names the file.
Status require_clients(boost::asio::ssl::context& context, const std::string& ca_file, std::vector<std::string> names);

}  // namespace rollcall::serve
