// SPDX-License-Identifier: Apache-2.0
//
// Objects that can't be decoded: which ones are refused, and how long their names are known.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/base/metrics.hpp>
#include <kube/testing/recording_logger.hpp>

#include "informer_fixture.hpp"
#include "refused_objects.hpp"

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
using testing::ScriptedCall;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

/// The last value of each gauge.
struct Gauges final : metrics::Provider {
  struct Set final : metrics::GaugeImpl {
    explicit Set(double& to) : value(to) {}
    void set(double to) override { value = to; }
    double& value;
  };
  std::shared_ptr<metrics::CounterImpl> counter(std::string_view, const metrics::Labels&) override {
    return nullptr;
  }
  std::shared_ptr<metrics::GaugeImpl> gauge(std::string_view name,
                                            const metrics::Labels&) override {
    return std::make_shared<Set>(values[std::string(name)]);
  }
  std::shared_ptr<metrics::HistogramImpl> histogram(std::string_view,
                                                    const metrics::Labels&) override {
    return nullptr;
  }
  std::map<std::string, double> values;
};

std::string good(std::string_view key, std::string_view version) {
  return object_text(key, version);
}
/// JSON, but no Pod.
std::string bad(std::string_view key, std::string_view version) {
  return object_text(key, version, {}, R"("spec":7)");
}

/// An informer of pods, with a transform.
class UndecodableObjects : public ::testing::Test, protected testing::ScriptedRun {
 protected:
  UndecodableObjects() {
    runtime.logger = log;
    runtime.metrics = gauges;
  }

  void start_informer(bool transforms = true, bool streams = false) {
    pods = std::make_unique<SharedInformer<Pod>>(
        client(), InformerOptions{.protobuf = false, .watch_list = streams});
    if (transforms) {
      ASSERT_TRUE(pods->set_transform([](Pod pod) -> Result<Pod> {
        pod.metadata.managed_fields.clear();
        return pod;
      }));
    }
    ASSERT_TRUE(pods->start());
  }
  ScriptedCall list(const std::vector<std::string>& items, std::string_view version = "10") {
    next_list().respond(200, list_text(items, version));
    ScriptedCall watch = next_watch();
    run();
    return watch;
  }
  ScriptedCall relist(ScriptedCall watch, const std::vector<std::string>& items,
                      std::string_view version) {
    watch.data(event_text("ERROR", testing::status_text(410, "Expired", "old")));
    run_for(60s);
    return list(items, version);
  }
  /// The keys of the objects that the status names; count and gauge have to say the same.
  std::vector<std::string> refused() const {
    const InformerStatus status = pods->status();
    std::vector<std::string> keys;
    for (const RefusedObject& each : status.refused_objects) {
      keys.push_back(each.key);
      EXPECT_EQ(each.error.code(), ErrorCode::Decode);
      EXPECT_THAT(each.error.to_string(), HasSubstr("object " + each.key + ": "));
    }
    EXPECT_EQ(status.refused, keys.size());
    EXPECT_EQ(gauges->values["informer_refused_objects"], static_cast<double>(keys.size()));
    return keys;
  }
  /// The keys of each line about refused objects.
  std::vector<std::string> logged() const {
    std::vector<std::string> keys;
    for (const auto& entry : log->entries()) {
      if (entry.message == "objects refused") keys.push_back(entry.field("keys"));
    }
    return keys;
  }

  std::shared_ptr<kube::testing::RecordingLogger> log =
      std::make_shared<kube::testing::RecordingLogger>(LogLevel::Warning);
  std::shared_ptr<Gauges> gauges = std::make_shared<Gauges>();
  std::unique_ptr<SharedInformer<Pod>> pods;
};

TEST_F(UndecodableObjects, AListNamesThemInOneLineAndServesTheOthers) {
  start_informer();
  std::vector<std::string> items;
  std::vector<std::string> expected;
  for (int i = 100; i < 300; ++i) {
    const std::string key = "x/p" + std::to_string(i);
    items.push_back(i % 2 == 0 ? good(key, "5") : bad(key, "5"));
    if (i % 2 != 0) expected.push_back(key);
  }
  list(items);
  EXPECT_TRUE(pods->has_synced());
  EXPECT_EQ(pods->lister().list().size(), 100U);
  EXPECT_EQ(refused(), expected);
  EXPECT_EQ(pods->status().processing_errors, 100U);
  ASSERT_EQ(logged().size(), 1U);
  for (const std::string& key : expected) EXPECT_THAT(logged()[0], HasSubstr(key));
  EXPECT_EQ(log->entries().size(), 1U) << *log;
}

TEST_F(UndecodableObjects, OneLeavesWithAStateThatCanBeDecoded) {
  start_informer();
  ScriptedCall watch = list({bad("x/a", "5"), bad("x/b", "6")});
  watch.data(event_text("MODIFIED", good("x/a", "11")));
  run();
  EXPECT_THAT(refused(), ElementsAre("x/b"));
  EXPECT_TRUE(pods->lister().find("x/a"));
}

TEST_F(UndecodableObjects, OneLeavesWithItsDeletion) {
  start_informer();
  ScriptedCall watch = list({bad("x/a", "5"), bad("x/b", "6"), good("x/c", "7")});
  watch.data(event_text("DELETED", bad("x/a", "11")));
  run();
  EXPECT_THAT(refused(), ElementsAre("x/b"));
  watch.data(event_text("DELETED", good("x/b", "12")));
  run();
  EXPECT_THAT(refused(), IsEmpty());
}

TEST_F(UndecodableObjects, ADeletionRemovesItsObjectThoughTheFinalStateIsRefused) {
  start_informer();
  std::vector<std::string> gone;
  const auto registration = pods->add_event_handler({.on_delete = [&](const auto& deleted) {
    gone.push_back(deleted.key.to_string() + " " + deleted.object->metadata.resource_version +
                   (deleted.final_state_unknown ? " final state unknown" : ""));
  }});
  ScriptedCall watch = list({good("x/a", "5"), good("x/c", "6")});
  watch.data(event_text("MODIFIED", bad("x/a", "11")));
  run();
  EXPECT_THAT(refused(), ElementsAre("x/a"));
  watch.data(event_text("DELETED", bad("x/a", "12")));
  run();
  EXPECT_THAT(refused(), IsEmpty());
  EXPECT_FALSE(pods->lister().find("x/a"));
  EXPECT_THAT(gone, ElementsAre("x/a 5 final state unknown"));
  EXPECT_TRUE(pods->has_version("12"));
  EXPECT_EQ(pods->status().processing_errors, 2U) << "what the transform did not get is counted";

  watch.data(event_text("ADDED", good("x/b", "13")) + event_text("DELETED", bad("x/b", "14")));
  run();
  EXPECT_THAT(gone, ElementsAre("x/a 5 final state unknown", "x/b 13 final state unknown"))
      << "it came in the same bytes";
  EXPECT_EQ(pods->last_sync_resource_version(), "14");
  EXPECT_EQ(pods->lister().list().size(), 1U);

  watch.end();
  const ScriptedCall next = next_watch();
  EXPECT_EQ(next.query("resourceVersion"), "14") << "nothing is in doubt";
}

TEST_F(UndecodableObjects, ADeletionThatTheTransformRefusesRemovesItsObject) {
  pods = std::make_unique<SharedInformer<Pod>>(client(), InformerOptions{.watch_list = false});
  bool fails = false;
  ASSERT_TRUE(pods->set_transform([&](Pod pod) -> Result<Pod> {
    if (fails) return Error(ErrorCode::InvalidArgument, "not this one");
    return pod;
  }));
  ASSERT_TRUE(pods->start());
  ScriptedCall watch = list({good("x/a", "5")});
  fails = true;
  watch.data(event_text("DELETED", good("x/a", "11")));
  run();
  EXPECT_THAT(pods->lister().list(), IsEmpty());
}

TEST_F(UndecodableObjects, OneLeavesWithAListWithoutIt) {
  start_informer();
  ScriptedCall watch = list({bad("x/a", "5"), bad("x/b", "6"), bad("x/c", "7")});
  relist(watch, {bad("x/b", "6"), good("x/c", "18"), bad("x/d", "19")}, "20");
  EXPECT_THAT(refused(), ElementsAre("x/b", "x/d"));
  EXPECT_THAT(logged(), ElementsAre("x/a, x/b, x/c", "x/d")) << "each once";
}

TEST_F(UndecodableObjects, AListThatFailsChangesNothing) {
  start_informer();
  ScriptedCall watch = list({bad("x/a", "5")});
  watch.data(event_text("ERROR", testing::status_text(410, "Expired", "old")));
  run_for(60s);
  ScriptedCall failed = next_list();
  const std::string text = list_text({bad("x/gone", "18"), good("x/a", "19")}, "20");
  failed.data(text.substr(0, text.size() - 3)).end();
  run();
  EXPECT_THAT(refused(), ElementsAre("x/a"));
  run_for(60s);
  list({bad("x/b", "21")}, "30");
  EXPECT_THAT(refused(), ElementsAre("x/b"));
  EXPECT_THAT(logged(), ElementsAre("x/a", "x/b"));
}

TEST_F(UndecodableObjects, AStreamedInitialStateCountsAtItsEnd) {
  start_informer(true, true);
  ScriptedCall watch = next_watch();
  watch.data(event_text("ADDED", bad("x/a", "1")) + event_text("ADDED", bad("x/b", "2")) +
             event_text("ADDED", bad("x/c", "3")));
  run();
  EXPECT_THAT(refused(), IsEmpty()) << "the cache has nothing yet";
  watch.data(event_text("MODIFIED", good("x/a", "4")) + event_text("DELETED", good("x/b", "5")) +
             bookmark_text("10", "true"));
  run();
  EXPECT_TRUE(pods->has_synced());
  EXPECT_THAT(refused(), ElementsAre("x/c"));
  EXPECT_THAT(logged(), ElementsAre("x/c"));
}

TEST_F(UndecodableObjects, AFloodOfEventsIsNamedInFewLines) {
  start_informer();
  ScriptedCall watch = list({});
  std::string all;
  for (int second = 0; second < 60; ++second) {
    for (int i = 0; i < 2; ++i) {
      const std::string key = "x/p" + std::to_string(100 + 2 * second + i);
      all += (all.empty() ? "" : ", ") + key;
      watch.data(event_text("ADDED", bad(key, "11")));
      run();
    }
    run_for(1s);
  }
  run_for(10s);
  EXPECT_EQ(refused().size(), 120U);
  const std::vector<std::string> lines = logged();
  std::string named;
  for (const std::string& line : lines) named += (named.empty() ? "" : ", ") + line;
  EXPECT_EQ(named, all) << "each once, the last of them without another event";
  EXPECT_LE(lines.size(), 10U + 7) << "10 at once, 1 each 10 s";
}

TEST_F(UndecodableObjects, OneThatStaysRefusedIsLoggedOnce) {
  start_informer();
  ScriptedCall watch = list({good("x/a", "5")});
  for (int version = 11; version < 20; ++version) {
    watch.data(event_text("MODIFIED", bad("x/a", std::to_string(version))));
    run_for(60s);
  }
  EXPECT_THAT(refused(), ElementsAre("x/a"));
  EXPECT_THAT(logged(), ElementsAre("x/a"));
  const auto kept = pods->lister().find("x/a");
  EXPECT_EQ(kept.resource_version(), "5") << "the state before";
}

TEST_F(UndecodableObjects, NamesAreBoundedAndTheNumberIsNot) {
  start_informer();
  std::vector<std::string> items;
  const std::size_t count = kKeptRefusedNames + 300;
  for (std::size_t i = 0; i < count; ++i) {
    items.push_back(bad("x/p" + std::to_string(1000 + i), "5"));
  }
  ScriptedCall watch = list(items);
  EXPECT_EQ(pods->status().refused, count);
  EXPECT_EQ(pods->status().refused_objects.size(), kMaxRefusedNames);
  EXPECT_EQ(gauges->values["informer_refused_objects"], count);
  const std::vector<std::string> lines = logged();
  ASSERT_EQ(lines.size(), kKeptRefusedNames / kMaxRefusedNames);
  EXPECT_THAT(lines.front(), HasSubstr("x/p1000, x/p1001, "));
  EXPECT_THAT(lines.back(), HasSubstr("x/p2999 and 300 more"));

  // One with a name, and one without.
  watch.data(event_text("MODIFIED", good("x/p1000", "11")) +
             event_text("DELETED", bad("x/p3299", "12")));
  run();
  EXPECT_EQ(pods->status().refused, count - 2);
  // One that counts already, and has no name.
  watch.data(event_text("MODIFIED", bad("x/p3298", "13")));
  run();
  EXPECT_EQ(pods->status().refused, count - 2);
  EXPECT_EQ(logged().size(), lines.size());
  EXPECT_EQ(pods->status().refused_objects.front().key, "x/p1001");
  relist(watch, {}, "20");
  EXPECT_THAT(refused(), IsEmpty());
}

TEST_F(UndecodableObjects, OthersAreNamedWhenTheNamedOnesLeave) {
  start_informer();
  std::vector<std::string> items;
  std::string repaired;
  for (std::size_t i = 0; i < kMaxRefusedNames + 100; ++i) {
    const std::string key = "x/p" + std::to_string(1000 + i);
    items.push_back(bad(key, "5"));
    if (i < kMaxRefusedNames) repaired += event_text("MODIFIED", good(key, "11"));
  }
  ScriptedCall watch = list(items);
  EXPECT_EQ(logged().size(), 2U) << "each is named by the log";
  watch.data(repaired);
  run();
  EXPECT_EQ(pods->status().refused, 100U);
  EXPECT_EQ(pods->status().refused_objects.size(), 100U);
}

// Nothing decodes an object at its arrival, so that a list costs no more than its bytes.
TEST_F(UndecodableObjects, WithoutATransformOneIsStoredAsItCameAndItsReaderHears) {
  start_informer(false);
  std::vector<std::string> heard;
  const auto registration = pods->add_event_handler(
      {.on_add = [&](const Cached<Pod>& pod,
                     bool) { heard.push_back(std::string(pod.key()) + "=" + pod->metadata.name); }},
      {.name = "reader"});
  list({good("x/a", "5"), bad("x/b", "6"), good("x/c", "7")});
  EXPECT_TRUE(pods->has_synced());
  EXPECT_THAT(refused(), IsEmpty());
  EXPECT_EQ(pods->lister().list().size(), 3U);

  const Cached<Pod> stored = pods->lister().find("x/b");
  EXPECT_EQ(stored.resource_version(), "6");
  EXPECT_EQ(stored.cell().body(), bad("x/b", "6"));
  EXPECT_EQ(stored.get().error().code(), ErrorCode::Decode);
  EXPECT_THAT(stored.get().error().to_string(), HasSubstr("object x/b: "));
  EXPECT_THROW(static_cast<void>(stored->spec), ApiException);

  EXPECT_THAT(heard, UnorderedElementsAre("x/a=a", "x/c=c")) << "the others go on";
  EXPECT_EQ(pods->status().handlers.at(0).failures, 1U);
  ASSERT_EQ(log->lines_with("event handler threw").size(), 1U) << *log;
  EXPECT_THAT(log->lines_with("event handler threw")[0], HasSubstr("x/b"));
}

}  // namespace
}  // namespace kube::cache
