// SPDX-License-Identifier: Apache-2.0
#include <kube/patch/patch.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube::meta {
namespace {

using ::testing::HasSubstr;

std::string patched(std::string_view document, std::string_view operations) {
  const json::Value before = json::parse(document).value();
  const Result<json::Value> after = apply_json_patch(before, json::parse(operations).value());
  EXPECT_EQ(before, json::parse(document).value()) << "the document is not changed";
  if (after) return json::dump(*after);
  EXPECT_EQ(after.error().code(), ErrorCode::InvalidArgument);
  return after.error().message();
}

// Appendix A of RFC 6902, in its order.
TEST(JsonPatch, AppliesTheExamplesOfTheRfc) {
  struct Case {
    const char* document;
    const char* operations;
    const char* want;
  };
  const Case cases[] = {
      {R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux"}])",
       R"({"foo":"bar","baz":"qux"})"},
      {R"({"foo":["bar","baz"]})", R"([{"op":"add","path":"/foo/1","value":"qux"}])",
       R"({"foo":["bar","qux","baz"]})"},
      {R"({"baz":"qux","foo":"bar"})", R"([{"op":"remove","path":"/baz"}])", R"({"foo":"bar"})"},
      {R"({"foo":["bar","qux","baz"]})", R"([{"op":"remove","path":"/foo/1"}])",
       R"({"foo":["bar","baz"]})"},
      {R"({"baz":"qux","foo":"bar"})", R"([{"op":"replace","path":"/baz","value":"boo"}])",
       R"({"baz":"boo","foo":"bar"})"},
      {R"({"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}})",
       R"([{"op":"move","from":"/foo/waldo","path":"/qux/thud"}])",
       R"({"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}})"},
      {R"({"foo":["all","grass","cows","eat"]})",
       R"([{"op":"move","from":"/foo/1","path":"/foo/3"}])",
       R"({"foo":["all","cows","eat","grass"]})"},
      {R"({"baz":"qux","foo":["a",2,"c"]})",
       R"([{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}])",
       R"({"baz":"qux","foo":["a",2,"c"]})"},
      {R"({"foo":"bar"})", R"([{"op":"add","path":"/child","value":{"grandchild":{}}}])",
       R"({"foo":"bar","child":{"grandchild":{}}})"},
      {R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux","xyz":123}])",
       R"({"foo":"bar","baz":"qux"})"},
      {R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":10}])", R"({"/":9,"~1":10})"},
      {R"({"foo":["bar"]})", R"([{"op":"add","path":"/foo/-","value":["abc","def"]}])",
       R"({"foo":["bar",["abc","def"]]})"},
  };
  for (const auto& [document, operations, want] : cases)
    EXPECT_EQ(patched(document, operations), want) << operations;
}

TEST(JsonPatch, RejectsTheExamplesOfTheRfc) {
  EXPECT_EQ(patched(R"({"baz":"qux"})", R"([{"op":"test","path":"/baz","value":"bar"}])"),
            R"(operation 0 (test "/baz"): testing failed: the value is different)");
  EXPECT_EQ(patched(R"({"foo":"bar"})", R"([{"op":"add","path":"/baz/bat","value":"qux"}])"),
            R"(operation 0 (add "/baz/bat"): the parent does not exist)");
  EXPECT_EQ(patched(R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":"10"}])"),
            R"(operation 0 (test "/~01"): testing failed: the value is different)");
}

TEST(JsonPatch, WorksOnTheWholeDocument) {
  EXPECT_EQ(patched("1", R"([{"op":"add","path":"","value":{"a":1}}])"), R"({"a":1})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"replace","path":"","value":[]}])"), "[]");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"test","path":"","value":{"a":1}}])"), R"({"a":1})");
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"remove","path":""}])"), "null");
  EXPECT_EQ(patched(R"({"a":{"b":2}})", R"([{"op":"move","from":"/a","path":""}])"), R"({"b":2})");
  EXPECT_EQ(patched(R"({"a":{"b":2}})", R"([{"op":"copy","from":"","path":"/c"}])"),
            R"({"a":{"b":2},"c":{"a":{"b":2}}})");
  EXPECT_EQ(patched(R"({"a":1})", "[]"), R"({"a":1})");
}

TEST(JsonPatch, AddReplacesAMemberAndInsertsAnItem) {
  EXPECT_EQ(patched(R"({"a":1,"b":2})", R"([{"op":"add","path":"/a","value":null}])"),
            R"({"a":null,"b":2})");
  EXPECT_EQ(
      patched("[1]", R"([{"op":"add","path":"/0","value":0},{"op":"add","path":"/2","value":2}])"),
      "[0,1,2]");
  EXPECT_EQ(patched(R"({"":1})", R"([{"op":"add","path":"/","value":2}])"), R"({"":2})");
  EXPECT_EQ(
      patched(R"({"0":1})",
              R"([{"op":"replace","path":"/0","value":2},{"op":"add","path":"/-","value":3}])"),
      R"({"0":2,"-":3})");
  EXPECT_EQ(
      patched(R"({"a/b":1,"m~n":2})",
              R"([{"op":"remove","path":"/a~1b"},{"op":"replace","path":"/m~0n","value":3}])"),
      R"({"m~n":3})");
}

TEST(JsonPatch, IndexesAreDecimalsInsideTheArray) {
  for (const char* index :
       {"-3", "2", "a", "", "1e0", "+-1", "+", "0x0", "99999999999999999999999"}) {
    const std::string path = std::string("/") + index;
    EXPECT_THAT(patched("[1]", R"([{"op":"add","path":")" + path + R"(","value":0}])"),
                HasSubstr("expected \"-\" or an index of at most 1"));
    EXPECT_THAT(patched("[1]", R"([{"op":"remove","path":")" + path + R"("}])"),
                HasSubstr("the value to remove does not exist"));
    EXPECT_THAT(patched("[1]", R"([{"op":"replace","path":")" + path + R"(","value":0}])"),
                HasSubstr("the value to replace does not exist"));
  }
  EXPECT_THAT(patched("[1]", R"([{"op":"remove","path":"/-"}])"),
              HasSubstr("the value to remove does not exist"));
  EXPECT_THAT(patched("[1]", R"([{"op":"add","path":"/0/x","value":0}])"),
              HasSubstr("can't add to a number"));
}

TEST(JsonPatch, IndexesBelowZeroCountFromTheEnd) {
  struct Case {
    const char* operations;
    const char* want;
  };
  const Case cases[] = {
      {R"([{"op":"add","path":"/l/-1","value":0}])", R"({"l":[1,2,3,0]})"},
      {R"([{"op":"add","path":"/l/-4","value":0}])", R"({"l":[0,1,2,3]})"},
      {R"([{"op":"remove","path":"/l/-1"}])", R"({"l":[1,2]})"},
      {R"([{"op":"remove","path":"/l/-3"}])", R"({"l":[2,3]})"},
      {R"([{"op":"replace","path":"/l/-2","value":0}])", R"({"l":[1,0,3]})"},
      {R"([{"op":"test","path":"/l/-1","value":3}])", R"({"l":[1,2,3]})"},
      {R"([{"op":"move","from":"/l/-1","path":"/l/0"}])", R"({"l":[3,1,2]})"},
      {R"([{"op":"copy","from":"/l/-3","path":"/l/-1"}])", R"({"l":[1,2,3,1]})"},
      {R"([{"op":"remove","path":"/l/+1"}])", R"({"l":[1,3]})"},
      {R"([{"op":"remove","path":"/l/01"}])", R"({"l":[1,3]})"},
  };
  for (const auto& [operations, want] : cases)
    EXPECT_EQ(patched(R"({"l":[1,2,3]})", operations), want) << operations;
  EXPECT_THAT(patched(R"({"l":[1]})", R"([{"op":"add","path":"/l/-3","value":0}])"),
              HasSubstr("an index of at most 1"));
  EXPECT_THAT(patched(R"({"l":[1]})", R"([{"op":"remove","path":"/l/-2"}])"),
              HasSubstr("the value to remove does not exist"));
}

TEST(JsonPatch, MoveAndCopyNeedASource) {
  EXPECT_THAT(patched("{}", R"([{"op":"move","from":"/a","path":"/b"}])"),
              HasSubstr("the value at \"from\" does not exist"));
  EXPECT_THAT(patched("{}", R"([{"op":"copy","from":"/a","path":"/b"}])"),
              HasSubstr("the value at \"from\" does not exist"));
  EXPECT_THAT(patched(R"({"a":{"b":1}})", R"([{"op":"move","from":"/a","path":"/a/b"}])"),
              HasSubstr("into itself"));
  EXPECT_EQ(patched(R"({"a":{"b":1}})", R"([{"op":"move","from":"/a","path":"/a"}])"),
            R"({"a":{"b":1}})");
  EXPECT_EQ(patched(R"({"a":[1,2]})", R"([{"op":"copy","from":"/a/0","path":"/a/-"}])"),
            R"({"a":[1,2,1]})");
}

TEST(JsonPatch, AllOrNothing) {
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"remove","path":"/a"},{"op":"remove","path":"/a"}])"),
            R"(operation 1 (remove "/a"): the value to remove does not exist)");
}

TEST(JsonPatch, TestComparesNumbersByValueAndObjectsWithoutOrder) {
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"test","path":"/a","value":1.0}])"), R"({"a":1})");
  EXPECT_EQ(
      patched(R"({"a":{"x":1,"y":[2]}})", R"([{"op":"test","path":"/a","value":{"y":[2],"x":1}}])"),
      R"({"a":{"x":1,"y":[2]}})");
  EXPECT_EQ(patched(R"({"a":null})", R"([{"op":"test","path":"/a","value":null}])"),
            R"({"a":null})");
}

TEST(JsonPatch, ATestForNullHoldsForAMemberThatIsNotThere) {
  EXPECT_EQ(patched("{}", R"([{"op":"test","path":"/a","value":null}])"), "{}");
  EXPECT_EQ(patched(R"({"a":{}})", R"([{"op":"test","path":"/a/b","value":null}])"), R"({"a":{}})");
  for (const char* operations : {R"([{"op":"test","path":"/b/c","value":null}])",
                                 R"([{"op":"test","path":"/l/0","value":null}])",
                                 R"([{"op":"test","path":"/b","value":{}}])"}) {
    EXPECT_THAT(patched(R"({"l":[]})", operations), HasSubstr("the value does not exist"));
  }
}

TEST(JsonPatch, NamesWhatIsWrongWithAnOperation) {
  EXPECT_EQ(patched("{}", "{}"),
            "invalid JSON patch: expected an array of operations, but found object");
  EXPECT_EQ(patched("{}", "[1]"), "operation 0: expected an object, but found number");
  EXPECT_EQ(
      patched("{}", R"([{"path":"/a"}])"),
      "operation 0: expected add, remove, replace, move, copy or test as \"op\", but found none");
  EXPECT_THAT(patched("{}", R"([{"op":"spam","path":"/a"}])"), HasSubstr(R"(but found "spam")"));
  EXPECT_THAT(patched("{}", R"([{"op":7,"path":"/a"}])"), HasSubstr("but found 7"));
  EXPECT_EQ(patched("{}", R"([{"op":"add","value":1}])"),
            "operation 0: expected a JSON pointer as \"path\"");
  EXPECT_EQ(patched("{}", R"([{"op":"add","path":7,"value":1}])"),
            "operation 0: expected a JSON pointer as \"path\"");
  EXPECT_EQ(patched("{}", R"([{"op":"add","path":"/a"}])"), "operation 0: expected a \"value\"");
  EXPECT_EQ(patched("{}", R"([{"op":"move","path":"/a"}])"),
            "operation 0: expected a JSON pointer as \"from\"");
  EXPECT_THAT(patched("{}", R"([{"op":"add","path":"a","value":1}])"),
              HasSubstr("a JSON pointer must start with \"/\""));
  EXPECT_THAT(patched("{}", R"([{"op":"add","path":"/~2","value":1}])"),
              HasSubstr("\"~\" must precede 0 or 1"));
  EXPECT_THAT(patched("{}", R"([{"op":"add","path":"/a~","value":1}])"),
              HasSubstr("\"~\" must precede 0 or 1"));
}

TEST(JsonPatch, CopiesAreBounded) {
  json::Array operations;
  for (int i = 0; i < 64; ++i) {
    operations.push_back(
        json::Object{{"op", "copy"}, {"from", ""}, {"path", "/a" + std::to_string(i)}});
  }
  const Result<json::Value> bomb = apply_json_patch(json::Object{{"x", "0123456789"}}, operations);
  ASSERT_FALSE(bomb);
  EXPECT_THAT(bomb.error().message(),
              HasSubstr("the copies have more than 3145728 bytes together"));
}

TEST(JsonPatch, RemovalsFromALargeObjectAreBounded) {
  json::Object members;
  json::Array operations;
  for (int i = 0; i < 60'000; ++i) members.append("k" + std::to_string(i), "");
  const json::Value document = std::move(members);
  for (int i = 0; i < 1'000; ++i) {
    operations.push_back(json::Object{{"op", "remove"}, {"path", "/k" + std::to_string(i)}});
  }
  const Result<json::Value> removed = apply_json_patch(document, operations);
  ASSERT_FALSE(removed);
  EXPECT_THAT(removed.error().message(),
              AllOf(HasSubstr("operation 93 "), HasSubstr("move more than 16777216 elements")));
  operations.resize(90);
  EXPECT_TRUE(apply_json_patch(document, operations));
}

TEST(JsonPatch, DepthIsBounded) {
  // Each operation nests the document one deeper.
  json::Array operations;
  for (int i = 0; i < 1000; ++i) {
    operations.push_back(json::Object{{"op", "move"}, {"from", "/a"}, {"path", "/b"}});
    operations.push_back(json::Object{{"op", "add"}, {"path", "/a"}, {"value", json::Object{}}});
    operations.push_back(json::Object{{"op", "move"}, {"from", "/b"}, {"path", "/a/a"}});
  }
  const Result<json::Value> deep = apply_json_patch(json::Object{{"a", 1}}, operations);
  ASSERT_FALSE(deep);
  EXPECT_THAT(deep.error().message(), HasSubstr("nested deeper than 512"));

  std::string path;
  for (int i = 0; i < 10'000; ++i) path += "/a";
  EXPECT_THAT(patched("{}", R"([{"op":"add","path":")" + path + R"(","value":1}])"),
              HasSubstr("nested deeper"));
  EXPECT_THAT(patched("{}", R"([{"op":"remove","path":")" + path + R"("}])"),
              HasSubstr("the value to remove does not exist"));
}

TEST(JsonPatchProblems, OperationsOfAJsonPatchAreChecked) {
  EXPECT_THAT(json_patch_problems(R"([{"op":"add","path":"/a","value":"1","foo":{"x":1,"x":2}},
          {"op":"add","path":"/b","path":"/c","value":{"k":1,"k":[2]},"Op":"x"},
          {"op":"move","from":"/a","path":"/b"}])"),
              ::testing::ElementsAre(R"(json patch unknown field "[0].foo")",
                                     R"(json patch duplicate field "[1].path")",
                                     R"(json patch duplicate field "[1].value.k")",
                                     R"(json patch unknown field "[1].Op")"));
  for (const std::string_view text : {"", "{}", "[", "[5]", "[]", R"([{"op":"test"}])"}) {
    EXPECT_THAT(json_patch_problems(text), ::testing::IsEmpty()) << text;
  }
}

// In these tests is what kube-apiserver 1.37.1 does.

std::string patched_by_server(std::string_view document, std::string_view operations) {
  const Result<json::Value> after = apply_json_patch(
      json::parse(document).value(), json::parse(operations).value(), JsonPatchRules::ApiServer);
  return after ? json::dump(*after) : "refused";
}

TEST(JsonPatch, ForAServerAMissingMemberIsNull) {
  const char* document = R"({"a":{"b":1}})";
  EXPECT_EQ(patched_by_server(document, R"([{"op":"replace","path":"/a/c","value":2}])"),
            R"({"a":{"b":1,"c":2}})");
  EXPECT_EQ(patched_by_server(document, R"([{"op":"copy","from":"/a/c","path":"/d"}])"),
            R"({"a":{"b":1},"d":null})");
  EXPECT_EQ(patched_by_server(document, R"([{"op":"test","path":"/a/c","value":null}])"), document);
  EXPECT_EQ(patched_by_server(document, R"([{"op":"add","path":"/a/c"}])"),
            R"({"a":{"b":1,"c":null}})");
  for (const char* operation :
       {R"({"op":"replace","path":"/x/c","value":2})", R"({"op":"copy","from":"/x/c","path":"/d"})",
        R"({"op":"remove","path":"/a/c"})", R"({"op":"move","from":"/a/c","path":"/d"})"}) {
    EXPECT_EQ(patched_by_server(document, "[" + std::string(operation) + "]"), "refused")
        << operation;
  }
  EXPECT_EQ(patched_by_server("[1]", R"([{"op":"replace","path":"/1","value":2}])"), "refused");
}

TEST(JsonPatch, AServerReadsPathsLoosely) {
  EXPECT_EQ(patched_by_server(R"({"a~2":1,"b":2})", R"([{"op":"remove","path":"/a~2"}])"),
            R"({"b":2})");
  EXPECT_EQ(patched_by_server(R"({"a":1})", R"([{"op":"replace","path":"x/a","value":2}])"),
            R"({"a":2})");
  EXPECT_EQ(patched_by_server(R"({"a":1})", R"([{"op":"replace","path":"","value":{"b":2}}])"),
            R"({"b":2})");
  for (const char* operation :
       {R"({"op":"replace","path":"","value":5})", R"({"op":"add","path":"","value":{}})",
        R"({"op":"remove","path":""})", R"({"op":"add","path":"a","value":1})",
        R"({"op":"copy","from":"","path":"/b"})"}) {
    EXPECT_EQ(patched_by_server(R"({"a":1})", "[" + std::string(operation) + "]"), "refused")
        << operation;
  }
}

}  // namespace
}  // namespace kube::meta
