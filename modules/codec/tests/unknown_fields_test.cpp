// SPDX-License-Identifier: Apache-2.0
//
// Fields that a type doesn't know come back where they were, in both encodings.
#include <kube/codec/unknown_fields.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/example/v1.hpp>
#include <kube/meta/object_meta.hpp>

namespace kube::meta {
namespace {

using example::v1::Everything;
using example::v1::EverythingList;
using example::v1::Lists;
using example::v1::Maps;
using example::v1::NamedSource;
using example::v1::Schema;
using example::v1::Tree;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

template <class T>
WithUnknown<T> keep(std::string_view text) {
  auto kept = from_json_with_unknown<T>(text);
  EXPECT_TRUE(kept) << text << (kept ? "" : kept.error().to_string());
  return kept ? *std::move(kept) : WithUnknown<T>();
}
// Reading and writing without a change.
template <class T>
std::string through(std::string_view text) {
  return to_json(keep<T>(text));
}

TEST(UnknownFieldsOfJson, ComeBackAtEveryDepth) {
  for (
      const std::string_view text :
      {R"({"label":"a","new":1})", R"({"new":{"a":[1,"x",null]},"other":"y"})",
       R"({"not":{"label":"n","new":1},"newer":[]})", R"({"not":{"not":{"not":{"new":true}}}})",
       R"({"allOf":[{},{"label":"b","new":1.50},{"not":{"new":2}}]})",
       R"({"properties":{"a":{"label":"p","new":3},"b":{},"c":{"new":4}}})",
       R"({"branch":{"tree":{"allOf":[{"properties":{"k":{"new":{"deep":[{}]}}}}],"new":1},"new":2}})"}) {
    EXPECT_EQ(through<Tree>(text), text);
  }
  // In front of known fields they were, behind them they come.
  EXPECT_EQ(through<Tree>(R"( { "new" : [ 1 , { } ] , "label" : "a" , "\u006eew2" : "\u003c" } )"),
            R"({"label":"a","new":[1,{}],"new2":"\u003c"})");
  // Of inlined messages, whose keys stand in the outer one.
  EXPECT_EQ(
      through<Lists>(R"({"messages":[{"name":"m","level":1,"new":1}]})"),
      R"({"keptStrings":null,"messages":[{"name":"m","level":1,"new":1}],"keptMessages":null})");
}

TEST(UnknownFieldsOfJson, ComeBackInAKindAndItsMetadata) {
  const auto kept = keep<Everything>(
      R"({"apiVersion":"example.com/v1","kind":"Everything","metadata":{"name":"a","new":"m"},"spec":{"x":1}})");
  EXPECT_THAT(kept.unknown.paths(), ElementsAre("spec", "metadata.new"));
  EXPECT_THAT(to_json(kept), HasSubstr(R"("metadata":{"name":"a","new":"m"})"));
  EXPECT_THAT(to_json(kept), testing::EndsWith(R"(,"spec":{"x":1}})"));
  // And is read again as it was.
  EXPECT_EQ(keep<Everything>(to_json(kept)), kept);
  const std::string list =
      R"({"kind":"EverythingList","apiVersion":"example.com/v1","metadata":{},"items":[)" +
      to_json(kept) + "]}";
  EXPECT_THAT(through<EverythingList>(list), HasSubstr(R"({"name":"a","new":"m"})"));
}

TEST(UnknownFieldsOfJson, ComeBackWhateverFormAMessageHas) {
  for (const std::string_view text :
       {R"({"items":{"enum":[1],"new":1}})", R"({"items":[{"new":1},{"new":2}]})",
        R"({"more":{"new":1}})", R"({"needs":{"a":{"new":1},"b":["x"]}})"}) {
    EXPECT_EQ(through<Schema>(text), text);
  }
}

TEST(UnknownFieldsOfJson, ThereAreNoneWhereAllIsKnown) {
  const auto kept = keep<Everything>(
      R"({"kind":"Everything","apiVersion":"example.com/v1","metadata":{"labels":{"any":"key"}},"plain":{"raw":{"a":1},"any":{"b":2}}})");
  EXPECT_TRUE(kept.unknown.empty());
  EXPECT_THAT(kept.unknown.paths(), IsEmpty());
  EXPECT_EQ(to_json(kept), to_json(kept.value));
}

TEST(UnknownFieldsOfJson, OfAKeyThatComesTwiceTheLastOneCounts) {
  EXPECT_EQ(through<Tree>(R"({"new":1,"other":2,"new":3})"), R"({"new":3,"other":2})");
  EXPECT_EQ(through<Tree>(R"({"not":{"new":1,"a":1},"not":{"new":2}})"),
            R"({"not":{"new":2,"a":1}})");
  EXPECT_EQ(through<Tree>(R"({"allOf":[{"new":1}],"allOf":[{}]})"), R"({"allOf":[{}]})");
  EXPECT_EQ(through<Tree>(R"({"properties":{"a":{"new":1},"a":{}}})"),
            R"({"properties":{"a":{}}})");
}

TEST(UnknownFieldsOfJson, GoWithTheMergeKeyOfAnElement) {
  auto kept = keep<Lists>(
      R"({"messages":[{"name":"a","new":1},{"name":"b","new":2},{"name":"c"},{"name":"d","new":4}]})");
  EXPECT_THAT(kept.unknown.paths(),
              ElementsAre("messages[a].new", "messages[b].new", "messages[d].new"));
  auto& messages = kept.value.messages;
  std::swap(messages[0], messages[3]);
  messages[1].level = 7;
  messages.insert(messages.begin(), NamedSource{.name = "new one"});
  messages.erase(messages.begin() + 4);  // a
  EXPECT_THAT(to_json(kept), HasSubstr(R"("messages":[{"name":"new one"},{"name":"d","new":4},)"
                                       R"({"name":"b","level":7,"new":2},{"name":"c"}])"));
  // Of equal keys, the first to the first.
  EXPECT_THAT(
      through<Lists>(R"({"messages":[{"name":"a"},{"name":"a","new":1},{"name":"a","new":2}]})"),
      HasSubstr(R"([{"name":"a"},{"name":"a","new":1},{"name":"a","new":2}])"));
  EXPECT_THAT(through<Lists>(R"({"messages":[{"new":1},{"name":"\u0061","new":2}]})"),
              HasSubstr(R"([{"name":"","new":1},{"name":"a","new":2}])"));
}

TEST(UnknownFieldsOfJson, GoWithThePlaceInOtherListsWhileTheyKeepTheirLength) {
  auto kept = keep<Tree>(R"({"allOf":[{"label":"a"},{"label":"b","new":2}],"new":0})");
  kept.value.all_of[1].label = "changed";
  EXPECT_EQ(to_json(kept), R"({"allOf":[{"label":"a"},{"label":"changed","new":2}],"new":0})");
  kept.value.all_of.erase(kept.value.all_of.begin());
  EXPECT_EQ(to_json(kept), R"({"allOf":[{"label":"changed"}],"new":0})");
}

TEST(UnknownFieldsOfJson, GoWithTheMapKeyAndTheField) {
  auto kept = keep<Maps>(R"({"messages":{"a":{"name":"1","new":1},"b":{"name":"2","new":2}}})");
  kept.value.messages.erase("a");
  kept.value.messages["0"].name = "0";
  kept.value.messages["b"] = NamedSource{.name = "another"};
  EXPECT_THAT(to_json(kept),
              HasSubstr(R"("messages":{"0":{"name":"0"},"b":{"name":"another","new":2}})"));
  auto tree = keep<Tree>(R"({"not":{"label":"x","new":1}})");
  tree.value.not_.reset();
  EXPECT_EQ(to_json(tree), "{}");
}

TEST(UnknownFieldsOfJson, ThatAreNotJsonAreAnError) {
  const auto kept = from_json_with_unknown<Tree>(R"({"label":"a","new":[nope]})");
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code(), ErrorCode::Decode);
  EXPECT_THAT(kept.error().to_string(), HasSubstr("json: offset 21: invalid character"));
}

TEST(UnknownFieldsOfJson, AreAnErrorOfStrictReadingNevertheless) {
  const auto kept = from_json_with_unknown<Tree>(R"({"new":1})", {.strict = true});
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().to_string(), "strict decoding error: unknown field \"new\"");
}

TEST(UnknownFieldsOfJson, ManyTakeNoLongerThanTheirNumber) {
  std::string text = "{";
  for (int i = 0; i < 50000; ++i) text += "\"x" + std::to_string(i) + "\":0,";
  text += R"("x0":1})";
  const std::string written = through<Tree>(text);
  EXPECT_THAT(written, testing::StartsWith(R"({"x0":1,"x1":0,)"));
  EXPECT_EQ(written.size(), text.size() - std::string(R"("x0":1,)").size());
}

// Protobuf, put together by hand.
std::string field(unsigned number, std::string_view value) {
  std::string out;
  const auto varint = [&](std::size_t n) {
    for (; n >= 0x80; n >>= 7) out += static_cast<char>(n | 0x80);
    out += static_cast<char>(n);
  };
  varint(number << 3 | 2);
  varint(value.size());
  return out += value;
}
std::string number_field(unsigned number, char value) {
  std::string out;
  out += static_cast<char>(number << 3);
  return out += value;
}

template <class T>
WithUnknown<T> keep_message(std::string_view bytes) {
  WithUnknown<T> kept;
  const auto read = read_protobuf(bytes, T::descriptor(), &kept.value, kept.unknown);
  EXPECT_TRUE(read) << (read ? "" : read.error().to_string());
  return kept;
}
template <class T>
std::string written(const WithUnknown<T>& kept) {
  std::string out;
  write_protobuf(&kept.value, T::descriptor(), kept.unknown, out);
  return out;
}
std::string tree(std::string_view label, std::string_view rest = {}) {
  return field(1, label).append(rest);
}
const std::string kNew = field(15, "n") + number_field(14, 5) +
                         std::string(
                             "\x6d"
                             "abcd",
                             5);

TEST(UnknownFieldsOfProtobuf, ComeBackAtEveryDepth) {
  for (const std::string& bytes :
       {tree("a", kNew), tree("a", field(2, tree("n", kNew)) + kNew),
        tree("", field(3, tree("0")) + field(3, tree("1", kNew)) + field(3, tree("2", kNew))),
        tree("", field(4, field(1, "k") + field(2, tree("v", kNew))) +
                     field(4, field(1, "l") + field(2, tree("w"))) + kNew),
        tree("", field(5, field(1, tree("t", field(3, tree("", kNew)))) + kNew))}) {
    const auto kept = keep_message<Tree>(bytes);
    EXPECT_FALSE(kept.unknown.empty());
    EXPECT_EQ(written(kept), bytes);
    EXPECT_EQ(keep_message<Tree>(written(kept)), kept);
  }
  const auto kept =
      keep_message<Tree>(tree("a", field(2, tree("", field(7, "x"))) + field(7, "y")));
  EXPECT_THAT(kept.unknown.paths(), ElementsAre("#7", "not.#7"));
}

TEST(UnknownFieldsOfProtobuf, ComeBackOfInlinedMessages) {
  // NamedSource{name, source: Source{path, deep: Deep{level, new}, new}, namespace, new}
  const std::string bytes = field(1, "m") +
                            field(2, field(1, "/p") + field(3, number_field(1, 4) + kNew) + kNew) +
                            field(3, "ns") + kNew;
  EXPECT_EQ(written(keep_message<NamedSource>(bytes)), bytes);
}

TEST(UnknownFieldsOfProtobuf, GoWithTheMergeKeyOrThePlaceOfAnElement) {
  const auto named = [](std::string_view name, std::string_view rest = {}) {
    return field(6, field(1, name) + field(2, field(1, "") + field(3, number_field(1, 0))) +
                        field(3, "") + std::string(rest));
  };
  auto lists =
      keep_message<Lists>(named("a", field(9, "A")) + named("b") + named("c", field(9, "C")));
  EXPECT_THAT(lists.unknown.paths(), ElementsAre("messages[a].#9", "messages[c].#9"));
  std::swap(lists.value.messages[0], lists.value.messages[2]);
  lists.value.messages.erase(lists.value.messages.begin() + 1);
  EXPECT_EQ(written(lists), named("c", field(9, "C")) + named("a", field(9, "A")));

  auto trees = keep_message<Tree>(tree("", field(3, tree("a", kNew)) + field(3, tree("b"))));
  trees.value.all_of[0].label = "changed";
  EXPECT_EQ(written(trees), tree("", field(3, tree("changed", kNew)) + field(3, tree("b"))));
  trees.value.all_of.emplace_back();
  EXPECT_EQ(written(trees), [&] {
    std::string plain;
    write_protobuf(&trees.value, Tree::descriptor(), plain);
    return plain;
  }());
}

TEST(UnknownFieldsOfProtobuf, OfAMapKeyThatComesTwiceTheLastOneCounts) {
  const auto entry = [](std::string_view rest) {
    return field(4, field(1, "k") + field(2, tree("v", rest)));
  };
  EXPECT_TRUE(keep_message<Tree>(entry(kNew) + entry("")).unknown.empty());
  EXPECT_EQ(written(keep_message<Tree>(entry("") + entry(kNew))), tree("", entry(kNew)));
}

TEST(UnknownFieldsOfProtobuf, OfAMessageThatComesTwiceAreThoseOfBothInOne) {
  // Its lists go on, too.
  const auto in_two = tree("", field(2, field(3, tree("x")) + field(8, "first")) +
                                   field(2, field(3, tree("y", kNew)) + kNew));
  const auto in_one = tree("", field(2, tree("", field(3, tree("x")) + field(3, tree("y", kNew)) +
                                                     field(8, "first") + kNew)));
  const auto kept = keep_message<Tree>(in_two);
  EXPECT_THAT(kept.unknown.paths(),
              ElementsAre("not.#8", "not.#15", "not.#14", "not.#13", "not.allOf[1].#15",
                          "not.allOf[1].#14", "not.allOf[1].#13"));
  EXPECT_EQ(written(kept), in_one);
}

TEST(UnknownFieldsOfProtobuf, TravelInEnvelopes) {
  Everything value;
  value.metadata.name = "a";
  std::string message;
  write_protobuf(&value, Everything::descriptor(), message);
  message += field(12, "later");
  std::string bytes;
  write_envelope({.api_version = "example.com/v1", .kind = "Everything", .raw = message}, bytes);
  const auto kept = from_protobuf_with_unknown<Everything>(bytes);
  ASSERT_TRUE(kept) << kept.error().to_string();
  EXPECT_EQ(kept->value, value);
  EXPECT_EQ(to_protobuf(*kept).value(), bytes);
  EXPECT_EQ(to_protobuf(WithUnknown<Everything>{value, {}}).value(), to_protobuf(value).value());
  EXPECT_FALSE(from_protobuf_with_unknown<Everything>("k8s"));
}

TEST(UnknownFields, AreNotWrittenInTheOtherEncoding) {
  const auto from_text = keep<Tree>(R"({"label":"a","new":1})");
  EXPECT_EQ(written(from_text), tree("a"));
  const auto from_bytes = keep_message<Tree>(tree("a", kNew));
  EXPECT_EQ(to_json(from_bytes), R"({"label":"a"})");
}

TEST(UnknownFields, OfAnEarlierReadAreGone) {
  UnknownFields unknown;
  Tree a;
  ASSERT_TRUE(read_json(R"({"new":1})", Tree::descriptor(), &a, unknown));
  EXPECT_FALSE(unknown.empty());
  Tree b;
  ASSERT_TRUE(read_json(R"({"label":"x"})", Tree::descriptor(), &b, unknown));
  EXPECT_TRUE(unknown.empty());
  ASSERT_TRUE(read_json(R"({"new":1})", Tree::descriptor(), &a, unknown));
  Tree c;
  EXPECT_FALSE(read_json("[", Tree::descriptor(), &c, unknown));
  EXPECT_TRUE(unknown.empty());
}

}  // namespace
}  // namespace kube::meta
