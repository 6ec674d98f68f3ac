// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/key_func.hpp>

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/cache/store.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/status.hpp>

#include "part_pods.hpp"

namespace kube::cache {
namespace {

using core::v1::Pod;
using testing::cached_part;
using ::testing::HasSubstr;
using testing::part_pod;

TEST(KeyFunc, TheKeyOfAnObjectIsItsNamespaceAndName) {
  EXPECT_EQ(*meta_namespace_key_func(cached_part("x/a", "1")), "x/a");
  EXPECT_EQ(*meta_namespace_key_func(cached_part("node-1", "1")), "node-1");
}

TEST(KeyFunc, KEY_09_AnObjectWithoutMetadataIsAnError) {
  EXPECT_EQ(meta_namespace_key_func(Cached<Pod>()).error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(deletion_handling_meta_namespace_key_func(Cached<Pod>()).error().code(),
            ErrorCode::InvalidArgument);
  const auto bare = make_cached(Unstructured(json::parse(R"({"kind":"Status"})").value()));
  EXPECT_EQ(meta_namespace_key_func(bare).error().message(), "the object has no metadata.name");
  kube::Store<Unstructured> store;
  EXPECT_EQ(store.add(bare).error().code(), ErrorCode::InvalidArgument);
}

TEST(KeyFunc, TheKeyOfADeletionIsTheOneThatWasRecorded) {
  DeletedObject<Pod> deleted{{"x", "a"}, Cached<Pod>(), true};
  EXPECT_EQ(*deletion_handling_meta_namespace_key_func(deleted), "x/a");
  deleted.object = cached_part("y/b", "1");
  EXPECT_EQ(*deletion_handling_meta_namespace_key_func(deleted), "x/a");
  EXPECT_EQ(*deletion_handling_meta_namespace_key_func(cached_part("x/a", "1")), "x/a");
  EXPECT_FALSE(deletion_handling_meta_namespace_key_func(DeletedObject<Pod>()));
}

TEST(KeyFunc, KEY_06_AKeyErrorIsItsCauseHoweverDeep) {
  const Error cause = meta::not_found_error({"", "owners"}, "a");
  const KeyFunc<Pod> fails = [&](const Cached<Pod>&) -> Result<std::string> { return cause; };
  const auto once = key_of(fails, cached_part("x/a", "1"));
  EXPECT_TRUE(is_not_found(once.error()));
  EXPECT_EQ(once.error().message(), cause.message());
  EXPECT_THAT(once.error().to_string(), HasSubstr("create the key of object \"x/a\""));
  const KeyFunc<Pod> nested = [&](const Cached<Pod>& pod) { return key_of(fails, pod); };
  const auto twice = key_of(nested, cached_part("x/b", "1"));
  EXPECT_TRUE(is_not_found(twice.error()));
  EXPECT_EQ(twice.error().message(), cause.message());
}

TEST(KeyFunc, AKeyThatCanNotBeStoredIsAnError) {
  const auto key_is = [](std::string key) {
    const KeyFunc<Pod> function = [key](const Cached<Pod>&) -> Result<std::string> { return key; };
    return key_of(function, cached_part("x/a", "1"));
  };
  EXPECT_TRUE(key_is("k"));
  EXPECT_TRUE(key_is(std::string(kMaxKeyBytes, 'k')));
  EXPECT_EQ(key_is("").error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(key_is(std::string(kMaxKeyBytes + 1, 'k')).error().code(), ErrorCode::InvalidArgument);
  const KeyFunc<Pod> throws = [](const Cached<Pod>&) -> Result<std::string> {
    throw std::runtime_error("no key");
  };
  const auto thrown = key_of(throws, cached_part("x/a", "1"));
  EXPECT_EQ(thrown.error().code(), ErrorCode::Internal);
  EXPECT_THAT(thrown.error().message(), HasSubstr("no key"));
}

TEST(KeyFunc, IDX_15_AnIndexFunctionOfOneValueMakesKeys) {
  const KeyFunc<Pod> key = index_func_to_key_func_adapter<Pod>([](const Cached<Pod>& pod) {
    return std::vector<std::string>(pod->metadata.finalizers.begin(),
                                    pod->metadata.finalizers.end());
  });
  Pod pod = part_pod("x/a", "1");
  EXPECT_EQ(key(make_cached(pod)).error().code(), ErrorCode::InvalidArgument);
  pod.metadata.finalizers = {"one"};
  EXPECT_EQ(*key(make_cached(pod)), "one");
  pod.metadata.finalizers = {"one", "two"};
  EXPECT_EQ(key(make_cached(pod)).error().message(),
            "expected one value of the index function, found 2");
}

}  // namespace
}  // namespace kube::cache
