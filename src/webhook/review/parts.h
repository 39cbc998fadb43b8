#pragma once

#include <string_view>

/// What of an object the webhook keeps, as one table: everything that some rule reads. Pure.
namespace rollcall::webhook {

/// Parts of an object, by what rules read of them. A husk keeps what it is and loses what is in it: `{}`, `[]`, or its
/// scalar, so that rules about the names of fields see the field.
enum class Part {
  open,  ///< kept, and looked below by the table: a spec, however deep the pod templates of its kind stand in it
  container,
  whole,
  husk
};

struct Row {
  Part part;
  std::string_view key;
  Part below;
};

/// What is below a key of a part, where it is not the part itself. Of every kind of object: a pod template looks
/// the same wherever it stands. A rule that reads more has to be let in here; a test compares with lint over every
/// rule's examples.
inline constexpr Row kRows[] = {
    {Part::open, "containers", Part::container},
    {Part::open, "initContainers", Part::container},
    {Part::open, "ephemeralContainers", Part::husk},
    {Part::open, "affinity", Part::whole},
    {Part::open, "topologySpreadConstraints", Part::husk},
    {Part::open, "managedFields", Part::husk},
    {Part::container, "lifecycle", Part::husk},
};

/// What stands below `key` of a part.
constexpr Part below(Part part, std::string_view key) {
  for (const Row& row : kRows)
    if (row.part == part && row.key == key) return row.below;
  return part == Part::container ? Part::whole : part;
}

}  // namespace rollcall::webhook
