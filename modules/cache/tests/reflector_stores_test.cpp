// SPDX-License-Identifier: Apache-2.0
//
// A reflector between the parts of this library and a source of the program's own: into a Store,
// and into a DeltaFifo whose consumer writes a Store.
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/delta_fifo.hpp>
#include <kube/cache/index_functions.hpp>
#include <kube/cache/reflector.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/cache/store.hpp>

#include "part_pods.hpp"
#include "scripted_run.hpp"

namespace kube::cache {
namespace {

using core::v1::Pod;
using testing::bookmark_text;
using ::testing::ElementsAre;
using testing::event_text;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list_text;
using testing::object_text;
using testing::show_delta;
using testing::show_parts;
using testing::status_text;

/// Lists what a test has put into it; the test writes its watches.
class OwnSource final : public ListerWatcher {
 public:
  std::shared_ptr<transport::Exchange> list(const ListOptions&, std::chrono::milliseconds,
                                            std::shared_ptr<transport::ResponseHandler> handler,
                                            std::stop_token) override {
    handler->on_head({200, {{"Content-Type", std::string(kJsonMediaType)}}});
    handler->on_data(content);
    handler->on_end({});
    return std::make_shared<Silent>();
  }
  std::shared_ptr<transport::Exchange> watch(const ListOptions& options, std::chrono::milliseconds,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token) override {
    versions.push_back(options.resource_version);
    handler->on_head({200, {{"Content-Type", std::string(kJsonMediaType)}}});
    watch_ = std::move(handler);
    return std::make_shared<Silent>();
  }
  bool is_watch_list_semantics_unsupported() const override { return true; }
  std::string to_string() const override { return "own pods"; }

  void send(std::string_view events) {
    if (!watch_) throw std::logic_error("nobody watches");
    watch_->on_data(events);
  }
  void end() { std::exchange(watch_, nullptr)->on_end({}); }

  std::string content;
  std::vector<std::string> versions;  // from which it was watched

 private:
  struct Silent final : transport::Exchange {
    void resume() override {}
    void cancel() override {}
  };
  std::shared_ptr<transport::ResponseHandler> watch_;
};

std::string pod_text(std::string_view key, std::string_view version, std::string_view node) {
  return object_text(key, version, {}, R"("spec":{"nodeName":")" + std::string(node) + R"("})");
}

/// JSON, but no Pod.
std::string bad_text(std::string_view key, std::string_view version) {
  return object_text(key, version, {}, R"("spec":7)");
}
/// More than a cache takes.
std::string large_text(std::string_view key, std::string_view version) {
  return object_text(key, version, {},
                     R"("spec":{"nodeName":")" + std::string(kMaxObjectBytes, 'n') + R"("})");
}
/// Refuses pods of node "worse" alone, and those of "bad" with their list.
Result<Pod> mark_node(Pod pod) {
  if (pod.spec.node_name == "bad") return Error(ErrorCode::Server, "not this list");
  if (pod.spec.node_name == "worse") throw std::runtime_error("not this pod");
  pod.spec.node_name += "!";
  return pod;
}

/// Needs a pod that can be decoded.
Result<std::string> node_key(const Cached<Pod>& pod) {
  return pod->spec.node_name + "/" + std::string(pod.name());
}

class ReflectorStoresTest : public ::testing::Test, public testing::ScriptedRun {
 protected:
  void start(std::shared_ptr<ReflectorStore<Pod>> store, ReflectorOptions options = {}) {
    if (source->content.empty()) {
      source->content = list_text({pod_text("x/a", "5", "n1"), pod_text("x/b", "6", "n1")}, "10");
    }
    reflector.emplace(runtime, source, std::move(store), options);
    ASSERT_TRUE(reflector->set_watch_error_handler(
        [this](const Error& error) { reported.push_back(error.to_string()); }));
    ASSERT_TRUE(reflector->start());
    run();
  }
  void send(const std::string& events) {
    source->send(events);
    run();
  }
  /// The version is too old: the next list has this content.
  void expire(std::string content) {
    source->content = std::move(content);
    run_for(2s);
    source->send(event_text("ERROR", status_text(410, "Expired", "old")));
    source->end();
    run_for(1min);
  }

  const std::shared_ptr<OwnSource> source = std::make_shared<OwnSource>();
  std::vector<std::string> reported;  // to the watch error handler
  std::optional<kube::Reflector<Pod>> reflector;
};

TEST_F(ReflectorStoresTest, AStoreFollowsTheSource) {
  const auto store = std::make_shared<kube::Store<Pod>>(
      StoreOptions<Pod>{.indexers = {{"node", *index_by_field<Pod>("spec.nodeName")}}});
  start(store);
  EXPECT_TRUE(reflector->has_synced());
  EXPECT_EQ(reflector->name(), "own pods");
  EXPECT_THAT(show_parts(store->list()), ElementsAre("x/a@5", "x/b@6"));
  EXPECT_EQ(store->last_sync_resource_version(), "10");

  send(event_text("ADDED", pod_text("x/c", "11", "n2")) +
       event_text("MODIFIED", pod_text("x/a", "12", "n2")) +
       event_text("DELETED", pod_text("x/b", "13", "n1")));
  EXPECT_THAT(show_parts(store->list()), ElementsAre("x/a@12", "x/c@11"));
  EXPECT_THAT(*store->index_keys("node", "n2"), ElementsAre("x/a", "x/c"));
  EXPECT_THAT(*store->index_keys("node", "n1"), IsEmpty());
  EXPECT_EQ(store->last_sync_resource_version(), "13");
  send(bookmark_text("20"));
  EXPECT_EQ(store->last_sync_resource_version(), "20");

  expire(list_text({pod_text("x/c", "11", "n2"), pod_text("x/d", "25", "n1")}, "30"));
  EXPECT_THAT(show_parts(store->list()), ElementsAre("x/c@11", "x/d@25"));
  EXPECT_THAT(*store->index_keys("node", "n1"), ElementsAre("x/d"));
  EXPECT_EQ(store->last_sync_resource_version(), "30");
  EXPECT_THAT(source->versions, ElementsAre("10", "30"));
  EXPECT_EQ(reflector->status().processing_errors, 0U);
}

TEST_F(ReflectorStoresTest, ADeltaFifoThatKnowsAStoreBringsEachChange) {
  kube::Store<Pod> store;
  const auto queue = std::make_shared<kube::DeltaFifo<Pod>>(
      DeltaFifoOptions<Pod>{.known_objects = store.indexer()});
  const auto pop_all = [&] {
    std::vector<std::string> popped;
    while (queue->size() > 0) {
      const auto apply = [&](const kube::Delta<Pod>& delta, bool initial) -> Result<void> {
        popped.push_back((initial ? "*" : "") + show_delta(delta));
        if (delta.type == DeltaType::Deleted) return store.remove(delta.object);
        return store.update(delta.object);
      };
      EXPECT_TRUE(queue->pop(apply));
    }
    return popped;
  };
  start(queue, {.resync_period = 1h});
  EXPECT_TRUE(reflector->has_synced());
  EXPECT_FALSE(queue->has_synced()) << "nothing is processed";
  EXPECT_THAT(pop_all(), ElementsAre("*replaced x/a@5", "*replaced x/b@6"));
  EXPECT_TRUE(queue->has_synced());

  send(event_text("ADDED", pod_text("x/c", "11", "n2")) +
       event_text("MODIFIED", pod_text("x/a", "12", "n2")) +
       event_text("DELETED", pod_text("x/b", "13", "n1")) + bookmark_text("20"));
  EXPECT_THAT(pop_all(), ElementsAre("added x/c@11", "updated x/a@12", "deleted x/b@13"));
  EXPECT_THAT(show_parts(store.list()), ElementsAre("x/a@12", "x/c@11"));

  expire(list_text({pod_text("x/c", "11", "n2"), pod_text("x/d", "25", "n1")}, "30"));
  EXPECT_THAT(pop_all(), ElementsAre("tombstone x/a@12", "replaced x/c@11", "replaced x/d@25"));
  run_for(1h);
  EXPECT_THAT(pop_all(), ::testing::UnorderedElementsAre("sync x/c@11", "sync x/d@25"));
  EXPECT_THAT(show_parts(store.list()), ElementsAre("x/c@11", "x/d@25"));
  queue->close();
  send(event_text("ADDED", pod_text("x/e", "31", "n2")));
  EXPECT_EQ(reflector->status().processing_errors, 1U) << "a queue that is closed takes nothing";
}

// As an informer's queue: the consumer compares lists with what it has.
TEST_F(ReflectorStoresTest, ADeltaFifoAloneBringsListsWhole) {
  const auto queue = std::make_shared<kube::DeltaFifo<Pod>>();
  start(queue);
  send(event_text("DELETED", pod_text("x/b", "13", "n1")) + bookmark_text("20"));
  expire(list_text({}, "30"));
  std::vector<std::string> popped;
  while (queue->size() > 0) {
    ASSERT_TRUE(queue->pop([&](const kube::Delta<Pod>& delta, bool initial) -> Result<void> {
      popped.push_back((initial ? "*" : "") + show_delta(delta));
      return {};
    }));
  }
  EXPECT_THAT(popped,
              ElementsAre("*list of 2@10", "deleted x/b@13", "bookmark 20", "list of 0@30"));
}

TEST_F(ReflectorStoresTest, WithoutASourceOrAStoreNothingStarts) {
  kube::Reflector<Pod> without_source(runtime, nullptr, std::make_shared<kube::Store<Pod>>());
  EXPECT_EQ(without_source.start().error().code(), ErrorCode::InvalidArgument);
  EXPECT_FALSE(without_source.wait_for_sync());
  kube::Reflector<Pod> without_store(runtime, source, nullptr);
  EXPECT_EQ(without_store.start().error().to_string(),
            Error(ErrorCode::InvalidArgument, "there is no store").to_string());
  EXPECT_EQ(without_store.status().state, InformerState::Stopped);
  SharedInformer<Pod> informer(runtime, nullptr, testing::pods());
  EXPECT_EQ(informer.start().error().message(), "there is no source");
  EXPECT_TRUE(informer.status().last_error);
}

TEST_F(ReflectorStoresTest, AStoreTakesAListWithoutTheObjectsThatItsTransformRefuses) {
  const auto store = std::make_shared<kube::Store<Pod>>(StoreOptions<Pod>{.transform = mark_node});
  source->content = list_text(
      {pod_text("x/a", "5", "n1"), bad_text("x/b", "6"), pod_text("x/c", "7", "worse")}, "10");
  start(store);
  EXPECT_TRUE(reflector->has_synced());
  EXPECT_THAT(show_parts(store->list()), ElementsAre("x/a@5"));
  EXPECT_EQ(reflector->status().processing_errors, 2U);
  EXPECT_THAT(reflector->status().last_error.value().to_string(),
              HasSubstr("objects refused: 2, the first: "));
  EXPECT_THAT(reported, ElementsAre(HasSubstr("object x/b: "))) << "once for the list";
  EXPECT_EQ(reflector->status().lists, 1U);

  expire(list_text({bad_text("x/a", "15"), pod_text("x/b", "16", "n2")}, "20"));
  EXPECT_THAT(show_parts(store->list()), ElementsAre("x/a@5", "x/b@16")) << "the known state stays";
  const Cached<Pod> known = store->get_by_key("x/a");
  EXPECT_EQ(known->spec.node_name, "n1!");
  EXPECT_THAT(source->versions, ElementsAre("10", "20"));

  expire(list_text({pod_text("x/a", "25", "n1"), pod_text("x/b", "26", "bad")}, "30"));
  EXPECT_THAT(show_parts(store->list()), ElementsAre("x/a@5", "x/b@16"));
  EXPECT_THAT(source->versions, ElementsAre("10", "20")) << "an Error rejects the whole list";
}

TEST_F(ReflectorStoresTest, ADeltaFifoQueuesNoTombstoneOfAnObjectThatIsRefused) {
  kube::Store<Pod> store;
  const auto queue = std::make_shared<kube::DeltaFifo<Pod>>(
      DeltaFifoOptions<Pod>{.transform = mark_node, .known_objects = store.indexer()});
  std::vector<std::string> popped;
  const auto pop = [&] {
    return queue->pop([&](const kube::Delta<Pod>& delta, bool) -> Result<void> {
      popped.push_back(show_delta(delta) + " " + delta.object->spec.node_name);
      return delta.type == DeltaType::Deleted ? store.remove(delta.object)
                                              : store.update(delta.object);
    });
  };
  source->content = list_text({pod_text("x/a", "5", "n1"), bad_text("x/b", "6")}, "10");
  start(queue);
  EXPECT_TRUE(reflector->has_synced());
  ASSERT_EQ(queue->size(), 1U);
  ASSERT_TRUE(pop());
  EXPECT_TRUE(queue->has_synced());
  send(event_text("ADDED", pod_text("x/c", "11", "n2")));
  expire(list_text({bad_text("x/a", "15"), bad_text("x/c", "16")}, "20"));
  while (queue->size() > 0) ASSERT_TRUE(pop());
  EXPECT_THAT(popped, ElementsAre("replaced x/a@5 n1!", "added x/c@11 n2!", "replaced x/a@5 n1!",
                                  "replaced x/c@11 n2!"));
  EXPECT_EQ(reflector->status().processing_errors, 3U);
}

// What a cache can't hold never reaches the store.
TEST_F(ReflectorStoresTest, WhatIsKnownOfAnObjectThatIsTooLargeStaysUntilItIsDeleted) {
  const auto keyed = [](const Cached<Pod>& pod) -> Result<std::string> {
    return "key of " + std::string(pod.name());
  };
  kube::Store<Pod> store({.key_func = keyed});
  const auto queue = std::make_shared<kube::DeltaFifo<Pod>>(DeltaFifoOptions<Pod>{
      .key_func = keyed, .transform = mark_node, .known_objects = store.indexer()});
  std::vector<std::string> popped;
  const auto pop_all = [&] {
    while (queue->size() > 0) {
      ASSERT_TRUE(queue->pop([&](const kube::Delta<Pod>& delta, bool) -> Result<void> {
        popped.push_back(show_delta(delta) + " " + delta.object->spec.node_name);
        return delta.type == DeltaType::Deleted ? store.remove(delta.object)
                                                : store.update(delta.object);
      }));
    }
  };
  start(queue);
  pop_all();
  popped.clear();
  expire(list_text({large_text("x/a", "15"), pod_text("x/b", "6", "n1")}, "20"));
  pop_all();
  EXPECT_THAT(popped, ElementsAre("replaced key of a@5 n1!", "replaced key of b@6 n1!"));
  popped.clear();
  send(event_text("MODIFIED", pod_text("x/b", "21", "n2")) +
       event_text("DELETED", large_text("x/a", "22")) +
       event_text("DELETED", large_text("x/b", "23")));
  pop_all();
  EXPECT_THAT(popped, ElementsAre("updated key of b@21 n2!", "tombstone key of a@5 n1!",
                                  "tombstone key of b@21 n2!"));
  EXPECT_EQ(reflector->last_sync_resource_version(), "23");
}

// The key function has to decode an object.
TEST_F(ReflectorStoresTest, WhatIsKnownOfAnObjectWithoutAKeyStaysUntilItIsDeleted) {
  const auto store = std::make_shared<kube::Store<Pod>>(StoreOptions<Pod>{.key_func = node_key});
  start(store);
  expire(list_text({bad_text("x/a", "15"), pod_text("x/b", "16", "n1")}, "20"));
  EXPECT_THAT(show_parts(store->list()), ElementsAre("n1/a@5", "n1/b@16"));
  send(event_text("MODIFIED", bad_text("x/b", "21")));
  EXPECT_THAT(show_parts(store->list()), ElementsAre("n1/a@5", "n1/b@16"));
  send(event_text("DELETED", bad_text("x/a", "22")));
  EXPECT_THAT(show_parts(store->list()), ElementsAre("n1/b@16"));
  EXPECT_EQ(store->last_sync_resource_version(), "22");
  EXPECT_EQ(reflector->status().processing_errors, 3U);
}

TEST_F(ReflectorStoresTest, ADeltaFifoKnowsAnObjectWithoutAKeyByItsNames) {
  kube::Store<Pod> store({.key_func = node_key});
  const auto queue = std::make_shared<kube::DeltaFifo<Pod>>(
      DeltaFifoOptions<Pod>{.key_func = node_key, .known_objects = store.indexer()});
  std::vector<std::string> popped;
  const auto pop_all = [&] {
    popped.clear();
    while (queue->size() > 0) {
      ASSERT_TRUE(queue->pop([&](const kube::Delta<Pod>& delta, bool) -> Result<void> {
        popped.push_back(show_delta(delta));
        return delta.type == DeltaType::Deleted ? store.remove(delta.object)
                                                : store.update(delta.object);
      }));
    }
  };
  start(queue);
  pop_all();
  send(event_text("ADDED", pod_text("x/c", "11", "n2")));
  expire(list_text({bad_text("x/a", "15"), bad_text("x/c", "16")}, "20"));
  pop_all();
  EXPECT_THAT(popped, ElementsAre("added n2/c@11", "tombstone n1/b@6", "replaced n1/a@5",
                                  "replaced n2/c@11"));
  send(event_text("DELETED", bad_text("x/a", "21")));
  pop_all();
  EXPECT_THAT(popped, ElementsAre("tombstone n1/a@5"));
}

// What the store has would have another key now.
TEST_F(ReflectorStoresTest, AStoredObjectKeepsTheKeyThatItHadBeforeItsTransform) {
  const auto store = std::make_shared<kube::Store<Pod>>(
      StoreOptions<Pod>{.key_func = node_key, .transform = [](Pod pod) -> Result<Pod> {
                          pod.spec = {};
                          return pod;
                        }});
  start(store);
  expire(list_text({large_text("x/a", "15"), pod_text("x/b", "16", "n1")}, "20"));
  EXPECT_THAT(show_parts(store->list()), ElementsAre("n1/a@5", "n1/b@16"));
  send(event_text("DELETED", large_text("x/a", "21")));
  EXPECT_THAT(show_parts(store->list()), ElementsAre("n1/b@16"));
  EXPECT_EQ(store->last_sync_resource_version(), "21");
}

TEST_F(ReflectorStoresTest, AStoreLosesAnObjectWhoseFinalStateIsTooLarge) {
  const auto store = std::make_shared<kube::Store<Pod>>();
  start(store);
  send(event_text("DELETED", large_text("x/a", "11")));
  EXPECT_THAT(show_parts(store->list()), ElementsAre("x/b@6"));
  EXPECT_EQ(store->last_sync_resource_version(), "11");
}

}  // namespace
}  // namespace kube::cache
