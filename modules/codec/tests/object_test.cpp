// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/object.hpp>

#include <gtest/gtest.h>

#include <kube/api/example/v1.hpp>

namespace kube::meta {
namespace {

using example::v1::Everything;
using example::v1::EverythingList;

static_assert(Object<Everything>);
static_assert(Object<Unstructured>);
static_assert(!Object<int>);

TEST(ResourceOf, AnswersTheFactsOfAKind) {
  const ResourceInfo info = resource_of<Everything>();
  EXPECT_EQ(info.group, "example.com");
  EXPECT_EQ(info.version, "v1");
  EXPECT_EQ(info.kind, "Everything");
  EXPECT_EQ(info.plural, "everythings");
  EXPECT_EQ(info.singular, "everything");
  EXPECT_TRUE(info.namespaced);
  EXPECT_EQ(resource_of<EverythingList>().plural, "");
}

}  // namespace
}  // namespace kube::meta
