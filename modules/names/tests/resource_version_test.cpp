// SPDX-License-Identifier: Apache-2.0
#include <kube/names/resource_version.hpp>

#include <gtest/gtest.h>

namespace kube::meta {
namespace {

TEST(ResourceVersion, OPT_16_BWAIT_19_ComparesByLengthThenDigits) {
  EXPECT_TRUE(*compare_resource_versions("100", "200") < 0);
  EXPECT_TRUE(*compare_resource_versions("9", "10") < 0);
  EXPECT_TRUE(*compare_resource_versions("10", "9") > 0);
  EXPECT_TRUE(*compare_resource_versions("42", "42") == 0);
  const std::string huge(400, '9');
  EXPECT_TRUE(*compare_resource_versions(huge, huge + "0") < 0);
  EXPECT_TRUE(*compare_resource_versions(huge, huge.substr(1)) > 0);
}

TEST(ResourceVersion, OPT_16_BWAIT_19_RejectsWhatServersDoNotSend) {
  for (const char* text : {"0", "", "01", "1a", "-1", "+1", " 1", "1 ", "1.0", "0x1"}) {
    EXPECT_EQ(compare_resource_versions(text, "1"), std::nullopt) << text;
    EXPECT_EQ(compare_resource_versions("1", text), std::nullopt) << text;
    const Result<void> checked = check_resource_version(text);
    ASSERT_FALSE(checked) << text;
    EXPECT_EQ(checked.error().message(),
              "resource version is not well formed: " + std::string(text));
  }
  EXPECT_TRUE(check_resource_version("18446744073709551616"));
}

}  // namespace
}  // namespace kube::meta
