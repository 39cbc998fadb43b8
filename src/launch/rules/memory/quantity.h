#pragma once

#include <optional>
#include <string>

#include "launch/document/field.h"

namespace rollcall::launch::rules {

/// Bytes of a Kubernetes quantity (`64Mi`, `1.5G`, `1e9`, 1024); nullopt where it is none, or absent.
std::optional<double> bytes_of(const Field& quantity);

/// `12.5 GiB`, for a person.
std::string gib(double bytes);

}  // namespace rollcall::launch::rules
