// SPDX-License-Identifier: Apache-2.0
//
// Chapter 9.11 of the reference: watch.
#include <thread>

#include <kube/base/executor.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/fake_clock.hpp>

#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string revision_of(const json::Value& event) {
  return text_at_path(event, {"object", "metadata", "resourceVersion"});
}

std::string marker_of(const json::Value& event) {
  return text_at_path(event, {"object", "metadata", "annotations", "k8s.io/initial-events-end"});
}

class Watch : public ServerTest {
 protected:
  std::string path(std::string_view query) const {
    return std::string(kConfigMaps) + "?watch=true&" + std::string(query);
  }
  std::string from_now() const { return "resourceVersion=" + revision(); }
  /// Writes once more, so that all earlier writes have been delivered.
  void fence() { make_config_map("fence"); }
};

TEST_F(Watch, API_206_HeadComesBeforeAnyEvent) {
  const WatchClient watch(port(), path(from_now()));
  EXPECT_EQ(watch.head().status, 200);
  EXPECT_EQ(watch.head().header("content-type"), "application/json");
  EXPECT_EQ(watch.head().header("transfer-encoding"), "chunked");
}

TEST_F(Watch, API_207_API_208_API_209_TellsWritesInOrder) {
  WatchClient watch(port(), path(from_now()));
  const Answer made = make_config_map("a", R"({"k":"1"})");
  const Answer changed = merge(std::string(kConfigMaps) + "/a", R"({"data":{"k":"2"}})");
  remove(std::string(kConfigMaps) + "/a");

  const auto added = watch.next();
  EXPECT_EQ(text_at_path(*added, {"type"}), "ADDED");
  EXPECT_EQ(*added->at_path({"object"}), made.json());
  const auto modified = watch.next();
  EXPECT_EQ(text_at_path(*modified, {"type"}), "MODIFIED");
  EXPECT_EQ(*modified->at_path({"object"}), changed.json());
  const auto deleted = watch.next();
  EXPECT_EQ(text_at_path(*deleted, {"type"}), "DELETED");
  EXPECT_EQ(text_at_path(*deleted, {"object", "data", "k"}), "2");
  EXPECT_EQ(revision_of(*deleted), revision());
  EXPECT_LT(std::stoll(revision_of(*modified)), std::stoll(revision_of(*deleted)));
}

TEST_F(Watch, API_210_ReplaysExactlyWhatCameAfterTheList) {
  make_config_map("before");
  const std::string listed = get(kConfigMaps).at({"metadata", "resourceVersion"});
  make_config_map("a");
  make_config_map("b");
  remove(std::string(kConfigMaps) + "/a");
  WatchClient watch(port(), path("resourceVersion=" + listed));
  EXPECT_EQ(watch.next_text(), "ADDED a");
  EXPECT_EQ(watch.next_text(), "ADDED b");
  EXPECT_EQ(watch.next_text(), "DELETED a");
  fence();
  EXPECT_EQ(watch.next_text(), "ADDED fence");
}

TEST_F(Watch, API_211_API_212_WithoutARevisionBeginsWithTheState) {
  make_config_map("b");
  make_config_map("a");
  for (const std::string_view query : {"", "resourceVersion=0"}) {
    WatchClient watch(port(), path(query));
    EXPECT_EQ(watch.next_text(), "ADDED a");
    EXPECT_EQ(watch.next_text(), "ADDED b");
    make_config_map("live" + std::to_string(query.size()));
    EXPECT_EQ(watch.next_text(), "ADDED live" + std::to_string(query.size()));
    if (query.empty()) remove(std::string(kConfigMaps) + "/live0");
  }
}

TEST_F(Watch, API_213_API_214_API_338_FromBeforeTheHistoryIsGone) {
  const auto expect_gone = [&](const std::string& from) {
    WatchClient watch(port(), path("resourceVersion=" + from));
    EXPECT_EQ(watch.head().status, 200);
    const auto event = watch.next();
    ASSERT_TRUE(event);
    EXPECT_EQ(text_at_path(*event, {"type"}), "ERROR");
    EXPECT_EQ(text_at_path(*event, {"object", "kind"}), "Status");
    EXPECT_EQ(text_at_path(*event, {"object", "apiVersion"}), "v1");
    EXPECT_EQ(text_at_path(*event, {"object", "code"}), "410");
    EXPECT_EQ(text_at_path(*event, {"object", "reason"}), "Expired");
    EXPECT_THAT(text_at_path(*event, {"object", "message"}),
                HasSubstr("too old resource version: " + from));
    EXPECT_EQ(watch.next(), std::nullopt);
    EXPECT_TRUE(watch.ended_cleanly());
  };
  // A revision from before the server's restart.
  expect_gone("5");
  make_config_map("a");
  const std::string old = revision();
  make_config_map("b");
  server().compact_all();
  expect_gone(old);
  expect_status(get(std::string(kConfigMaps) + "?resourceVersionMatch=Exact&resourceVersion=5"),
                410, "Expired");
  const WatchClient current(port(), path(from_now()));
  EXPECT_EQ(current.head().status, 200);
}

TEST_F(Watch, ACompactionDoesNotEndWatchesThatHaveHadTheEvents) {
  WatchClient watch(port(), path(from_now()));
  make_config_map("a");
  EXPECT_EQ(watch.next_text(), "ADDED a");
  make_namespace("u");
  server().compact_all();
  fence();
  EXPECT_EQ(watch.next_text(), "ADDED fence");
}

TEST_F(Watch, API_215_FromTheFutureIsSilentUntilThen) {
  const std::uint64_t now = server().resource_version();
  WatchClient watch(port(), path("resourceVersion=" + std::to_string(now + 2)));
  for (const std::string_view name : {"a", "b", "c"}) make_config_map(name);
  EXPECT_EQ(watch.next_text(), "ADDED c");
}

TEST_F(Watch, API_217_LabelSelectorsTurnTransitionsIntoEvents) {
  const std::string item = std::string(kConfigMaps) + "/a";
  WatchClient watch(port(), path(from_now() + "&labelSelector=x"));
  make_config_map("never");
  make_config_map("a", R"({"k":"1"})");
  merge(item, R"({"metadata":{"labels":{"x":"1"}}})");
  EXPECT_EQ(watch.next_text(), "ADDED a");
  merge(item, R"({"data":{"k":"2"}})");
  EXPECT_EQ(watch.next_text(), "MODIFIED a");
  const Answer lost = merge(item, R"({"metadata":{"labels":null},"data":{"k":"3"}})");
  const auto deleted = watch.next();
  EXPECT_EQ(text_at_path(*deleted, {"type"}), "DELETED");
  EXPECT_EQ(text_at_path(*deleted, {"object", "metadata", "labels", "x"}), "1");
  EXPECT_EQ(text_at_path(*deleted, {"object", "data", "k"}), "2");
  EXPECT_EQ(revision_of(*deleted), lost.at({"metadata", "resourceVersion"}));
  merge(item, R"({"data":{"k":"4"}})");
  remove(item);
  make_config_map("z", "{}", "t", R"("labels":{"x":"1"})");
  EXPECT_EQ(watch.next_text(), "ADDED z");
}

TEST_F(Watch, API_218_ByNameDeliversOnlyThatObject) {
  WatchClient watch(port(), path(from_now() + "&fieldSelector=metadata.name%3Dx"));
  make_config_map("a");
  make_config_map("x");
  EXPECT_EQ(watch.next_text(), "ADDED x");
}

TEST_F(Watch, API_219_LeavingAFieldSelectorIsADeletion) {
  const std::string pods = "/api/v1/namespaces/t/pods";
  WatchClient watch(port(),
                    pods + "?watch=true&" + from_now() + "&fieldSelector=status.phase%3DRunning");
  post(pods, pod("p"));
  merge(pods + "/p/status", R"({"status":{"phase":"Running"}})");
  EXPECT_EQ(watch.next_text(), "ADDED p");
  merge(pods + "/p/status", R"({"status":{"phase":"Succeeded"}})");
  const auto gone = watch.next();
  EXPECT_EQ(text_at_path(*gone, {"type"}), "DELETED");
  EXPECT_EQ(text_at_path(*gone, {"object", "status", "phase"}), "Running");
}

TEST_F(Watch, API_220_OneNamespaceHidesTheOthers) {
  make_namespace("u");
  WatchClient one(port(), path(from_now()));
  WatchClient all(port(), "/api/v1/configmaps?watch=true&" + from_now());
  make_config_map("b", "{}", "u");
  make_config_map("a");
  EXPECT_EQ(one.next_text(), "ADDED a");
  EXPECT_EQ(all.next_text(), "ADDED b");
  EXPECT_EQ(all.next_text(), "ADDED a");
}

TEST_F(Watch, API_222_ADryRunIsNoEvent) {
  WatchClient watch(port(), path(from_now()));
  post(std::string(kConfigMaps) + "?dryRun=All", config_map("a"));
  fence();
  EXPECT_EQ(watch.next_text(), "ADDED fence");
}

TEST_F(Watch, API_223_AStatusWriteIsAnEvent) {
  const std::string pods = "/api/v1/namespaces/t/pods";
  post(pods, pod("p"));
  WatchClient watch(port(), pods + "?watch=true&" + from_now());
  merge(pods + "/p/status", R"({"status":{"phase":"Running"}})");
  EXPECT_EQ(watch.next_text(), "MODIFIED p");
}

TEST_F(Watch, API_230_API_232_API_233_InitialEventsEndWithOneMarker) {
  make_config_map("a");
  make_config_map("b");
  make_namespace("u");
  const std::int64_t last = static_cast<std::int64_t>(server().resource_version());
  WatchClient watch(port(), path("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
                                 "allowWatchBookmarks=true"));
  EXPECT_EQ(watch.next_text(), "ADDED a");
  EXPECT_EQ(watch.next_text(), "ADDED b");
  const auto marker = watch.next();
  EXPECT_EQ(text_at_path(*marker, {"type"}), "BOOKMARK");
  EXPECT_EQ(marker_of(*marker), "true");
  EXPECT_EQ(text_at_path(*marker, {"object", "kind"}), "ConfigMap");
  EXPECT_EQ(text_at_path(*marker, {"object", "apiVersion"}), "v1");
  EXPECT_GE(std::stoll(revision_of(*marker)), last);
  fence();
  EXPECT_EQ(watch.next_text(), "ADDED fence");
}

TEST_F(Watch, API_234_API_235_ChecksWhatOptionsMeanTogether) {
  expect_status(get(path("sendInitialEvents=true")), 422, "Invalid");
  expect_status(get(path("resourceVersionMatch=NotOlderThan")), 422, "Invalid");
}

TEST_F(Watch, API_237_WithoutInitialEventsOnlyWhatComesIsTold) {
  make_config_map("a");
  WatchClient watch(port(), path("sendInitialEvents=false&resourceVersionMatch=NotOlderThan"));
  fence();
  EXPECT_EQ(watch.next_text(), "ADDED fence");
}

TEST_F(Watch, API_238_WithoutBookmarksThereIsNoMarker) {
  make_config_map("a");
  WatchClient watch(port(), path("sendInitialEvents=true&resourceVersionMatch=NotOlderThan"));
  EXPECT_EQ(watch.next_text(), "ADDED a");
  fence();
  EXPECT_EQ(watch.next_text(), "ADDED fence");
}

TEST_F(Watch, API_240_AHundredWatchesAllSeeEverything) {
  std::vector<std::unique_ptr<WatchClient>> watches;
  for (int i = 0; i < 100; ++i) {
    watches.push_back(std::make_unique<WatchClient>(port(), path(from_now())));
  }
  EXPECT_EQ(server().statistics().watchers, 100U);
  for (int i = 0; i < 20; ++i) make_config_map("n" + std::to_string(i));
  for (const auto& watch : watches) {
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(watch->next_text(), "ADDED n" + std::to_string(i));
    }
  }
}

TEST_F(Watch, API_241_AClientThatGoesFreesItsWatch) {
  for (int i = 0; i < 1000; ++i) {
    WatchClient watch(port(), path(from_now()));
    if (i % 2 == 0) watch.client().shut_down();
  }
  // The server has closed the last watch when only our connection is left.
  EXPECT_TRUE(kube::testing::eventually([&] { return server().statistics().connections <= 1; }))
      << server().statistics().connections << " connections are left";
  EXPECT_EQ(server().statistics().watchers, 0U);
}

TEST_F(Watch, API_242_TheLegacyPathWatches) {
  WatchClient watch(port(), "/api/v1/watch/namespaces/t/configmaps?" + from_now());
  WatchClient one(port(), "/api/v1/watch/namespaces/t/configmaps/x?" + from_now());
  make_config_map("a");
  make_config_map("x");
  EXPECT_EQ(watch.next_text(), "ADDED a");
  EXPECT_EQ(one.next_text(), "ADDED x");
}

TEST_F(Watch, API_244_YamlCanNotBeStreamed) {
  const Answer refused = get(path(from_now()), {{"Accept", "application/yaml"}});
  EXPECT_EQ(refused.status, 406);
  EXPECT_THAT(refused.body, ::testing::HasSubstr("reason: NotAcceptable"));
}

TEST_F(Watch, API_246_API_247_BadSelectorsAreErrorsNotEvents) {
  expect_status(get(path("labelSelector=a%3D(")), 400, "BadRequest");
  expect_status(get(path("fieldSelector=foo.bar%3Dx")), 400, "BadRequest");
  const Answer odd = get(path("resourceVersion=abc"));
  expect_status(odd, 500, "");
  EXPECT_EQ(odd.at({"message"}),
            R"(resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": )"
            "invalid syntax");
}

TEST_F(Watch, API_248_GetOfANamedObjectIgnoresWatch) {
  make_config_map("a");
  EXPECT_EQ(get(std::string(kConfigMaps) + "/a?watch=true").at({"kind"}), "ConfigMap");
}

TEST_F(Watch, API_250_MetadataOnlyEvents) {
  make_config_map("a", R"({"k":"secret"})");
  WatchClient watch(port(), path("allowWatchBookmarks=true"),
                    {{"Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}});
  const auto event = watch.next();
  EXPECT_EQ(text_at_path(*event, {"object", "kind"}), "PartialObjectMetadata");
  EXPECT_EQ(text_at_path(*event, {"object", "metadata", "name"}), "a");
  EXPECT_THAT(text_at_path(*event, {"object", "data"}), IsEmpty());
  EXPECT_EQ(text_at_path(*watch.next(), {"object", "kind"}), "PartialObjectMetadata");
  remove(std::string(kConfigMaps) + "/a");
  EXPECT_EQ(revision_of(*watch.next()), revision());
}

TEST_F(Watch, API_251_StoppingTheServerEndsWatchesCleanly) {
  WatchClient watch(port(), path(from_now()));
  make_config_map("a");
  EXPECT_EQ(watch.next_text(), "ADDED a");
  server().stop();
  EXPECT_EQ(watch.next(), std::nullopt);
  EXPECT_TRUE(watch.ended_cleanly());
}

TEST_F(Watch, EndWatchesEndsThemCleanlyAndDropCutsThem) {
  WatchClient ended(port(), path(from_now()));
  server().end_watches();
  EXPECT_EQ(ended.next_text(), "END");
  EXPECT_TRUE(ended.ended_cleanly());
  WatchClient dropped(port(), path(from_now()));
  server().drop_connections();
  EXPECT_EQ(dropped.next_text(), "BROKEN");
  EXPECT_FALSE(dropped.ended_cleanly());
}

TEST_F(Watch, AListsRevisionIsGoodForAWatchAfterManyWrites) {
  const std::string listed = get(kConfigMaps).at({"metadata", "resourceVersion"});
  for (int i = 0; i < 500; ++i) {
    merge("/api/v1/namespaces/default",
          R"({"metadata":{"labels":{"n":")" + std::to_string(i) + "\"}}}");
  }
  fence();
  WatchClient watch(port(), path("resourceVersion=" + listed));
  EXPECT_EQ(watch.next_text(), "ADDED fence");
}

TEST_F(Watch, API_253_OtherKindsAreNotTold) {
  WatchClient watch(port(), path(from_now()));
  const std::string secrets = "/api/v1/namespaces/t/secrets";
  EXPECT_EQ(post(secrets, R"({"metadata":{"name":"s"}})").status, 201);
  EXPECT_EQ(merge(secrets + "/s", R"({"data":{"k":"dg=="}})").status, 200);
  EXPECT_EQ(remove(secrets + "/s").status, 200);
  fence();
  EXPECT_EQ(watch.next_text(), "ADDED fence");
}

TEST_F(Watch, WhatTheClientSendsMeanwhileIsIgnored) {
  WatchClient watch(port(), path(from_now()));
  watch.client().write("GET /version HTTP/1.1\r\nHost: t\r\n\r\n");
  fence();
  EXPECT_EQ(watch.next_text(), "ADDED fence");
}

class ShortHistory : public Watch {
 protected:
  ApiServer::Options options() const override {
    auto options = ServerTest::options();
    options.history = 8;
    return options;
  }
};

TEST_F(ShortHistory, API_239_ASlowWatcherGetsAllInOrderOr410AndHoldsUpNobody) {
  WatchClient slow(port(), path(from_now()), {}, true);
  WatchClient fast(port(), path(from_now()));
  const std::string data = R"({"k":")" + std::string(200'000, 'x') + R"("})";
  constexpr int kWrites = 100;
  for (int i = 0; i < kWrites; ++i) {
    make_config_map("n" + std::to_string(i), data);
    EXPECT_EQ(fast.next_text(), "ADDED n" + std::to_string(i));
  }
  // 20 MB do not fit into the socket buffers: lost events end in an error, and none is skipped.
  int seen = 0;
  while (const auto event = slow.next()) {
    if (text_at_path(*event, {"type"}) == "ERROR") {
      EXPECT_EQ(text_at_path(*event, {"object", "code"}), "410");
      EXPECT_EQ(slow.next(), std::nullopt);
      EXPECT_TRUE(slow.ended_cleanly());
      EXPECT_LT(seen, kWrites);
      return;
    }
    EXPECT_EQ(text_at_path(*event, {"object", "metadata", "name"}), "n" + std::to_string(seen));
    ++seen;
  }
  FAIL() << "the stream ended after " << seen << " events without a 410";
}

TEST_F(ShortHistory, KeepsNoMoreEventsThanItShould) {
  for (int i = 0; i < 50; ++i) make_config_map("n" + std::to_string(i));
  // Config maps, namespaces and priority levels have separate histories.
  EXPECT_LE(server().statistics().history_events, 24U);
}

/// The test controls the time.
class TimedWatch : public Watch {
 protected:
  ApiServer::Options options() const override {
    auto options = ServerTest::options();
    options.bookmark_period = std::chrono::minutes(1);
    options.runtime.executor =
        std::make_shared<ThreadPool>(ThreadPool::Options{1, "timers", clock_});
    return options;
  }
  void advance(Duration time) {
    clock_->await_waiters(1);
    clock_->advance(time);
  }
  const std::shared_ptr<kube::testing::FakeClock> clock_ =
      std::make_shared<kube::testing::FakeClock>();
};

TEST_F(TimedWatch, API_216_EndsCleanlyAfterItsTimeout) {
  WatchClient watch(port(), path(from_now() + "&timeoutSeconds=2"));
  advance(std::chrono::milliseconds(1999));
  make_config_map("a");
  EXPECT_EQ(watch.next_text(), "ADDED a") << "not before two seconds";
  advance(std::chrono::seconds(2));
  EXPECT_EQ(watch.next(), std::nullopt);
  EXPECT_TRUE(watch.ended_cleanly());
}

TEST_F(TimedWatch, WithoutATimeoutEndsAfterThirtyToSixtyMinutes) {
  WatchClient watch(port(), path(from_now()));
  advance(std::chrono::minutes(29));
  make_config_map("a");
  EXPECT_EQ(watch.next_text(), "ADDED a");
  advance(std::chrono::minutes(31));
  EXPECT_EQ(watch.next_text(), "END");
}

TEST_F(TimedWatch, API_226_API_227_API_228_API_229_BookmarksTellHowFarTheWatchIs) {
  WatchClient watch(port(), path(from_now() + "&allowWatchBookmarks=true"));
  make_config_map("a");
  EXPECT_EQ(watch.next_text(), "ADDED a");
  make_namespace("u");
  advance(std::chrono::seconds(75));
  const auto bookmark = watch.next();
  EXPECT_EQ(text_at_path(*bookmark, {"type"}), "BOOKMARK");
  EXPECT_EQ(
      *bookmark->at_path({"object"}),
      *json::parse(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":")" +
                   revision() + R"("}})"));
  EXPECT_THAT(marker_of(*bookmark), IsEmpty());

  make_config_map("b");
  WatchClient resumed(port(), path("resourceVersion=" + revision_of(*bookmark)));
  EXPECT_EQ(resumed.next_text(), "ADDED b");
  EXPECT_EQ(watch.next_text(), "ADDED b");
  advance(std::chrono::seconds(60));
  EXPECT_EQ(text_at_path(*watch.next(), {"type"}), "BOOKMARK");
}

// No time passes before the marker.
TEST_F(TimedWatch, API_231_API_233_AnEmptyCollectionHasItsMarkerAtOnceAndOnce) {
  WatchClient watch(port(), path("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
                                 "allowWatchBookmarks=true"));
  EXPECT_EQ(marker_of(*watch.next()), "true");
  advance(std::chrono::seconds(75));
  const auto bookmark = watch.next();
  EXPECT_EQ(text_at_path(*bookmark, {"type"}), "BOOKMARK");
  EXPECT_THAT(marker_of(*bookmark), IsEmpty());
}

TEST_F(TimedWatch, API_225_WithoutTheOptionThereAreNoBookmarks) {
  WatchClient watch(port(), path(from_now()));
  WatchClient other(port(), path(from_now() + "&allowWatchBookmarks=true"));
  advance(std::chrono::seconds(75));
  EXPECT_EQ(text_at_path(*other.next(), {"type"}), "BOOKMARK");
  fence();
  EXPECT_EQ(watch.next_text(), "ADDED fence");
}

TEST_F(TimedWatch, ALastBookmarkComesShortlyBeforeTheEnd) {
  WatchClient watch(port(), path(from_now() + "&allowWatchBookmarks=true&timeoutSeconds=10"));
  advance(std::chrono::seconds(8));
  EXPECT_EQ(text_at_path(*watch.next(), {"type"}), "BOOKMARK");
  advance(std::chrono::seconds(2));
  EXPECT_EQ(watch.next_text(), "END");
}

TEST_F(TimedWatch, API_236_InitialEventsOfTheFarFutureAreTooLarge) {
  std::unique_ptr<WatchClient> watch;
  {
    const std::jthread asking([&] {
      watch = std::make_unique<WatchClient>(
          port(), path("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
                       "resourceVersion=999999999"));
    });
    // The maximum time that the server waits for a version after reading the request.
    constexpr auto kPatience = std::chrono::seconds(3);
    clock_->await_deadline(clock_->now() + kPatience);
    clock_->advance(kPatience);
  }
  const auto event = watch->next();
  EXPECT_EQ(text_at_path(*event, {"type"}), "ERROR");
  EXPECT_EQ(text_at_path(*event, {"object", "code"}), "504");
  EXPECT_EQ(watch->next_text(), "END");
}

}  // namespace
}  // namespace kube::apiserver::test
