#include "launch/kinds/trainer.h"

#include <fmt/format.h>

#include "launch/kinds/accelerators.h"

namespace rollcall::launch {
namespace {

std::string names_of(const Field& containers) {
  std::string names;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    names += (i == 0 ? "`" : ", `") + containers[i]["name"].text("?") + "`";
  }
  return names;
}

Fact<std::size_t> refuse(std::vector<ShapeProblem>& problems, ShapeProblem problem) {
  const auto fact = Fact<std::size_t>::unknown(problem.message, problem.path);
  problems.push_back(std::move(problem));
  return fact;
}

}  // namespace

Fact<std::size_t> trainer_of(const Field& spec, std::vector<ShapeProblem>& problems) {
  using Kind = ShapeProblem::Kind;
  const Field containers = spec["template"]["spec"]["containers"];
  if (containers.size() == 0) {
    return refuse(problems, {Kind::missing,
                             containers.path(),
                             "the pod template has no container.",
                             "Write the container that trains: its name, image and command.",
                             {}});
  }
  const Field named = spec["trainerContainer"];
  if (named.is_string()) {
    for (std::size_t i = 0; i < containers.size(); ++i) {
      if (containers[i]["name"].text() == named.text()) return Fact<std::size_t>::of(i, named.path());
    }
    return refuse(problems,
                  {Kind::no_such_container,
                   named.path(),
                   fmt::format("`{}` is none of the template's containers {}.", named.text(), names_of(containers)),
                   "Write the name of the container that trains.",
                   {}});
  }
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (containers[i]["name"].text() == "trainer") return Fact<std::size_t>::of(i, containers[i].path());
  }
  std::vector<std::size_t> asking;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const Fact<int> count = accelerators_of(containers[i]).count;
    if (!count.known() || *count > 0) asking.push_back(i);
  }
  if (asking.size() == 1) return Fact<std::size_t>::of(asking[0], containers[asking[0]].path());
  if (containers.size() == 1) return Fact<std::size_t>::of(0, containers[0].path());
  return refuse(problems, {Kind::several_candidates,
                           containers.path(),
                           fmt::format("which of the containers {} trains is open: {} and none is named `trainer`.",
                                       names_of(containers),
                                       asking.empty() ? "none asks for accelerators" : "several ask for accelerators"),
                           "Write its name in spec.trainerContainer.",
                           {}});
}

}  // namespace rollcall::launch
