// SPDX-License-Identifier: Apache-2.0
//
// Lists cut into their items. What becomes of the items: api_test, and decoder_test of the cache,
// which cuts lists at every byte and breaks them in every way.
#include <kube/client/list_splitter.hpp>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/codec/protobuf.hpp>

namespace kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct SplitList {
  std::vector<std::string> items{};
  Result<ListMetadata> facts{ListMetadata()};
};

SplitList split_list(Encoding encoding, std::string_view body, std::size_t chunk,
                     ListSplitter::Options options = {}) {
  SplitList run;
  const auto splitter = ListSplitter::make(
      encoding,
      [&](const BodyPart& item) {
        run.items.push_back(item.is_whole() ? std::string(item.bytes)
                                            : std::to_string(item.size_bytes) + " bytes");
      },
      options);
  for (; !body.empty(); body.remove_prefix(std::min(chunk, body.size()))) {
    const std::string arrived(body.substr(0, chunk));
    if (auto fed = splitter->feed(arrived); !fed) {
      run.facts = fed.error();
      return run;
    }
  }
  run.facts = splitter->finish();
  return run;
}

constexpr std::string_view kList =
    R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"c",)"
    R"("remainingItemCount":12},"items":[ {"a":1} ,{"b":[{}]}],"extra":{"items":1}})";

TEST(ListSplitter, GivesItemsAndWhatTheListSaysHoweverItArrives) {
  for (std::size_t chunk = 1; chunk <= kList.size(); ++chunk) {
    const SplitList run = split_list(Encoding::Json, kList, chunk);
    ASSERT_TRUE(run.facts) << run.facts.error().to_string();
    EXPECT_EQ(run.facts->kind, "PodList");
    EXPECT_EQ(run.facts->api_version, "v1");
    EXPECT_EQ(run.facts->info, (ListInfo{"7", "c", 12}));
    EXPECT_THAT(run.items, ElementsAre(R"({"a":1})", R"({"b":[{}]})"));
  }
}

TEST(ListSplitter, KeysMayBeWrittenWithEscapes) {
  const SplitList run = split_list(
      Encoding::Json, R"({"m\u0065tadata":{"\u0063ontinue":"c"},"\u0069tems":[{}]})", 100);
  ASSERT_TRUE(run.facts) << run.facts.error().to_string();
  EXPECT_EQ(run.facts->info.continue_, "c");
  EXPECT_EQ(run.items.size(), 1U);
}

TEST(ListSplitter, AnItemAboveTheLimitIsGivenByHowItBegins) {
  const std::string large = R"({"a":")" + std::string(200, 'x') + R"("})";
  const std::string list = R"({"kind":"XList","items":[{},)" + large + R"(,{"b":1}]})";
  for (const std::size_t chunk : {1U, 50U, 1000U}) {
    const SplitList run = split_list(Encoding::Json, list, chunk, {.max_item_bytes = 100});
    EXPECT_THAT(run.items,
                ElementsAre("{}", std::to_string(large.size()) + " bytes", R"({"b":1})"));
  }
}

TEST(ListSplitter, MetadataOfAProtobufListMayComeInPieces) {
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
  const SplitList run = split_list(Encoding::Protobuf, list, 5);
  ASSERT_TRUE(run.facts) << run.facts.error().to_string();
  EXPECT_EQ(run.facts->info, (ListInfo{"77", "tok", std::nullopt}));
  EXPECT_EQ(run.facts->api_version, "v1");
  EXPECT_THAT(
      split_list(Encoding::Protobuf, list, 5, {.item_kind = "Node"}).facts.error().to_string(),
      HasSubstr("expected a NodeList, found kind \"PodList\""));
}

// The same of a whole answer.
Result<RawList> parse(std::string_view text) {
  return RawList::parse(std::string(text));
}

TEST(RawList, KeepsWhatAListSaysAboutItself) {
  const auto list = parse(kList);
  ASSERT_TRUE(list) << list.error().to_string();
  EXPECT_EQ(list->kind(), "PodList");
  EXPECT_EQ(list->api_version(), "v1");
  EXPECT_EQ(list->info(), (ListInfo{"7", "c", 12}));
  ASSERT_EQ(list->size(), 2U);
  EXPECT_EQ(list->item(0), R"({"a":1})");
  EXPECT_EQ(list->item(1), R"({"b":[{}]})");
}

TEST(RawList, EmptyAndNullItemsAreEmptyLists) {
  EXPECT_EQ(parse(R"({"items":[]})").value().size(), 0U);
  EXPECT_EQ(parse(R"({"items":null,"metadata":null})").value().size(), 0U);
}

TEST(RawList, WhatSaysThatItIsAListMayBeWithoutItems) {
  const auto empty = parse(R"({"kind":"PodList","metadata":{"resourceVersion":"7"}})");
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->size(), 0U);
  EXPECT_EQ(empty->info().resource_version, "7");
}

TEST(RawList, WhatIsNoListSaysSo) {
  const auto failure = [](std::string_view text) {
    const auto list = parse(text);
    if (list) return std::string("no error");
    EXPECT_EQ(list.error().code(), ErrorCode::Decode) << text;
    return list.error().to_string();
  };
  EXPECT_EQ(failure("{}"), "expected a list, found an object without items and kind");
  EXPECT_EQ(failure(R"({"kind":"Pod"})"), "expected a list, found kind \"Pod\"");
  EXPECT_EQ(failure(R"({"items":{}})"), "expected an array of items");
  EXPECT_EQ(failure(R"({"items":[{},5]})"), "expected an object at byte 13 of the list");
  EXPECT_THAT(failure(R"({"items":[{}],"items":[{}]})"), HasSubstr("duplicate field \"items\""));
  EXPECT_THAT(failure(R"({"items":[{},)"), HasSubstr("json: offset 13: unexpected end"));
  EXPECT_THAT(failure(R"({"items":[{}]} x)"), HasSubstr("json: offset 15: invalid character 'x'"));
  EXPECT_THAT(failure("<html>"), HasSubstr("json: offset 0"));
}

TEST(RawList, EveryTruncationOfAListIsAnError) {
  for (std::size_t size = 0; size < kList.size(); ++size) {
    const auto cut = parse(kList.substr(0, size));
    ASSERT_FALSE(cut) << size;
    EXPECT_EQ(cut.error().code(), ErrorCode::Decode) << size;
  }
}

}  // namespace
}  // namespace kube
