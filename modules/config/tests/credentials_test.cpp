// SPDX-License-Identifier: Apache-2.0
#include <kube/config/credentials.hpp>

#include <gtest/gtest.h>

namespace kube::rest {
namespace {

TEST(Credentials, ImpersonationIsEmptyWithoutAnyMember) {
  EXPECT_TRUE(ImpersonationConfig{}.empty());
  EXPECT_FALSE((ImpersonationConfig{.user_name = "u"}).empty());
  EXPECT_FALSE((ImpersonationConfig{.uid = "1"}).empty());
  EXPECT_FALSE((ImpersonationConfig{.groups = {"g"}}).empty());
  EXPECT_FALSE((ImpersonationConfig{.extra = {{"k", {"v"}}}}).empty());
}

TEST(Credentials, AuthProvidersCompareWithoutTheirPersister) {
  AuthProviderConfig a{.name = "oidc", .config = {{"client-id", "x"}}};
  AuthProviderConfig b = a;
  b.persist = [](const auto&) { return Result<void>(); };
  EXPECT_EQ(a, b);
  b.config["client-id"] = "y";
  EXPECT_FALSE(a == b);
}

}  // namespace
}  // namespace kube::rest
