// SPDX-License-Identifier: Apache-2.0
//
// User code that an informer calls on its strand, or in a handler, and that waits for that informer
// or handler: the wait ends at once.
#include "may_wait.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/cache/reflector.hpp>
#include <kube/testing/recording_logger.hpp>

#include "informer_fixture.hpp"

namespace kube::cache {
namespace {

using kube::testing::RecordingLogger;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list_text;
using testing::object_text;
using testing::ScriptedCall;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class MayWait : public testing::InformerFixture {
 protected:
  MayWait() {
    runtime.logger = log;
    make();
  }
  // What user code does.
  void wait_for_all() {
    synced = informer->wait_for_sync({});
    const Result<void> reached = informer->wait_for("1000", 1h);
    problem = reached ? "" : reached.error().to_string();
  }
  void expect_refused() {
    EXPECT_EQ(synced, false);
    EXPECT_THAT(problem, HasSubstr("cache of pods: a call that waits for a cache"));
    EXPECT_THAT(log->lines_with("wait for the sync refused"), SizeIs(1)) << *log;
    EXPECT_LT(executor->clock()->now() - begin, Duration(1min)) << "at once";
  }

  const std::shared_ptr<RecordingLogger> log = std::make_shared<RecordingLogger>(LogLevel::Error);
  const TimePoint begin = executor->clock()->now();
  std::optional<bool> synced;
  std::string problem;
};

TEST_F(MayWait, ATransformDoesNotWaitForItsInformer) {
  ASSERT_TRUE(informer->set_transform([&](Unstructured object) -> Result<Unstructured> {
    if (!synced) wait_for_all();
    return object;
  }));
  start();
  expect_refused();
  EXPECT_TRUE(informer->has_synced());
}

TEST_F(MayWait, AnIndexFunctionDoesNotWaitForItsInformer) {
  ASSERT_TRUE(informer->add_index("all", [&](const Cached<Unstructured>&) {
    if (!synced) wait_for_all();
    return std::vector<std::string>{"all"};
  }));
  start();
  expect_refused();
  EXPECT_TRUE(informer->has_synced());
}

TEST_F(MayWait, AWatchErrorHandlerDoesNotWaitForItsInformer) {
  ASSERT_TRUE(informer->set_watch_error_handler([&](const Error&) {
    if (!synced) wait_for_all();
  }));
  ASSERT_TRUE(informer->start());
  ScriptedCall list = next_list();
  list.reset();
  run();
  expect_refused();
}

TEST_F(MayWait, AConditionHandlerDoesNotWaitForItsInformer) {
  ASSERT_TRUE(informer->set_condition_handler([&](InformerCondition, const Optional<Error>&) {
    if (!synced) wait_for_all();
  }));
  ASSERT_TRUE(informer->start());
  ScriptedCall list = next_list();
  testing::respond_status(list, 404, "NotFound", "no such resource");
  run();
  expect_refused();
}

TEST_F(MayWait, AWaitForWhatIsThereIsNotRefused) {
  ASSERT_TRUE(informer->set_transform([&](Unstructured object) -> Result<Unstructured> {
    if (informer->has_synced()) wait_for_all();
    return object;
  }));
  ScriptedCall watch = start();
  watch.data(modified("x/a", "11"));
  run();
  EXPECT_EQ(synced, true);
  EXPECT_THAT(log->lines(), IsEmpty());
}

TEST_F(MayWait, AHandlerDoesNotWaitForItselfAndMayWaitForItsInformer) {
  std::optional<bool> handler_synced;
  HandlerRegistration registration;
  registration = informer->add_event_handler({.on_add = [&](const Cached<Unstructured>&, bool) {
    synced = informer->wait_for_sync({});
    handler_synced = registration.wait_for_sync({});
  }});
  start();
  EXPECT_EQ(synced, true);
  EXPECT_EQ(handler_synced, false);
  EXPECT_THAT(log->lines_with("a call that waits for a handler was made in it"), SizeIs(1));
  EXPECT_TRUE(registration.has_synced());
}

// A store of a Reflector that waits for it.
struct WaitingStore final : ReflectorStore<Unstructured> {
  Result<void> add(const Cached<Unstructured>&) override { return {}; }
  Result<void> update(const Cached<Unstructured>&) override { return {}; }
  Result<void> remove(const Cached<Unstructured>&) override { return {}; }
  Result<void> replace(std::vector<Cached<Unstructured>>, std::string_view) override {
    synced = reflector->wait_for_sync({});
    return {};
  }
  Result<void> resync() override { return {}; }
  Result<void> bookmark(std::string_view) override { return {}; }
  kube::Reflector<Unstructured>* reflector = nullptr;
  std::optional<bool> synced;
};

TEST_F(MayWait, AStoreDoesNotWaitForItsReflector) {
  const auto store = std::make_shared<WaitingStore>();
  kube::Reflector<Unstructured> reflector(
      runtime, rest_lister_watcher(client(), testing::pods(), "", "", ""), testing::pods(), store,
      {.watch_list = false});
  store->reflector = &reflector;
  ASSERT_TRUE(reflector.start());
  next_list().respond(200, list_text({object_text("x/a", "5")}, "10"));
  run();
  EXPECT_EQ(store->synced, false);
  EXPECT_TRUE(reflector.has_synced());
  EXPECT_THAT(log->lines_with("wait for the sync refused"), SizeIs(1));
}

}  // namespace
}  // namespace kube::cache
