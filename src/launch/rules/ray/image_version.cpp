#include "launch/rules/ray/image_version.h"

#include <algorithm>

#include "launch/pod/image.h"

namespace rollcall::launch::rules {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// `2.46.0` at the beginning of `text`; empty for everything else.
std::string version_of(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
  if (end < text.size() && text[end] != '-') return {};
  const std::string version(text.substr(0, end));
  const bool whole = std::count(version.begin(), version.end(), '.') == 2 && is_digit(version.front()) &&
                     is_digit(version.back()) && version.find("..") == std::string::npos;
  return whole ? version : std::string();
}

}  // namespace

RayImage ray_image_of(std::string_view image) {
  const auto reference = parse_image(image);
  if (!reference.ok()) return {};
  const std::string& repository = reference->repository;
  const std::string name = repository.substr(repository.rfind('/') + 1);
  if (name != "ray" && name != "ray-ml" && name != "ray-llm") return {};
  RayImage found{version_of(reference->tag), {}};
  if (found.version.empty()) return {};
  const std::size_t python = reference->tag.find("-py");
  if (python == std::string::npos) return found;
  for (std::size_t at = python + 3; at < reference->tag.size() && is_digit(reference->tag[at]); ++at)
    found.python += reference->tag[at];
  return found;
}

}  // namespace rollcall::launch::rules
