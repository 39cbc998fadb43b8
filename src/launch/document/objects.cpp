#include "launch/document/objects.h"

namespace rollcall::launch {

void for_objects(const Document& document,
                 const std::function<void(const Field& object, std::optional<int> item)>& each) {
  const Field root(document.value);
  const Field items = root["items"];
  if (!root["kind"].text().ends_with("List") || !items.is_array()) return each(root, std::nullopt);
  for (std::size_t i = 0; i < items.size(); ++i) each(items[i], static_cast<int>(i));
}

}  // namespace rollcall::launch
