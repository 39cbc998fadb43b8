#include <map>
#include <string>
#include <utility>

#include "launch/patch.h"
#include "launch/rules/env/family.h"

namespace rollcall::launch::rules {
namespace {

bool mentions_below(const Field& env, const std::string& text) {
  for (std::size_t i = 0; i < env.size(); ++i)
    if (env[i]["value"].text().find(text) != std::string::npos) return true;
  return false;
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Field env = role.container["env"];
    std::map<std::string, std::size_t> last;
    for (std::size_t i = 0; i < env.size(); ++i) {
      const std::string name = env[i]["name"].text();
      const auto [found, is_new] = last.emplace(name, i);
      if (is_new || name.empty()) continue;
      const Field former = env[std::exchange(found->second, i)];
      // An earlier one may be there for `$(NAME)` of the entries between.
      if (former.json() == env[i].json() || (former["value"].present() && mentions_below(env, "$(" + name + ")")))
        continue;
      judgement.add(env_given_twice, former.path())
          .wrong("{} is given again further down, and that one counts.", name)
          .instead("Take this entry out, or the other.")
          .patch(remove_patch(former.path()));
    }
  }
}

}  // namespace

const Rule env_given_twice{
    .id = "env/given-twice",
    .severity = Severity::warn,
    .title = "one name with two values",
    .why =
        "Of two entries with one name the kubelet takes the last. The other one stands there without effect, and "
        "whoever changes it sees nothing happen.",
    .wrong = "NCCL_SOCKET_IFNAME: eth0 and NCCL_SOCKET_IFNAME: eth1",
    .right = "one entry",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
