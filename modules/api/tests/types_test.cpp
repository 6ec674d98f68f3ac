// SPDX-License-Identifier: Apache-2.0
#include <kube/api/types.hpp>

#include <gtest/gtest.h>

#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/core/v1/pod.hpp>

namespace kube::api {
namespace {

TEST(FindType, FindsGeneratedKindsByName) {
  EXPECT_EQ(find_type({"", "v1", "Pod"}), &core::v1::Pod::descriptor());
  EXPECT_EQ(find_type({"apps", "v1", "Deployment"}), &apps::v1::Deployment::descriptor());
  EXPECT_EQ(find_type({"", "v1", "PodSpec"}), nullptr);
  EXPECT_EQ(find_type({"apps", "v1", "Pod"}), nullptr);
}

}  // namespace
}  // namespace kube::api
