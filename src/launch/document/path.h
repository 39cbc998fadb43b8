#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// Field paths as findings print them: `spec.template.spec.containers[0].args[4]`, `…limits["nvidia.com/gpu"]`. Pure.
namespace rollcall::launch {

/// `path` with a key below it; keys that are not plain names are written `["key"]`, with `"` and `\` escaped.
std::string child(const std::string& path, std::string_view key);
/// `path` with an index below it.
std::string child(const std::string& path, std::size_t index);

using PathStep = std::variant<std::string, std::size_t>;

/// The steps of a path made by child(). What is no such path yields the steps that could be read.
std::vector<PathStep> steps_of(std::string_view path);

/// The same place as a JSON pointer (RFC 6901), for patches: `/spec/template/spec/containers/0`.
std::string pointer_of(std::string_view path);

}  // namespace rollcall::launch
