// SPDX-License-Identifier: Apache-2.0
//
// Cached: what may be read through a temporary one, and what an empty one returns. (What may not
// does not compile: tests/compile_fail/temporary_cached.cpp.)
#include <kube/cache/cached.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "cached_pods.hpp"

namespace kube::cache {
namespace {

using core::v1::Pod;
using testing::found_pod;

static_assert(std::is_same_v<decltype(*std::declval<Cached<Pod>>()), Pod>);
static_assert(std::is_same_v<decltype(*std::declval<Cached<Pod>&>()), const Pod&>);

TEST(CachedTemporary, IsCopiedWhenItIsDereferenced) {
  const Pod copy = *found_pod().value();
  EXPECT_EQ(copy.spec.node_name, "a node with a long name");
  const auto& spec = (*found_pod().value()).spec;
  EXPECT_EQ(spec.node_name, "a node with a long name");
  for (const auto& container : (*found_pod().value()).spec.containers)
    EXPECT_EQ(container.image, "shop/front:1.2.3.4.5");
}

TEST(CachedTemporary, HandsOutItsKeyByValue) {
  const auto key = found_pod().value().object_key();
  EXPECT_EQ(key, (ObjectKey{"web", "a"}));
}

TEST(CachedOfNothing, AnswersWithErrorsAndEmptyText) {
  const Cached<Pod> none;
  EXPECT_FALSE(none);
  EXPECT_EQ(none.key(), "");
  EXPECT_EQ(none.namespace_(), "");
  EXPECT_EQ(none.name(), "");
  EXPECT_EQ(none.uid(), "");
  EXPECT_EQ(none.resource_version(), "");
  EXPECT_EQ(none.object_key(), ObjectKey());
  EXPECT_FALSE(none.ref());
  EXPECT_EQ(none, Cached<Pod>());
  const auto read = none.get();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), ErrorCode::InvalidArgument);
  const auto path = meta::FieldLocator::compile<Pod>("spec.nodeName");
  EXPECT_FALSE(none.read<std::string>(*path));
  EXPECT_THROW(static_cast<void>(none->spec.node_name), ApiException);
  EXPECT_THROW(static_cast<void>(*none), ApiException);
}

}  // namespace
}  // namespace kube::cache
