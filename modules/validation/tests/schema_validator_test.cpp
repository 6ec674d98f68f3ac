// SPDX-License-Identifier: Apache-2.0
//
// Values against schemas. That the words are those of a real API server is shown by the scenarios.
#include <kube/validation/schema_validator.hpp>

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/json/yaml.hpp>

namespace kube::meta {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SchemaValidator schema_of(std::string_view yaml) {
  return SchemaValidator::create(yaml::parse(yaml).value()).value();
}
std::vector<std::string> problems(const SchemaValidator& schema, std::string_view yaml) {
  std::vector<std::string> all;
  const auto value = yaml::parse(yaml);
  EXPECT_TRUE(value) << yaml;
  for (const FieldError& error : schema.validate(*value)) all.push_back(error.to_string());
  return all;
}
std::vector<std::string> problems(std::string_view schema, std::string_view value) {
  return problems(schema_of("{properties: {a: " + std::string(schema) + "}}"),
                  "{a: " + std::string(value) + "}");
}

TEST(SchemaValidator, RequiredFields) {
  const SchemaValidator schema = schema_of(R"(
type: object
required: [spec]
properties:
  spec:
    type: object
    required: [size, color]
    properties:
      size: {type: integer}
      parts: {type: array, items: {type: object, required: [name]}}
)");
  EXPECT_THAT(problems(schema, "{spec: {size: 1, color: red}}"), IsEmpty());
  EXPECT_THAT(problems(schema, "{other: 1}"), ElementsAre("spec: Required value"));
  EXPECT_THAT(problems(schema, "{spec: {parts: [{name: a}, {}]}}"),
              ElementsAre("spec.parts[1].name: Required value", "spec.size: Required value",
                          "spec.color: Required value"));
}

TEST(SchemaValidator, Types) {
  EXPECT_THAT(
      problems("{type: integer}", "x"),
      ElementsAre(R"(a: Invalid value: "string": a in body must be of type integer: "string")"));
  EXPECT_THAT(
      problems("{type: integer}", "1.5"),
      ElementsAre(R"(a: Invalid value: "number": a in body must be of type integer: "number")",
                  "<nil>: Invalid value: \"\": Checked value must be of type integer (default "
                  "format) in a"));
  // Servers drop nulls from fields that may hold none, but not from lists.
  EXPECT_THAT(problems("{type: string}", "~"), IsEmpty());
  EXPECT_THAT(problems("{required: [b], properties: {b: {type: string}}}", "{b: ~}"),
              ElementsAre("a.b: Required value"));
  EXPECT_THAT(
      problems("{items: {type: string}}", "[~]"),
      ElementsAre(R"(a[0]: Invalid value: "null": a[0] in body must be of type string: "null")"));
  EXPECT_THAT(problems("{type: string, nullable: true}", "~"), IsEmpty());
  EXPECT_THAT(problems("{type: number}", "1"), IsEmpty());
  EXPECT_THAT(problems("{x-kubernetes-int-or-string: true}", "1"), IsEmpty());
  EXPECT_THAT(problems("{x-kubernetes-int-or-string: true}", "x"), IsEmpty());
  EXPECT_THAT(
      problems("{x-kubernetes-int-or-string: true}", "[]"),
      ElementsAre(
          R"(a: Invalid value: "array": a in body must be of type integer,string: "array")"));
  EXPECT_THAT(problems("{x-kubernetes-preserve-unknown-fields: true}", "[1, x, {}]"), IsEmpty());
}

TEST(SchemaValidator, SchemasThatDoubleTheLooksAtEachLevelAreAnErrorInsteadOfAWait) {
  const auto doubled = [](int levels, std::string_view end) {
    json::Object schemas;
    for (int i = 0; i < levels; ++i) {
      const std::string next = "#/components/schemas/s" + std::to_string(i + 1);
      schemas.append("s" + std::to_string(i),
                     json::Object{{"allOf", json::Array{json::Object{{"$ref", next}},
                                                        json::Object{{"$ref", next}}}}});
    }
    schemas.append("s" + std::to_string(levels), yaml::parse(end).value());
    const json::Value components(std::move(schemas));
    return SchemaValidator::create(json::Object{{"$ref", "#/components/schemas/s0"}},
                                   {.components = &components})
        .value();
  };
  EXPECT_THAT(problems(doubled(8, "{type: integer}"), "5"), IsEmpty());
  EXPECT_THAT(problems(doubled(60, "{type: integer}"), "5"),
              ElementsAre("<nil>: Internal error: the schema combines too many schemas to check "
                          "the value by all of them"));
  // As many parts as one likes may look at a value, as long as they are different ones.
  std::string either = "{items: {anyOf: [";
  for (int i = 0; i < 200; ++i) either += "{pattern: '^x" + std::to_string(i) + "$'}, ";
  std::string all = "[";
  for (int i = 0; i < 200; ++i) all += "x199, ";
  EXPECT_THAT(problems(schema_of(either + "]}}"), all + "]"), IsEmpty());
  // By the levels of the value.
  std::string deep = "1";
  for (int i = 0; i < 60; ++i) deep = "{a: " + deep + "}";
  EXPECT_EQ(
      problems(doubled(1, "{properties: {a: {$ref: '#/components/schemas/s0'}}}"), deep).size(),
      1U);
}

TEST(SchemaValidator, Enumerations) {
  EXPECT_THAT(problems("{type: string, enum: [r, g]}", "g"), IsEmpty());
  EXPECT_THAT(problems("{type: string, enum: [r, \"g\\\"\"]}", "z"),
              ElementsAre(R"(a: Unsupported value: "z": supported values: "r", "g\"")"));
  EXPECT_THAT(problems("{enum: [1, {b: 2}]}", "3"),
              ElementsAre(R"(a: Unsupported value: 3: supported values: "1", "{\"b\":2}")"));
}

TEST(SchemaValidator, NumbersInTheirBounds) {
  const std::string_view schema = "{type: integer, minimum: 2, maximum: 9, multipleOf: 2}";
  EXPECT_THAT(problems(schema, "4"), IsEmpty());
  EXPECT_THAT(problems(schema, "0"),
              ElementsAre("a: Invalid value: 0: a in body should be greater than or equal to 2"));
  EXPECT_THAT(problems(schema, "11"),
              ElementsAre("a: Invalid value: 11: a in body should be a multiple of 2",
                          "a: Invalid value: 11: a in body should be less than or equal to 9"));
  const std::string_view open =
      "{type: number, minimum: 0.5, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: true}";
  EXPECT_THAT(problems(open, "0.5"),
              ElementsAre("a: Invalid value: 0.5: a in body should be greater than 0.5"));
  EXPECT_THAT(problems(open, "3"),
              ElementsAre("a: Invalid value: 3: a in body should be less than 3"));
  EXPECT_THAT(problems("{type: integer, minimum: 1e300}", "5"),
              ElementsAre(testing::HasSubstr("Minimum boundary value must be of type integer"),
                          testing::HasSubstr("should be greater than or equal to 1e+300")));
  EXPECT_THAT(problems("{type: integer, minimum: 9007199254740993}", "9007199254740992"),
              ElementsAre("a: Invalid value: 9007199254740992: a in body should be greater than or "
                          "equal to 9007199254740993"));
  EXPECT_THAT(problems("{type: integer, format: int32}", "2147483648"),
              ElementsAre("<nil>: Invalid value: \"\": Checked value must be of type integer with "
                          "format int32 in a"));
}

TEST(SchemaValidator, MultiplesOfAFractionAreToldWithATolerance) {
  for (const char* value : {"19.99", "1.13", "0.07", "0.29", "5", "-2.5"})
    EXPECT_THAT(problems("{type: number, multipleOf: 0.01}", value), IsEmpty()) << value;
  EXPECT_THAT(problems("{type: number, multipleOf: 0.01}", "0.075"),
              ElementsAre("a: Invalid value: 0.075: a in body should be a multiple of 0.01"));
  EXPECT_THAT(problems("{type: number, multipleOf: 2}", "2.0001"),
              ElementsAre("a: Invalid value: 2.0001: a in body should be a multiple of 2"));
  EXPECT_THAT(problems("{type: integer, multipleOf: 3}", "9007199254740993"), IsEmpty());
}

TEST(SchemaValidator, BoundsWithAFractionHoldByTheirValue) {
  EXPECT_THAT(problems("{type: number, minimum: 2.5}", "5"), IsEmpty());
  EXPECT_THAT(problems("{type: number, maximum: 2.5}", "2"), IsEmpty());
  EXPECT_THAT(problems("{type: number, minimum: 2.5}", "2"),
              ElementsAre("a: Invalid value: 2: a in body should be greater than or equal to 2.5"));
  EXPECT_THAT(problems("{type: number, maximum: 2.5, exclusiveMaximum: true}", "3"),
              ElementsAre("a: Invalid value: 3: a in body should be less than 2.5"));
}

TEST(SchemaValidator, BoundsThatTheTypeCannotHoldAreComplainedOf) {
  const std::string bound =
      "<nil>: Invalid value: \"\": Maximum boundary value must be of type integer ";
  EXPECT_THAT(problems("{type: integer, maximum: 2.5}", "2"),
              ElementsAre(bound + "(default format) in a"));
  EXPECT_THAT(problems("{type: integer, maximum: 2.5}", "3"),
              ElementsAre(bound + "(default format) in a",
                          "a: Invalid value: 3: a in body should be less than or equal to 2.5"));
  EXPECT_THAT(problems("{type: integer, format: int32, maximum: 1e10}", "3"),
              ElementsAre(bound + "with format int32 in a"));
  EXPECT_THAT(problems("{type: integer, multipleOf: 0.5}", "3"),
              ElementsAre("<nil>: Invalid value: \"\": MultipleOf value must be of type integer "
                          "(default format) in a"));
  EXPECT_THAT(problems("{type: number, multipleOf: 0}", "3"),
              ElementsAre("a: Invalid value: 0: factor MultipleOf declared for a must be positive: "
                          "0"));
  EXPECT_THAT(problems("{type: number, format: float}", "1e39"),
              ElementsAre("<nil>: Invalid value: \"\": Checked value must be of type number with "
                          "format float in a"));
}

TEST(SchemaValidator, NumbersAreShownAsGoPrintsThem) {
  EXPECT_THAT(
      problems("{type: number, maximum: 1000000}", "2000000.5"),
      ElementsAre("a: Invalid value: 2.0000005e+06: a in body should be less than or equal to "
                  "1e+06"));
  EXPECT_THAT(
      problems("{type: number, maximum: 1000000}", "2000000"),
      ElementsAre("a: Invalid value: 2000000: a in body should be less than or equal to 1000000"));
  EXPECT_THAT(problems("{type: number, minimum: 0.0001}", "0.00001"),
              ElementsAre("a: Invalid value: 1e-05: a in body should be greater than or equal to "
                          "0.0001"));
  EXPECT_THAT(problems("{type: number, maximum: 1}", "18446744073709551615"),
              ElementsAre("a: Invalid value: 1.8446744073709552e+19: a in body should be less than "
                          "or equal to 1"));
}

TEST(SchemaValidator, LengthsAndPatterns) {
  const std::string_view schema =
      R"({type: string, minLength: 2, maxLength: 4, pattern: "^[a-zü]*$"})";
  EXPECT_THAT(problems(schema, "abc"), IsEmpty());
  EXPECT_THAT(problems(schema, "üüüü"), IsEmpty());
  EXPECT_THAT(problems(schema, "a"),
              ElementsAre(R"(a: Invalid value: "a": a in body should be at least 2 chars long)"));
  EXPECT_THAT(problems(schema, "abcde"), ElementsAre("a: Too long: may not be more than 4 bytes"));
  EXPECT_THAT(problems(schema, "AB"),
              ElementsAre(R"(a: Invalid value: "AB": a in body should match '^[a-zü]*$')"));
  EXPECT_THAT(problems("{type: string, pattern: 'b+|x{2}'}", "aabb"), IsEmpty());
  EXPECT_THAT(problems("{type: string, pattern: '^.{3}$'}", "äöü"), IsEmpty());
  EXPECT_THAT(problems("{type: string, pattern: '^a|b$'}", "xb"), IsEmpty());
}

TEST(SchemaValidator, PatternsTakeLinearTime) {
  const SchemaValidator schema =
      schema_of("{properties: {a: {pattern: '^(a+)+$'}, b: {pattern: '(x+x+)+y'}}}");
  const std::string text =
      "{a: " + std::string(2000, 'a') + "!, b: " + std::string(2000, 'x') + "}";
  EXPECT_EQ(problems(schema, text).size(), 2U);
  // Nor does a long text overflow a stack.
  const std::string long_text = "{a: " + std::string(200000, 'a') + "}";
  EXPECT_THAT(problems(schema, long_text), IsEmpty());
}

std::string repeated(std::size_t times, std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

SchemaValidator with_pattern(const std::string& pattern) {
  return SchemaValidator::create(json::Object{{"type", "string"}, {"pattern", pattern}}).value();
}

std::vector<std::string> refused(const SchemaValidator& schema) {
  std::vector<std::string> out;
  for (const FieldError& each : schema.refused_patterns()) out.push_back(each.to_string());
  return out;
}

TEST(SchemaValidator, PatternsHaveGosSyntax) {
  const auto fits = [](const std::string& pattern, const std::string& text) {
    const SchemaValidator schema = with_pattern(pattern);
    EXPECT_THAT(refused(schema), IsEmpty());
    return schema.validate(text).empty();
  };
  EXPECT_TRUE(fits("(?i)^abc$", "ABC"));
  EXPECT_TRUE(fits("(?<year>[0-9]{4})-(?P<month>[0-9]{2})", "in 2026-10"));
  EXPECT_TRUE(fits(R"(\A\p{Greek}+\z)", "αβγ"));
  EXPECT_TRUE(fits(R"(^\Q(?<a\E$)", "(?<a"));
  EXPECT_TRUE(fits(R"(^[](?<[:digit:]]+$)", "](?<1"));
  EXPECT_FALSE(fits("^a.b$", "a\nb"));
  EXPECT_TRUE(fits("(?s)^a.b$", "a\nb"));
  EXPECT_FALSE(fits("^b$", "a\nb"));
  EXPECT_TRUE(fits("(?m)^b$", "a\nb"));
  const auto why = [](const std::string& pattern) {
    const SchemaValidator schema = with_pattern(pattern);
    return schema.refused_patterns().empty() ? "" : schema.refused_patterns().front().detail;
  };
  const std::string isnt = "must be a valid regular expression, but isn't: error parsing regexp: ";
  EXPECT_EQ(why("(a"), isnt + "missing closing ): `(a`");
  EXPECT_EQ(why("a**"), isnt + "invalid nested repetition operator: `**`");
  EXPECT_EQ(why("(?=a)"), isnt + "invalid or unsupported Perl syntax: `(?=`");
  EXPECT_EQ(why("\\C"), isnt + "invalid escape sequence: `\\C`");
  EXPECT_EQ(why("a{1001}"), isnt + "invalid repeat count: `{1001}`");
}

TEST(SchemaValidator, PatternsThatAreTooLargeAreRefused) {
  const auto nested = [](std::size_t depth) {
    return repeated(depth, "(") + "a" + repeated(depth, ")");
  };
  EXPECT_THAT(refused(with_pattern(nested(1000))), IsEmpty());
  EXPECT_THAT(refused(with_pattern(nested(1001))),
              ElementsAre(testing::HasSubstr("expression nests too deeply")));
  EXPECT_THAT(
      refused(with_pattern(nested(20000))),
      ElementsAre(testing::HasSubstr("a pattern may have at most 8192 bytes, found 40001")));
  EXPECT_THAT(refused(with_pattern(repeated(200, "a{1000}"))),
              ElementsAre(testing::HasSubstr("expression too large")));
  // A pattern that is too large has taken long: those after it are not checked.
  const SchemaValidator several = schema_of("{properties: {a: {pattern: '" + nested(5000) +
                                            "'}, b: {pattern: 'b'}, c: {pattern: 'b'}}}");
  EXPECT_THAT(
      refused(several),
      ElementsAre(testing::HasSubstr("at most 8192 bytes"),
                  testing::HasSubstr(
                      "schema.properties[b].pattern: Invalid value: \"b\": is not checked: a "
                      "pattern before it is too large"),
                  testing::HasSubstr("schema.properties[c].pattern")));
}

TEST(SchemaValidator, PatternsOfOneDefinitionShareAnAllowance) {
  std::string many = "{properties: {";
  for (int i = 0; i < 100; ++i)
    many +=
        "f" + std::to_string(i) + ": {pattern: '^(a|b)*a(a|b){10}" + std::to_string(i) + "$'}, ";
  many += "}}";
  PatternAllowance allowance;
  const auto schema = yaml::parse(many).value();
  EXPECT_THAT(refused(SchemaValidator::create(schema, {.allowance = &allowance}).value()),
              IsEmpty());
  EXPECT_LT(allowance.bytes, PatternAllowance().bytes - 1000);
  EXPECT_LT(allowance.memory, PatternAllowance().memory);
  allowance.bytes = 30;
  const SchemaValidator beyond =
      SchemaValidator::create(schema, {.path = FieldPath("s"), .allowance = &allowance}).value();
  ASSERT_EQ(beyond.refused_patterns().size(), 99U);
  EXPECT_EQ(beyond.refused_patterns().front().to_string(),
            "s.properties[f1].pattern: Invalid value: \"^(a|b)*a(a|b){10}1$\": is not checked: "
            "the patterns before it use up the allowance");
}

TEST(SchemaValidator, AnObjectMayNotTakePatternsTooLong) {
  // No state machine of it is small: each byte takes a step for each part.
  const SchemaValidator schema =
      schema_of("{properties: {l: {items: {type: string, pattern: '(a|b)*a(a|b){1000}c'}}}}");
  const auto list = [](std::string text) {
    return json::Object{{"l", json::Array{"b", std::move(text)}}};
  };
  const FieldErrors errors = schema.validate(list(std::string(600'000, 'a')));
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors.front().to_string(),
            "l[1]: Internal error: the schema has patterns that take too long for texts of this "
            "length");
  EXPECT_EQ(schema.validate(list("ab")).size(), 2U);
}

TEST(SchemaValidator, Formats) {
  const auto good = [](std::string_view format, std::string_view value) {
    return problems("{type: string, format: " + std::string(format) + "}",
                    "'" + std::string(value) + "'")
        .empty();
  };
  EXPECT_TRUE(good("date-time", "2026-10-28T09:30:00Z"));
  EXPECT_TRUE(good("date", "2026-10-28"));
  EXPECT_FALSE(good("date", "2026-02-30"));
  EXPECT_TRUE(good("ipv4", "10.0.0.1"));
  EXPECT_FALSE(good("ipv4", "10.0.0.256"));
  EXPECT_TRUE(good("ipv6", "fe80::1"));
  EXPECT_TRUE(good("cidr", "10.0.0.0/8"));
  EXPECT_TRUE(good("cidr", "fe80::/64"));
  EXPECT_FALSE(good("cidr", "10.0.0.0/33"));
  EXPECT_TRUE(good("mac", "00:1A:2b:3c:4d:5e"));
  EXPECT_TRUE(good("mac", "00-1A-2b-3c-4d-5e"));
  EXPECT_TRUE(good("mac", "001A.2b3c.4d5e"));
  EXPECT_FALSE(good("mac", "00:1A:2b:3c:4d"));
  EXPECT_TRUE(good("uuid", "123e4567-e89b-12d3-a456-426614174000"));
  // The same but for the version; each has a form of its own.
  for (const std::string version : {"3", "4", "5"}) {
    for (const std::string text : {"3", "4", "5"}) {
      EXPECT_EQ(good("uuid" + version, "123e4567-e89b-" + text + "2d3-a456-426614174000"),
                version == text)
          << version << ' ' << text;
    }
  }
  EXPECT_TRUE(good("byte", "aGk="));
  EXPECT_FALSE(good("byte", "a"));
  EXPECT_TRUE(good("hexcolor", "#FfF"));
  EXPECT_TRUE(good("k8s-short-name", "a-1"));
  EXPECT_FALSE(good("k8s-short-name", "A"));
  EXPECT_TRUE(good("k8s-short-name", std::string(63, 'a')));
  EXPECT_FALSE(good("k8s-short-name", std::string(64, 'a')));
  EXPECT_TRUE(good("k8s-long-name", "a.b"));
  EXPECT_TRUE(good("k8s-long-name", std::string(253, 'a')));
  EXPECT_FALSE(good("k8s-long-name", std::string(254, 'a')));
  EXPECT_TRUE(good("nobody-knows", "x"));
  EXPECT_TRUE(good("ssn", "123-45-6789"));
  EXPECT_FALSE(good("ssn", "123456789"));
  EXPECT_TRUE(good("isbn", "0-306-40615-2"));
  EXPECT_TRUE(good("isbn10", "080442957X"));
  EXPECT_FALSE(good("isbn10", "0306406153"));
  EXPECT_TRUE(good("isbn13", "978-0306406157"));
  EXPECT_FALSE(good("isbn13", "9780306406158"));
  EXPECT_TRUE(good("creditcard", "4111-1111-1111-1111"));
  EXPECT_FALSE(good("creditcard", "4111111111111112"));
  EXPECT_TRUE(good("rgbcolor", "rgb( 255, 0 ,19)"));
  EXPECT_FALSE(good("rgbcolor", "RGB(1,2,3)"));
  EXPECT_FALSE(good("rgbcolor", "rgb(256,2,3)"));
  EXPECT_THAT(problems("{type: string, format: ipv4}", "x"),
              ElementsAre(R"(a: Invalid value: "x": a in body must be of type ipv4: "x")"));
}

// What the API server's validator says of these, which is not what a standard would.
TEST(SchemaValidator, FormatsAreThoseOfGo) {
  struct Case {
    std::string_view format;
    std::vector<std::string> good;
    std::vector<std::string> bad;
  };
  const std::string label(63, 'x');
  const std::string longer(64, 'x');
  const std::vector<Case> cases = {
      {"duration",
       {"1h", "-1.5h", "0", "3 weeks", "1 Hr 2min", "about 5 milliseconds", "1µs", "2 micros"},
       {"", "5", "1y", "1 hrs", "99999999999999999999 x 1h"}},
      {"uri",
       {"http://x/y", "/a%20b", "*", "mailto:x", "x:", "https://u:p@h:80/p?q=%zz",
        "http://[fe80::1%25en0]:80/", "x://a:b:1/", "/a#b", "http://é/"},
       {"", "x/y", ":x", "/a%2", "http://a b/", "http://h:8a/", "http://a:b:1/", "http://h%41/",
        "http://[1.2.3.4]/", "http://[::1", "1a:b", "?"}},
      {"email",
       {"a@b", "Bob <a@b.c>", "\"q x\"@b", "a@[1.2.3.4]", "a@[::1]", "a@b (n (x))", "g: a@b;",
        "é@ü.de", "=?utf-8?q?x=20y?= <a@b>"},
       {"", "(c) <a@b>", "a", "a@", "@b", "a..b@c", "a@[1.2.3]", "a@[01.2.3.4]", "g:;",
        "g: a@b, c@d;", "a@b, c@d", "=?koi8-r?q?x?= <a@b>", "a@b (c"}},
      {"hostname",
       {"a", "1.2.3.bc", "A.CoM", "a-b", "a-", "a$b", label, label + ".de", "é.de"},
       {"", "a.b", "ab-c", "a_b", "-a.bc", "a-.bc", "a..bc", "a.bc.", "a.b1", longer}},
      {"ipv4", {"1.2.3.4", "01.2.3.004", "::ffff:1.2.3.4"}, {"", "1.2.3", "1.2.3.4.5", "::1"}},
      {"ipv6",
       {"::", "1:2:3:4:5:6:7::", "1:2:3:4:5:6:1.2.3.4"},
       {"", "1.2.3.4", "1::2::3", "fe80::1%eth0", "::ffff:01.2.3.4", "00001::", "1:"}},
      {"cidr", {"010.0.0.0/08", "::/0", "::/128"}, {"::/129", "1.2.3.4", "1.2.3.4/", "/8"}},
      {"date", {"0000-02-29", "2000-02-29"}, {"1900-02-29", "2020-1-1", "2020-13-01"}},
      {"date-time",
       {"2026-10-28t09:30:00z", "2026-10-28T09:30:00,5+05:30", "2026-10-28T09:30:00+99:99"},
       {"2026-10-28", "2026-10-28T09:30:00", "2026-10-28T09:30:60Z", "2026-10-28T24:00:00Z",
        "2026-10-28T09:30:00.Z"}},
      {"byte", {"aGk=", "aGkh"}, {"", "aGk", "_-=="}},
  };
  for (const Case& each : cases) {
    const SchemaValidator schema =
        SchemaValidator::create(json::Object{{"type", "string"}, {"format", each.format}}).value();
    EXPECT_THAT(schema.unchecked(), IsEmpty());
    for (const std::string& text : each.good)
      EXPECT_THAT(schema.validate(json::Value(text)), IsEmpty()) << each.format << ' ' << text;
    for (const std::string& text : each.bad)
      EXPECT_EQ(schema.validate(json::Value(text)).size(), 1U) << each.format << ' ' << text;
  }
}

TEST(SchemaValidator, AFormatOfAnotherTypeIsNone) {
  EXPECT_THAT(problems("{type: boolean, format: date}", "5"),
              ElementsAre(R"(a: Invalid value: "integer": a in body must be of type boolean: )"
                          R"("integer")"));
  EXPECT_THAT(problems("{type: integer, format: float}", "5"), IsEmpty());
  EXPECT_THAT(schema_of("{type: integer, format: float}").unchecked(),
              ElementsAre("schema.format"));
  EXPECT_EQ(problems("{x-kubernetes-int-or-string: true, format: date}", "x").size(), 1U);
}

TEST(SchemaValidator, SizesOfListsAndObjects) {
  const std::string_view list = "{type: array, minItems: 1, maxItems: 2, items: {type: integer}}";
  EXPECT_THAT(problems(list, "[]"),
              ElementsAre("a: Invalid value: 0: a in body should have at least 1 items"));
  EXPECT_THAT(
      problems(list, "[1, x, 3]"),
      ElementsAre(
          R"(a[1]: Invalid value: "string": a[1] in body must be of type integer: "string")",
          "a: Too many: 3: must have at most 2 items"));
  EXPECT_THAT(
      problems("{type: array, uniqueItems: true, items: {}}", "[{x: 1, y: 2}, {y: 2, x: 1}]"),
      ElementsAre("a: Invalid value: \"\": a in body shouldn't contain duplicates"));
  const std::string_view object =
      "{type: object, minProperties: 1, maxProperties: 2, additionalProperties: {type: string}}";
  EXPECT_THAT(problems(object, "{}"),
              ElementsAre("a: Invalid value: 0: a in body should have at least 1 properties"));
  EXPECT_THAT(
      problems(object, "{p: q, r: 1, s: t}"),
      ElementsAre(
          "a: Too many: 3: must have at most 2 items",
          R"(a.r: Invalid value: "integer": a.r in body must be of type string: "integer")"));
}

TEST(SchemaValidator, CombinedSchemas) {
  const std::string_view any = "{anyOf: [{type: integer}, {type: string, maxLength: 1}]}";
  EXPECT_THAT(problems(any, "1"), IsEmpty());
  EXPECT_THAT(problems(any, "x"), IsEmpty());
  EXPECT_THAT(
      problems(any, "xy"),
      ElementsAre(R"(<nil>: Invalid value: "": "a" must validate at least one schema (anyOf))",
                  "a: Too long: may not be more than 1 byte"));
  const std::string_view one = "{oneOf: [{minimum: 1}, {minimum: 5}]}";
  EXPECT_THAT(problems(one, "3"), IsEmpty());
  EXPECT_THAT(problems(one, "7"),
              ElementsAre("<nil>: Invalid value: \"\": \"a\" must validate one and only one schema "
                          "(oneOf). Found 2 valid alternatives"));
  EXPECT_THAT(
      problems("{allOf: [{minimum: 1}, {maximum: 2}]}", "3"),
      ElementsAre("a: Invalid value: 3: a in body should be less than or equal to 2",
                  "<nil>: Invalid value: \"\": \"a\" must validate all the schemas (allOf)"));
  EXPECT_THAT(problems("{not: {enum: [x]}}", "x"),
              ElementsAre("<nil>: Invalid value: \"\": \"a\" must not validate the schema (not)"));
}

TEST(SchemaValidator, SetsMapsAndResourcesInResources) {
  EXPECT_THAT(
      problems("{type: array, x-kubernetes-list-type: set, items: {type: string}}", "[p, q, p, p]"),
      ElementsAre("a[2]: Duplicate value: \"p\""));
  const std::string_view map =
      "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, l], items: "
      "{type: object}}";
  EXPECT_THAT(problems(map, "[{k: 1, l: 2}, {k: 1, l: 3}, {k: 1, l: 2, v: x}]"),
              ElementsAre("a[2]: Duplicate value: {\"k\":1,\"l\":2}"));
  EXPECT_THAT(problems("{type: object, x-kubernetes-embedded-resource: true}", "{kind: ''}"),
              ElementsAre("a.apiVersion: Required value",
                          "a.kind: Invalid value: \"\": must not be empty"));
}

TEST(SchemaValidator, ReferencesMayLeadBack) {
  const auto components = yaml::parse(R"(
Tree: {type: object, properties: {label: {type: string}, branches: {type: array, items: {$ref: '#/components/schemas/Tree'}}}}
)");
  const auto schema = SchemaValidator::create(
      yaml::parse("{$ref: '#/components/schemas/Tree'}").value(), {.components = &*components});
  ASSERT_TRUE(schema) << schema.error().to_string();
  EXPECT_THAT(
      problems(*schema, "{branches: [{branches: [{label: 5}]}]}"),
      ElementsAre("branches[0].branches[0].label: Invalid value: \"integer\": "
                  "branches[0].branches[0].label in body must be of type string: \"integer\""));
  const auto endless = yaml::parse(
      "A: {allOf: [{$ref: '#/components/schemas/B'}]}\nB: {anyOf: [{$ref: "
      "'#/components/schemas/A'}]}\n");
  const auto refused = SchemaValidator::create(
      yaml::parse("{$ref: '#/components/schemas/A'}").value(), {.components = &*endless});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "schema: a schema contains itself by allOf, anyOf or oneOf");
}

TEST(SchemaValidator, SaysWhatItDoesNotCheck) {
  const SchemaValidator schema = schema_of(R"(
properties:
  a: {type: string, pattern: '(?=x)', format: phone}
  b: {type: object, x-kubernetes-validations: [{rule: 'true'}]}
  c: {$ref: '#/components/schemas/Gone'}
)");
  EXPECT_THAT(
      schema.unchecked(),
      ElementsAre("schema.properties[a].format", "schema.properties[b].x-kubernetes-validations",
                  "schema.properties[c].$ref", "schema.properties[a].pattern"));
  EXPECT_THAT(problems(schema, "{a: why, b: {}, c: 1}"), IsEmpty());
  const auto wrong = SchemaValidator::create(yaml::parse("{properties: {a: 5}}").value());
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message(), "schema.properties[a]: expected a schema, found number");
}

}  // namespace
}  // namespace kube::meta
