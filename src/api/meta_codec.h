#pragma once

#include "api/codec.h"
#include "api/meta.h"

/// Private to api/.
namespace rollcall::api {

template <typename Io>
void fields(Io& io, OwnerReference& v) {
  io("apiVersion", v.api_version);
  io("kind", v.kind);
  io("name", v.name);
  io("uid", v.uid);
  io("controller", v.controller);
}

template <typename Io>
void fields(Io& io, ObjectMeta& v) {
  io("name", v.name);
  io("namespace", v.namespace_name);
  io("uid", v.uid);
  io("resourceVersion", v.resource_version);
  io("generation", v.generation);
  io("creationTimestamp", v.creation_timestamp);
  io("deletionTimestamp", v.deletion_timestamp);
  io("labels", v.labels);
  io("annotations", v.annotations);
  io("ownerReferences", v.owners);
}

template <typename Io>
void fields(Io& io, Condition& v) {
  io("type", v.type);
  io("status", v.status);
  io("reason", v.reason);
  io("message", v.message);
  io("lastTransitionTime", v.last_transition_time);
  io("observedGeneration", v.observed_generation);
}

}  // namespace rollcall::api
