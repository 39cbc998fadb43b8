#pragma once

#include <string>
#include <string_view>

#include "api/rollcall_policy.h"
#include "base/result.h"
#include "launch/pod/make_pod.h"

namespace rollcall::launch {

/// An image reference in its parts, as container runtimes read it: `[REGISTRY/]REPOSITORY[:TAG][@DIGEST]`.
struct ImageReference {
  std::string registry;    ///< `docker.io` when the reference names none
  std::string repository;  ///< `library/busybox` for `busybox`
  std::string tag;         ///< empty = none
  std::string digest;      ///< `sha256:…`, empty = none
};

/// The first part is a registry when it has a dot or a colon or is `localhost`; else the whole is a name at docker.io.
/// An Error says what cannot be read.
Result<ImageReference> parse_image(std::string_view text);

/// The same repository, tag and digest at another registry, which may have a path: `mirror.example/hub`. A registry
/// that a runtime would take for a name at docker.io (`mirror`) is an Error.
Result<std::string> image_at(std::string_view registry, std::string_view image);

/// `probe` as the policy of a namespace wants it: image and pull secrets.
Result<ProbeSettings> with_images(ProbeSettings probe, const api::ImageSettings& images);

}  // namespace rollcall::launch
