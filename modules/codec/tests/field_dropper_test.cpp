// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/field_dropper.hpp>

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/example/v1.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/codec/wire.hpp>
#include <kube/meta/object_meta.hpp>
#include <kube/meta/owner_reference.hpp>

namespace kube::meta {
namespace {

using example::v1::Everything;
using testing::HasSubstr;

Everything everything() {
  Everything value;
  value.metadata.name = "web";
  value.metadata.labels = {{"app", "a"}, {"app.kubernetes.io/name", "n"}, {"z", ""}};
  value.metadata.owner_references.resize(2);
  value.metadata.owner_references[1].kind = "Node";
  value.plain.string = "text";
  value.plain.int64 = 9;
  value.plain.raw.raw = R"({"a":[1]})";
  value.plain.any.raw = R"({"b":2})";
  value.lists.ensure().strings = {"x", "y"};
  value.lists->int64s = {7, 8};
  value.lists->messages.resize(3);
  value.lists->messages[0].path = std::string(300, 'p');  // lengths of two bytes become one
  value.lists->messages[0].name = "first";
  value.lists->messages[1].level = 9;
  value.lists->messages[1].pod_ips = {"1.2.3.4"};
  value.maps.strings = {{"a", "1"}, {"b", "2"}};
  value.maps.messages["k"].name = "in map";
  value.maps.messages["k"].path = "/k";
  value.maps.messages["l"].path = "/l";
  value.maps.words["w"].items = {"1", "2"};
  value.source.name = "s";
  value.source.path = "/p";
  value.source.level = 4;
  value.tree.ensure().label = "root";
  value.tree->all_of.resize(2);
  value.tree->all_of[1].all_of.resize(1);
  value.tree->all_of[1].all_of[0].label = "leaf";
  value.tree->properties["p"].label = "q";
  value.words.items = {"v"};
  return value;
}

std::string message_of(const Everything& value) {
  std::string message;
  write_protobuf(&value, Everything::descriptor(), message);
  return message;
}

FieldDropper dropper(const std::vector<std::string>& paths) {
  return FieldDropper::compile(Everything::descriptor(), paths).value();
}
std::string untyped(const std::vector<std::string>& paths, std::string_view text) {
  std::string scratch;
  return std::string(
      FieldDropper::compile_untyped(paths).value().drop_in_json(text, scratch).value());
}

struct Case {
  std::vector<std::string> paths;
  std::function<void(Everything&)> clear;
};

TEST(FieldDropper, LeavesWhatDecodesToTheObjectWithoutTheFields) {
  const Case cases[] = {
      {{"metadata.labels"}, [](auto& o) { o.metadata.labels.clear(); }},
      {{"metadata.labels.app"}, [](auto& o) { o.metadata.labels.erase("app"); }},
      {{"metadata.labels[app.kubernetes.io/name]"},
       [](auto& o) { o.metadata.labels.erase("app.kubernetes.io/name"); }},
      {{"metadata.labels['z']", "metadata.labels[\"app\"]"},
       [](auto& o) { o.metadata.labels.erase("z"), o.metadata.labels.erase("app"); }},
      {{"metadata.ownerReferences[*].kind"},
       [](auto& o) { o.metadata.owner_references[1].kind.clear(); }},
      {{"plain.string"}, [](auto& o) { o.plain.string.clear(); }},
      {{"plain.int64", "plain.raw"}, [](auto& o) { o.plain.int64 = 0, o.plain.raw.raw.clear(); }},
      {{"lists"}, [](auto& o) { o.lists.reset(); }},
      {{"lists.strings"}, [](auto& o) { o.lists->strings.clear(); }},
      {{"lists.int64s"}, [](auto& o) { o.lists->int64s.clear(); }},
      {{"lists.messages[*].path"}, [](auto& o) { o.lists->messages[0].path.clear(); }},
      {{"lists.messages[*].level", "lists.messages[*].name", "lists.messages[*].podIPs"},
       [](auto& o) {
         for (auto& m : o.lists->messages) m.level = 0, m.name.clear(), m.pod_ips.clear();
       }},
      {{"maps.strings.a"}, [](auto& o) { o.maps.strings.erase("a"); }},
      {{"maps.messages[*].path"},
       [](auto& o) { o.maps.messages["k"].path.clear(), o.maps.messages["l"].path.clear(); }},
      {{"maps.messages.k.name", "maps.messages[*].path"},
       [](auto& o) {
         o.maps.messages["k"].name.clear(), o.maps.messages["k"].path.clear();
         o.maps.messages["l"].path.clear();
       }},
      {{"maps.words.w"}, [](auto& o) { o.maps.words.clear(); }},
      {{"source.path", "source.level"}, [](auto& o) { o.source.path.clear(), o.source.level = 0; }},
      {{"tree.allOf[*].allOf[*].label"},
       [](auto& o) { o.tree->all_of[1].all_of[0].label.clear(); }},
      {{"tree.properties[*].label"}, [](auto& o) { o.tree->properties["p"].label.clear(); }},
      {{"tree.allOf", "tree.allOf[*].label"}, [](auto& o) { o.tree->all_of.clear(); }},
      {{"words"}, [](auto& o) { o.words.items.clear(); }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.paths.front());
    Everything expected = everything();
    c.clear(expected);
    const FieldDropper drops = dropper(c.paths);
    std::string scratch;
    for (const std::string& json :
         {to_json(everything()), json::dump_pretty(*json::parse(to_json(everything())))}) {
      const auto rest = drops.drop_in_json(json, scratch);
      ASSERT_TRUE(rest);
      EXPECT_LT(rest->size(), json.size());
      const auto read = from_json<Everything>(*rest);
      ASSERT_TRUE(read) << read.error().to_string() << *rest;
      EXPECT_EQ(to_json(*read), to_json(expected));
    }
    const std::string message = message_of(everything());
    const auto rest = drops.drop_in_message(message, scratch);
    ASSERT_TRUE(rest);
    EXPECT_LT(rest->size(), message.size());
    Everything read;
    ASSERT_TRUE(read_protobuf(*rest, Everything::descriptor(), &read));
    expected.plain.any = {};  // not in protobuf
    EXPECT_EQ(read, expected);
    // What is gone costs no copy to look for.
    const std::string again(*rest);
    EXPECT_EQ(drops.drop_in_message(again, scratch).value().data(), again.data());
  }
}

TEST(FieldDropper, DropsInJsonAloneWhatProtobufDoesNotHave) {
  const FieldDropper drops = dropper({"plain.any"});
  std::string scratch;
  const std::string message = message_of(everything());
  EXPECT_EQ(drops.drop_in_message(message, scratch).value().data(), message.data());
  EXPECT_EQ(drops.drop_in_json(R"({"plain":{"any":5}})", scratch).value(), R"({"plain":{}})");
}

TEST(FieldDropper, ReturnsTheSameBytesWhenThereIsNothingToDrop) {
  const FieldDropper drops = dropper({"tree.not.label", "lists.messages[*].path", "words"});
  std::string scratch;
  const std::string_view texts[] = {
      "{}", R"({"tree":null,"lists":{"messages":[]}})",
      R"({"tree":{"not":5},"lists":{"messages":{"path":[1]}}})",
      R"({"tree":{"label":"a"},"lists":[{"messages":1}],"other":[]})"};
  for (const std::string_view text : texts) {
    EXPECT_EQ(drops.drop_in_json(text, scratch).value().data(), text.data()) << text;
  }
  EXPECT_EQ(drops.drop_in_message("", scratch).value(), "");
  EXPECT_EQ(dropper({}).drop_in_json(texts[1], scratch).value().data(), texts[1].data());
}

TEST(FieldDropper, TakesTheRightCommaWhereverTheMemberIs) {
  EXPECT_EQ(untyped({"a"}, R"({"a":1})"), "{}");
  EXPECT_EQ(untyped({"a"}, R"({"a":1,"b":2})"), R"({"b":2})");
  EXPECT_EQ(untyped({"a"}, R"({"b":2,"a":1})"), R"({"b":2})");
  EXPECT_EQ(untyped({"a"}, R"({"b":2,"a":{"c":","},"d":3})"), R"({"b":2,"d":3})");
  EXPECT_EQ(untyped({"a", "b"}, R"({"a":1,"b":2})"), "{}");
  EXPECT_EQ(untyped({"a", "b"}, R"({"c":3,"a":1,"b":2})"), R"({"c":3})");
  EXPECT_EQ(untyped({"a", "b"}, R"({"a":1,"c":3,"b":2})"), R"({"c":3})");
  EXPECT_EQ(untyped({"a", "b"}, R"({"c":3,"a":1,"b":2,"d":4})"), R"({"c":3,"d":4})");
  EXPECT_EQ(untyped({"a"}, " { \"b\" : 2 ,\n \"a\" : 1 } "), " { \"b\" : 2 } ");
  EXPECT_EQ(untyped({"a"}, R"({"a":1,"b":0,"a":2})"), R"({"b":0})") << "each, when there are more";
  EXPECT_EQ(untyped({"a"}, R"({"\u0061":1,"A":2})"), R"({"A":2})");
}

TEST(FieldDropper, FollowsPathsOfObjectsOfAnyType) {
  EXPECT_EQ(untyped({"spec.items[*].big"}, R"({"spec":{"items":[{"big":1,"s":2},{"big":[]},3]}})"),
            R"({"spec":{"items":[{"s":2},{},3]}})");
  EXPECT_EQ(untyped({"spec[*].big"}, R"({"spec":{"x":{"big":1},"y":{"small":1}}})"),
            R"({"spec":{"x":{},"y":{"small":1}}})");
  EXPECT_EQ(untyped({"spec[*][*].a"}, R"({"spec":[[{"a":1}],[{"b":1}]]})"),
            R"({"spec":[[{}],[{"b":1}]]})");
  EXPECT_EQ(untyped({"spec[*].a", "spec.x.b"}, R"({"spec":{"x":{"a":1,"b":2},"y":{"a":1,"b":2}}})"),
            R"({"spec":{"x":{},"y":{"b":2}}})");
  EXPECT_EQ(untyped({"spec['*'].a"}, R"({"spec":{"*":{"a":1},"b":{"a":1}}})"),
            R"({"spec":{"*":{},"b":{"a":1}}})");
  std::string scratch;
  const std::string message = message_of(everything());
  const auto drops = FieldDropper::compile_untyped(std::vector<std::string>{"metadata"});
  EXPECT_EQ(drops->drop_in_message(message, scratch).value().data(), message.data());
}

TEST(FieldDropper, DropsFromAllPiecesOfAMessageAndKeepsUnknownFields) {
  Everything value;
  value.metadata.labels = {{"app", "a"}, {"other", "b"}};
  std::string unknown;
  wire::append_field(500, "kept", unknown);
  const std::string twice = message_of(value) + unknown + message_of(value);
  std::string scratch;
  const auto rest = dropper({"metadata.labels.app"}).drop_in_message(twice, scratch);
  value.metadata.labels.erase("app");
  EXPECT_EQ(*rest, message_of(value) + unknown + message_of(value));
}

TEST(FieldDropper, ReportsBytesThatItCanNotWalk) {
  const FieldDropper drops = dropper({"metadata.labels", "tree.label"});
  std::string scratch;
  for (const std::string_view text : {"", "[", R"({"metadata":{"a" 1}})", R"({"metadata":{)",
                                      R"({"tree":{"a":1]})", R"({"tree":{"a":1,}})"}) {
    const auto rest = drops.drop_in_json(text, scratch);
    ASSERT_FALSE(rest) << text;
    EXPECT_EQ(rest.error().code(), ErrorCode::Decode);
    EXPECT_THAT(rest.error().to_string(), HasSubstr("drop fields: expected JSON at offset "));
  }
  const std::string message = message_of(everything());
  const auto rest = drops.drop_in_message(std::string_view(message).substr(0, 20), scratch);
  ASSERT_FALSE(rest);
  EXPECT_EQ(rest.error().code(), ErrorCode::Decode);
  EXPECT_THAT(rest.error().to_string(), HasSubstr(" at offset "));
}

TEST(FieldDropper, RefusesPathsThatTheTypeDoesNotHaveOrThatNameAnElement) {
  const auto error_of = [](const std::string& path) {
    const auto compiled = FieldDropper::compile(Everything::descriptor(), {&path, 1});
    EXPECT_FALSE(compiled) << path;
    return compiled ? "" : compiled.error().to_string();
  };
  EXPECT_THAT(
      error_of("lists.nope"),
      HasSubstr(R"(path "lists.nope" of Everything: example.v1.Lists has no field "nope")"));
  EXPECT_THAT(error_of("lists.messages[0].name"), HasSubstr(R"("0" follows a list, expected [*])"));
  EXPECT_THAT(error_of("lists.messages.name"), HasSubstr("expected [*]"));
  EXPECT_THAT(error_of("lists.messages[*]"),
              HasSubstr("nothing follows [*]; name the list or map itself"));
  EXPECT_THAT(error_of("lists.int64s[*]"), HasSubstr("nothing follows [*]"));
  EXPECT_THAT(error_of("maps.strings[*]"), HasSubstr("nothing follows [*]"));
  EXPECT_THAT(error_of("plain.raw.x"), HasSubstr("has no field"));
  for (const std::string path : {"", ".", "a..b", "a[", "a['b", "a[*]"}) {
    EXPECT_FALSE(FieldDropper::compile_untyped({&path, 1})) << path;
    error_of(path);
  }
}

TEST(FieldDropper, WithoutATypeANumberInBracketsIsInQuotes) {
  for (const std::string path : {"spec.containers[0].env", "spec.containers[-1].env", "a[].b"}) {
    const auto compiled = FieldDropper::compile_untyped({&path, 1});
    ASSERT_FALSE(compiled) << path << " would drop nothing";
    EXPECT_EQ(compiled.error().code(), ErrorCode::InvalidArgument);
    EXPECT_THAT(compiled.error().to_string(),
                HasSubstr("] is not [*]; a key of a map that is a number is in quotes"));
  }
  EXPECT_EQ(untyped({"a['0'].b"}, R"({"a":{"0":{"b":1}}})"), R"({"a":{"0":{}}})");
}

}  // namespace
}  // namespace kube::meta
