#pragma once

#include <string_view>

namespace rollcall::cli {

/// The CustomResourceDefinition of the chart, as YAML, that this program was built with: `trainingjobs`, `rollcalls`,
/// `rollcallpolicies`. Empty for any other name.
std::string_view crd_text(std::string_view plural);

}  // namespace rollcall::cli
