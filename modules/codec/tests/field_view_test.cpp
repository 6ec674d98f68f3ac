// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/field_view.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/example/v1.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/meta/object_meta.hpp>
#include <kube/meta/owner_reference.hpp>

namespace kube::meta {
namespace {

using example::v1::Everything;
using example::v1::NamedSource;
using example::v1::Pointers;
using example::v1::Tree;
using example::v1::Words;
using testing::ElementsAre;
using testing::HasSubstr;

Everything object() {
  Everything value;
  value.metadata.name = "web";
  value.metadata.labels = {{"app", "a \"b\"\n"}, {"app.kubernetes.io/name", "n"}, {"empty", ""}};
  value.metadata.owner_references.push_back({.api_version = "v1", .kind = "Node", .name = "o"});
  value.metadata.creation_timestamp = Time(1793179800, 0);
  value.plain.int32 = -3;
  value.plain.bool_ = true;
  value.plain.double_ = 1.5;
  value.plain.quantity = Quantity::must_parse("5Gi");
  value.plain.int_or_string = "80%";
  value.plain.raw.raw = R"({"a":[1]})";
  value.plain.micro_time = MicroTime(5, 6000);
  value.plain.duration = Duration(std::chrono::seconds(5));
  value.lists.ensure().strings = {"x", "y"};
  value.lists->int64s = {7, 8};
  value.lists->messages.resize(2);
  value.lists->messages[1].name = "second";
  value.lists->messages[1].level = 9;
  value.lists->messages[1].pod_ips = {"1.2.3.4"};
  value.maps.quantities["cpu"] = Quantity::must_parse("1");
  value.maps.messages["k"].name = "in map";
  value.maps.words["w"].items = {"1", "2"};
  value.source.name = "s";
  value.source.path = "/p";
  value.source.level = 4;
  value.tree.ensure().label = "root";
  value.tree->all_of.resize(1);
  value.tree->all_of[0].label = "leaf";
  value.pointers.ensure().int64 = 0;
  value.words.items = {"v"};
  return value;
}

// The same object in both encodings, and indented.
std::vector<std::string> encodings(const Everything& value) {
  return {to_json(value), json::dump_pretty(*json::parse(to_json(value))), *to_protobuf(value)};
}

FieldLocator path(std::string_view text) {
  auto compiled = FieldLocator::compile<Everything>(text);
  EXPECT_TRUE(compiled) << text << ": " << (compiled ? "" : compiled.error().to_string());
  return *compiled;
}
FieldView find(std::string_view text, std::string_view bytes) {
  const auto view = path(text).find(bytes);
  EXPECT_TRUE(view) << text << ": " << (view ? "" : view.error().to_string());
  return *view;
}
template <class T>
T read(std::string_view text, std::string_view bytes) {
  const auto value = find(text, bytes).template read<T>();
  EXPECT_TRUE(value) << text << ": " << (value ? "" : value.error().to_string());
  return value ? *value : T();
}
std::string text_of(std::string_view text, std::string_view bytes) {
  std::string scratch;
  const auto view = find(text, bytes);
  const auto value = view.text(scratch);
  EXPECT_TRUE(value) << text;
  return std::string(value.value_or(""));
}

TEST(FieldView, KeysInQuotesMayHaveQuotesBehindABackslash) {
  Everything value = object();
  value.metadata.labels["x'y\"z\\"] = "quoted";
  for (const std::string& bytes : encodings(value)) {
    EXPECT_EQ(text_of(R"(metadata.labels['x\'y"z\\'])", bytes), "quoted");
    EXPECT_EQ(text_of(R"(metadata.labels["x'y\"z\\"])", bytes), "quoted");
    // As kubectl wants dots.
    EXPECT_EQ(text_of(R"(metadata.labels['app\.kubernetes\.io/name'])", bytes), "n");
  }
}

TEST(FieldView, ReadsTheSameFromBothEncodings) {
  const Everything value = object();
  for (const std::string& bytes : encodings(value)) {
    EXPECT_EQ(text_of("metadata.name", bytes), "web");
    EXPECT_EQ(text_of("metadata.labels.app", bytes), "a \"b\"\n");
    EXPECT_EQ(text_of("metadata.labels['app.kubernetes.io/name']", bytes), "n");
    EXPECT_EQ(text_of("metadata.labels[\"app.kubernetes.io/name\"]", bytes), "n");
    EXPECT_EQ(text_of("tree.label", bytes), "root");
    EXPECT_EQ(text_of("tree.allOf[0].label", bytes), "leaf");
    EXPECT_EQ(text_of("lists.strings[1]", bytes), "y");
    EXPECT_EQ(text_of("lists.messages[1].name", bytes), "second");
    EXPECT_EQ(text_of("lists.messages[1].podIPs[0]", bytes), "1.2.3.4");
    EXPECT_EQ(text_of("maps.messages.k.name", bytes), "in map");
    EXPECT_EQ(text_of("maps.words.w[1]", bytes), "2");
    EXPECT_EQ(text_of("words[0]", bytes), "v");
    // Keys of inlined types stand in the object, their protobuf does not.
    EXPECT_EQ(text_of("source.path", bytes), "/p");
    EXPECT_EQ(read<std::int32_t>("source.level", bytes), 4);
    EXPECT_EQ(read<std::int32_t>("lists.messages[1].level", bytes), 9);

    EXPECT_EQ(read<std::string>("metadata.labels.app", bytes), "a \"b\"\n");
    EXPECT_EQ(read<std::int32_t>("plain.int32", bytes), -3);
    EXPECT_TRUE(read<bool>("plain.bool", bytes));
    EXPECT_EQ(read<double>("plain.double", bytes), 1.5);
    EXPECT_EQ(read<Quantity>("plain.quantity", bytes), value.plain.quantity);
    EXPECT_EQ(read<Quantity>("maps.quantities.cpu", bytes), Quantity::must_parse("1"));
    EXPECT_EQ(read<IntOrString>("plain.intOrString", bytes), value.plain.int_or_string);
    EXPECT_EQ(json::dump(*read<RawExtension>("plain.raw", bytes).value()), value.plain.raw.raw);
    EXPECT_EQ(read<Time>("metadata.creationTimestamp", bytes), value.metadata.creation_timestamp);
    EXPECT_EQ(read<MicroTime>("plain.microTime", bytes), value.plain.micro_time);
    EXPECT_EQ(read<Duration>("plain.duration", bytes), value.plain.duration);

    EXPECT_EQ(read<std::vector<OwnerReference>>("metadata.ownerReferences", bytes),
              value.metadata.owner_references);
    EXPECT_EQ((read<std::map<std::string, std::string, std::less<>>>("metadata.labels", bytes)),
              value.metadata.labels);
    EXPECT_EQ(read<std::vector<std::string>>("lists.strings", bytes), value.lists->strings);
    EXPECT_EQ(read<std::vector<std::int64_t>>("lists.int64s", bytes), value.lists->int64s);
    EXPECT_EQ(read<Tree>("tree", bytes), *value.tree);
    EXPECT_EQ(read<NamedSource>("lists.messages[1]", bytes), value.lists->messages[1]);
    EXPECT_EQ(read<NamedSource>("maps.messages.k", bytes), value.maps.messages.at("k"));
    EXPECT_EQ(read<Words>("words", bytes), value.words);
    EXPECT_EQ(read<ObjectMeta>("metadata", bytes), value.metadata);
  }
}

TEST(FieldView, MissesWhatIsNotThere) {
  Everything value = object();
  value.tree.reset();
  for (const std::string& bytes : encodings(value)) {
    for (const char* missing :
         {"tree.label", "tree.allOf[3].label", "metadata.labels.other", "lists.messages[2].name",
          "lists.messages[2]", "maps.messages.x.name", "pointers.string", "lists.strings[2]"}) {
      EXPECT_FALSE(find(missing, bytes).exists()) << missing;
    }
    EXPECT_EQ(text_of("tree.label", bytes), "");
    EXPECT_EQ(read<Tree>("tree", bytes), Tree());
    // Set to zero is there.
    EXPECT_TRUE(find("pointers.int64", bytes).exists());
    EXPECT_TRUE(find("metadata.labels.empty", bytes).exists());
    EXPECT_EQ(read<std::int64_t>("pointers.int64", bytes), 0);
  }
  EXPECT_FALSE(find("tree.label", R"({"tree":null})").exists());
  EXPECT_FALSE(find("tree.label", R"({"tree":{"label":null}})").exists());
  EXPECT_FALSE(find("plain.any", *to_protobuf(value)).exists());  // JSON only
}

TEST(FieldView, WalksOverListsAndMaps) {
  for (const std::string& bytes : encodings(object())) {
    std::vector<std::string> seen;
    const auto visit = [&](std::string_view key, const FieldView& member) {
      std::string scratch;
      seen.push_back(std::string(key) + "=" + std::string(member.text(scratch).value()));
      return true;
    };
    ASSERT_TRUE(find("metadata.labels", bytes).each(visit));
    EXPECT_THAT(seen, ElementsAre("app=a \"b\"\n", "app.kubernetes.io/name=n", "empty="));
    seen.clear();
    ASSERT_TRUE(find("lists.strings", bytes).each(visit));
    EXPECT_THAT(seen, ElementsAre("=x", "=y"));
    seen.clear();
    ASSERT_TRUE(find("words", bytes).each(visit));
    EXPECT_THAT(seen, ElementsAre("=v"));
    seen.clear();
    ASSERT_TRUE(find("lists.strings", bytes).each([&](std::string_view, const FieldView& member) {
      visit("", member);
      return false;
    }));
    EXPECT_THAT(seen, ElementsAre("=x"));
    ASSERT_TRUE(find("lists.messages", bytes).each([&](auto, const FieldView& member) {
      EXPECT_TRUE(member.read<NamedSource>());
      return true;
    }));
    EXPECT_FALSE(find("metadata.name", bytes).each(visit));
    EXPECT_TRUE(find("lists.keptStrings", bytes).each(visit));
  }
}

TEST(FieldView, MergesAMessageThatComesInPieces) {
  // tree.label "a", then tree.not.label "b", then tree.label "c".
  const std::string message(
      "\x3a\x03\x0a\x01"
      "a"
      "\x3a\x05\x12\x03\x0a\x01"
      "b"
      "\x3a\x03\x0a\x01"
      "c");
  std::string scratch;
  const auto label = path("tree.label").find_in_message(message);
  EXPECT_EQ(*label->text(scratch), "c");
  const auto inner = path("tree.not.label").find_in_message(message);
  EXPECT_EQ(*inner->text(scratch), "b");
  const auto tree = path("tree").find_in_message(message).value().read<Tree>();
  EXPECT_EQ(tree->label, "c");
  EXPECT_EQ(tree->not_->label, "b");
}

TEST(FieldView, FindsKeysWrittenWithEscapesAndSkipsStringsWithBrackets) {
  EXPECT_EQ(text_of("metadata.name",
                    R"({"a":"}]\"{","b":[["}"],{"x\\":"]"}],"met\u0061data":{"n\u0061me":"x"}})"),
            "x");
  // Longer than a block, with an escape at each place of it.
  for (std::size_t pad = 0; pad < 140; ++pad) {
    const std::string text = R"({"tree":{"not":{"label":")" + std::string(pad, 'x') +
                             R"(\\\"}]{\\"}},"metadata":{"name":"found"}})";
    EXPECT_EQ(text_of("metadata.name", text), "found") << pad;
  }
}

TEST(FieldView, RefusesOtherTypes) {
  for (const std::string& bytes : encodings(object())) {
    std::string scratch;
    const auto number = find("plain.int32", bytes);
    EXPECT_EQ(number.text(scratch).error().code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(find("plain.int32", bytes).read<std::int64_t>().error().code(),
              ErrorCode::InvalidArgument);
    EXPECT_EQ(find("tree", bytes).read<NamedSource>().error().code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(find("lists.strings", bytes).read<std::string>().error().code(),
              ErrorCode::InvalidArgument);
  }
}

TEST(FieldView, SaysWhereBytesAreWrong) {
  const auto error = [](std::string_view text, std::string_view bytes) {
    const auto view = path(text).find(bytes);
    return view ? std::string("no error") : view.error().to_string();
  };
  EXPECT_EQ(error("tree.label", R"({"tree":5})"),
            "read Everything: tree.label: expected an object at offset 8");
  EXPECT_EQ(error("tree.label", R"({"a":{"tree":5)"),
            "read Everything: tree.label: expected a value at offset 5");
  EXPECT_EQ(error("tree.allOf[1]", R"({"tree":{"allOf":{}}})"),
            "read Everything: tree.allOf[1]: expected an array at offset 17");
  for (const char* text :
       {"", "{", "{\"", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "[]", "{\"a\\"})
    EXPECT_THAT(error("tree.label", text), HasSubstr("tree.label: expected ")) << text;
  EXPECT_THAT(path("tree.label").find_in_message("\x3a\x05").error().to_string(),
              HasSubstr("read Everything: tree.label: expected 5 bytes, found 0"));
  EXPECT_THAT(path("tree.label").find_in_message("\x38\x05").error().to_string(),
              HasSubstr("expected a length-delimited value, found a varint at offset 0"));
  std::string scratch;
  const auto label = path("tree.label").find_in_message("\x3a\x02\x08\x05");
  EXPECT_THAT(label->text(scratch).error().to_string(),
              HasSubstr("expected a length-delimited value"));
  EXPECT_EQ(find("plain.int32", R"({"plain":{"int32":"x"}})").read<std::int32_t>().error().code(),
            ErrorCode::Decode);
}

TEST(FieldLocator, RefusesWhatTheTypeDoesNotHave) {
  const auto error = [](std::string_view text) {
    const auto compiled = FieldLocator::compile<Everything>(text);
    return compiled ? std::string("no error") : compiled.error().to_string();
  };
  EXPECT_EQ(error("tree.lable"),
            "path \"tree.lable\" of Everything: example.v1.Tree has no field \"lable\"");
  EXPECT_EQ(error("metadata.name.x"),
            "path \"metadata.name.x\" of Everything: name has no field \"x\"");
  EXPECT_THAT(error("lists.strings.x"), HasSubstr("\"x\" follows a list, expected [index]"));
  EXPECT_THAT(error("lists.strings[-1]"), HasSubstr("expected [index]"));
  EXPECT_THAT(error("lists.int64s[0]"), HasSubstr("a list of numbers"));
  EXPECT_THAT(error("tree[0]"), HasSubstr("[0] follows a field that is neither a list nor a map"));
  EXPECT_THAT(error("plain.raw.a"), HasSubstr("raw has no field \"a\""));
  for (const char* text :
       {"", ".", "a.", ".a", "tree..label", "tree[", "tree['x'", "metadata.labels['a]",
        "metadata.labels['a\\']", "metadata.labels['a\\", "metadata.labels['a'b]", "[0"})
    EXPECT_NE(error(text), "no error") << text;
}

}  // namespace
}  // namespace kube::meta
