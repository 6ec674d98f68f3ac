// SPDX-License-Identifier: Apache-2.0
//
// What the options of a reflector change: backoff, time of watches, retries of internal errors,
// failed resyncs; and its metrics.
#include <map>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/meta/errors.hpp>

#include "reflector_fixture.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using testing::bookmark_text;
using ::testing::ElementsAre;
using testing::event_text;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list_text;
using testing::object_text;
using ::testing::Pair;
using testing::respond_status;
using testing::ScriptedCall;
using testing::status_text;
using ::testing::UnorderedElementsAre;

class ReflectorOptionsTest : public testing::ReflectorFixture {
 protected:
  static std::string added(std::string_view key, std::string_view version) {
    return event_text("ADDED", object_text(key, version));
  }
  static std::string internal_error() {
    return event_text("ERROR", status_text(500, "InternalError", "etcd is away"));
  }
  /// Sends an internal error after `pause` to each watch, until a list follows. Returns how many
  /// watches followed without one.
  int retries(ScriptedCall watch, const std::function<Duration(int)>& pause) {
    for (int retries = 0;; ++retries) {
      watch.head();
      run_for(pause(retries));
      watch.data(internal_error());
      run();
      auto call = transport->take_request();
      if (!call || !call->query("watch")) return retries;
      watch = *call;
    }
  }
};

TEST_F(ReflectorOptionsTest, RFL_12_ABackoffOfOnesOwn) {
  ScriptedCall watch =
      start_watching({.backoff = {.initial = 10ms, .cap = 100ms, .factor = 2, .jitter = 0}});
  const TimePoint begun = executor->clock()->now();
  for (int i = 0; i < 5; ++i) {
    watch.reset();
    run();
    while (transport->waiting() == 0) run_for(1ms);
    watch = next_watch();
  }
  const Duration waited = executor->clock()->now() - begun;
  EXPECT_GE(waited, 250ms);
  EXPECT_LE(waited, 300ms);
}

TEST_F(ReflectorOptionsTest, RFL_25_TheTimeOfAWatchIsAtLeastFiveMinutesAndAtMostTwiceAsMuch) {
  std::vector<double> draws = {0.0, 0.5, 0.999};
  std::size_t drawn = 0;
  runtime.random = [&] { return draws[drawn++ % draws.size()]; };
  const auto timeouts = [&](std::chrono::seconds least) {
    drawn = 0;
    ScriptedCall watch = start_watching({.min_watch_timeout = least});
    std::vector<int> seconds;
    for (int i = 0; i < 3; ++i) {
      seconds.push_back(std::stoi(watch.query("timeoutSeconds").value()));
      run_for(2s);
      watch.head().end();
      watch = next_watch();
    }
    reflector->stop();
    run();
    return seconds;
  };
  EXPECT_THAT(timeouts(0s), ElementsAre(300, 450, 599));
  EXPECT_THAT(timeouts(1s), ElementsAre(300, 450, 599));
  EXPECT_THAT(timeouts(30min), ElementsAre(1800, 2700, 3598));
}

TEST_F(ReflectorOptionsTest, RFL_15_InternalErrorsAreRetriedForSoLong) {
  const auto each_second = [](int) { return Duration(1s); };
  EXPECT_EQ(retries(start_watching(), each_second), 0);
  reflector->stop();
  EXPECT_EQ(retries(start_watching({.max_internal_error_retry = 30s}), each_second), 31);
  reflector->stop();
  const auto with_a_gap = [](int call) { return Duration(call == 9 ? 60s : 1s); };
  EXPECT_EQ(retries(start_watching({.max_internal_error_retry = 30s}), with_a_gap), 40);
  EXPECT_THAT(target.errors, IsEmpty());
}

TEST_F(ReflectorOptionsTest, RFL_16_AFailedResyncEndsTheCycleUnreported) {
  target.period = 10s;
  ScriptedCall watch = start_watching();
  watch.head();
  run_for(10s);
  target.fail_resync = Error(ErrorCode::Internal, "no");
  run_for(10s);
  EXPECT_THAT(target.take(), ElementsAre("resync", "resync"));
  EXPECT_TRUE(watch.cancelled());
  EXPECT_THAT(target.errors, IsEmpty());
  EXPECT_THAT(reflector->progress().last_error.value().to_string(), HasSubstr("resync pods"));
  run_for(60s);
  EXPECT_THAT(target.take(), IsEmpty()) << "the next cycle lists first";
  EXPECT_EQ(next_list().query("resourceVersion"), "10");
}

TEST_F(ReflectorOptionsTest, RFL_27_AnItemOfAPageIsFreedThoughAnotherOneIsStored) {
  static std::vector<std::string> freed;
  freed.clear();
  static const CellType counted{
      [](Encoding, std::string_view body) -> Result<void*> {
        return static_cast<void*>(new std::string(body));
      },
      [](void* object) {
        const std::unique_ptr<std::string> owned(static_cast<std::string*>(object));
        freed.push_back(owned->find("gone") == std::string::npos ? "kept" : "gone");
      },
      sizeof(std::string)};
  type = &counted;
  target.keeps = true;
  start({.storage = StoragePolicy::Decoded, .page_size = 2});
  next_list().respond(
      200, list_text({object_text("x/kept", "5"), object_text("x/gone", "5")}, "10", "next"));
  next_list().respond(200, list_text({object_text("x/kept-too", "5")}, "10"));
  run();
  ASSERT_EQ(target.replaced.size(), 3U);
  EXPECT_THAT(freed, IsEmpty());
  target.replaced.erase(target.replaced.begin() + 1);
  EXPECT_THAT(freed, ElementsAre("gone"));
  target.replaced.clear();
}

TEST_F(ReflectorOptionsTest, RFL_30_TablesAreRefusedWhereAnyKindIsTaken) {
  const auto table = [](std::string_view api_version, std::string_view name) {
    return R"({"kind":"Table","apiVersion":")" + std::string(api_version) +
           R"(","metadata":{"resourceVersion":"11","name":")" + std::string(name) +
           R"("},"columnDefinitions":[],"rows":[]})";
  };
  const auto watch_tables = [&] {
    ScriptedCall watch = start_watching();
    watch.data(event_text("ADDED", table("meta.k8s.io/v1", "a")) +
               event_text("ADDED", table("meta.k8s.io/v1beta1", "b")) +
               event_text("ADDED", table("furniture.example.com/v1", "c")));
    run();
    reflector->stop();
    std::vector<std::string> seen;
    for (const std::string& line : target.take())
      if (!line.starts_with("incomplete")) seen.push_back(line);
    return seen;
  };
  EXPECT_THAT(watch_tables(),
              ElementsAre(HasSubstr("found a Table of meta.k8s.io/v1,"),
                          HasSubstr("found a Table of meta.k8s.io/v1beta1,"), "add c@11"));
  static const CellType typed{
      testing::text_type().decode, testing::text_type().destroy, sizeof(std::string),
      []() -> const meta::TypeDescriptor& { return core::v1::Pod::descriptor(); }};
  type = &typed;
  EXPECT_THAT(watch_tables(), ElementsAre("add a@11", "add b@11", "add c@11"));
}

// ---- metrics

/// "name{label}" -> the values that were reported, in order.
class Values final : public metrics::Provider {
 public:
  std::shared_ptr<metrics::CounterImpl> counter(std::string_view name,
                                                const metrics::Labels& labels) override {
    return std::make_shared<Series>(values[key(name, labels)]);
  }
  std::shared_ptr<metrics::GaugeImpl> gauge(std::string_view name,
                                            const metrics::Labels& labels) override {
    return std::make_shared<Series>(values[key(name, labels)]);
  }
  std::shared_ptr<metrics::HistogramImpl> histogram(std::string_view name,
                                                    const metrics::Labels& labels) override {
    return std::make_shared<Series>(values[key(name, labels)]);
  }
  std::map<std::string, std::vector<double>> values;

 private:
  struct Series final : metrics::CounterImpl, metrics::GaugeImpl, metrics::HistogramImpl {
    explicit Series(std::vector<double>& values_in) : values(values_in) {}
    void add(double amount) override { values.push_back(amount); }
    void set(double value) override {
      if (values.empty() || values.back() != value) values.push_back(value);
    }
    void observe(double value) override { values.push_back(value); }
    std::vector<double>& values;
  };
  static std::string key(std::string_view name, const metrics::Labels& labels) {
    if (!name.starts_with("reflector_")) return {};
    EXPECT_EQ(labels.size(), 1U);
    EXPECT_EQ(labels.front().first, "name");
    return std::string(name) + " of " + labels.front().second;
  }
};

TEST_F(ReflectorOptionsTest, CountsUnderTheNamesOfClientGo) {
  const auto values = std::make_shared<Values>();
  runtime.metrics = values;
  start({.name = "pods"});
  ScriptedCall list = next_list();
  run_for(2s);
  list.respond(200, list_text({object_text("x/a", "5"), object_text("x/b", "6")}, "10"));
  ScriptedCall watch = next_watch();
  watch.head().data(added("x/c", "11"));
  run_for(4s);
  watch.end();
  watch = next_watch();
  watch.head();
  run();
  watch.end();  // a very short one
  run();
  values->values.erase("");  // those of the client
  EXPECT_THAT(values->values,
              UnorderedElementsAre(
                  Pair("reflector_lists_total of pods", ElementsAre(1)),
                  Pair("reflector_list_duration_seconds of pods", ElementsAre(2)),
                  Pair("reflector_items_per_list of pods", ElementsAre(2)),
                  Pair("reflector_watches_total of pods", ElementsAre(1, 1)),
                  Pair("reflector_short_watches_total of pods", ElementsAre(1)),
                  Pair("reflector_watch_duration_seconds of pods", ElementsAre(4, 0)),
                  Pair("reflector_items_per_watch of pods", ElementsAre(1, 0)),
                  Pair("reflector_last_resource_version of pods", ElementsAre(0, 10, 11))));
}

}  // namespace
}  // namespace kube::cache
