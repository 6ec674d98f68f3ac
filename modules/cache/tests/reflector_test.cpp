// SPDX-License-Identifier: Apache-2.0
//
// A reflector of the program's own, on a scripted server.
#include <kube/cache/reflector.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/meta/errors.hpp>
#include <kube/testing/recording_logger.hpp>

#include "scripted_run.hpp"

namespace kube {
namespace {

using namespace std::chrono_literals;
using cache::testing::bookmark_text;
using cache::testing::event_text;
using cache::testing::list_text;
using cache::testing::object_text;
using cache::testing::respond_status;
using cache::testing::ScriptedCall;
using cache::testing::status_text;
using core::v1::Pod;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Writes down its calls, and fails one of them when asked to.
template <class T>
class RecordingStore final : public ReflectorStore<T> {
 public:
  Result<void> add(const Cached<T>& object) override { return note("add", object); }
  Result<void> update(const Cached<T>& object) override { return note("update", object); }
  Result<void> remove(const Cached<T>& object) override { return note("remove", object); }
  Result<void> replace(std::vector<Cached<T>> objects, std::string_view version) override {
    std::string text = "replace";
    for (const Cached<T>& object : objects) text += " " + std::string(object.key());
    return note(text + " at " + std::string(version));
  }
  Result<void> resync() override { return note("resync"); }
  Result<void> bookmark(std::string_view version) override {
    return note("bookmark " + std::string(version));
  }
  std::vector<std::string> take() { return std::exchange(log, {}); }

  std::vector<std::string> log;
  std::string fails;    // the beginning of a call that fails, once
  bool throws = false;  // instead of an Error
  std::function<void()> on_call;

 private:
  Result<void> note(const char* what, const Cached<T>& object) {
    return note(std::string(what) + " " + std::string(object.key()) + "@" +
                std::string(object.resource_version()));
  }
  Result<void> note(std::string text) {
    log.push_back(text);
    if (on_call) on_call();
    if (fails.empty() || !text.starts_with(fails)) return {};
    fails.clear();
    if (throws) throw std::runtime_error("full");
    return Error(ErrorCode::Internal, "full");
  }
};

class ReflectorTest : public ::testing::Test, public cache::testing::ScriptedRun {
 protected:
  using Object = Unstructured;

  std::shared_ptr<cache::ListerWatcher> source() const {
    return cache::rest_lister_watcher(client(), cache::testing::pods(), "x", "", "");
  }
  void make(ReflectorOptions options = {}) {
    reflector = std::make_unique<Reflector<Object>>(runtime, source(), cache::testing::pods(),
                                                    store, std::move(options));
    ASSERT_TRUE(reflector->set_watch_error_handler([this](const Error& error) {
      errors.push_back(error);
      if (on_error) on_error();
    }));
  }
  /// Starts it with the initial state x/a at version 10, and hands out the watch.
  ScriptedCall start(ReflectorOptions options = {}) {
    make(std::move(options));
    EXPECT_TRUE(reflector->start());
    ScriptedCall watch = next_watch();
    watch.data(added("x/a", "5") + bookmark_text("10", "true"));
    run();
    EXPECT_THAT(store->take(), ElementsAre("replace x/a at 10"));
    return watch;
  }
  static std::string added(std::string_view key, std::string_view version) {
    return event_text("ADDED", object_text(key, version));
  }
  static std::string modified(std::string_view key, std::string_view version) {
    return event_text("MODIFIED", object_text(key, version));
  }
  static std::string deleted(std::string_view key, std::string_view version) {
    return event_text("DELETED", object_text(key, version));
  }
  ~ReflectorTest() override {
    reflector.reset();
    run();
  }

  const std::shared_ptr<RecordingStore<Object>> store = std::make_shared<RecordingStore<Object>>();
  std::vector<Error> errors;
  std::function<void()> on_error;
  std::unique_ptr<Reflector<Object>> reflector;
};

TEST_F(ReflectorTest, KeepsAStoreInStepWithAResource) {
  ScriptedCall watch = start();
  watch.data(added("x/b", "11") + modified("x/b", "12") + deleted("x/b", "13") +
             bookmark_text("20"));
  run();
  EXPECT_THAT(store->take(),
              ElementsAre("add x/b@11", "update x/b@12", "remove x/b@13", "bookmark 20"));
  EXPECT_EQ(reflector->last_sync_resource_version(), "20");
  const InformerStatus status = reflector->status();
  EXPECT_EQ(status.state, InformerState::Watching);
  EXPECT_EQ(status.last_sync_resource_version, "20");
  EXPECT_EQ(status.lists, 1U);
  EXPECT_EQ(status.watches, 1U);
  EXPECT_EQ(status.events, 6U);
  EXPECT_TRUE(status.since_proof_of_life);
}

TEST_F(ReflectorTest, ListsWhenStreamsAreOff) {
  make({.page_size = 1, .watch_list = false});
  ASSERT_TRUE(reflector->start());
  ScriptedCall list = next_list();
  EXPECT_EQ(list.query("limit"), "1");
  EXPECT_EQ(list.query("resourceVersion"), "0");
  list.respond(200, list_text({object_text("x/a", "5")}, "10", "more"));
  next_list().respond(200, list_text({object_text("x/b", "6")}, "10"));
  EXPECT_EQ(next_watch().query("resourceVersion"), "10");
  EXPECT_THAT(store->take(), ElementsAre("replace x/a x/b at 10"));
}

TEST_F(ReflectorTest, HasSyncedOnceTheStoreHasTakenAWholeState) {
  make({.watch_list = false});
  EXPECT_FALSE(reflector->has_synced());
  EXPECT_EQ(reflector->last_sync_resource_version(), "");
  EXPECT_EQ(reflector->status().state, InformerState::NotStarted);
  ASSERT_TRUE(reflector->start());
  store->fails = "replace";
  next_list().respond(200, list_text({}, "10"));
  run();
  EXPECT_FALSE(reflector->has_synced());
  EXPECT_EQ(reflector->last_sync_resource_version(), "");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors[0].to_string(), HasSubstr("list pods in namespace \"x\": replace: full"));
  run_for(60s);
  next_list().respond(200, list_text({}, "11"));
  run();
  EXPECT_TRUE(reflector->has_synced());
  EXPECT_TRUE(reflector->wait_for_sync({}));
  EXPECT_EQ(reflector->last_sync_resource_version(), "11");
}

TEST_F(ReflectorTest, AFailedChangeIsReportedAndTheWatchGoesOn) {
  ScriptedCall watch = start();
  for (const bool throws : {false, true}) {
    errors.clear();
    store->throws = throws;
    store->fails = "add x/b";
    watch.data(added("x/b", "11") + added("x/c", "12"));
    run();
    EXPECT_THAT(store->take(), ElementsAre("add x/b@11", "add x/c@12"));
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_THAT(errors[0].to_string(),
                HasSubstr(throws ? "add x/b: the store threw: full" : "add x/b: full"));
    EXPECT_EQ(reflector->last_sync_resource_version(), "12");
  }
  EXPECT_EQ(reflector->status().processing_errors, 2U);
}

TEST_F(ReflectorTest, ManyFailedChangesAreNotManyReports) {
  ScriptedCall watch = start();
  store->on_call = [this] { store->fails = "add"; };
  for (int version = 11; version < 111; ++version) {
    watch.data(added("x/b", std::to_string(version)));
  }
  run();
  EXPECT_EQ(errors.size(), 10U);
  EXPECT_EQ(reflector->status().processing_errors, 100U);
}

TEST_F(ReflectorTest, ResyncsEachPeriodAndAFailedOneEndsTheCycle) {
  ScriptedCall watch = start({.resync_period = 10s, .backoff = {.jitter = 0}});
  run_for(10s);
  store->fails = "resync";
  run_for(10s);
  EXPECT_THAT(store->take(), ElementsAre("resync", "resync"));
  EXPECT_TRUE(watch.cancelled());
  EXPECT_THAT(errors, IsEmpty());
  run_for(60s);
  EXPECT_EQ(next_watch().query("sendInitialEvents"), "true");
}

TEST_F(ReflectorTest, KnowsThatTheServerNoLongerHasItsVersion) {
  ScriptedCall watch = start({.watch_list = true});
  EXPECT_FALSE(reflector->is_last_sync_resource_version_unavailable());
  watch.data(event_text("ERROR", status_text(410, "Expired", "old")));
  run_for(60s);
  watch = next_watch();
  EXPECT_EQ(watch.query("resourceVersion"), "10");
  respond_status(watch, 410, "Expired", "old");
  watch = next_watch();
  EXPECT_EQ(watch.query("resourceVersion"), std::nullopt);
  EXPECT_TRUE(reflector->is_last_sync_resource_version_unavailable());
  EXPECT_EQ(reflector->last_sync_resource_version(), "10");
  watch.data(bookmark_text("30", "true"));
  run();
  EXPECT_FALSE(reflector->is_last_sync_resource_version_unavailable());
}

TEST_F(ReflectorTest, IsCalledWhatItsSourceIsUnlessItHasAName) {
  make();
  EXPECT_EQ(reflector->name(), "pods in namespace \"x\"");
  make({.name = "front"});
  EXPECT_EQ(reflector->name(), "front");
}

TEST_F(ReflectorTest, StartsOnceAndNotAgainAfterAStop) {
  start();
  EXPECT_EQ(reflector->start().error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(reflector->set_watch_error_handler({}).error().code(), ErrorCode::InvalidArgument);
  reflector->stop();
  EXPECT_EQ(reflector->start().error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(reflector->status().state, InformerState::Stopped);
  make();
  reflector->stop();
  EXPECT_FALSE(reflector->wait_for_sync({}));
  EXPECT_EQ(reflector->start().error().code(), ErrorCode::InvalidArgument);
}

TEST_F(ReflectorTest, AMissingTypeIsAConditionAndFewLines) {
  const auto log = std::make_shared<kube::testing::RecordingLogger>(LogLevel::Warning);
  runtime.logger = log;
  make({.watch_list = false});
  std::vector<InformerCondition> conditions;
  ASSERT_TRUE(
      reflector->set_condition_handler([&](InformerCondition condition, const Optional<Error>&) {
        conditions.push_back(condition);
      }));
  ASSERT_TRUE(reflector->start());
  EXPECT_FALSE(reflector->set_condition_handler({}));
  for (int second = 0; second < 1800; ++second) {
    run_for(1s);
    while (auto call = transport->take_request()) respond_status(*call, 404, "NotFound", "no");
  }
  EXPECT_THAT(conditions, ElementsAre(InformerCondition::Missing));
  EXPECT_EQ(reflector->status().condition, InformerCondition::Missing);
  EXPECT_GT(errors.size(), 10U);
  EXPECT_LE(log->take_lines().size(), 5U) << "every ten minutes";
}

TEST_F(ReflectorTest, AForgottenStartIsReportedByName) {
  const auto log = std::make_shared<kube::testing::RecordingLogger>(LogLevel::Warning);
  runtime.logger = log;
  make({.name = "mirror"});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(reflector->wait_for_sync(stop.get_token()));
  run_for(5s);
  EXPECT_THAT(log->take_lines(), ElementsAre(HasSubstr("mirror")));
  EXPECT_THAT(reflector->status().last_error.value().to_string(), HasSubstr("not started"));
}

TEST_F(ReflectorTest, AfterAStopTheStoreIsNotCalled) {
  ScriptedCall watch = start();
  store->on_call = [this] { reflector->stop_and_wait(); };  // inside of a call it does not wait
  watch.data(added("x/b", "11") + added("x/c", "12"));
  run();
  EXPECT_THAT(store->take(), ElementsAre("add x/b@11"));
  EXPECT_TRUE(watch.cancelled());
  run_for(1h);
  EXPECT_EQ(transport->waiting(), 0U);
}

TEST_F(ReflectorTest, AStopInTheErrorHandlerEndsIt) {
  make({.watch_list = false});
  on_error = [this] { reflector->stop(); };
  ASSERT_TRUE(reflector->start());
  ScriptedCall list = next_list();
  respond_status(list, 403, "Forbidden", "no");
  run_for(1h);
  EXPECT_EQ(errors.size(), 1U);
  EXPECT_EQ(transport->waiting(), 0U);
}

TEST_F(ReflectorTest, TheStoreGetsObjectsOfItsType) {
  const auto pods = std::make_shared<RecordingStore<Pod>>();
  Reflector<Pod> typed(runtime, source(), pods);
  ASSERT_TRUE(typed.start());
  next_watch().data(event_text("ADDED", object_text("x/a", "5", "", R"("spec":{"nodeName":"n"})")) +
                    bookmark_text("10", "true"));
  run();
  EXPECT_THAT(pods->take(), ElementsAre("replace x/a at 10"));
  typed.stop();
  run();
}

}  // namespace
}  // namespace kube
