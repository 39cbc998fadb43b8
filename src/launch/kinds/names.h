#pragma once

#include <string>
#include <string_view>

#include "launch/launch.h"

/// What a name in the cluster's DNS means for the pods of a launch.
namespace rollcall::launch {

/// Whether `host` is a Service's own name, not a pod's below one: `svc`, `svc.ns`, `svc.ns.svc…`. Of two parts this is
/// open (a pod's name below a Service looks alike); only the bare name and the form with `svc` are told to be one.
bool is_service_name(std::string_view host);

/// Why a name that an Indexed Job's pods would have cannot resolve, as the end of a sentence; empty when it can, or
/// may: a name that is of something else, or a Service that the input does not have.
std::string why_unresolvable(const Launch& launch, const Role& role, const std::string& host);

}  // namespace rollcall::launch
