#pragma once

#include <string>
#include <string_view>

namespace rollcall::launch::rules {

/// What the tag of one of Ray's own images says: `rayproject/ray:2.46.0-py310-gpu` is Ray 2.46.0 on Python 310. Empty
/// where the image is another one, or its tag does not begin with a version.
struct RayImage {
  std::string version;
  std::string python;  ///< empty = the tag does not say
};

/// Images whose last name is ray, ray-ml or ray-llm, at any registry: mirrors keep name and tag.
RayImage ray_image_of(std::string_view image);

}  // namespace rollcall::launch::rules
