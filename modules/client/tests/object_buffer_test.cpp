// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "object_buffer.hpp"

namespace kube {
namespace {

// So that pieces in the wrong place would be seen.
std::string pieces(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += std::string(1000, static_cast<char>('a' + i % 26));
  return text;
}

void append(ObjectBuffer& buffer, std::string_view text) {
  for (; !text.empty(); text.remove_prefix(std::min<std::size_t>(text.size(), 16'000))) {
    buffer += text.substr(0, 16'000);
  }
}

TEST(ObjectBuffer, HoldsWhatIsAppendedHoweverLargeItIs) {
  ObjectBuffer buffer;
  EXPECT_TRUE(buffer.empty());
  for (const std::size_t count : {1U, 1'000U, 1'049U, 9'000U, 3U}) {
    const std::string text = pieces(count);
    append(buffer, text);
    EXPECT_FALSE(buffer.empty());
    EXPECT_EQ(buffer.size(), text.size());
    EXPECT_TRUE(buffer.view() == text) << count;
    buffer.clear();
    EXPECT_TRUE(buffer.empty());
    EXPECT_EQ(buffer.view(), "");
  }
}

TEST(ObjectBuffer, OnePieceMayBeLarge) {
  const std::string text = pieces(9'000);
  ObjectBuffer buffer;
  buffer += "[";
  buffer += text;
  buffer += "]";
  EXPECT_TRUE(buffer.view() == "[" + text + "]");
}

TEST(ObjectBuffer, KeepsItsBeginningWhenCut) {
  const std::string text = pieces(9'000);
  for (const std::size_t size : {std::size_t{0}, std::size_t{70'000}, std::size_t{2} << 20}) {
    ObjectBuffer buffer;
    append(buffer, text);
    buffer.cut(size);
    EXPECT_TRUE(buffer.view() == text.substr(0, size)) << size;
    buffer.cut(size + 1);  // it has no more
    EXPECT_EQ(buffer.size(), size);
    buffer += "more";
    EXPECT_TRUE(buffer.view() == text.substr(0, size) + "more") << size;
  }
}

TEST(ObjectBuffer, MovesWithItsPages) {
  const std::string text = pieces(2'000);
  ObjectBuffer buffer;
  append(buffer, text);
  const ObjectBuffer moved(std::move(buffer));
  EXPECT_TRUE(moved.view() == text);
}

}  // namespace
}  // namespace kube
