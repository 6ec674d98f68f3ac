// SPDX-License-Identifier: Apache-2.0
#include <kube/config/environment.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace kube::rest {
namespace {

TEST(ProcessEnvironment, KnowsTheVariablesOfTheProcess) {
  ASSERT_EQ(setenv("KUBE_ENVIRONMENT_TEST", "value", 1), 0);
  EXPECT_EQ(process_environment()("KUBE_ENVIRONMENT_TEST"), "value");
  ASSERT_EQ(unsetenv("KUBE_ENVIRONMENT_TEST"), 0);
  EXPECT_EQ(process_environment()("KUBE_ENVIRONMENT_TEST"), std::nullopt);
}

}  // namespace
}  // namespace kube::rest
