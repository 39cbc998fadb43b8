#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/result.h"

namespace rollcall::cli {

/// What `rollcall schema` knows the schema of; `config` is .rollcall.yaml.
inline constexpr const char* kSchemas[] = {"trainingjob", "rollcallpolicy", "config"};

/// JSON Schema (draft 7) of one of kSchemas, made of the chart's CRD: an unknown field is refused wherever the CRD
/// names the fields there are. What only CEL rules of the CRD say is not in it. `.rollcall.yaml` is the spec of a
/// RollcallPolicy without namespaceSelector.
Result<nlohmann::json> schema_of(std::string_view name);

}  // namespace rollcall::cli
