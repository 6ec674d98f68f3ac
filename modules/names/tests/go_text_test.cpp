// SPDX-License-Identifier: Apache-2.0
#include <kube/names/go_text.hpp>

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace kube::go {
namespace {

TEST(GoText, QuotesWhatIsNotPrintable) {
  EXPECT_EQ(quote("a\"b\\c\n\t"), R"("a\"b\\c\n\t")");
  EXPECT_EQ(quote(std::string_view("\0\x7f", 2)), R"("\x00\x7f")");
  EXPECT_EQ(quote("\xe2\x80\x8b\xf3\xa0\x80\x81"), R"("\u200b\U000e0001")");
  EXPECT_EQ(quote("\xff"), R"("\xff")");
  EXPECT_EQ(quote("\xc3\xa9"), "\"\xc3\xa9\"");
}

TEST(GoText, NumbersHaveAnExponentWhenLargeOrSmall) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(1.5), "1.5");
  EXPECT_EQ(number_text(-999999), "-999999");
  EXPECT_EQ(number_text(1000000), "1e+06");
  EXPECT_EQ(number_text(0.0001), "0.0001");
  EXPECT_EQ(number_text(0.00001), "1e-05");
}

TEST(GoText, SplitsAtEachSeparator) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
  EXPECT_EQ(split(",", ','), (std::vector<std::string_view>{"", ""}));
}

}  // namespace
}  // namespace kube::go
