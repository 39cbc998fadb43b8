// What view, edit and admin of a namespace include of Rollcall: docs/rbac.md, section People.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "e2e/person.h"

namespace rollcall::e2e {
namespace {

using Verbs = std::set<std::string>;
const Verbs kAll = {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"};
const Verbs kRead = {"get", "list", "watch"};
const Verbs kNone = {};

struct Role {
  std::string name;
  Verbs training_jobs;
};

class Roles : public testing::TestWithParam<Role> {};

TEST_P(Roles, IncludeWhatThePageSaysAndNoMore) {
  ROLLCALL_WORLD(world);
  ROLLCALL_WORLD(other);
  Person person(world, GetParam().name, GetParam().name);
  // Read of the whole group rollcall.dev; written is a TrainingJob's spec alone, by who may edit.
  const std::map<std::string, Verbs> inside = {{"trainingjobs", GetParam().training_jobs},
                                               {"trainingjobs/status", kRead},
                                               {"trainingjobs/finalizers", kNone},
                                               {"rollcalls", kRead},
                                               {"rollcalls/status", kRead}};
  for (const auto& [resource, verbs] : inside) {
    for (const auto& verb : kAll) {
      EXPECT_EQ(person.may(verb, "rollcall.dev", resource, world.ns()), verbs.count(verb) == 1)
          << verb << " " << resource << " in its namespace";
      EXPECT_FALSE(person.may(verb, "rollcall.dev", resource, other.ns()))
          << verb << " " << resource << " in another's namespace";
    }
  }
  // Cluster-scoped: a RoleBinding gives none of it.
  for (const auto& verb : kAll) EXPECT_FALSE(person.may(verb, "rollcall.dev", "rollcallpolicies", "")) << verb;
}

INSTANTIATE_TEST_SUITE_P(Aggregated, Roles,
                         testing::Values(Role{"view", kRead}, Role{"edit", kAll}, Role{"admin", kAll}),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace rollcall::e2e
