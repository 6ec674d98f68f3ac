// SPDX-License-Identifier: Apache-2.0
//
// Whole informers against a server that fails in every way, under schedules drawn from seeds. At
// rest the cache equals the server, and every handler saw a history that could have happened.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kube/cache/shared_informer.hpp>

#include "folder.hpp"
#include "model_server.hpp"
#include "scripted_run.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using testing::ModelServer;

std::uint64_t version_of(const Cached<Unstructured>& object) {
  return std::stoull(std::string(object.resource_version()));
}

/// Follows what a handler is told, and objects to what can't be.
class Witness {
 public:
  Witness(std::string name, const SharedInformer<Unstructured>& informer)
      : name_(std::move(name)), lister_(informer.lister()) {}

  ResourceEventHandler<Unstructured> handler() {
    return {
        .on_add =
            [this](const Cached<Unstructured>& object, bool) {
              const std::string key(object.key());
              EXPECT_FALSE(known_.contains(key)) << name_ << ": added twice: " << key;
              known_.emplace(key, object);
              expect_in_store(object);
            },
        .on_update =
            [this](const Cached<Unstructured>& old_object, const Cached<Unstructured>& object) {
              const std::string key(object.key());
              const auto known = known_.find(key);
              ASSERT_NE(known, known_.end()) << name_ << ": updated before it was added: " << key;
              EXPECT_EQ(known->second, old_object) << name_ << ": an update was lost: " << key;
              EXPECT_GE(version_of(object), version_of(old_object))
                  << name_ << ": back in time: " << key;
              known->second = object;
              expect_in_store(object);
            },
        .on_delete =
            [this](const DeletedObject<Unstructured>& deleted) {
              const std::string key = deleted.key.to_string();
              const auto known = known_.find(key);
              ASSERT_NE(known, known_.end()) << name_ << ": deleted before it was added: " << key;
              if (deleted.final_state_unknown) {
                EXPECT_EQ(known->second, deleted.object) << name_ << ": " << key;
              } else {
                EXPECT_GT(version_of(deleted.object), version_of(known->second))
                    << name_ << ": " << key;
              }
              known_.erase(known);
            }};
  }

  const std::map<std::string, Cached<Unstructured>>& known() const { return known_; }

 private:
  // [I1]: the store has it, or something newer.
  void expect_in_store(const Cached<Unstructured>& object) const {
    if (const auto stored = lister_.find(object.key())) {
      EXPECT_GE(version_of(stored), version_of(object)) << name_ << ": " << object.key();
    }
  }

  const std::string name_;
  const Lister<Unstructured> lister_;
  std::map<std::string, Cached<Unstructured>> known_;
};

void expect_equal(const ModelServer::State& server,
                  const std::map<std::string, Cached<Unstructured>>& seen, std::string_view who) {
  EXPECT_EQ(server.size(), seen.size()) << who;
  for (const auto& [key, object] : server) {
    const auto found = seen.find(key);
    ASSERT_NE(found, seen.end()) << who << " lacks " << key;
    EXPECT_EQ(found->second.uid(), object.uid) << who << ": " << key;
    EXPECT_EQ(version_of(found->second), object.version) << who << ": " << key;
    EXPECT_EQ(found->second->labels().at("app"), object.app) << who << ": " << key;
  }
}

class InformerSimulation : public ::testing::TestWithParam<int> {
 protected:
  /// One that leaves its state to the next.
  static void run_before(testing::ScriptedRun& run, ModelServer& server,
                         const InformerOptions& options) {
    SeededExecutor& executor = *run.executor;
    SharedInformer<Unstructured> informer(run.client(), testing::pods(), options);
    ASSERT_TRUE(informer.start());
    for (std::uint64_t step = executor.random() % 20; step > 0; --step) {
      for (std::uint64_t i = executor.random() % 4; i > 0; --i) server.change_something();
      executor.run_for(std::chrono::milliseconds(executor.random() % 20'000));
    }
    for (std::uint64_t i = executor.random() % 60; i > 0; --i) executor.step();
    informer.stop_and_wait();
    if (executor.random() % 3 == 0) server.compact();
  }
  static void simulate(std::uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    testing::ScriptedRun run(seed);
    SeededExecutor& executor = *run.executor;
    const auto pick = [&](std::uint64_t below) { return executor.random() % below; };
    run.runtime.random = [&] { return static_cast<double>(pick(1000)) / 1000; };
    ModelServer server(run.executor, run.transport);
    server.set_faults(static_cast<unsigned>(seed % 5));

    InformerOptions options;
    options.watch_list = pick(3) == 0;
    options.storage = pick(2) == 0 ? StoragePolicy::Wire : StoragePolicy::Decoded;
    options.page_size = pick(2) == 0 ? 0 : 3;
    options.resync_period = std::chrono::milliseconds(pick(2) == 0 ? 0 : 1500);
    const testing::Folder folder;
    if (options.storage == StoragePolicy::Wire && pick(2) == 0) {
      options.state_dir = folder.path();
      options.state_save_period = std::chrono::milliseconds(pick(2) * 30'000);
      run_before(run, server, options);
    }
    SharedInformer<Unstructured> informer(run.client(), testing::pods(), options);
    ASSERT_TRUE(informer.add_index("app", [](const Cached<Unstructured>& object) {
      return std::vector<std::string>{object->labels().at("app")};
    }));
    Witness early("early", informer);
    Witness late("late", informer);
    Witness leaver("leaver", informer);
    const auto first = informer.add_event_handler(early.handler());
    auto leaving = informer.add_event_handler(leaver.handler(), {.resync_period = 0ms});
    HandlerRegistration second;

    for (std::uint64_t i = pick(10); i > 0; --i) server.change_something();
    ASSERT_TRUE(informer.start());
    const int steps = 60;
    const int late_at = static_cast<int>(pick(steps));
    const int leaves_at = static_cast<int>(pick(steps));
    for (int step = 0; step < steps; ++step) {
      if (step == late_at) second = informer.add_event_handler(late.handler());
      if (step == leaves_at) leaving.unregister_and_wait();
      for (std::uint64_t i = pick(4); i > 0; --i) server.change_something();
      if (pick(12) == 0) server.compact();
      if (pick(12) == 0) server.drop_watches();
      if (pick(20) == 0) run.transport->set_down(true);
      // Sometimes a few tasks, sometimes a long time.
      if (pick(3) == 0) {
        executor.run_for(std::chrono::milliseconds(pick(20'000)));
      } else {
        for (std::uint64_t i = pick(60); i > 0; --i) executor.step();
      }
      run.transport->set_down(false);
    }
    server.set_faults(0);
    executor.run_for(5min);
    executor.run_ready();

    EXPECT_TRUE(informer.has_synced());
    EXPECT_TRUE(first.has_synced());
    EXPECT_TRUE(second.has_synced());
    std::map<std::string, Cached<Unstructured>> stored;
    for (const auto& object : informer.lister().list()) stored.emplace(object.key(), object);
    expect_equal(server.state(), stored, "the store");
    expect_equal(server.state(), early.known(), "the early handler");
    expect_equal(server.state(), late.known(), "the late handler");
    for (const char* app : {"a", "b"}) {
      std::size_t expected = 0;
      for (const auto& [key, object] : server.state()) expected += object.app == app ? 1 : 0;
      EXPECT_EQ(informer.indexer().count("app", app), expected) << app;
    }
    for (const char* in : {"x", "y"}) {
      std::size_t expected = 0;
      for (const auto& [key, object] : server.state()) expected += key.starts_with(in) ? 1 : 0;
      EXPECT_EQ(informer.indexer().count(kNamespaceIndex, in), expected) << in;
    }
    EXPECT_EQ(informer.last_sync_resource_version(), std::to_string(server.version()));
    EXPECT_EQ(executor.failed_tasks(), 0U);
    // 20 min of virtual time at most; every failure waits.
    EXPECT_LT(run.transport->requests().size(), 2000U) << "a hot loop";
    informer.stop_and_wait();
  }
};

TEST_P(InformerSimulation, CTL_04_INF_38_AtRestTheCacheEqualsTheServer) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    simulate(static_cast<std::uint64_t>(GetParam()) * 50 + i);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(FiftySeedsEach, InformerSimulation, ::testing::Range(0, 8));

}  // namespace
}  // namespace kube::cache
