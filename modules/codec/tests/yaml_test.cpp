// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/yaml.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/example/v1.hpp>
#include <kube/meta/object_meta.hpp>

namespace kube::meta {
namespace {

using example::v1::Everything;
using example::v1::Scalars;
using testing::HasSubstr;

std::string strict_error_of(std::string_view text) {
  const auto read = from_yaml<Everything>(text, {.strict = true});
  return read ? "" : read.error().to_string();
}

TEST(TypedYaml, IsReadAndWrittenByWayOfJson) {
  const auto value = from_yaml<Everything>(
      "apiVersion: example.com/v1\nkind: Everything\nmetadata:\n  name: a\nplain:\n  string: 'y'\n"
      "  bool: y\n  quantity: 1500m\nlists:\n  strings:\n  - x\n  - '1'\n");
  ASSERT_TRUE(value) << value.error().to_string();
  EXPECT_EQ(value->plain.string, "y");
  EXPECT_TRUE(value->plain.bool_);
  EXPECT_EQ(value->lists->strings, (std::vector<std::string>{"x", "1"}));
  const std::string text = to_yaml(*value);
  EXPECT_THAT(text, testing::StartsWith("apiVersion: example.com/v1\nkeptWords: null\nkind: "
                                        "Everything\nlists:\n  keptMessages: null\n"));
  EXPECT_THAT(text, HasSubstr("  string: \"y\"\n"));
  EXPECT_EQ(from_yaml<Everything>(text).value(), *value);
}

TEST(TypedYaml, ErrorsNameWhatIsWrong) {
  EXPECT_THAT(from_yaml<Everything>("plain:\n  bool: 5\n").error().to_string(),
              HasSubstr("read Everything: plain.bool: expected a boolean, found a number"));
  EXPECT_EQ(from_yaml<Everything>("a: b: c").error().to_string(),
            "read Everything: yaml: line 1: mapping values are not allowed in this context");
  EXPECT_EQ(from_yaml<Everything>("").error().to_string(),
            "read Everything: yaml: expected one document, found 0");
}

TEST(TypedYaml, CODEC_16_StrictReadingReportsKeysThatComeTwiceAndUnknownOnes) {
  EXPECT_EQ(strict_error_of("kind: Everything\nmetadata:\n  name: a\n"), "");
  EXPECT_EQ(strict_error_of("kind: Everything\nmetadata:\n  name: a\n  name: b\n"),
            "strict decoding error: yaml: unmarshal errors:\n  line 4: key \"name\" already set in "
            "map");
  EXPECT_EQ(strict_error_of("zzz: 1\nkind: Everything\nmetadata:\n  y: 1\n  name: a\n  name: b\n"
                            "plain:\n  bool: true\n  bool: false\naaa: {b: 1, b: 2}\n"),
            "strict decoding error: yaml: unmarshal errors:\n  line 6: key \"name\" already set in "
            "map\n  line 9: key \"bool\" already set in map\n  line 10: key \"b\" already set in "
            "map, unknown field \"aaa\", unknown field \"metadata.true\", unknown field \"zzz\"");
  std::vector<std::string> problems;
  const auto value = from_yaml<Everything>("metadata: {name: a, name: b}", {.problems = &problems});
  ASSERT_TRUE(value);
  EXPECT_EQ(value->metadata.name, "b");
  EXPECT_THAT(problems, testing::ElementsAre(
                            "yaml: unmarshal errors:\n  line 1: key \"name\" already set in map"));
}

TEST(TypedYaml, TimesKeepTheirInstantThroughJsonAndYaml) {
  // A Time of ours is an instant without a zone of its own; every zone reads as the same one.
  for (const char* written : {"1998-05-05T05:05:05Z", "1998-05-05T01:05:05-04:00"}) {
    const Scalars value{.time = Time::parse(written).value(),
                        .micro_time = MicroTime::parse("1998-05-05T05:05:05.000005Z").value()};
    const auto from_text = from_json<Scalars>(to_json(value));
    const auto back = from_yaml<Scalars>(to_yaml(*from_text));
    ASSERT_TRUE(back) << back.error().to_string();
    EXPECT_EQ(back->time, value.time);
    EXPECT_EQ(back->time.to_string(), "1998-05-05T05:05:05Z");
    EXPECT_EQ(back->micro_time, value.micro_time);
  }
}

}  // namespace
}  // namespace kube::meta
