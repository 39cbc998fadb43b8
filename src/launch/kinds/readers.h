#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "launch/launch.h"

namespace rollcall::launch {

/// How one kind of object is read.
struct KindReader {
  JobKind kind;
  std::string_view group;    ///< `kubeflow.org`; empty = the core group
  std::string_view version;  ///< empty = any
  std::string_view name;     ///< `PyTorchJob`
  /// Reads any object, however broken: what cannot be told is unknown. nullopt = the object trains nothing that can be
  /// told (a database's StatefulSet), and no rule is asked. The launch refers to the object and to `around`, the other
  /// objects that are known: what stands there can decide what this one means (a TrainJob's runtime).
  std::optional<Launch> (*read)(const nlohmann::json& object, const Context& around);
};

/// Every kind that is read, in no particular order.
std::span<const KindReader> all_readers();

/// nullptr for an object of no such kind.
const KindReader* reader_of(const nlohmann::json& object);

}  // namespace rollcall::launch
