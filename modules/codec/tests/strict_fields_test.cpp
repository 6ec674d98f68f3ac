// SPDX-License-Identifier: Apache-2.0
//
// Strict reading of JSON: unknown and duplicate fields, in the words of the API server.
#include <kube/codec/codec.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/example/v1.hpp>
#include <kube/meta/object_meta.hpp>

namespace kube::meta {
namespace {

using example::v1::Everything;
using example::v1::EverythingList;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

template <class T = Everything>
std::vector<std::string> problems_of(std::string_view text) {
  std::vector<std::string> problems{"stale"};
  const auto read = from_json<T>(text, {.problems = &problems});
  EXPECT_TRUE(read) << text << (read ? "" : read.error().to_string());
  return problems;
}

TEST(StrictFields, CODEC_15_ReportsUnknownAndDuplicateFieldsTogether) {
  const std::string text =
      R"({"kind":"Everything","metadata":{"name":"a","name":"b"},"source":{"foo":1},"x\"y":{"z":1}})";
  const auto read = from_json<Everything>(text, {.strict = true});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), ErrorCode::Decode);
  EXPECT_EQ(read.error().to_string(),
            "strict decoding error: duplicate field \"metadata.name\", unknown field "
            "\"source.foo\", unknown field \"x\\\"y\"");
  // The object is whole nevertheless, for those who only warn.
  Everything value;
  std::vector<std::string> problems;
  EXPECT_FALSE(
      read_json(text, Everything::descriptor(), &value, {.strict = true, .problems = &problems}));
  EXPECT_EQ(value.metadata.name, "b");
  EXPECT_EQ(problems.size(), 3U);
  // Without strict the last value counts and nothing is said.
  EXPECT_EQ(from_json<Everything>(text).value().metadata.name, "b");
}

TEST(StrictFields, NamesElementsAndKeys) {
  EXPECT_THAT(problems_of(R"({"lists":{"messages":[{},{"a":1,"b":2}],"strings":["a"]}})"),
              ElementsAre("unknown field \"lists.messages[1].a\"",
                          "unknown field \"lists.messages[1].b\""));
  EXPECT_THAT(
      problems_of(R"({"maps":{"messages":{"k":{"a":1},"k":{}},"strings":{"s":"1","s":"2"}}})"),
      ElementsAre("unknown field \"maps.messages.k.a\"", "duplicate field \"maps.messages.k\"",
                  "duplicate field \"maps.strings.s\""));
  EXPECT_THAT(problems_of(R"({"tree":{"not":{"properties":{"p":{"x":1}}}}})"),
              ElementsAre("unknown field \"tree.not.properties.p.x\""));
  // Of inlined types; by null; written with escapes.
  EXPECT_THAT(problems_of(R"({"source":{"level":1,"path":"x","level":2,"p\u0061th":null}})"),
              ElementsAre("duplicate field \"source.level\"", "duplicate field \"source.path\""));
}

TEST(StrictFields, KnowKindAndApiVersionOfKindsOnly) {
  EXPECT_THAT(problems_of(R"({"kind":"Everything","apiVersion":"example.com/v1"})"), IsEmpty());
  EXPECT_THAT(problems_of<EverythingList>(
                  R"({"kind":"EverythingList","items":[{"kind":"Everything","apiVersion":"x"}]})"),
              IsEmpty());
  EXPECT_THAT(problems_of(R"({"kind":"Everything","kind":"Everything","source":{"kind":"x"}})"),
              ElementsAre("duplicate field \"kind\"", "unknown field \"source.kind\""));
}

TEST(StrictFields, LookIntoNothingThatIsUnknownOrRaw) {
  EXPECT_THAT(
      problems_of(R"({"plain":{"raw":{"a":1,"a":2},"any":{"b":1,"b":2}},"u":{"v":1,"v":2}})"),
      ElementsAre("unknown field \"u\""));
}

TEST(StrictFields, ReportEachOnceAndAHundredAtMost) {
  EXPECT_THAT(problems_of(R"({"a":1,"a":2,"a":3})"), ElementsAre("unknown field \"a\""));
  std::string text = "{";
  for (int i = 0; i < 150; ++i) text += "\"x" + std::to_string(i) + "\":0,";
  EXPECT_EQ(problems_of(text + R"("kind":"Everything"})").size(), 100U);
}

TEST(StrictFields, LeaveOtherErrorsAlone) {
  const auto read = from_json<Everything>(R"({"u":1,"source":{"level":"x"}})", {.strict = true});
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().to_string(), HasSubstr("source.level: expected a 32-bit integer"));
}

TEST(StrictFields, DuplicatesOfUntypedJsonAreAllFoundInTheirOrder) {
  EXPECT_THAT(
      duplicate_fields(
          R"({"spec":{"a":1,"b":[{"x":1},{"x":1,"\u0078":2,"x":3}],"a":2},"q\"":0,"q\"":1})"),
      ElementsAre(R"(duplicate field "spec.b[1].x")", R"(duplicate field "spec.a")",
                  R"(duplicate field "q\"")"));
  EXPECT_THAT(duplicate_fields(R"([[{"a":1,"a":2}],{"b":{"a":1},"c":{"a":1}}])"),
              ElementsAre(R"(duplicate field "[0][0].a")"));
  for (const std::string_view text : {"", "5", "{", R"({"a":{"b":1},"b":[]})", R"(["a","a"])"}) {
    EXPECT_THAT(duplicate_fields(text), IsEmpty()) << text;
  }
  EXPECT_THAT(duplicate_fields(R"({"a":1,"a":2,"b")"), ElementsAre(R"(duplicate field "a")"));
  EXPECT_THAT(duplicate_fields(std::string(100'000, '[')), IsEmpty());
}

TEST(StrictFields, DuplicatesUnderALongKeyDoNotCostTheirProduct) {
  std::string text = R"({")" + std::string(1'000'000, 'k') + R"(":{"a":0)";
  for (int i = 0; i < 100'000; ++i) text += R"(,"a":0)";
  EXPECT_EQ(duplicate_fields(text + "}}").size(), 1U);
}

}  // namespace
}  // namespace kube::meta
