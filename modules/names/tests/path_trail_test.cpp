// SPDX-License-Identifier: Apache-2.0
#include <kube/names/path_trail.hpp>

#include <gtest/gtest.h>

namespace kube::meta {
namespace {

TEST(PathTrail, GrowsWithAStepAndShrinksAtItsEnd) {
  PathTrail trail;
  EXPECT_EQ(trail.text(), "");
  {
    const auto spec = trail.child("spec");
    const auto ports = trail.child("ports");
    {
      const auto item = trail.index(2);
      EXPECT_EQ(trail.text(), "spec.ports[2]");
    }
    const auto key = trail.key("http");
    EXPECT_EQ(trail.path().to_string(), "spec.ports[http]");
  }
  EXPECT_EQ(trail.path().to_string(), "<nil>");
}

TEST(PathTrail, BeginsAtItsRoot) {
  PathTrail trail("metadata");
  const auto step = trail.child("name");
  EXPECT_EQ(trail.text(), "metadata.name");
}

}  // namespace
}  // namespace kube::meta
