// SPDX-License-Identifier: Apache-2.0
#include "json_frames.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "envelope.hpp"

namespace kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view stream = " {\"a\":\"}{\\\"\\\\\"}\n{\"b\":[{\"c\":{}},[1,2]]}\r\n\t{}";

TEST(JsonFrames, CODEC_25_CutsAStreamIntoObjects) {
  JsonFrames frames;
  std::vector<std::string> found;
  ASSERT_TRUE(frames.feed(stream, found));
  EXPECT_THAT(found, ElementsAre(R"({"a":"}{\"\\"})", R"({"b":[{"c":{}},[1,2]]})", "{}"));
  EXPECT_FALSE(frames.inside_object());
}

TEST(JsonFrames, SplittingAtEveryByteChangesNothing) {
  std::vector<std::string> whole;
  ASSERT_TRUE(JsonFrames().feed(stream, whole));
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    JsonFrames frames;
    std::vector<std::string> found;
    ASSERT_TRUE(frames.feed(stream.substr(0, cut), found));
    ASSERT_TRUE(frames.feed(stream.substr(cut), found));
    EXPECT_EQ(found, whole) << cut;
  }
  JsonFrames bytewise;
  std::vector<std::string> found;
  for (const char c : stream) ASSERT_TRUE(bytewise.feed(std::string_view(&c, 1), found));
  EXPECT_EQ(found, whole);
}

TEST(JsonFrames, CODEC_24_AnEndInsideAnObjectIsSeen) {
  JsonFrames frames;
  std::vector<std::string> found;
  ASSERT_TRUE(frames.feed(R"({}{"a":)", found));
  EXPECT_THAT(found, ElementsAre("{}"));
  EXPECT_TRUE(frames.inside_object());
}

TEST(JsonFrames, GarbageIsNamedWithItsPlaceInTheStream) {
  JsonFrames frames;
  std::vector<std::string> found;
  ASSERT_TRUE(frames.feed("{} {}", found));
  const auto fed = frames.feed("\n<html>", found);
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().code(), ErrorCode::Decode);
  EXPECT_EQ(fed.error().message(), "offset 6 of the stream: expected '{' at the start of an event");
  EXPECT_EQ(found.size(), 2U) << "what came before is kept";
}

TEST(JsonFrames, CODEC_26_AnObjectOfMoreThan16MiBIsAnError) {
  JsonFrames frames;
  std::vector<std::string> found;
  ASSERT_TRUE(frames.feed("{\"a\":\"", found));
  const std::string piece(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 15; ++i) ASSERT_TRUE(frames.feed(piece, found));
  const auto fed = frames.feed(piece, found);
  ASSERT_FALSE(fed);
  EXPECT_THAT(fed.error().message(), HasSubstr("object too large"));
  EXPECT_THAT(found, IsEmpty());
}

TEST(Envelope, FindsKindAndApiVersion) {
  const auto names = type_names(R"({"metadata":{"kind":"no"},"kind":"Pod","apiVersion":"v1"})");
  ASSERT_TRUE(names);
  EXPECT_EQ(names->kind, "Pod");
  EXPECT_EQ(names->api_version, "v1");
  EXPECT_EQ(type_names(R"({"kind":5})").value().kind, "");
  EXPECT_FALSE(type_names("[]"));
  EXPECT_FALSE(type_names(R"({"a":)"));
  EXPECT_FALSE(type_names(""));
}

TEST(Envelope, SplitsListsAndKeepsWhatTheySayAboutThemselves) {
  const std::string text =
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"c",)"
      R"("remainingItemCount":12},"items":[ {"a":1} ,{"b":[{}]}],"extra":{"items":1}})";
  const auto parts = split_list(text);
  ASSERT_TRUE(parts) << parts.error().to_string();
  EXPECT_EQ(parts->type.kind, "PodList");
  EXPECT_EQ(parts->info, (ListInfo{"7", "c", 12}));
  ASSERT_EQ(parts->items.size(), 2U);
  EXPECT_EQ(text.substr(parts->items[0].first, parts->items[0].second), R"({"a":1})");
  EXPECT_EQ(text.substr(parts->items[1].first, parts->items[1].second), R"({"b":[{}]})");
}

TEST(Envelope, KeysMayBeWrittenWithEscapes) {
  const auto parts = split_list(R"({"m\u0065tadata":{"\u0063ontinue":"c"},"\u0069tems":[{}]})");
  ASSERT_TRUE(parts) << parts.error().to_string();
  EXPECT_EQ(parts->info.continue_, "c");
  EXPECT_EQ(parts->items.size(), 1U);
  EXPECT_EQ(split_event(R"({"\u0074ype":"ADDED","\u006fbject":{}})").value().type, "ADDED");
  EXPECT_EQ(type_names(R"({"\u006bind":"Pod","apiVersion":"v1"})").value().kind, "Pod");
}

TEST(Envelope, EmptyAndNullItemsAreEmptyLists) {
  EXPECT_THAT(split_list(R"({"items":[]})").value().items, IsEmpty());
  EXPECT_THAT(split_list(R"({"items":null,"metadata":null})").value().items, IsEmpty());
}

TEST(Envelope, WhatSaysThatItIsAListMayBeWithoutItems) {
  const auto empty = split_list(R"({"kind":"PodList","metadata":{"resourceVersion":"7"}})");
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->items.empty());
  EXPECT_EQ(empty->info.resource_version, "7");
}

TEST(Envelope, WhatIsNoListSaysSo) {
  const auto failure = [](std::string_view text) {
    const auto parts = split_list(text);
    return parts ? std::string("no error") : parts.error().message();
  };
  EXPECT_EQ(failure("{}"), "not a list: expected an object with items");
  EXPECT_EQ(failure(R"({"kind":"Pod"})"), "not a list: expected an object with items");
  EXPECT_EQ(failure(R"({"items":{}})"), "items: expected an array");
  EXPECT_EQ(failure(R"({"items":[{},5]})"), "items[1]: expected an object");
  EXPECT_EQ(failure(R"({"items":[{}],"items":[{}]})"), "items: expected them once");
  EXPECT_THAT(failure(R"({"items":[{},)"), HasSubstr("json: offset 13: unexpected end"));
  EXPECT_THAT(failure(R"({"items":[{}]} x)"), HasSubstr("json: offset 15: invalid character 'x'"));
  EXPECT_THAT(failure("<html>"), HasSubstr("json: offset 0"));
}

TEST(Envelope, MetadataOfAProtobufListMayComeInPieces) {
  std::string list;
  meta::write_envelope({.api_version = "v1",
                        .kind = "PodList",
                        .raw = std::string_view("\x0a\x04\x12\x02"
                                                "77"
                                                "\x0a\x05\x1a\x03tok",
                                                13),
                        .content_encoding = "",
                        .content_type = ""},
                       list);
  const auto parts = split_list(list);
  ASSERT_TRUE(parts) << parts.error().to_string();
  EXPECT_EQ(parts->info, (ListInfo{"77", "tok", std::nullopt}));
}

TEST(Envelope, EveryTruncationOfAListIsAnError) {
  const std::string text =
      R"({"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[{"a":"x"},{"b":[1]}]})";
  ASSERT_TRUE(split_list(text));
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(split_list(text.substr(0, size))) << size;
  }
}

TEST(Envelope, SplitsEvents) {
  const auto parts = split_event(R"({"type":"ADDED","object":{"kind":"Pod"}})");
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->type, "ADDED");
  EXPECT_EQ(parts->object, R"({"kind":"Pod"})");
  EXPECT_FALSE(split_event(R"({"type":"ADDED"})"));
  EXPECT_FALSE(split_event(R"({"type":"ADDED","object":null})"));
  EXPECT_FALSE(split_event(R"({"type":"ADDED","object":{})"));
}

}  // namespace
}  // namespace kube
