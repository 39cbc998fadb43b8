#include "launch/pod/image.h"

#include <gmock/gmock.h>

namespace rollcall::launch {
namespace {

constexpr auto kDigest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

TEST(Image, IsReadInItsParts) {
  struct Case {
    std::string text, registry, repository, tag, digest;
  };
  const std::string digest = kDigest;
  const Case cases[] = {
      {"busybox", "docker.io", "library/busybox", "", ""},
      {"busybox:1.36", "docker.io", "library/busybox", "1.36", ""},
      {"docker.io/busybox", "docker.io", "library/busybox", "", ""},
      {"rollcall/probe:dev", "docker.io", "rollcall/probe", "dev", ""},
      {"localhost/probe", "localhost", "probe", "", ""},
      {"registry:5000/probe", "registry:5000", "probe", "", ""},
      {"registry:5000/team/probe:v1", "registry:5000", "team/probe", "v1", ""},
      {"ghcr.io/rollcall/probe@" + digest, "ghcr.io", "rollcall/probe", "", digest},
      {"ghcr.io/rollcall/probe:v1@" + digest, "ghcr.io", "rollcall/probe", "v1", digest},
      {"[fd00::1]:5000/probe:v1", "[fd00::1]:5000", "probe", "v1", ""},
      {"[fd00::1]/probe", "[fd00::1]", "probe", "", ""},
      {"a/b__c-d.e/f:_tag", "docker.io", "a/b__c-d.e/f", "_tag", ""},
  };
  for (const auto& each : cases) {
    const auto image = parse_image(each.text);
    ASSERT_TRUE(image.ok()) << each.text << ": " << image.error().message;
    EXPECT_EQ(image->registry, each.registry) << each.text;
    EXPECT_EQ(image->repository, each.repository) << each.text;
    EXPECT_EQ(image->tag, each.tag) << each.text;
    EXPECT_EQ(image->digest, each.digest) << each.text;
  }
}

TEST(Image, WhatIsNoReferenceIsRefused) {
  for (const char* text : {"", ":v1", "Busybox", "a//b", "a/b/", "/a", "a:", "a:ta g", "a@sha256:12", "a@x", "a b",
                           "reg.example:port/a", "-reg.example/a", "https://reg.example/a", "[fd00::1/a", "a/B"}) {
    EXPECT_FALSE(parse_image(text).ok()) << text;
  }
}

TEST(Image, MovesToAnotherRegistry) {
  EXPECT_EQ(*image_at("mirror.example:5000", "rollcall/probe:dev"), "mirror.example:5000/rollcall/probe:dev");
  EXPECT_EQ(*image_at("mirror.example/hub/", "ghcr.io/rollcall/probe:v1@" + std::string(kDigest)),
            "mirror.example/hub/rollcall/probe:v1@" + std::string(kDigest));
  EXPECT_EQ(*image_at("[fd00::1]:5000", "busybox"), "[fd00::1]:5000/library/busybox");
  EXPECT_FALSE(image_at("mirror.example/Up", "busybox").ok());
  EXPECT_FALSE(image_at("", "busybox").ok());
  EXPECT_EQ(*image_at("localhost", "rollcall/probe:dev"), "localhost/rollcall/probe:dev");
  EXPECT_EQ(*image_at("docker.io/mirror", "rollcall/probe:dev"), "docker.io/mirror/rollcall/probe:dev");
  EXPECT_EQ(
      image_at("mirror/hub", "rollcall/probe:dev").error().message,
      "`mirror/hub` names no registry: without a dot or a port it is a name at docker.io; write the registry's host, "
      "or docker.io/mirror/hub");
}

TEST(Image, AnUnreadableImageIsAnErrorThatNamesThePolicysField) {
  const auto moved = with_images({"NO IMAGE", "", "", "", ""}, {"mirror.example", {}});
  ASSERT_FALSE(moved.ok());
  EXPECT_THAT(moved.error().message, testing::HasSubstr("images.registry"));
  EXPECT_EQ(with_images({"NO IMAGE", "", "", "", ""}, {"", {"pull"}})->pull_secrets.front(), "pull");
}

}  // namespace
}  // namespace rollcall::launch
