// SPDX-License-Identifier: Apache-2.0
#include <kube/names/fields.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "field_terms.hpp"

namespace kube::fields {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

std::string printed(std::string_view text) {
  const Result<Selector> selector = parse(text);
  return selector ? selector->to_string() : "error: " + selector.error().message();
}

TEST(FieldSelector, FSEL_01_PrintsWhatItParsed) {
  for (const char* text : {"x=a,y=b,z=c", "", "x!=a,y=b", R"(x=a||y\=b)", R"(x=a\=\=b)"}) {
    EXPECT_EQ(printed(text), text);
  }
}

TEST(FieldSelector, FSEL_02_RejectsNamingTheTerm) {
  EXPECT_THAT(printed("x=a||y=b"), HasSubstr("unescaped character in value: 61"));
  EXPECT_THAT(printed("x==a==b"), HasSubstr("unescaped character in value: 61"));
  EXPECT_EQ(printed("x=a,b"), "error: invalid selector: 'x=a,b'; can't understand 'b'");
  EXPECT_EQ(printed("x in (a)"),
            "error: invalid selector: 'x in (a)'; can't understand 'x in (a)'");
  EXPECT_EQ(printed("x in (a,b,c)"),
            "error: invalid selector: 'x in (a,b,c)'; can't understand 'b'");
  EXPECT_EQ(printed("x"), "error: invalid selector: 'x'; can't understand 'x'");
  EXPECT_EQ(parse("x").error().code(), ErrorCode::InvalidArgument);
}

TEST(FieldSelector, FSEL_03_EscapesAndUnescapes) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},       {"a", "a"},      {"=", R"(\=)"},
      {",", R"(\,)"}, {"\\", R"(\\)"}, {R"(\=\,\)", R"(\\\=\\\,\\)"}};
  for (const auto& [plain, escaped] : cases) {
    EXPECT_EQ(escape_value(plain), escaped);
    EXPECT_EQ(unescape_value(escaped).value(), plain);
  }
}

TEST(FieldSelector, FSEL_04_UnescapeErrors) {
  EXPECT_EQ(unescape_value("\\").error().message(),
            R"(invalid field selector: invalid escape sequence: \)");
  EXPECT_EQ(unescape_value(R"(\\\)").error().message(),
            R"(invalid field selector: invalid escape sequence: \)");
  EXPECT_EQ(unescape_value(R"(\a)").error().message(),
            R"(invalid field selector: invalid escape sequence: \a)");
  EXPECT_EQ(unescape_value("\\\xc3\xa4").error().message(),
            "invalid field selector: invalid escape sequence: \\\xc3\xa4");
  EXPECT_THAT(unescape_value(",").error().message(), HasSubstr("unescaped character in value: 44"));
  EXPECT_THAT(unescape_value("=").error().message(), HasSubstr("unescaped character in value: 61"));
}

TEST(FieldSelector, FSEL_05_SplitsTerms) {
  using detail::split_terms;
  EXPECT_THAT(split_terms(""), IsEmpty());
  EXPECT_THAT(split_terms("a"), ElementsAre("a"));
  EXPECT_THAT(split_terms("a=a,"), ElementsAre("a=a", ""));
  EXPECT_THAT(split_terms(",a=a"), ElementsAre("", "a=a"));
  EXPECT_THAT(split_terms(R"(k=\,,k2=v2)"), ElementsAre(R"(k=\,)", "k2=v2"));
  EXPECT_THAT(split_terms(R"(k=\\,k2=v2)"), ElementsAre(R"(k=\\)", "k2=v2"));
  EXPECT_THAT(split_terms(R"(k=\\\,,k2=v2)"), ElementsAre(R"(k=\\\,)", "k2=v2"));
  EXPECT_THAT(split_terms("\xe9\x94\xae=\xe5\x80\xbc,k2=v2"),
              ElementsAre("\xe9\x94\xae=\xe5\x80\xbc", "k2=v2"));
}

TEST(FieldSelector, FSEL_06_SplitsATerm) {
  using detail::split_term;
  using detail::Term;
  EXPECT_EQ(split_term("a=value"), (Term{"a", "=", "value"}));
  EXPECT_EQ(split_term("b==value"), (Term{"b", "==", "value"}));
  EXPECT_EQ(split_term("c!=value"), (Term{"c", "!=", "value"}));
  EXPECT_EQ(split_term(R"(c=\=)"), (Term{"c", "=", R"(\=)"}));
  EXPECT_EQ(split_term("a"), std::nullopt);
  EXPECT_EQ(split_term(""), std::nullopt);
  EXPECT_EQ(split_term("k="), (Term{"k", "=", ""}));
}

TEST(FieldSelector, FSEL_07_PrintsDeterministically) {
  EXPECT_EQ(printed("x=a,a=x"), "a=x,x=a");
  EXPECT_EQ(printed("a=x,x=a"), "a=x,x=a");
  EXPECT_EQ(printed("x==a"), "x=a");
}

TEST(FieldSelector, FSEL_08_AMissingFieldIsEmpty) {
  EXPECT_TRUE(parse("x!=y").value().matches(Set{}));
  EXPECT_TRUE(parse("x=").value().matches(Set{}));
  EXPECT_FALSE(parse("x=y").value().matches(Set{}));
  EXPECT_TRUE(parse("").value().matches(Set{{"x", "y"}}));
  EXPECT_TRUE(parse("x=y,z!=w").value().matches(Set{{"x", "y"}, {"z", "a"}}));
  EXPECT_FALSE(parse("x=y,z!=w").value().matches(Set{{"x", "y"}, {"z", "w"}}));
  EXPECT_TRUE(parse("spec.nodeName=n1").value().matches([](std::string_view field) {
    return field == "spec.nodeName" ? std::string("n1") : std::string();
  }));
}

TEST(FieldSelector, FSEL_09_MatchesEscapedValues) {
  EXPECT_TRUE(parse(R"(complex=\=value\\\,\\)").value().matches(Set{{"complex", R"(=value\,\)"}}));
}

TEST(FieldSelector, FSEL_10_OnlyConditionsMakeItNonEmpty) {
  EXPECT_TRUE(Selector().empty());
  EXPECT_TRUE(Selector::all_of({Selector(), Selector()}).empty());
  EXPECT_FALSE(parse("a=b").value().empty());
  EXPECT_FALSE(Selector::nothing().empty());
  EXPECT_FALSE(Selector::nothing().matches(Set{}));
  EXPECT_FALSE(Selector::all_of({Selector(), Selector::nothing()}).matches(Set{}));
}

TEST(FieldSelector, FSEL_11_RequiredValue) {
  EXPECT_EQ(parse("x=a").value().required_value("x"), "a");
  EXPECT_EQ(parse("x=").value().required_value("x"), "");
  EXPECT_EQ(parse("x!=a").value().required_value("x"), std::nullopt);
  EXPECT_EQ(parse("x!=a,x=b").value().required_value("x"), "b");
  EXPECT_EQ(parse("y=a").value().required_value("x"), std::nullopt);
}

TEST(FieldSelector, FSEL_12_TransformRenamesAndDrops) {
  const Transform rename =
      [](std::string_view field,
         std::string_view value) -> Result<std::pair<std::string, std::string>> {
    if (field == "old") return std::pair<std::string, std::string>("new", value);
    if (field == "drop") return std::pair<std::string, std::string>();
    if (field == "bad") return Error(ErrorCode::InvalidArgument, "field label not supported: bad");
    return std::pair<std::string, std::string>(field, value);
  };
  EXPECT_EQ(parse("drop=x,old!=1,z=2").value().transformed(rename).value().to_string(),
            "new!=1,z=2");
  EXPECT_TRUE(parse("drop=x").value().transformed(rename).value().empty());
  EXPECT_EQ(parse("bad=1").value().transformed(rename).error().message(),
            "field label not supported: bad");
}

TEST(FieldSelector, FSEL_13_FromASet) {
  EXPECT_TRUE(Selector::from_set({}).empty());
  EXPECT_EQ(Selector::from_set({{"a", "b,c"}}).to_string(), R"(a=b\,c)");
  EXPECT_EQ(Selector::one_term_equal("metadata.name", "a=b").to_string(), R"(metadata.name=a\=b)");
  EXPECT_EQ(Selector::one_term_not_equal("status.phase", "Running").to_string(),
            "status.phase!=Running");
}

TEST(FieldSelector, FSEL_14_RequirementsHoldUnescapedValues) {
  EXPECT_THAT(parse(R"(y==\=,x!=a)").value().requirements(),
              ElementsAre(Requirement{"x", false, "a"}, Requirement{"y", true, "="}));
}

TEST(FieldSelector, RandomTextPrintsToAnEqualSelector) {
  std::mt19937 random(11);
  std::uniform_int_distribution<std::size_t> pick(0, 8);
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t n = pick(random); n > 0; --n)
      text += std::string_view("a=!,\\b\0\xff ", 9)[pick(random)];
    const Result<Selector> selector = parse(text);
    if (!selector) continue;
    ++accepted;
    const Result<Selector> again = parse(selector->to_string());
    ASSERT_TRUE(again) << text;
    // Escapes and "==" sort differently in the two texts.
    EXPECT_THAT(again->requirements(), UnorderedElementsAreArray(selector->requirements())) << text;
  }
  EXPECT_GT(accepted, 500);
  EXPECT_FALSE(parse(std::string(100'001, '\\')));
}

}  // namespace
}  // namespace kube::fields
