// SPDX-License-Identifier: Apache-2.0
//
// Lists and watches, split into cells: whole, at every byte, broken in every way.
#include "list_decoder.hpp"
#include "watch_decoder.hpp"

#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kube/json/value.hpp>
#include <kube/meta/errors.hpp>

namespace kube::cache {
namespace {

const CellType& json_text_type() {
  static const CellType type{[](Encoding, std::string_view body) -> Result<void*> {
                               if (!json::parse(body)) return Error(ErrorCode::Decode, "broken");
                               return static_cast<void*>(new std::string(body));
                             },
                             [](void* object) { delete static_cast<std::string*>(object); },
                             sizeof(std::string)};
  return type;
}

struct ListRun {
  std::vector<CellRef> cells;
  std::vector<Error> refused;
  Result<void> fed;
  std::optional<Result<ListInfo>> meta;
};

ListRun read_list(const std::vector<std::string_view>& chunks,
                  StoragePolicy policy = StoragePolicy::Wire, ObjectChanges changes = {}) {
  ListRun run;
  ListDecoder decoder(
      json_text_type(), policy,
      [&](Arrived item) {
        if (item.refused) {
          run.refused.push_back(item.refused->error);
        } else {
          run.cells.push_back(std::move(item.delta.cell));
        }
      },
      std::move(changes));
  for (const std::string_view chunk : chunks) {
    run.fed = decoder.feed(chunk);
    if (!run.fed) return run;
  }
  run.meta = decoder.finish();
  return run;
}

std::vector<std::string_view> pieces(std::string_view text, std::size_t size) {
  std::vector<std::string_view> result;
  for (std::size_t at = 0; at < text.size(); at += size) result.push_back(text.substr(at, size));
  return result;
}

constexpr std::string_view kList =
    R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"77","continue":"tok","remainingItemCount":3},)"
    R"("items":[{"metadata":{"name":"a","namespace":"x","uid":"1","resourceVersion":"5"},"spec":{"s":"}]\"\\"}},)"
    "\n "
    R"({"metadata":{"labels":{"name":"no","uid":"no"},"name":"b","namespace":"y","uid":"2","resourceVersion":"6","managedFields":[{"f:x":{}}]}} , )"
    R"({"spec":{"metadata":{"name":"no"}},"metadata":{"name":"c"}}]})";

TEST(ListDecoder, SplitsAListIntoItsObjectsHoweverItArrives) {
  for (std::size_t size = 1; size <= kList.size(); ++size) {
    const ListRun run = read_list(pieces(kList, size));
    ASSERT_TRUE(run.fed) << run.fed.error().to_string() << " in pieces of " << size;
    ASSERT_TRUE(run.meta->has_value()) << run.meta->error().to_string();
    ASSERT_EQ(run.cells.size(), 3u);
    EXPECT_EQ(run.cells[0]->key(), "x/a");
    EXPECT_EQ(run.cells[0]->uid(), "1");
    EXPECT_EQ(run.cells[0]->resource_version(), "5");
    EXPECT_EQ(
        run.cells[0]->body(),
        R"({"metadata":{"name":"a","namespace":"x","uid":"1","resourceVersion":"5"},"spec":{"s":"}]\"\\"}})");
    EXPECT_EQ(run.cells[1]->key(), "y/b");
    EXPECT_EQ(run.cells[2]->key(), "c");
    EXPECT_EQ((*run.meta)->resource_version, "77");
    EXPECT_EQ((*run.meta)->continue_, "tok");
    EXPECT_EQ((*run.meta)->remaining_item_count, 3);
  }
}

TEST(ListDecoder, ReadsListsWithoutItems) {
  for (const std::string_view text :
       {R"({"kind":"PodList","metadata":{"resourceVersion":"9"},"items":[]})",
        R"({"kind":"PodList","metadata":{"resourceVersion":"9"},"items":null})",
        R"({"kind":"PodList","metadata":{"resourceVersion":"9"}})",
        R"({"items":[ ],"kind":"PodList","metadata":{"resourceVersion":"9"}})"}) {
    const ListRun run = read_list({text});
    ASSERT_TRUE(run.fed && run.meta->has_value()) << text;
    EXPECT_TRUE(run.cells.empty());
    EXPECT_EQ((*run.meta)->resource_version, "9");
  }
}

TEST(ListDecoder, TakesTheListsOwnFieldsAfterTheItemsToo) {
  const ListRun run = read_list(
      {R"({"items":[{"metadata":{"name":"a"}}],"metadata":{"resourceVersion":"8"},"kind":"PodList"})"});
  ASSERT_TRUE(run.meta->has_value());
  EXPECT_EQ((*run.meta)->resource_version, "8");
}

TEST(ListDecoder, ResolvesEscapesInNames) {
  const ListRun run = read_list(
      {R"({"kind":"XList","items":[{"metadata":{"name":"a\u0041\"","namespace":"n"}}]})"});
  ASSERT_TRUE(run.fed);
  EXPECT_EQ(run.cells.at(0)->key(), "n/aA\"");
}

TEST(ListDecoder, ResolvesEscapesInKeys) {
  const std::string_view list =
      R"({"kind":"XList","\u0069\u0074\u0065\u006d\u0073":[{"m\u0065tadata":{"n\u0061me":"a"}}]})";
  for (std::size_t size = 1; size <= list.size(); ++size) {
    const ListRun run = read_list(pieces(list, size));
    ASSERT_TRUE(run.fed) << run.fed.error().to_string();
    ASSERT_EQ(run.cells.size(), 1U);
    EXPECT_EQ(run.cells[0]->key(), "a");
    EXPECT_TRUE(*run.meta);
  }
  EXPECT_EQ(read_list({R"({"items":[{"m\u00":0,"metadata":{"name":"a"}}]})"}).refused.size(), 1U);
}

TEST(ListDecoder, RejectsASecondArrayOfItemsInsteadOfLosingIt) {
  const ListRun run = read_list(
      {R"({"kind":"XList","items":[{"metadata":{"name":"a"}}],"items":[{"metadata":{"name":"b"}}]})"});
  ASSERT_TRUE(run.fed);
  ASSERT_FALSE(*run.meta);
  EXPECT_EQ(run.meta->error().code(), ErrorCode::Decode);
  EXPECT_NE(run.meta->error().to_string().find("duplicate"), std::string::npos)
      << run.meta->error().to_string();
}

TEST(ListDecoder, PutsKindAndVersionIntoItemsThatLackThem) {
  const ListRun run = read_list(
      {R"({"kind":"PodList","items":[{"metadata":{"name":"a"}},{"kind":"Pod","apiVersion":"v1","metadata":{"name":"b"}}]})"},
      StoragePolicy::Wire, {.defaults = ObjectDefaults{"v1", "Pod"}});
  ASSERT_TRUE(run.fed);
  EXPECT_EQ(run.cells.at(0)->body(), R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})");
  EXPECT_EQ(run.cells.at(1)->body(), R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"b"}})");
}

TEST(ListDecoder, DecodesOnArrivalUnderPolicyDecoded) {
  const ListRun run = read_list({kList}, StoragePolicy::Decoded);
  ASSERT_TRUE(run.fed);
  EXPECT_EQ(run.cells.at(0)->body(), "");
  const CellUser user(run.cells.at(0));
  EXPECT_TRUE(user.decoded());
}

TEST(ListDecoder, ReportsAnEarlyEndWhereverItComes) {
  for (std::size_t size = 0; size < kList.size(); ++size) {
    const ListRun run = read_list({kList.substr(0, size)});
    EXPECT_TRUE(!run.fed || !run.meta->has_value()) << "cut to " << size << " bytes";
  }
}

TEST(ListDecoder, RejectsWhatIsNotAListWithTheByte) {
  struct Case {
    std::string_view text;
    std::string_view expected;
  };
  for (const Case& c :
       {Case{R"({"kind":"PodList","items":[1]})", "expected an object at byte 27 of the list"},
        Case{R"({"kind":"PodList","items":[{"metadata":{"name":"a"}} {}]})",
             "expected ',' or ']' at byte 53 of the list"},
        Case{R"({"kind":"PodList","items":[{"metadata":{"name":"a"}},]})",
             "expected an object at byte 53 of the list"},
        Case{R"({"kind":"PodList","items":{"a":1}})", "array of items"},
        Case{R"({"kind":"Status","status":"Failure"})", "found kind \"Status\""},
        Case{"<html>", "expected a JSON object at byte 0"}, Case{"", "list"},
        Case{"null", "expected a JSON object"}}) {
    const ListRun run = read_list({c.text});
    ASSERT_TRUE(!run.fed || !run.meta->has_value()) << c.text;
    const Error& error = run.fed ? run.meta->error() : run.fed.error();
    EXPECT_EQ(error.code(), ErrorCode::Decode) << c.text;
    EXPECT_NE(error.to_string().find(c.expected), std::string::npos) << c.text << "\n"
                                                                     << error.to_string();
  }
}

TEST(ListDecoder, RefusesAnObjectThatItCanNotReadAloneAndSaysWhere) {
  for (const auto& [object, expected] : std::vector<std::pair<std::string, std::string>>{
           {R"({"metadata":{}})", "expected an object with metadata.name"},
           {R"({"metadata":{"name":7}})",
            "expected a string of at most 65535 bytes in metadata.name"},
           {R"({"metadata":{"name":"a/b"}})", "metadata.name \"a/b\" may not contain '/'"},
           {R"({"spec":{}})", "expected an object with metadata"},
           {R"({"a"})", "expected a member, or '}'"},
           {R"({"metadata":{"name":"a"]})", "metadata: expected a member, or '}'"}}) {
    const std::string before = R"({"kind":"PodList","items":[)";
    const ListRun run = read_list({before, object, R"(,{"metadata":{"name":"b"}}]})"});
    ASSERT_TRUE(run.fed && run.meta->has_value()) << object;
    ASSERT_EQ(run.cells.size(), 1U);
    EXPECT_EQ(run.cells[0]->key(), "b");
    ASSERT_EQ(run.refused.size(), 1U);
    EXPECT_EQ(run.refused[0].to_string().find("object that ends at byte " +
                                              std::to_string(before.size() + object.size()) +
                                              " of the list: " + expected),
              0U)
        << run.refused[0].to_string();
  }
}

TEST(ListDecoder, BoundsDepthAndEnvelope) {
  std::string bomb = R"({"kind":"PodList","items":[{"metadata":{"name":"a"},"x":)";
  bomb.append(100'000, '[');
  const ListRun nested = read_list({bomb});
  ASSERT_FALSE(nested.fed);
  EXPECT_NE(nested.fed.error().to_string().find("nested deeper"), std::string::npos);

  std::string wide = R"({"kind":")";
  wide.append(2'000'000, 'k');
  EXPECT_FALSE(read_list({wide}).fed);
}

TEST(ListDecoder, AgreesWithAFullParserOnRandomDocuments) {
  std::mt19937 random(7);
  const auto pick = [&](unsigned n) {
    return std::uniform_int_distribution<unsigned>(0, n - 1)(random);
  };
  const auto noise = [&] {
    static constexpr std::string_view kParts[] = {
        "\"\\\\\"", "\"{\"", "\"]\\\"\"", "[1,{\"a\":[]}]", "{\"b\":{\"c\":\"}\"}}",
        "-1.5e3",   "true",  "null",      "\"\\u0022\""};
    return std::string(kParts[pick(std::size(kParts))]);
  };
  for (int round = 0; round < 300; ++round) {
    std::string text =
        "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"},"
        "\"items\":[";
    const unsigned count = pick(5);
    for (unsigned i = 0; i < count; ++i) {
      if (i > 0) text += pick(2) ? "," : " ,\n";
      text += "{\"x\":" + noise() + ",\"metadata\":{\"n\":" + noise() + ",\"name\":\"p" +
              std::to_string(i) + "\"},\"y\":" + noise() + "}";
    }
    text += "]}";
    const ListRun run = read_list(pieces(text, 1 + pick(90)));
    ASSERT_TRUE(run.fed && run.meta->has_value()) << text;
    const auto whole = json::parse(text);
    ASSERT_TRUE(whole);
    const json::Array& items = *whole->at_path({"items"})->if_array();
    ASSERT_EQ(run.cells.size(), items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      EXPECT_EQ(*json::parse(run.cells[i]->body()), items[i]);
    }
  }
}

struct WatchRun {
  std::vector<Arrived> events;
  Result<void> result;
};

WatchRun read_watch(const std::vector<std::string_view>& chunks) {
  WatchRun run;
  WatchDecoder decoder(json_text_type(), StoragePolicy::Wire,
                       [&](Arrived event) { run.events.push_back(std::move(event)); });
  for (const std::string_view chunk : chunks) {
    run.result = decoder.feed(chunk);
    if (!run.result) return run;
  }
  run.result = decoder.finish();
  return run;
}

constexpr std::string_view kWatch =
    R"({"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a","namespace":"x","resourceVersion":"1"}}})"
    "\n"
    R"({"object":{"metadata":{"name":"a","namespace":"x","resourceVersion":"2"},"s":"\"}"},"type":"MODIFIED"})"
    R"({"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"3","creationTimestamp":null,"annotations":{"k8s.io/initial-events-end":"true"}}}})"
    "\r\n"
    R"({"type":"DELETED","object":{"metadata":{"name":"a","namespace":"x","resourceVersion":"4"}}})"
    R"({"type":"ERROR","object":{"kind":"Status","status":"Failure","reason":"Expired","code":410,"message":"too old"}})"
    "\n";

TEST(WatchDecoder, SplitsAStreamIntoItsEventsHoweverItArrives) {
  for (std::size_t size = 1; size <= kWatch.size(); ++size) {
    const WatchRun run = read_watch(pieces(kWatch, size));
    ASSERT_TRUE(run.result) << run.result.error().to_string();
    ASSERT_EQ(run.events.size(), 5u);
    EXPECT_EQ(run.events[0].delta.type, DeltaType::Added);
    EXPECT_EQ(run.events[0].delta.cell->key(), "x/a");
    EXPECT_EQ(run.events[1].delta.type, DeltaType::Updated);
    EXPECT_EQ(run.events[1].delta.cell->resource_version(), "2");
    EXPECT_EQ(run.events[2].delta.type, DeltaType::Bookmark);
    EXPECT_TRUE(run.events[2].delta.is_initial);
    EXPECT_EQ(run.events[2].delta.cell->resource_version(), "3");
    EXPECT_EQ(run.events[3].delta.type, DeltaType::Deleted);
    ASSERT_TRUE(run.events[4].ends_watch());
    EXPECT_TRUE(is_resource_expired(run.events[4].refused->error));
  }
}

TEST(WatchDecoder, DeliversWhatCameBeforeACutAndReportsTheCut) {
  const std::size_t first = kWatch.find('\n') + 1;
  for (std::size_t cut = first; cut < first + 60; ++cut) {
    const WatchRun run = read_watch({kWatch.substr(0, cut)});
    ASSERT_EQ(run.events.size(), 1u);
    EXPECT_EQ(run.result.has_value(), cut == first);
    if (!run.result) {
      EXPECT_EQ(run.result.error().code(), ErrorCode::Unreachable);
    }
  }
}

TEST(WatchDecoder, RejectsGarbageWithTheByte) {
  for (const std::string_view text :
       {"garbage", "[]", R"({"type":"ADDED","object":null})", R"({"type":"ADDED"})",
        R"({"object":{}})", R"({"type":7,"object":{}})", R"({"type":"SURPRISE","object":{}})",
        R"({"type":"BOOKMARK","object":{nope}})", R"({"type":"BOOKMARK","object":{"spec":{}}})"}) {
    const WatchRun run = read_watch({text});
    ASSERT_FALSE(run.result) << text;
    EXPECT_EQ(run.result.error().code(), ErrorCode::Decode) << text;
    EXPECT_NE(run.result.error().to_string().find("byte"), std::string::npos)
        << run.result.error().to_string();
    EXPECT_TRUE(run.events.empty());
  }
}

}  // namespace
}  // namespace kube::cache
