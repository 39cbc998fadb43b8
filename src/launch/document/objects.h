#pragma once

#include <functional>
#include <optional>

#include "launch/document/document.h"
#include "launch/document/field.h"

namespace rollcall::launch {

/// Calls `each` with every object of a document: itself, or the items of a List one by one, with their index.
void for_objects(const Document& document,
                 const std::function<void(const Field& object, std::optional<int> item)>& each);

}  // namespace rollcall::launch
