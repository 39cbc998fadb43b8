#include <string>

#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "launch/pod/image.h"

// An image reference that somebody wrote. What can be read is said by its parts alone: written from them again it is
// read as the same, at another registry too.
namespace rollcall::fuzz {
namespace {

using launch::ImageReference;

std::string written(const ImageReference& image) {
  return image.registry + "/" + image.repository + (image.tag.empty() ? "" : ":" + image.tag) +
         (image.digest.empty() ? "" : "@" + image.digest);
}

bool same(const ImageReference& a, const ImageReference& b) {
  return a.registry == b.registry && a.repository == b.repository && a.tag == b.tag && a.digest == b.digest;
}

}  // namespace

void fuzz_images(std::string_view bytes) {
  const auto image = launch::parse_image(bytes);
  if (!image.ok()) {
    must(!image.error().message.empty(), "what cannot be read is said");
    return;
  }
  must(!image->registry.empty() && !image->repository.empty(), "a reference has a registry and a repository");
  const auto again = launch::parse_image(written(*image));
  must(again.ok() && same(*image, *again), "a reference is said by its parts");
  // With the mirror's path in front a long name may pass the limit.
  if (image->repository.size() > 200) return;
  const auto moved = launch::image_at("mirror.example.test/hub", bytes);
  must(moved.ok(), "what can be read can be had from another registry");
  const auto there = launch::parse_image(*moved);
  must(there.ok() && there->registry == "mirror.example.test" && there->tag == image->tag &&
           there->digest == image->digest,
       "at another registry it is the same image");
}

}  // namespace rollcall::fuzz

ROLLCALL_FUZZ_TARGET(images);
