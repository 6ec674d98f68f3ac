// SPDX-License-Identifier: Apache-2.0
#include <kube/names/label_selector.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube::labels {
namespace {

using ::testing::HasSubstr;

json::Value parse_json(std::string_view text) {
  return json::parse(text).value();
}

std::string refusal_of(std::string_view selector) {
  const Result<Selector> result = from_label_selector(parse_json(selector));
  return result ? "accepted" : result.error().message();
}

// What kube-gen makes of the wire struct, as far as the conversion looks at it.
struct WireExpression {
  std::string key;
  std::string operator_;
  std::vector<std::string> values;
};
struct WireSelector {
  std::map<std::string, std::string, std::less<>> match_labels;
  std::vector<WireExpression> match_expressions;
};

constexpr const char* kBoth =
    R"({"matchLabels":{"foo":"bar"},"matchExpressions":[{"key":"baz","operator":"In","values":["qux","norf"]}]})";

TEST(WireLabelSelector, SEL_18_NullIsNothingAndEmptyIsEverything) {
  EXPECT_EQ(from_label_selector(parse_json("null")).value(), Selector::nothing());
  EXPECT_EQ(from_label_selector(parse_json("{}")).value(), Selector());
  EXPECT_EQ(
      from_label_selector(parse_json(R"({"matchLabels":null,"matchExpressions":[]})")).value(),
      Selector());
}

TEST(WireLabelSelector, SEL_18_CombinesLabelsAndExpressions) {
  const json::Value wire = parse_json(kBoth);
  EXPECT_EQ(from_label_selector(wire).value().to_string(), "baz in (norf,qux),foo=bar");
  EXPECT_EQ(wire, parse_json(kBoth)) << "the input is not modified";
  EXPECT_EQ(from_label_selector(WireSelector{{{"foo", "bar"}}, {{"baz", "In", {"qux", "norf"}}}})
                .value()
                .to_string(),
            "baz in (norf,qux),foo=bar");
  EXPECT_EQ(
      from_label_selector(
          parse_json(
              R"({"matchExpressions":[{"key":"a","operator":"Exists"},{"key":"b","operator":"DoesNotExist"},
                   {"key":"c","operator":"NotIn","values":["x"]}]})"))
          .value()
          .to_string(),
      "a,!b,c notin (x)");
}

TEST(WireLabelSelector, SEL_18_RejectsWhatHasNoMeaning) {
  EXPECT_THAT(
      refusal_of(R"({"matchExpressions":[{"key":"baz","operator":"Exists","values":["qux"]}]})"),
      HasSubstr("values set must be empty for exists and does not exist"));
  EXPECT_EQ(refusal_of(R"({"matchExpressions":[{"key":"baz","operator":"X"}]})"),
            R"("X" is not a valid label selector operator)");
}

TEST(WireLabelSelector, NamesTheMemberOfAWrongType) {
  EXPECT_EQ(refusal_of("[]"), "selector: expected an object, but found array");
  EXPECT_EQ(refusal_of(R"({"matchLabels":"x"})"),
            "matchLabels: expected an object, but found string");
  EXPECT_EQ(refusal_of(R"({"matchLabels":{"a":1}})"),
            "matchLabels[a]: expected a string, but found number");
  EXPECT_EQ(refusal_of(R"({"matchExpressions":{}})"),
            "matchExpressions: expected a list, but found object");
  EXPECT_EQ(refusal_of(R"({"matchExpressions":[1]})"),
            "matchExpressions[0]: expected an object, but found number");
  EXPECT_EQ(refusal_of(R"({"matchExpressions":[{"key":1}]})"),
            "matchExpressions[0].key: expected a string, but found number");
  EXPECT_EQ(refusal_of(R"({"matchExpressions":[{"key":"a","operator":"In","values":["x",null]}]})"),
            "matchExpressions[0].values: expected a list of strings, but found null");
}

TEST(WireLabelSelector, AsASet) {
  const auto set = [](std::string_view text) { return label_selector_as_set(parse_json(text)); };
  EXPECT_EQ(set("null").value(), Set{});
  EXPECT_EQ(
      set(R"({"matchLabels":{"foo":"bar"},"matchExpressions":[{"key":"baz","operator":"In","values":["qux"]}]})")
          .value(),
      (Set{{"foo", "bar"}, {"baz", "qux"}}));
  EXPECT_THAT(set(kBoth).error().message(),
              HasSubstr("without a single value cannot be converted"));
  for (const char* op : {"NotIn", "Exists", "DoesNotExist"}) {
    EXPECT_THAT(
        set(std::string(R"({"matchExpressions":[{"key":"baz","operator":")") + op + R"("}]})")
            .error()
            .message(),
        HasSubstr("cannot be converted"));
  }
}

TEST(WireLabelSelector, SEL_20_FromText) {
  EXPECT_EQ(
      json::dump(parse_to_label_selector("foo=bar,baz in (qux,norf),a,!b,c==d").value()),
      R"({"matchLabels":{"c":"d","foo":"bar"},"matchExpressions":[{"key":"a","operator":"Exists"},)"
      R"({"key":"b","operator":"DoesNotExist"},{"key":"baz","operator":"In","values":["norf","qux"]}]})");
  EXPECT_EQ(json::dump(parse_to_label_selector("").value()), "{}");
  EXPECT_EQ(parse_to_label_selector("a!=b").error().message(),
            R"("!=" is not a valid label selector operator)");
  EXPECT_EQ(parse_to_label_selector("a>1").error().message(),
            R"("gt" isn't supported in label selectors)");
  EXPECT_EQ(parse_to_label_selector("a<1").error().message(),
            R"("lt" isn't supported in label selectors)");
  EXPECT_THAT(parse_to_label_selector("(").error().message(),
              HasSubstr("couldn't parse the selector string \"(\": found"));
}

TEST(WireLabelSelector, SEL_21_Formats) {
  EXPECT_EQ(format_label_selector(parse_json("null")), "<none>");
  EXPECT_EQ(format_label_selector(parse_json("{}")), "<none>");
  EXPECT_EQ(format_label_selector(parse_json(kBoth)), "baz in (norf,qux),foo=bar");
  EXPECT_EQ(
      format_label_selector(parse_json(R"({"matchExpressions":[{"key":"a","operator":"X"}]})")),
      "<error>");
}

}  // namespace
}  // namespace kube::labels
