#include "launch/document/field.h"

namespace rollcall::launch {

Field Field::operator[](std::string_view key) const {
  const std::string below = child(path_, key);
  if (!is_object()) return {nullptr, below};
  const auto found = value_->find(key);
  return {found == value_->end() ? nullptr : &*found, below};
}

Field Field::operator[](std::size_t index) const {
  const std::string below = child(path_, index);
  return {index < size() ? &(*value_)[index] : nullptr, below};
}

std::string Field::text(std::string otherwise) const {
  return is_string() ? value_->get<std::string>() : std::move(otherwise);
}

}  // namespace rollcall::launch
