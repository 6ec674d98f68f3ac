// SPDX-License-Identifier: Apache-2.0
#include <kube/names/int_or_string.hpp>

#include <gtest/gtest.h>

namespace kube::meta {
namespace {

static_assert(std::is_nothrow_move_constructible_v<IntOrString>);

TEST(IntOrString, DefaultMadeIsTheNumberZero) {
  EXPECT_TRUE(IntOrString().is_int());
  const IntOrString made;
  EXPECT_EQ(*made.if_int(), 0);
  EXPECT_NE(IntOrString(), IntOrString(""));
}

TEST(IntOrString, INT_03_ParseTellsNumbersFromText) {
  EXPECT_EQ(IntOrString::parse("80"), IntOrString(80));
  EXPECT_EQ(IntOrString::parse("-5"), IntOrString(-5));
  EXPECT_EQ(IntOrString::parse("2147483647"), IntOrString(2147483647));
  EXPECT_EQ(IntOrString::parse("2147483648"), IntOrString("2147483648"));
  EXPECT_EQ(IntOrString::parse("-2147483649"), IntOrString("-2147483649"));
  EXPECT_EQ(IntOrString::parse("http"), IntOrString("http"));
  EXPECT_EQ(IntOrString::parse(""), IntOrString(""));
  EXPECT_EQ(IntOrString::parse("8 "), IntOrString("8 "));
}

TEST(IntOrString, TextMayHaveANumber) {
  EXPECT_EQ(IntOrString("80").int_value(), 80);
  EXPECT_EQ(IntOrString("http").int_value(), 0);
  EXPECT_EQ(IntOrString(7).int_value(), 7);
  EXPECT_EQ(IntOrString("http").to_string(), "http");
  EXPECT_EQ(IntOrString(7).to_string(), "7");
}

TEST(ScaledValue, INT_05_NumbersAreThemselvesAndPercentagesAreScaled) {
  EXPECT_EQ(*scaled_value(123, 100, false), 123);
  EXPECT_EQ(*scaled_value("90%", 100, true), 90);
  EXPECT_EQ(*scaled_value("90%", 95, true), 86);
  EXPECT_EQ(*scaled_value("90%", 95, false), 85);
  EXPECT_EQ(*scaled_value("40%", 10, false), 4);
  EXPECT_EQ(*scaled_value("0%", 10, true), 0);
}

TEST(ScaledValue, INT_05_RefusesWhatIsNoPercentage) {
  for (const char* text : {"200", "30%0", "%", "a%", "a", "40#", "40%%"}) {
    const auto value = scaled_value(text, 100, true);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().code(), ErrorCode::InvalidArgument);
    EXPECT_TRUE(value.error().to_string().starts_with("invalid value for IntOrString: "))
        << value.error().to_string();
  }
}

}  // namespace
}  // namespace kube::meta
