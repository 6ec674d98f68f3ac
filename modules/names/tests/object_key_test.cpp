// SPDX-License-Identifier: Apache-2.0
#include <kube/names/object_key.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace kube {
namespace {

TEST(ObjectKey, PrintsNamespaceAndName) {
  EXPECT_EQ((ObjectKey{"ns", "name"}).to_string(), "ns/name");
  EXPECT_EQ((ObjectKey{"", "name"}).to_string(), "name");
}

TEST(ObjectKey, KEY_02_KEY_03_ParseInvertsPrint) {
  std::mt19937 random(20260723);
  std::uniform_int_distribution<int> pick(0, 3);
  std::uniform_int_distribution<int> length(0, 8);
  for (int round = 0; round < 2000; ++round) {
    std::string text(static_cast<std::size_t>(length(random)), ' ');
    for (char& c : text) c = "/abc"[pick(random)];
    const Result<ObjectKey> key = parse_object_key(text);
    ASSERT_EQ(key.has_value(), std::count(text.begin(), text.end(), '/') <= 1) << text;
    if (!key) continue;
    const std::string want = text.starts_with('/') ? text.substr(1) : text;
    EXPECT_EQ(key->to_string(), want) << text;
  }
}

TEST(ObjectKey, KEY_02_TwoSlashesAreAnErrorThatShowsTheKey) {
  const Result<ObjectKey> key = parse_object_key("a/b/c");
  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(key.error().message(),
            R"(unexpected key format: "a/b/c", expected "namespace/name" or "name")");
  EXPECT_EQ(*parse_object_key(""), ObjectKey{});
  EXPECT_EQ(*parse_object_key("a/"), (ObjectKey{"a", ""}));
}

}  // namespace
}  // namespace kube
