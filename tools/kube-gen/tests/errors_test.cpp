// SPDX-License-Identifier: Apache-2.0
//
// A schema that is wrong gives one sentence that names file, type and field.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "emit.hpp"

namespace kube::gen {
namespace {

namespace fs = std::filesystem;

class Errors : public testing::Test {
 protected:
  void SetUp() override {
    directory_ =
        fs::path(testing::TempDir()) /
        ("kube-gen-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name, std::ios::binary) << text;
  }
  // The error of generating a package that has these types.
  std::string error_of(const std::string& types, const std::string& more = "") const {
    write("x.v1.json",
          R"({"group":"x","version":"v1","package":"x.v1","types":[)" + types + "]" + more + "}");
    return generate();
  }
  std::string error_of_field(const std::string& field) const {
    return error_of(R"({"name":"A","fields":[)" + field + "]}");
  }
  std::string generate(const Choices& choices = {}) const {
    Schema schema({directory_});
    Planner planner(schema, choices);
    const auto layout = planner.layout("x.v1");
    if (!layout) return layout.error().to_string();
    if (const auto headers = emit_headers(**layout, planner); !headers)
      return headers.error().to_string();
    if (const auto sources = emit_sources(**layout, schema, choices, 1); !sources)
      return sources.error().to_string();
    return "no error";
  }

  fs::path directory_;
};

TEST_F(Errors, OfFiles) {
  EXPECT_EQ(generate(), "x.v1.json: was not found in the schema directories");
  write("x.v1.json", "{");
  EXPECT_EQ(generate(),
            (directory_ / "x.v1.json").string() + ": json: offset 1: unexpected end of JSON input");
  write("x.v1.json", R"({"group":"x","version":"v1","package":"y.v1","types":[]})");
  EXPECT_EQ(generate(), "x.v1.json: is package \"y.v1\", expected \"x.v1\"");
  write("x.v1.json", R"({"group":"x","package":"x.v1","types":[]})");
  EXPECT_EQ(generate(), "x.v1.json: \"version\" is missing");
  write("x.v1.json", R"([])");
  EXPECT_EQ(generate(), "x.v1.json: expected an object, found array");
}

TEST_F(Errors, OfTypes) {
  EXPECT_EQ(error_of("5"), "x.v1.json: type 0: expected an object, found number");
  EXPECT_EQ(error_of(R"({"fields":[]})"), "x.v1.json: type 0: \"name\" is missing");
  EXPECT_EQ(error_of(R"({"name":"A"})"), "x.v1.json: type A: \"fields\" is missing");
  EXPECT_EQ(error_of(R"({"name":"A","fields":{}})"),
            "x.v1.json: type A: \"fields\" is object, expected an array");
  EXPECT_EQ(error_of(R"({"name":"A","jsonForm":"list","fields":[]})"),
            "x.v1.json: type A: \"jsonForm\" is \"list\", expected one repeated field");
  EXPECT_EQ(error_of(R"({"name":"A","jsonForm":"raw","fields":[]})"),
            "x.v1.json: type A: \"jsonForm\" is \"raw\", expected one field of bytes");
  EXPECT_EQ(error_of(R"({"name":"A","jsonForm":"schemaOrBool","fields":[]})"),
            "x.v1.json: type A: \"jsonForm\" is \"schemaOrBool\", expected a bool and a pointer");
  EXPECT_EQ(error_of(R"({"name":"A","jsonForm":"schemaOrArray","fields":[]})"),
            "x.v1.json: type A: \"jsonForm\" is \"schemaOrArray\", expected a pointer and a "
            "repeated field");
}

TEST_F(Errors, OfFields) {
  EXPECT_EQ(error_of_field(R"({"json":"a","name":"a"})"),
            "x.v1.json: type A, field a: \"type\" is missing");
  EXPECT_EQ(error_of_field(R"({"json":5,"name":"a","type":"string"})"),
            "x.v1.json: type A, field 0: \"json\" is number, expected a string");
  EXPECT_EQ(error_of_field(R"({"json":"a","name":"a","type":"strong"})"),
            "x.v1.json: type A, field a: has the unknown type \"strong\"");
  EXPECT_EQ(error_of_field(R"({"json":"a","name":"a","type":"x.v1.B"})"),
            "x.v1.json: type A, field a: refers to x.v1.B, which does not exist");
  EXPECT_EQ(
      error_of_field(R"({"json":"a","name":"a","type":"z.v1.B"})"),
      "x.v1.json: type A, field a: its type: z.v1.json: was not found in the schema directories");
  EXPECT_EQ(error_of_field(R"({"json":"a","name":"a","type":"string","zeroJson":"nil"})"),
            "x.v1.json: type A, field a: \"zeroJson\" is \"nil\", expected one of \"omit\", "
            "\"null\", \"value\"");
  EXPECT_EQ(error_of_field(R"({"json":"a","name":"a","type":"string","number":70000})"),
            "x.v1.json: type A, field a: \"number\" 70000 is not a field number");
  EXPECT_EQ(error_of_field(R"({"json":"a","name":"a","type":"string","repeated":true,"map":true})"),
            "x.v1.json: type A, field a: a field is \"repeated\" or a \"map\", not both");
  EXPECT_EQ(
      error_of_field(R"({"json":"a","name":"a","type":"string","repeated":true,"pointer":true})"),
      "x.v1.json: type A, field a: a pointer to a list or map is not supported");
  EXPECT_EQ(error_of_field(R"({"json":"a","name":"a","type":"string","patchStrategy":"join"})"),
            "x.v1.json: type A, field a: \"patchStrategy\" is \"join\", expected one of \"merge\", "
            "\"merge,retainKeys\", \"retainKeys\", \"replace\"");
  EXPECT_EQ(
      error_of_field(
          R"({"json":"a","name":"a","type":"string"},{"json":"a","name":"b","type":"string"})"),
      "x.v1.json: type A, field a: occurs twice");
  EXPECT_EQ(
      error_of_field(
          R"({"json":"aB","name":"a","type":"string"},{"json":"a_b","name":"b","type":"string"})"),
      "x.v1.json: type A, field a_b: two fields become the member a_b");
  EXPECT_EQ(error_of_field(R"({"json":"$","name":"a","type":"string"})"),
            "x.v1.json: type A, field $: has no valid C++ name");
}

TEST_F(Errors, OfReferencesToWhatIsNotGenerated) {
  const std::string odd = R"({"name":"Odd","jsonForm":"groupVersionString","fields":[]})";
  EXPECT_EQ(error_of(odd), "no error");
  EXPECT_EQ(error_of(odd + R"(,{"name":"A","fields":[{"json":"a","name":"a","type":"x.v1.Odd"}]})"),
            "x.v1.json: type A, field a: refers to x.v1.Odd, whose JSON form isn't supported");
  EXPECT_EQ(generate({.skip = {"x.v1.Odd"}}),
            "x.v1.json: type A, field a: refers to x.v1.Odd, which the choices skip");
}

TEST_F(Errors, OfConstants) {
  EXPECT_EQ(error_of("", R"(,"constants":[{"name":"C","value":true}])"),
            "x.v1.json: constant C: \"value\" must be a string or an integer");
}

TEST_F(Errors, OfResources) {
  write("resources.json", R"({"resources":[{"type":"x.v1.A","plural":"as"}]})");
  EXPECT_EQ(error_of(R"({"name":"A","fields":[]})"),
            "resources.json: resource of x.v1.A: \"singular\" is missing");
  const auto tables = emit_resources(directory_ / "resources.json");
  ASSERT_FALSE(tables);
  EXPECT_EQ(tables.error().to_string(), "resources.json: \"groups\" is missing");
}

TEST_F(Errors, OfChoices) {
  write("choices.json", R"({"headerNames":{"x.v1.A":5}})");
  EXPECT_EQ(read_choices(directory_ / "choices.json").error().to_string(),
            "choices.json: \"headerNames.x.v1.A\" is number, expected a string");
}

}  // namespace
}  // namespace kube::gen
