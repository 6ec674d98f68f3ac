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

}  // namespace
}  // namespace kube
