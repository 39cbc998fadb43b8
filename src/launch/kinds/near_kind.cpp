#include "launch/kinds/near_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/letters_apart.h"
#include "launch/kinds/pods.h"
#include "launch/kinds/readers.h"
#include "launch/patch.h"

namespace rollcall::launch {
namespace {

/// Kinds of those groups that are not read and mean what they say, as far as they resemble one that is.
constexpr std::array<std::string_view, 4> kOthers{"TFJob", "MXJob", "XGBoostJob", "PaddleJob"};

/// Names that only one project has: anywhere but in its group they are a slip. `Job` and `TrainingJob` are others' too.
bool of_one_project(std::string_view kind) {
  return kind == "PyTorchJob" || kind == "TrainJob" || kind == "JobSet" || kind == "LeaderWorkerSet" ||
         kind == "JAXJob" || kind == "RayCluster" || kind == "RayJob" || kind == "MPIJob";
}

/// One letter in four may differ, two at most: short names resemble each other by chance.
bool nearly(std::string_view one, std::string_view other) {
  return letters_apart(one, other, LetterCase::counts_as_nothing) <= std::min<std::size_t>(2, other.size() / 4);
}

std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

bool is_group(std::string_view group) {
  const auto readers = all_readers();
  return std::any_of(readers.begin(), readers.end(), [group](const KindReader& one) { return one.group == group; });
}

std::string version_of(const KindReader& reader) {
  const std::string version(reader.version.empty() ? "v1alpha1" : reader.version);
  return reader.group.empty() ? version : std::string(reader.group) + "/" + version;
}

}  // namespace

std::optional<Launch> read_near_kind(const nlohmann::json& object, const Context& around) {
  const Field root(object);
  const Field name = root["kind"];
  const Field version = root["apiVersion"];
  // Whatever is read has a spec; and a few letters of text are no object of a cluster.
  if (!name.is_string() || !version.is_string() || !root["spec"].is_object()) return std::nullopt;
  const std::string kind = name.text();
  const std::string api_version = version.text();
  const std::string_view group = group_of(api_version);
  if (kind.size() > 64 || group.size() > 253 || kind.ends_with("List")) return std::nullopt;
  if (std::find(kOthers.begin(), kOthers.end(), kind) != kOthers.end()) return std::nullopt;
  ShapeProblem problem{ShapeProblem::Kind::misspelt, {}, {}, {}, {}};
  const auto readers = all_readers();
  // A version that is not read is another matter: the name is right.
  if (std::any_of(readers.begin(), readers.end(),
                  [&](const KindReader& one) { return one.name == kind && one.group == group; }))
    return std::nullopt;
  for (const KindReader& reader : readers) {
    if (reader.group == group && nearly(kind, reader.name)) {
      problem.path = name.path();
      problem.message = fmt::format("{} has no kind `{}`.", api_version, kind);
      problem.fix = fmt::format("Did you mean `{}`?", reader.name);
      problem.patch = replace_patch(name.path(), std::string(reader.name));
      break;
    }
    const bool slip = reader.name == kind && (nearly(group, reader.group) || (of_one_project(kind) && is_group(group)));
    if (slip && problem.path.empty()) {
      problem.path = version.path();
      problem.message = fmt::format("{} has no kind `{}`.", api_version, kind);
      problem.fix = fmt::format("Did you mean `{}`?", version_of(reader));
    }
  }
  if (problem.path.empty()) return std::nullopt;
  Launch launch = launch_of(object, JobKind::no_kind, around);
  launch.shape.push_back(std::move(problem));
  return launch;
}

}  // namespace rollcall::launch
