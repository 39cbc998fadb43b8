#pragma once

#include <array>
#include <string_view>

/// Which objects a Context takes, by kind. `rollcall lint` reads every text twice, the first time for these alone, and
/// most of what it is given are jobs: a text in which no such kind is named is not parsed then. Pure.
namespace rollcall::launch {

/// Kinds that rules look at beside the object they judge. Context::add() passes over every other kind.
inline constexpr std::array<std::string_view, 9> kKindsBeside{
    "Service",       "Namespace",       "ConfigMap",
    "NetworkPolicy", "TrainingRuntime", "ClusterTrainingRuntime",
    "Pod",           "ServiceAccount",  "PersistentVolumeClaim",
};

bool is_beside(std::string_view kind);

/// Whether a text may have an object of such a kind. True also for many that have none; false only when none is
/// written in letters (`kind: "\x50od"` is not seen).
bool may_stand_beside(std::string_view text);

/// Whether a text may have an object of a kind that is judged; as may_stand_beside().
bool may_be_judged(std::string_view text);

}  // namespace rollcall::launch
