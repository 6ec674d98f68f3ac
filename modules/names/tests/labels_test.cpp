// SPDX-License-Identifier: Apache-2.0
#include <kube/names/labels.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "label_lexer.hpp"

namespace kube::labels {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

static_assert(std::is_nothrow_move_constructible_v<Selector>);

Requirement require(std::string key, Operator op, std::vector<std::string> values = {}) {
  return {std::move(key), op, std::move(values)};
}

Selector parsed(std::string_view text) {
  Result<Selector> selector = parse(text);
  EXPECT_TRUE(selector) << text << ": " << (selector ? "" : selector.error().message());
  return selector ? *selector : Selector::nothing();
}

std::string syntax_error_of(std::string_view text) {
  const Result<Selector> selector = parse(text);
  if (selector) return "parsed as " + selector->to_string();
  EXPECT_EQ(selector.error().code(), ErrorCode::InvalidArgument);
  return selector.error().message();
}

TEST(LabelSelector, SEL_01_PrintsWhatItParsed) {
  for (const char* text : {"x=a,y=b,z=c", "", "x!=a,y=b", "x=", "!x", "x>1", "x>1,z<5"}) {
    EXPECT_EQ(parsed(text).to_string(), text);
  }
  EXPECT_EQ(parsed("x= ").to_string(), "x=");
  EXPECT_EQ(parsed("x=,z= ").to_string(), "x=,z=");
  EXPECT_EQ(parsed("x= ,z= ").to_string(), "x=,z=");
  EXPECT_EQ(parsed("! x").to_string(), "!x");
}

TEST(LabelSelector, SEL_01_ParsesSetsAndWhiteSpace) {
  struct Case {
    const char* text;
    std::vector<Requirement> want;
  };
  const std::vector<Case> cases{
      {"\rx", {require("x", Operator::Exists)}},
      {"a ", {require("a", Operator::Exists)}},
      {"this-is-a-dns.domain.com/key-with-dash",
       {require("this-is-a-dns.domain.com/key-with-dash", Operator::Exists)}},
      {"0.1.2.domain/99 notin (10.10.100.1, tick.tack.clock)",
       {require("0.1.2.domain/99", Operator::NotIn, {"10.10.100.1", "tick.tack.clock"})}},
      {"foo  in\t (abc)", {require("foo", Operator::In, {"abc"})}},
      {"x notin\n (abc)", {require("x", Operator::NotIn, {"abc"})}},
      {"x in (abc,)", {require("x", Operator::In, {"", "abc"})}},
      {"x in (abc,abc)", {require("x", Operator::In, {"abc"})}},
      {"x in ()", {require("x", Operator::In, {""})}},
      {"x notin ( )", {require("x", Operator::NotIn, {""})}},
      {"x in (a,,)", {require("x", Operator::In, {"", "a"})}},
      {"x in (a,,a,,a,,a,,)", {require("x", Operator::In, {"", "a"})}},
      {"x notin (, a)", {require("x", Operator::NotIn, {"", "a"})}},
      {"x notin (abc,,def),bar,z in (),w",
       {require("bar", Operator::Exists), require("w", Operator::Exists),
        require("x", Operator::NotIn, {"", "abc", "def"}), require("z", Operator::In, {""})}},
      {"x,y in (a)", {require("x", Operator::Exists), require("y", Operator::In, {"a"})}},
      {"a in (x,y,notin, z,in)", {require("a", Operator::In, {"in", "notin", "x", "y", "z"})}},
      {"notin=in", {require("notin", Operator::Equals, {"in"})}},
      {"in in (in)", {require("in", Operator::In, {"in"})}},
      {"x==a", {require("x", Operator::DoubleEquals, {"a"})}},
      {"x=a,x=b", {require("x", Operator::Equals, {"a"}), require("x", Operator::Equals, {"b"})}},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(parsed(text).requirements(), want) << text;
  EXPECT_FALSE(parsed("x=a,x=b").matches(Set{{"x", "a"}}));
}

TEST(LabelSelector, SEL_01_RejectsInApimachinerysWords) {
  const std::string prefix = "unable to parse requirement: ";
  const std::string bad_operator = ", expected: in, notin, =, ==, !=, gt, lt";
  EXPECT_THAT(syntax_error_of("x=a||y=b"),
              HasSubstr(R"(values[0][x]: Invalid value: "a||y": a valid label)"));
  EXPECT_EQ(syntax_error_of("x==a==b"), "found '==', expected: ',' or 'end of string'");
  EXPECT_EQ(syntax_error_of("!x=a"), "found '=', expected: ',' or 'end of string'");
  for (const char* text : {"x<a", "x>", "x>1.5"}) {
    EXPECT_THAT(syntax_error_of(text),
                HasSubstr("for 'Gt', 'Lt' operators, the value must be an integer"));
  }
  for (const char* text : {"x>-1", "x>+1"}) {
    EXPECT_THAT(syntax_error_of(text), HasSubstr("a valid label must be an empty string"));
    EXPECT_THAT(syntax_error_of(text), ::testing::Not(HasSubstr("must be an integer")));
  }
  EXPECT_EQ(syntax_error_of("x<=1"), prefix + "found '=', expected: identifier");
  EXPECT_EQ(syntax_error_of("x,,y"), "found ',', expected: identifier after ','");
  EXPECT_EQ(syntax_error_of("a in (xyz),"), "found '', expected: identifier after ','");
  EXPECT_EQ(syntax_error_of(",x,y"), "found ',', expected: !, identifier, or 'end of string'");
  EXPECT_EQ(syntax_error_of("("), "found '(', expected: !, identifier, or 'end of string'");
  EXPECT_EQ(syntax_error_of("=a"), "found '=', expected: !, identifier, or 'end of string'");
  EXPECT_EQ(syntax_error_of("x nott in (y)"), prefix + "found 'nott'" + bad_operator);
  EXPECT_EQ(syntax_error_of("a ("), prefix + "found '('" + bad_operator);
  EXPECT_EQ(syntax_error_of("a in (xyz)b notin ()"), "found 'b', expected: ',' or 'end of string'");
  EXPECT_EQ(syntax_error_of("x=a b"), "found 'b', expected: ',' or 'end of string'");
  EXPECT_EQ(syntax_error_of("a in (xyz abc)"), prefix + "found 'abc', expected: ',' or ')'");
  EXPECT_EQ(syntax_error_of("a notin("), prefix + "found '', expected: ',', ')' or identifier");
  EXPECT_EQ(syntax_error_of("a in (x,"), prefix + "found '', expected: ',', or identifier");
  EXPECT_EQ(syntax_error_of("x in a"), prefix + "found 'a' expected: '('");
  EXPECT_EQ(syntax_error_of("!!x"), prefix + "found '!', expected: identifier");
  EXPECT_EQ(syntax_error_of("!"), prefix + "found '', expected: identifier");
  EXPECT_THAT(syntax_error_of("a.b/c/d=e"),
              HasSubstr(prefix + R"(<nil>: Invalid value: "a.b/c/d": a valid label key)"));
}

TEST(LabelSelector, SEL_01_ReportsTheFirstMistakeFromTheLeft) {
  EXPECT_THAT(syntax_error_of("x>a,,"), HasSubstr("must be an integer"));
}

TEST(LabelSelector, SEL_02_SortsByKey) {
  EXPECT_EQ(parsed("x=a,a=x").to_string(), "a=x,x=a");
  EXPECT_EQ(parsed("a=x,x=a").to_string(), "a=x,x=a");
}

TEST(LabelSelector, SEL_03_EachOperatorKeepsItsSpelling) {
  const auto print = [](std::vector<Requirement> requirements) {
    return Selector::from_requirements(std::move(requirements)).value().to_string();
  };
  EXPECT_EQ(print({require("x", Operator::In, {"def", "abc"}),
                   require("y", Operator::NotIn, {"jkl"}), require("z", Operator::Exists)}),
            "x in (abc,def),y notin (jkl),z");
  EXPECT_EQ(
      print({require("x", Operator::NotIn, {"abc", "def"}),
             require("y", Operator::NotEquals, {"jkl"}), require("z", Operator::DoesNotExist)}),
      "x notin (abc,def),y!=jkl,!z");
  EXPECT_EQ(
      print({require("x", Operator::Equals, {"abc"}), require("y", Operator::DoubleEquals, {"jkl"}),
             require("z", Operator::NotEquals, {"a"}), require("z", Operator::Exists)}),
      "x=abc,y==jkl,z!=a,z");
  EXPECT_EQ(print({require("x", Operator::GreaterThan, {"2"}),
                   require("y", Operator::LessThan, {"8"}), require("z", Operator::Exists)}),
            "x>2,y<8,z");
  EXPECT_EQ(print({require("z", Operator::NotIn, {""})}), "z notin ()");
}

TEST(LabelSelector, SEL_04_Matches) {
  EXPECT_TRUE(parsed("").matches(Set{{"x", "y"}}));
  EXPECT_TRUE(parsed("").matches(Set{}));
  EXPECT_TRUE(parsed("x=y,z=w").matches(Set{{"x", "y"}, {"z", "w"}}));
  EXPECT_TRUE(parsed("x!=y,z!=w").matches(Set{{"x", "z"}, {"z", "a"}}));
  EXPECT_TRUE(parsed("x").matches(Set{{"x", "z"}}));
  EXPECT_TRUE(parsed("!x").matches(Set{{"y", "z"}}));
  EXPECT_TRUE(parsed("x>1").matches(Set{{"x", "2"}}));
  EXPECT_TRUE(parsed("x<1").matches(Set{{"x", "0"}}));
  EXPECT_TRUE(parsed("x<1").matches(Set{{"x", "-5"}}));
}

TEST(LabelSelector, SEL_05_DoesNotMatch) {
  EXPECT_FALSE(parsed("x=z").matches(Set{}));
  EXPECT_FALSE(parsed("x=y,z=w").matches(Set{{"x", "w"}, {"z", "w"}}));
  EXPECT_FALSE(parsed("x!=y,z!=w").matches(Set{{"x", "z"}, {"z", "w"}}));
  EXPECT_FALSE(parsed("x").matches(Set{{"y", "z"}}));
  EXPECT_FALSE(parsed("!x").matches(Set{{"x", "z"}}));
  EXPECT_FALSE(parsed("x>1").matches(Set{{"x", "0"}}));
  EXPECT_FALSE(parsed("z>1").matches(Set{{"z", "v2"}}));
  EXPECT_FALSE(parsed("z>1").matches(Set{{"z", "99999999999999999999"}})) << "beyond 64 bits";
  EXPECT_FALSE(parsed("z>1").matches(Set{{"z", "2 "}}));
  EXPECT_FALSE(parsed("z<1").matches(Set{}));
  EXPECT_FALSE(Requirement{}.matches("x"));
  EXPECT_FALSE(Requirement{}.matches(std::nullopt));
}

TEST(LabelSelector, SEL_06_TheEmptySetHoldsTheEmptyValue) {
  EXPECT_TRUE(parsed("x notin ()").matches(Set{{"y", ""}}));
  EXPECT_FALSE(parsed("x notin ()").matches(Set{{"x", ""}}));
  EXPECT_FALSE(parsed("x in ()").matches(Set{{"y", ""}}));
  EXPECT_TRUE(parsed("x in ()").matches(Set{{"x", ""}}));
}

TEST(LabelSelector, SEL_07_NotEqualsMatchesWithoutTheKey) {
  EXPECT_TRUE(parsed("key!=v").matches(Set{}));
  EXPECT_TRUE(parsed("key notin (v)").matches(Set{{"other", "v"}}));
  EXPECT_FALSE(parsed("key!=v").matches(Set{{"key", "v"}}));
}

TEST(LabelSelector, MatchesThroughALookup) {
  const Lookup lookup = [](std::string_view key) -> std::optional<std::string_view> {
    if (key == "app") return "web";
    return std::nullopt;
  };
  EXPECT_TRUE(parsed("app=web,!tier").matches(lookup));
  EXPECT_FALSE(parsed("app=web,tier").matches(lookup));
  EXPECT_FALSE(Selector::nothing().matches(lookup));
}

TEST(LabelSelector, SEL_08_ConstructionNamesEveryWrongField) {
  const auto error = [](Requirement requirement) {
    const Result<Selector> selector = Selector::from_requirements({std::move(requirement)});
    return selector ? "accepted" : selector.error().message();
  };
  for (const Operator op : {Operator::In, Operator::NotIn}) {
    EXPECT_EQ(error(require("x", op)),
              "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty");
  }
  for (const Operator op : {Operator::Equals, Operator::DoubleEquals, Operator::NotEquals}) {
    EXPECT_EQ(error(require("x", op, {"a", "b"})),
              "values: Invalid value: [\"a\",\"b\"]: exact-match compatibility requires one single "
              "value");
  }
  for (const Operator op : {Operator::Exists, Operator::DoesNotExist}) {
    EXPECT_EQ(
        error(require("x", op, {"a"})),
        "values: Invalid value: [\"a\"]: values set must be empty for exists and does not exist");
  }
  for (const Operator op : {Operator::GreaterThan, Operator::LessThan}) {
    EXPECT_EQ(error(require("x", op, {"1", "2"})),
              "values: Invalid value: [\"1\",\"2\"]: for 'Gt', 'Lt' operators, exactly one value "
              "is required");
    EXPECT_EQ(
        error(require("x", op, {"b"})),
        "values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer");
  }
  EXPECT_THAT(error(require("x", Operator::In, {"ok", "a b"})),
              HasSubstr(R"(values[1][x]: Invalid value: "a b": a valid label)"));
  EXPECT_THAT(error(require("a b", Operator::Exists)),
              HasSubstr(R"(key: Invalid value: "a b": name part)"));
  EXPECT_EQ(error(require("x", static_cast<Operator>(42))),
            "operator: Unsupported value: 42: supported values: \"in\", \"notin\", \"=\", \"==\", "
            "\"!=\", "
            "\"gt\", \"lt\", \"exists\", \"!\"");
  EXPECT_THAT(error(require("a b", Operator::In)), HasSubstr("[key: Invalid value"));
  EXPECT_THAT(error(require("a b", Operator::In)), HasSubstr(", values: Invalid value"));
}

TEST(LabelSelector, SEL_09_RejectsLongKeysAndBadValues) {
  EXPECT_FALSE(Selector::from_requirements({require(std::string(254, 'a'), Operator::Exists)}));
  EXPECT_FALSE(
      Selector::from_requirements({require("x", Operator::Equals, {std::string(64, 'a')})}));
  EXPECT_FALSE(Selector::from_requirements({require("x", Operator::Equals, {"a b"})}));
  EXPECT_TRUE(
      Selector::from_requirements({require("x", Operator::Equals, {std::string(63, 'a')})}));
}

TEST(LabelSelector, SEL_10_AddingLeavesTheOldOneUnchanged) {
  const Selector one = parsed("y=b");
  const Selector two = one.add({require("x", Operator::Exists)}).value();
  EXPECT_EQ(one.to_string(), "y=b");
  EXPECT_EQ(two.to_string(), "x,y=b");
  EXPECT_FALSE(one.add({require("x", Operator::In)}));
}

TEST(LabelSelector, SEL_11_EverythingAndNothing) {
  const Selector everything;
  EXPECT_TRUE(everything.empty());
  EXPECT_TRUE(everything.selectable());
  EXPECT_EQ(everything.to_string(), "");
  EXPECT_TRUE(everything.matches(Set{{"a", "b"}}));
  const Selector nothing = Selector::nothing();
  EXPECT_FALSE(nothing.empty());
  EXPECT_FALSE(nothing.selectable());
  EXPECT_EQ(nothing.to_string(), "");
  EXPECT_FALSE(nothing.matches(Set{}));
  EXPECT_EQ(nothing.add({require("x", Operator::Exists)}).value(), nothing);
  EXPECT_NE(nothing, everything);
}

TEST(LabelSelector, SEL_12_FromASet) {
  EXPECT_EQ(Selector::from_set({}), Selector());
  EXPECT_EQ(Selector::from_set({{"b", "2"}, {"a", "1"}}).to_string(), "a=1,b=2");
  const Set invalid{{"Key", std::string(64, 'x')}};
  EXPECT_TRUE(Selector::from_set(invalid).matches(invalid));
  const Result<Selector> validated = Selector::validated_from_set(invalid);
  ASSERT_FALSE(validated);
  EXPECT_THAT(validated.error().message(), HasSubstr("values[0][Key]: Invalid value"));
  EXPECT_EQ(Selector::validated_from_set({{"a", "1"}}).value(), Selector::from_set({{"a", "1"}}));
}

TEST(Labels, SEL_13_PrintSorted) {
  EXPECT_EQ(to_string(Set{{"app", "foo"}, {"a", "b"}}), "a=b,app=foo");
  EXPECT_EQ(to_string(Set{}), "");
  EXPECT_EQ(format(Set{}), "<none>");
  EXPECT_EQ(format(Set{{"a", "b"}}), "a=b");
}

TEST(LabelSelector, SEL_14_RequiredValue) {
  EXPECT_EQ(parsed("x in (a)").required_value("x"), "a");
  EXPECT_EQ(parsed("x=a").required_value("x"), "a");
  EXPECT_EQ(parsed("x==a").required_value("x"), "a");
  EXPECT_EQ(parsed("x!=a").required_value("x"), std::nullopt);
  EXPECT_EQ(parsed("x in (a,b)").required_value("x"), std::nullopt);
  EXPECT_EQ(parsed("x=a").required_value("y"), std::nullopt);
  EXPECT_EQ(parsed("x,x=a").required_value("x"), std::nullopt) << "the first requirement decides";
  EXPECT_EQ(Selector::nothing().required_value("x"), std::nullopt);
}

TEST(LabelRequirement, SEL_15_EqualityHeedsTheOrderOfValues) {
  EXPECT_EQ(require("x", Operator::In, {"a", "b"}), require("x", Operator::In, {"a", "b"}));
  EXPECT_NE(require("x", Operator::In, {"a", "b"}), require("x", Operator::In, {"b", "a"}));
  EXPECT_NE(require("x", Operator::In, {"a"}), require("x", Operator::NotIn, {"a"}));
  EXPECT_NE(require("x", Operator::Exists), require("y", Operator::Exists));
}

TEST(Labels, SEL_16_ParseSetTakesOnlyEquality) {
  EXPECT_EQ(parse_set("").value(), Set{});
  EXPECT_EQ(parse_set("x=a").value(), (Set{{"x", "a"}}));
  EXPECT_EQ(parse_set("x=a,y=b,z=c").value(), (Set{{"x", "a"}, {"y", "b"}, {"z", "c"}}));
  EXPECT_EQ(parse_set(" x = a , y = b ").value(), (Set{{"x", "a"}, {"y", "b"}}));
  for (const char* text :
       {",", "x", "x,y", "x=$y", "x!=y", "x==y", "x=a||y=b", "x in (y)", "x y"}) {
    EXPECT_FALSE(parse_set(text)) << text;
  }
}

TEST(Labels, SEL_17_ConflictsMergeAndEquals) {
  EXPECT_FALSE(conflicts({{"a", "1"}}, {{"b", "2"}}));
  EXPECT_FALSE(conflicts({{"a", "1"}}, {{"a", "1"}, {"b", "2"}}));
  EXPECT_TRUE(conflicts({{"a", "1"}}, {{"a", "2"}}));
  EXPECT_FALSE(conflicts({}, {{"a", "2"}}));
  EXPECT_EQ(merge({{"a", "1"}, {"b", "2"}}, {{"a", "3"}}), (Set{{"a", "3"}, {"b", "2"}}));
  const Set one{{"a", "1"}};
  EXPECT_EQ(one, (Set{{"a", "1"}}));
  EXPECT_NE(one, (Set{{"a", "2"}}));
  EXPECT_NE(one, (Set{{"b", "1"}}));
  EXPECT_NE(one, (Set{{"a", "1"}, {"b", "2"}}));
}

TEST(LabelLexer, SEL_22_CutsTokens) {
  using detail::scan;
  using detail::ScannedItem;
  using detail::Token;
  EXPECT_THAT(scan("||"), ElementsAre(ScannedItem{Token::Identifier, "||"}, ScannedItem{}));
  EXPECT_THAT(scan("~"), ElementsAre(ScannedItem{Token::Identifier, "~"}, ScannedItem{}));
  EXPECT_THAT(
      scan("== != (), = notin"),
      ElementsAre(ScannedItem{Token::DoubleEquals, "=="}, ScannedItem{Token::NotEquals, "!="},
                  ScannedItem{Token::OpenParenthesis, "("},
                  ScannedItem{Token::ClosedParenthesis, ")"}, ScannedItem{Token::Comma, ","},
                  ScannedItem{Token::Equals, "="}, ScannedItem{Token::NotIn, "notin"},
                  ScannedItem{}));
  EXPECT_THAT(
      scan("x in (),y"),
      ElementsAre(ScannedItem{Token::Identifier, "x"}, ScannedItem{Token::In, "in"},
                  ScannedItem{Token::OpenParenthesis, "("},
                  ScannedItem{Token::ClosedParenthesis, ")"}, ScannedItem{Token::Comma, ","},
                  ScannedItem{Token::Identifier, "y"}, ScannedItem{}));
  EXPECT_THAT(scan(""), ElementsAre(ScannedItem{}));
}

TEST(LabelSelector, HostileTextIsAnErrorNotACrash) {
  for (const std::string& text :
       {std::string("x\0=y", 4), std::string("\0", 1), std::string("\xff\xfe"),
        std::string(100'000, '('), std::string(100'000, '!'), std::string(100'000, ','),
        std::string(100'000, 'a'), "x in (" + std::string(100'000, ',')}) {
    EXPECT_FALSE(parse(text));
  }
  EXPECT_TRUE(parse("x in (" + std::string(100'000, ',') + ")"));
}

TEST(LabelSelector, RandomTextParsesToItsOwnPrint) {
  std::mt19937 random(7);
  const std::vector<std::string> words{"x", "y", "in", "notin", "(", ")", ",",  "=", "==", "!=",
                                       "!", ">", "<",  "1",     " ", "a", "\t", "-", "/",  "||"};
  std::uniform_int_distribution<std::size_t> word(0, words.size() - 1);
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t n = word(random) % 9; n > 0; --n) text += words[word(random)];
    const Result<Selector> selector = parse(text);
    if (!selector) continue;
    ++accepted;
    const Result<Selector> again = parse(selector->to_string());
    ASSERT_TRUE(again) << text << " printed as " << selector->to_string();
    EXPECT_EQ(again->to_string(), selector->to_string()) << text;
  }
  EXPECT_GT(accepted, 500);
}

}  // namespace
}  // namespace kube::labels
