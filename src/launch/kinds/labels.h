#pragma once

#include <functional>
#include <map>
#include <string>

#include "launch/document/field.h"

namespace rollcall::launch {

using Labels = std::map<std::string, std::string, std::less<>>;

/// The strings of a mapping.
Labels labels_of(const Field& mapping);

/// Whether `labels` has every label of `wanted`, with its value; true where none is wanted.
bool has_all(const Labels& labels, const Labels& wanted);

}  // namespace rollcall::launch
