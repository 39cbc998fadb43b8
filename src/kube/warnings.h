#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rollcall::kube {

/// The texts of Warning headers (RFC 7234 5.5, `299 - "text"`), joined by ", " as HTTP allows. What cannot be read as
/// such is kept whole as one text, so that no warning is lost.
std::vector<std::string> warnings_from(std::string_view header);

}  // namespace rollcall::kube
