#pragma once

#include "launch/rules/families.h"

/// Rules about names that Rollcall hands over.
namespace rollcall::launch::rules {

extern const Rule env_handed_over_name;
extern const Rule env_given_twice;
extern const Rule env_overridden_by_controller;
extern const Rule env_plugin_not_listed;

}  // namespace rollcall::launch::rules
