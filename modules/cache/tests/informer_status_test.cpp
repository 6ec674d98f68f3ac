// SPDX-License-Identifier: Apache-2.0
//
// The status and the metrics of an informer.
#include <kube/cache/informer_status.hpp>

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/cache/shared_informer.hpp>
#include <kube/meta/errors.hpp>

#include "informer_fixture.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using testing::event_text;
using testing::list_text;
using testing::object_text;
using testing::Recorder;
using testing::ScriptedCall;

class InformerStatusTest : public testing::InformerFixture {};

TEST_F(InformerStatusTest, TheStatusSaysHowItStands) {
  make();
  Recorder recorder;
  const auto registration = add(recorder, {.name = "recorder"});
  InformerStatus status = informer->status();
  EXPECT_EQ(status.state, InformerState::NotStarted);
  EXPECT_FALSE(status.since_proof_of_life);
  ScriptedCall watch = start({object_text("x/a", "5"), object_text("y/b", "6")});
  watch.data(modified("x/a", "11") + deleted("y/b", "12"));
  run();
  run_for(7s);
  status = informer->status();
  EXPECT_EQ(status.state, InformerState::Watching);
  EXPECT_EQ(to_string(status.state), "Watching");
  EXPECT_TRUE(status.synced);
  EXPECT_EQ(status.objects, 1U);
  const auto a = informer->lister().find("x/a");
  EXPECT_EQ(status.bytes, a.cell().memory());
  EXPECT_EQ(status.last_sync_resource_version, "12");
  EXPECT_EQ(status.since_proof_of_life, Duration(7s));
  EXPECT_EQ(status.lists, 1U);
  EXPECT_EQ(status.watches, 1U);
  EXPECT_EQ(status.events, 2U);
  EXPECT_FALSE(status.last_error);
  ASSERT_EQ(status.handlers.size(), 1U);
  EXPECT_EQ(status.handlers[0].name, "recorder");
  EXPECT_EQ(status.handlers[0].delivered, 4U);
  EXPECT_EQ(status.handlers[0].pending, 0U);
  EXPECT_TRUE(status.handlers[0].synced);
}

TEST_F(InformerStatusTest, INF_15_ItSaysWhetherItWasStartedAndWhetherItWasStopped) {
  make();
  EXPECT_EQ(informer->status().state, InformerState::NotStarted);
  EXPECT_FALSE(informer->is_stopped());
  start();
  EXPECT_NE(informer->status().state, InformerState::NotStarted);
  EXPECT_FALSE(informer->is_stopped());
  EXPECT_EQ(informer->start().error().message(), "the informer is already started");
  informer->stop_and_wait();
  EXPECT_EQ(informer->status().state, InformerState::Stopped);
  EXPECT_TRUE(informer->is_stopped());
}

/// The last value of each gauge, the sum of each counter, and the number of observations.
struct Values final : metrics::Provider {
  struct Set final : metrics::GaugeImpl, metrics::CounterImpl, metrics::HistogramImpl {
    explicit Set(double& to) : value(to) {}
    void set(double to) override { value = to; }
    void add(double amount) override { value += amount; }
    void observe(double) override { ++value; }
    double& value;
  };
  std::shared_ptr<Set> make(std::string_view name, const metrics::Labels& labels) {
    std::string key(name);
    for (const auto& [label, value] : labels) key += "," + label + "=" + value;
    return std::make_shared<Set>(values[key]);
  }
  std::shared_ptr<metrics::CounterImpl> counter(std::string_view name,
                                                const metrics::Labels& labels) override {
    return make(name, labels);
  }
  std::shared_ptr<metrics::GaugeImpl> gauge(std::string_view name,
                                            const metrics::Labels& labels) override {
    return make(name, labels);
  }
  std::shared_ptr<metrics::HistogramImpl> histogram(std::string_view name,
                                                    const metrics::Labels& labels) override {
    return make(name, labels);
  }
  std::map<std::string, double> values;
};

TEST_F(InformerStatusTest, MetricsAreKept) {
  const auto values = std::make_shared<Values>();
  runtime.metrics = values;
  make();
  const auto registration = informer->add_event_handler(
      {.on_add = [](const auto&, bool) { throw std::runtime_error("no"); }}, {.name = "h"});
  ScriptedCall watch = start();
  const std::string labels = ",group=,version=v1,resource=pods";
  EXPECT_EQ(values->values["informer_store_resource_version" + labels], 10);
  EXPECT_EQ(values->values["informer_queued_items" + labels], 0);
  EXPECT_EQ(values->values["informer_processing_latency_seconds" + labels], 1) << "one batch";
  const std::string scoped = labels + ",namespace=,label_selector=,field_selector=,handler=h";
  EXPECT_EQ(values->values.at("informer_handler_pending_notifications" + scoped), 0);
  EXPECT_EQ(values->values["informer_handler_exceptions_total" + scoped], 1);
  watch.data(modified("x/a", "1234567890123456789"));
  run();
  EXPECT_EQ(values->values["informer_store_resource_version" + labels], 567890123456789);
  watch.data(modified("x/a", "opaque"));
  run();
  EXPECT_EQ(values->values["informer_store_resource_version" + labels], 567890123456789);
  EXPECT_EQ(informer->last_sync_resource_version(), "opaque");
  watch.data(modified("x/a", "0000000000000012"));
  run();
  EXPECT_EQ(values->values["informer_store_resource_version" + labels], 12);
  watch = relist(watch, {object_text("x/a", "13")}, "13");
  EXPECT_EQ(values->values["informer_store_resource_version" + labels], 13);
  watch.data(event_text("ERROR", testing::status_text(410, "Expired", "old")));
  run_for(60s);
  next_list().respond(200, list_text({object_text("x/a", "13")}, ""));
  run();
  EXPECT_EQ(informer->last_sync_resource_version(), "13") << "the last good version stays";
  EXPECT_EQ(values->values["informer_store_resource_version" + labels], 13);
}

TEST_F(InformerStatusTest, ObjectsDeletionsErrorsAndHealthAreMetrics) {
  const auto values = std::make_shared<Values>();
  runtime.metrics = values;
  make();
  const std::string labels =
      ",group=,version=v1,resource=pods,namespace=,label_selector=,field_selector=";
  const auto value = [&](const std::string& name, const std::string& more = {}) {
    return values->values.at(name + labels + more);
  };
  constexpr const char* kRefused =
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"x","name":"a/b","uid":"u","resourceVersion":"12"}})";
  ScriptedCall watch = start({object_text("x/a", "5"), object_text("x/b", "6")});
  run_for(1s);
  EXPECT_EQ(value("informer_objects"), 2);
  EXPECT_EQ(value("informer_bytes"), static_cast<double>(informer->status().bytes));
  EXPECT_EQ(value("informer_healthy"), 0) << "the watch is not accepted yet";
  watch.data(deleted("x/a", "11") + event_text("ADDED", kRefused));
  run_for(1s);
  EXPECT_EQ(value("informer_objects"), 1);
  EXPECT_EQ(value("informer_healthy"), 1);
  EXPECT_EQ(value("informer_deletions_total", ",evidence=observed"), 1);
  EXPECT_EQ(value("informer_deletions_total", ",evidence=inferred"), 0);
  EXPECT_EQ(value("informer_processing_errors_total"), 1);
  watch = relist(watch, {object_text("x/c", "12")}, "13");
  EXPECT_EQ(value("informer_deletions_total", ",evidence=observed"), 1);
  EXPECT_EQ(value("informer_deletions_total", ",evidence=inferred"), 1);
  informer->stop_and_wait();
  run();
  EXPECT_EQ(value("informer_healthy"), 0);
}

}  // namespace
}  // namespace kube::cache
