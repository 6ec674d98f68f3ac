// SPDX-License-Identifier: Apache-2.0
//
// Types of an OpenAPI document that contain each other: that they compile is half of the test.
#include <gtest/gtest.h>

#include <type_traits>

#include <rings/v1.hpp>

#include <kube/codec/codec.hpp>
#include <kube/codec/field_facts.hpp>

namespace kube {
namespace {

using rings::v1::Apple;
using rings::v1::Leaf;
using rings::v1::Left;
using rings::v1::Ring;
using rings::v1::Self;
using rings::v1::Zest;

Ring ring_of(const std::string& members) {
  const auto ring = meta::from_json<Ring>("{" + members + "}");
  EXPECT_TRUE(ring) << (ring ? "" : ring.error().to_string());
  return ring.value_or(Ring());
}
std::string text_of(const Ring& ring) {
  const std::string text = meta::to_json(ring);
  const std::string head = R"({"kind":"Ring","apiVersion":"rings.acme.io/v1")";
  EXPECT_TRUE(text.starts_with(head)) << text;
  return text.substr(head.size());
}

TEST(Circles, ARequiredMemberThatClosesOneIsOptionalAndNullWhereItEnds) {
  const std::string text =
      R"(,"self":{"name":"a","self":{"name":"b","self":null}})"
      R"(,"pair":{"right":{"left":{"right":null,"leaf":{"size":1}}},"leaf":{}}})";
  const Ring ring = ring_of(text.substr(1, text.size() - 2));
  EXPECT_EQ(ring.self.self->name, "b");
  EXPECT_EQ(ring.self.self->self, std::nullopt);
  EXPECT_EQ(ring.pair.right->left->leaf.size, 1);
  EXPECT_EQ(text_of(ring), text);
  EXPECT_EQ(ring_of(text.substr(1, text.size() - 2)), ring);
  EXPECT_TRUE(meta::find_facts<Self>("self")->required);
}

TEST(Circles, ARequiredMemberThatClosesNoneByItselfIsAValue) {
  static_assert(std::is_same_v<decltype(Left::leaf), Leaf>);   // Leaf may go without Left
  static_assert(std::is_same_v<decltype(Apple::zest), Zest>);  // a list ends that circle
  EXPECT_EQ(text_of(Ring()), R"(,"self":{"self":null},"pair":{"right":null,"leaf":{}}})");
}

TEST(Circles, ListsAndMapsCloseThemToo) {
  const std::string text =
      R"(,"self":{"self":null},"pair":{"right":null,"leaf":{}})"
      R"(,"apple":{"zest":{"apples":[{"zest":{"named":null}}],"rows":[[{"zest":{"named":{}}}]],)"
      R"("named":{"a":{"zest":{"named":null}}}}})"
      R"(,"lists":{"other":[{"ones":[{"other":null}]}]})"
      R"(,"maps":{"others":{"a":{"ones":{"b":{}}}}}})";
  const Ring ring = ring_of(text.substr(1, text.size() - 2));
  EXPECT_EQ(text_of(ring), text);
  Ring other = ring;
  EXPECT_EQ(other, ring);
  other.maps->others.at("a").ones.clear();
  EXPECT_NE(other, ring);
}

}  // namespace
}  // namespace kube
