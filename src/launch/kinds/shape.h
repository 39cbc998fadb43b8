#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/document/field.h"
#include "launch/fact.h"
#include "launch/launch.h"

/// Reading fields with the complaints that a schema would have, so that lint works without a cluster.
namespace rollcall::launch {

enum class Need { required, optional };

/// `text` as a whole number of at most 9 digits without sign; nullopt for everything else.
std::optional<int> whole_number(std::string_view text);

/// A number of nodes or processes, at least 1.
Fact<int> read_count(const Field& field, Need need, std::vector<ShapeProblem>& problems);

/// spec.launcher: one of the launchers' names.
Fact<std::string> read_launcher(const Field& field, std::vector<ShapeProblem>& problems);

/// metadata.name, spec, spec.template: there, and of the right type. Misspelt fields of the kind and of the pod
/// template.
void read_structure(const Field& root, std::vector<ShapeProblem>& problems);

}  // namespace rollcall::launch
