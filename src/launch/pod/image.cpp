#include "launch/pod/image.h"

#include <algorithm>
#include <utility>

namespace rollcall::launch {
namespace {

constexpr std::string_view kHub = "docker.io";
constexpr std::size_t kMaxRepository = 255;  // the limit of the distribution specification's own reader
constexpr std::size_t kMaxTag = 128;         // the same

bool lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool letter_or_digit(char c) { return lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }

Error unreadable(std::string_view image, const std::string& what) {
  return {"`" + std::string(image) + "` is no image reference: " + what, "Invalid"};
}

bool names_a_registry(std::string_view first) {
  return first == "localhost" || first.find_first_of(".:") != std::string_view::npos ||
         std::any_of(first.begin(), first.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

/// Lower-case letters and digits, joined by `.`, `_`, `__` or hyphens.
bool is_path_part(std::string_view part) {
  if (part.empty() || !lower_or_digit(part.front()) || !lower_or_digit(part.back())) return false;
  return std::all_of(part.begin(), part.end(),
                     [](char c) { return lower_or_digit(c) || c == '.' || c == '_' || c == '-'; });
}

bool is_path(std::string_view path) {
  while (true) {
    const auto slash = path.find('/');
    if (!is_path_part(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

bool is_tag(std::string_view tag) {
  return !tag.empty() && tag.size() <= kMaxTag && (letter_or_digit(tag.front()) || tag.front() == '_') &&
         std::all_of(tag.begin(), tag.end(),
                     [](char c) { return letter_or_digit(c) || c == '_' || c == '.' || c == '-'; });
}

/// ALGORITHM:HEX with at least 32 digits.
bool is_digest(std::string_view digest) {
  const auto colon = digest.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const auto hex = digest.substr(colon + 1);
  return hex.size() >= 32 && std::all_of(hex.begin(), hex.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
         });
}

/// `host`, `host:5000`, `[fd00::1]:5000`.
bool is_host(std::string_view host) {
  if (host.starts_with('[')) {
    const auto close = host.find(']');
    if (close == std::string_view::npos || host.find(':') > close) return false;
    host.remove_prefix(close + 1);
    if (host.empty()) return true;
    if (!host.starts_with(':')) return false;
  } else {
    const auto name = host.substr(0, host.find(':'));
    if (name.empty() || !letter_or_digit(name.front()) || !letter_or_digit(name.back())) return false;
    if (!std::all_of(name.begin(), name.end(), [](char c) { return letter_or_digit(c) || c == '.' || c == '-'; }))
      return false;
    host.remove_prefix(name.size());
    if (host.empty()) return true;
  }
  const auto port = host.substr(1);
  return !port.empty() && port.size() <= 5 &&
         std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Result<ImageReference> parse_image(std::string_view text) {
  ImageReference image;
  auto rest = text;
  if (const auto at = rest.find('@'); at != std::string_view::npos) {
    image.digest = rest.substr(at + 1);
    if (!is_digest(image.digest)) return unreadable(text, "`" + image.digest + "` is no digest");
    rest = rest.substr(0, at);
  }
  // A colon before the last slash belongs to the registry's port.
  const auto slash = rest.rfind('/');
  if (const auto colon = rest.rfind(':');
      colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash)) {
    image.tag = rest.substr(colon + 1);
    if (!is_tag(image.tag)) return unreadable(text, "`" + image.tag + "` is no tag");
    rest = rest.substr(0, colon);
  }
  const auto first = rest.find('/');
  if (first != std::string_view::npos && names_a_registry(rest.substr(0, first))) {
    image.registry = rest.substr(0, first);
    if (!is_host(image.registry)) return unreadable(text, "`" + image.registry + "` is no registry");
    rest = rest.substr(first + 1);
  } else {
    image.registry = kHub;
  }
  image.repository = rest;
  const bool official = image.registry == kHub && image.repository.find('/') == std::string::npos;
  if (official) image.repository = "library/" + image.repository;
  if (!is_path(rest) || image.repository.size() > kMaxRepository)
    return unreadable(text, "`" + std::string(rest) + "` is no repository name");
  return image;
}

Result<std::string> image_at(std::string_view registry, std::string_view image) {
  while (registry.ends_with('/')) registry.remove_suffix(1);
  const auto slash = registry.find('/');
  if (!is_host(registry.substr(0, slash)) || (slash != std::string_view::npos && !is_path(registry.substr(slash + 1))))
    return Error{"`" + std::string(registry) + "` is no registry", "Invalid"};
  // `mirror/rollcall/probe` would be pulled from whoever has the name `mirror` at docker.io.
  if (!names_a_registry(registry.substr(0, slash))) {
    return Error{"`" + std::string(registry) +
                     "` names no registry: without a dot or a port it is a name at docker.io; " +
                     "write the registry's host, or docker.io/" + std::string(registry),
                 "Invalid"};
  }
  const auto parsed = parse_image(image);
  if (!parsed) return parsed.error();
  auto moved = std::string(registry) + "/" + parsed->repository;
  if (!parsed->tag.empty()) moved += ":" + parsed->tag;
  if (!parsed->digest.empty()) moved += "@" + parsed->digest;
  return moved;
}

Result<ProbeSettings> with_images(ProbeSettings probe, const api::ImageSettings& images) {
  if (!images.registry.empty()) {
    const auto moved = image_at(images.registry, probe.image);
    if (!moved) return moved.error().in("the policy's images.registry");
    probe.image = *moved;
    if (!probe.bundled_image.empty()) {
      const auto bundled = image_at(images.registry, probe.bundled_image);
      if (!bundled) return bundled.error().in("the policy's images.registry");
      probe.bundled_image = *bundled;
    }
  }
  probe.pull_secrets = images.pull_secrets;
  return probe;
}

}  // namespace rollcall::launch
