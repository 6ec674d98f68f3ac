// SPDX-License-Identifier: Apache-2.0
//
// Whatever a server answers, it is asked no more often than the pace allows.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ever_learning.hpp"
#include "reflector_fixture.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using testing::bookmark_text;
using testing::event_text;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list_text;
using testing::object_text;
using testing::respond_status;
using testing::ScriptedCall;
using testing::status_text;

class Pace : public testing::ReflectorFixture {
 protected:
  using Answer = std::function<void(ScriptedCall&)>;
  static constexpr std::size_t kGiveUp = 5000;  // what runs away must end, in the test

  /// Starts over against a server that gives these answers.
  void serve(Answer list, Answer watch) {
    transport->on("GET", "/api/v1/pods",
                  [this, list = std::move(list), watch = std::move(watch)](ScriptedCall call) {
                    ++asked;
                    if (asked > kGiveUp) return;
                    (call.query("watch") ? watch : list)(call);
                  });
    start();
  }
  static Answer lists(std::string version = "10") {
    return [version](ScriptedCall& call) {
      call.respond(200, list_text({object_text("x/a", "5")}, version));
    };
  }
  std::string fresh() { return std::to_string(++version_); }

  std::size_t asked = 0;

 private:
  int version_ = 100;
};

/// A server's ways to make a client ask again at once.
struct EachShape : Pace, ::testing::WithParamInterface<std::string> {
  void serve_shape(const std::string& shape) {
    const auto refuses = [](int code, std::string reason) {
      return [=](ScriptedCall& call) { respond_status(call, code, reason, "no"); };
    };
    const auto sends = [](std::function<std::string()> bytes) {
      return [=](ScriptedCall& call) { call.data(bytes()).end(); };
    };
    streams = shape.starts_with("InitialStreams");
    if (shape == "AlternateVersions") {
      serve(lists(), sends([this] {
              return event_text("MODIFIED", object_text("x/a", asked % 2 == 0 ? "6" : "7"));
            }));
    } else if (shape == "OneEventThenTheEnd") {
      serve(lists(), sends([this] { return event_text("ADDED", object_text("x/a", fresh())); }));
    } else if (shape == "OneEventThenAReset") {
      serve(lists(), [this](ScriptedCall& call) {
        call.data(event_text("ADDED", object_text("x/a", fresh()))).reset();
      });
    } else if (shape == "OneBookmarkThenTheEnd") {
      serve(lists(), sends([this] { return bookmark_text(fresh()); }));
    } else if (shape == "EmptyPagesForEver") {
      serve([this](ScriptedCall& call) { call.respond(200, list_text({}, "10", fresh())); },
            [](ScriptedCall&) {});
    } else if (shape == "PagesOfOneItemForEver") {
      serve(
          [this](ScriptedCall& call) {
            const std::string token = fresh();
            call.respond(200, list_text({object_text("x/" + token, "5")}, "10", token));
          },
          [](ScriptedCall&) {});
    } else if (shape == "TokensThatHaveExpired") {
      serve(
          [this](ScriptedCall& call) {
            if (call.query("continue")) {
              respond_status(call, 410, "Expired", "old");
            } else {
              call.respond(200, list_text({object_text("x/a", "5")}, "10", fresh()));
            }
          },
          [](ScriptedCall&) {});
    } else if (shape == "GoneAtTheDoorOfEachWatch") {
      serve(lists(), refuses(410, "Expired"));
    } else if (shape == "GoneInEachWatch") {
      serve(lists(), sends([] { return event_text("ERROR", status_text(410, "Expired", "old")); }));
    } else if (shape == "EachListAtAVersionIsGone") {
      serve(
          [this](ScriptedCall& call) {
            if (call.query("resourceVersion").value_or("0") != "0") {
              respond_status(call, 410, "Expired", "old");
            } else {
              call.respond(200, list_text({}, fresh()));
            }
          },
          refuses(410, "Expired"));
    } else if (shape == "InitialStreamsThatBreak") {
      serve(lists(), sends([this] { return event_text("ADDED", object_text("x/a", fresh())); }));
    } else if (shape == "InitialStreamsThatEndAfterTheirEnd") {
      serve(lists(), sends([this] { return bookmark_text(fresh(), "true"); }));
    } else if (shape == "InitialStreamsThatAreGone") {
      serve(lists(), refuses(410, "Expired"));
    } else if (shape == "RefusalsThatTeachForEver") {
      source = [](std::shared_ptr<ListerWatcher> real) {
        return std::make_shared<testing::EverLearning>(std::move(real));
      };
      serve(refuses(406, "NotAcceptable"), refuses(415, "UnsupportedMediaType"));
    } else if (shape == "WatchRefusalsThatTeachForEver") {
      source = [](std::shared_ptr<ListerWatcher> real) {
        return std::make_shared<testing::EverLearning>(std::move(real));
      };
      serve(lists(), refuses(415, "UnsupportedMediaType"));
    } else if (shape == "VersionsThatAreNone") {
      serve(
          [](ScriptedCall& call) {
            const std::string version = call.query("resourceVersion").value_or("");
            if (version.empty() || version == "0") {
              call.respond(200, list_text({}, "10"));
            } else {
              respond_status(call, 400, "BadRequest", "invalid resource version");
            }
          },
          [](ScriptedCall& call) {
            if (call.query("resourceVersion") == "10") {
              call.data(bookmark_text("abc")).end();
            } else {
              respond_status(call, 400, "BadRequest", "invalid resource version");
            }
          });
    } else if (shape == "ObjectsWithoutAName") {
      serve(lists(), sends([] { return event_text("ADDED", R"({"metadata":{}})"); }));
    } else if (shape == "ListsWithoutAVersion") {
      serve(lists(""), [](ScriptedCall&) {});
    }
  }
};

TEST_P(EachShape, IsAskedForNoMoreThanThePace) {
  serve_shape(GetParam());
  run_for(10min);
  EXPECT_LE(asked, RequestPace::kAtOnce + 10 * RequestPace::kPerMinute);
  const std::size_t before = asked;
  run_for(60min);
  EXPECT_LE(asked - before, 60 * RequestPace::kPerMinute);
  EXPECT_GE(asked, 100U) << "and it does not give up";
  RecordProperty("requests_in_an_hour", static_cast<int>(asked - before));
}

INSTANTIATE_TEST_SUITE_P(
    OfMisbehaviour, EachShape,
    ::testing::Values("AlternateVersions", "OneEventThenTheEnd", "OneEventThenAReset",
                      "OneBookmarkThenTheEnd", "EmptyPagesForEver", "PagesOfOneItemForEver",
                      "TokensThatHaveExpired", "GoneAtTheDoorOfEachWatch", "GoneInEachWatch",
                      "EachListAtAVersionIsGone", "InitialStreamsThatBreak",
                      "InitialStreamsThatEndAfterTheirEnd", "InitialStreamsThatAreGone",
                      "RefusalsThatTeachForEver", "WatchRefusalsThatTeachForEver",
                      "VersionsThatAreNone", "ObjectsWithoutAName", "ListsWithoutAVersion"),
    [](const auto& shape) { return shape.param; });

TEST_F(Pace, FullPagesComeWithoutAPause) {
  int pages = 0;
  serve(
      [&](ScriptedCall& call) {
        std::vector<std::string> items;
        for (int i = 0; i < 500; ++i) {
          items.push_back(object_text("x/" + std::to_string(pages * 500 + i), "1"));
        }
        call.respond(200, list_text(items, "10", ++pages < 200 ? fresh() : ""));
      },
      [](ScriptedCall&) {});
  run();
  EXPECT_EQ(asked, 201U) << "the last one is the watch";
}

TEST_F(Pace, AWatchOfTwoSecondsIsFollowedByTheNextAtOnce) {
  ScriptedCall watch = start_watching();
  for (int i = 0; i < 100; ++i) {
    watch.data(event_text("MODIFIED", object_text("x/a", fresh())));
    run_for(2s);
    watch.end();
    watch = next_watch();
  }
}

TEST_F(Pace, WhatComesInAHurryIsServedAtOnceUpToABurst) {
  ScriptedCall watch = start_watching();
  for (std::size_t i = 2; i < RequestPace::kAtOnce; ++i) {
    watch.data(event_text("MODIFIED", object_text("x/a", fresh()))).end();
    watch = next_watch();
  }
  watch.data(event_text("MODIFIED", object_text("x/a", fresh()))).end();
  run();
  EXPECT_EQ(reflector->progress().state, InformerState::BackingOff);
  ASSERT_TRUE(reflector->progress().last_error) << "it is said why nothing happens";
  EXPECT_THAT(reflector->progress().last_error.value().to_string(),
              HasSubstr("requests are limited"));
  expect_pause(RequestPace::kInterval);
}

}  // namespace
}  // namespace kube::cache
