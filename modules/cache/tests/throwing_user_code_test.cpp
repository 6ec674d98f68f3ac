// SPDX-License-Identifier: Apache-2.0
//
// What user code throws stops no informer: sources, loggers, metrics, executors, randomness. What
// transforms and index functions throw is in shared_informer_test.cpp, what handlers do in
// handler_test.cpp.
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/cache/lister_watcher.hpp>

#include "informer_fixture.hpp"
#include "reflector_fixture.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using testing::bookmark_text;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list_text;
using testing::object_text;
using testing::pods;
using testing::Recorder;
using testing::ScriptedCall;

/// Throws where it is told to, or does what another does.
class ThrowingSource final : public ListerWatcher {
 public:
  explicit ThrowingSource(std::shared_ptr<ListerWatcher> real) : real_(std::move(real)) {}
  std::shared_ptr<transport::Exchange> list(const ListOptions& options,
                                            std::chrono::milliseconds idle,
                                            std::shared_ptr<transport::ResponseHandler> handler,
                                            std::stop_token stop) override {
    may_throw("list");
    return real_->list(options, idle, std::move(handler), std::move(stop));
  }
  std::shared_ptr<transport::Exchange> watch(const ListOptions& options,
                                             std::chrono::milliseconds idle,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) override {
    may_throw("watch");
    auto exchange = real_->watch(options, idle, std::move(handler), std::move(stop));
    may_throw("watch, having begun it");
    return exchange;
  }
  bool note_response(const Error& refusal) override {
    may_throw("note_response");
    return real_->note_response(refusal);
  }
  std::string to_string() const override {
    may_throw("to_string");
    return real_->to_string();
  }
  std::string throws;

 private:
  void may_throw(const std::string& function) const {
    if (function == throws) throw std::runtime_error("no credentials yet");
  }
  const std::shared_ptr<ListerWatcher> real_;
};

class ThrowingUserCode : public testing::InformerFixture {
 protected:
  void make_with_source(InformerOptions options = {.watch_list = false}) {
    source = std::make_shared<ThrowingSource>(rest_lister_watcher(client(), pods(), "", "", ""));
    informer = std::make_unique<Informer>(runtime, source, pods(), options);
    ASSERT_TRUE(informer->set_watch_error_handler(
        [this](const Error& error) { errors.push_back(error.to_string()); }));
  }
  std::shared_ptr<ThrowingSource> source;
  std::vector<std::string> errors;
};

TEST_F(ThrowingUserCode, ASourceThatThrowsAtAListHasFailedIt) {
  make_with_source();
  source->throws = "list";
  ASSERT_TRUE(informer->start());
  run();
  EXPECT_EQ(informer->status().state, InformerState::BackingOff);
  ASSERT_TRUE(informer->status().last_error);
  EXPECT_EQ(informer->status().last_error.value().code(), ErrorCode::Internal);
  EXPECT_THAT(errors, ElementsAre("list pods in all namespaces: the source threw: "
                                  "no credentials yet"));
  source->throws = "";
  expect_pause(800ms);
  next_list().respond(200, list_text({object_text("x/a", "5")}, "10"));
  next_watch();
  EXPECT_TRUE(informer->has_synced());
  EXPECT_FALSE(informer->status().last_error);
}

TEST_F(ThrowingUserCode, ASourceThatThrowsAtAWatchHasFailedIt) {
  for (const char* where : {"watch", "watch, having begun it"}) {
    errors.clear();
    make_with_source();
    source->throws = where;
    ASSERT_TRUE(informer->start());
    next_list().respond(200, list_text({object_text("x/a", "5")}, "10"));
    run();
    EXPECT_EQ(informer->status().state, InformerState::BackingOff);
    EXPECT_THAT(errors, ElementsAre("watch pods in all namespaces: the source threw: "
                                    "no credentials yet"));
    while (transport->take_request()) {
    }
    source->throws = "";
    expect_pause(800ms);
    next_list().respond(200, list_text({object_text("x/a", "5")}, "11"));
    next_watch().data(added("x/b", "12"));
    run();
    EXPECT_EQ(informer->status().objects, 2U);
    informer->stop_and_wait();
    run();
    transport->take_request();
  }
}

TEST_F(ThrowingUserCode, ASourceThatThrowsAtAStreamedStateIsListed) {
  make_with_source({.watch_list = true});
  source->throws = "watch";
  ASSERT_TRUE(informer->start());
  ScriptedCall list = next_list();
  ASSERT_TRUE(informer->status().last_error);
  EXPECT_THAT(informer->status().last_error.value().to_string(), HasSubstr("the source threw"));
  source->throws = "";
  list.respond(200, list_text({object_text("x/a", "5")}, "10"));
  next_watch().head();
  run_for(10min);
  EXPECT_TRUE(informer->has_synced());
  EXPECT_THAT(errors, IsEmpty());
}

TEST_F(ThrowingUserCode, ASourceThatThrowsWhenItIsToLearnHasLearnedNothing) {
  make_with_source();
  source->throws = "note_response";
  ASSERT_TRUE(informer->start());
  next_list().refuse();
  run();
  EXPECT_EQ(errors.size(), 1U);
  expect_pause(800ms);
  next_list();
}

TEST_F(ThrowingUserCode, ASourceThatCanNotSayItsNameWorks) {
  make_with_source();
  source->throws = "to_string";
  ASSERT_TRUE(informer->start());
  next_list().respond(200, "nonsense");
  run();
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors[0], HasSubstr("list a source without a name: "));
  run_for(800ms);
  next_list().respond(200, list_text({object_text("x/a", "5")}, "10"));
  next_watch();
  EXPECT_TRUE(informer->has_synced());
}

TEST_F(ThrowingUserCode, LoggersThatThrowStopNeitherInformerNorHandler) {
  struct Throwing final : Logger {
    bool enabled(LogLevel, std::string_view) const override { return true; }
    void write(const LogRecord& record) override {
      messages.emplace_back(record.message);
      throw std::runtime_error("disk full");
    }
    std::vector<std::string> messages;
  };
  const auto logger = std::make_shared<Throwing>();
  runtime.logger = logger;
  make();
  int calls = 0;
  const auto registration =
      informer->add_event_handler({.on_add = [&](const Cached<Unstructured>&, bool) {
        if (++calls == 1) throw std::runtime_error("surprise");
      }});
  bool told = false;
  informer->on_synced([&] { told = true; });
  ScriptedCall watch = start();
  EXPECT_TRUE(registration.has_synced());
  EXPECT_TRUE(told);
  watch.data(added("x/b", "11"));
  run_for(2s);
  EXPECT_EQ(calls, 2);
  watch.reset();
  next_watch().data(added("x/c", "13"));
  run();
  EXPECT_EQ(calls, 3);
  for (const char* message : {"synced", "event handler threw", "watch broke off"}) {
    EXPECT_THAT(logger->messages, ::testing::Contains(message));
  }
}

TEST_F(ThrowingUserCode, MetricsThatThrowStopNothing) {
  struct Throwing final : metrics::Provider,
                          metrics::CounterImpl,
                          metrics::GaugeImpl,
                          metrics::HistogramImpl {
    std::shared_ptr<metrics::CounterImpl> counter(std::string_view,
                                                  const metrics::Labels&) override {
      return {std::shared_ptr<void>(), this};
    }
    std::shared_ptr<metrics::GaugeImpl> gauge(std::string_view, const metrics::Labels&) override {
      return {std::shared_ptr<void>(), this};
    }
    std::shared_ptr<metrics::HistogramImpl> histogram(std::string_view,
                                                      const metrics::Labels&) override {
      return {std::shared_ptr<void>(), this};
    }
    void add(double) override { throw 1; }
    void set(double) override { throw 2; }
    void observe(double) override { throw 3; }
  };
  runtime.metrics = std::make_shared<Throwing>();
  make();
  Recorder recorder;
  const auto registration = add(recorder);
  ScriptedCall watch = start();
  watch.data(added("x/b", "11"));
  run();
  EXPECT_THAT(recorder.log, ElementsAre("*add x/a@5", "add x/b@11"));
}

/// Refuses tasks; timers too, when it is told to.
struct ThrowingExecutor final : Executor {
  explicit ThrowingExecutor(std::shared_ptr<Executor> to) : below(std::move(to)) {}
  void submit(Task task) override {
    if (throws) throw std::runtime_error("no threads left");
    below->submit(std::move(task));
  }
  Timer submit_at(TimePoint when, Task task) override {
    if (throws_at_timers) throw std::runtime_error("no timers left");
    return below->submit_at(when, std::move(task));
  }
  const std::shared_ptr<Clock>& clock() const override { return below->clock(); }
  std::shared_ptr<Executor> below;
  bool throws = true;
  bool throws_at_timers = false;
};

TEST_F(ThrowingUserCode, AnExecutorThatThrowsStopsAHandlerUntilTheNextEventAtMost) {
  const auto handlers = std::make_shared<ThrowingExecutor>(executor);
  runtime.handlers = handlers;
  make();
  Recorder recorder;
  const auto registration = add(recorder);
  ScriptedCall watch = start();
  EXPECT_TRUE(informer->has_synced());
  EXPECT_THAT(recorder.log, IsEmpty());
  handlers->throws = false;
  watch.data(added("x/b", "11"));
  run();
  EXPECT_THAT(recorder.take(), ElementsAre("*add x/a@5", "add x/b@11"));
  std::string many;
  for (int i = 0; i < 200; ++i) many += added("x/" + std::to_string(i), std::to_string(20 + i));
  watch.data(many);
  while (recorder.log.empty()) ASSERT_TRUE(executor->step());
  handlers->throws = true;
  run();
  EXPECT_EQ(recorder.log.size(), 200U) << "the thread that is there goes on";
}

// No event follows the refused one.
TEST_F(ThrowingUserCode, AnExecutorThatThrowsIsAskedAgainAfterASecond) {
  const auto handlers = std::make_shared<ThrowingExecutor>(executor);
  handlers->throws = false;
  runtime.handlers = handlers;
  make();
  Recorder recorder;
  auto registration = add(recorder);
  ScriptedCall watch = start();
  recorder.log.clear();
  handlers->throws = true;
  watch.data(added("x/b", "11"));
  run_for(1s - 1ms);
  EXPECT_THAT(recorder.log, IsEmpty());
  run_for(1ms);
  EXPECT_THAT(recorder.take(), ElementsAre("add x/b@11"));

  handlers->throws_at_timers = true;
  watch.data(modified("x/b", "12"));
  run_for(10s);
  EXPECT_THAT(recorder.log, IsEmpty()) << "it accepts nothing";
  handlers->throws_at_timers = false;
  watch.data(modified("x/b", "13"));
  run_for(1s);
  EXPECT_THAT(recorder.take(), ElementsAre("update x/b@11 -> x/b@12", "update x/b@12 -> x/b@13"));

  watch.data(modified("x/b", "14"));
  run();
  registration.unregister();
  run_for(1s);
  EXPECT_THAT(recorder.log, IsEmpty()) << "unregistered meanwhile";
}

TEST_F(ThrowingUserCode, JitterGoesOnWithoutRandomnessThatThrows) {
  runtime.random = []() -> double { throw std::runtime_error("no entropy"); };
  make();
  ASSERT_TRUE(informer->start());
  next_list().refuse();
  run_for(2s);
  next_list().respond(200, list_text({}, "10"));
  EXPECT_EQ(next_watch().query("timeoutSeconds"), "450");
}

class ThrowingTarget : public testing::ReflectorFixture {};

TEST_F(ThrowingTarget, AStepThatThrowsFailsTheCycle) {
  ScriptedCall watch = start_watching();
  target.on_flush = [] { throw std::runtime_error("out of memory"); };
  watch.data(bookmark_text("11"));
  run();
  EXPECT_TRUE(watch.cancelled());
  EXPECT_EQ(reflector->progress().state, InformerState::BackingOff);
  ASSERT_EQ(target.errors.size(), 1U);
  EXPECT_EQ(target.errors[0].to_string(),
            "pods in all namespaces: the reflector threw: out of memory");
  target.on_flush = nullptr;
  expect_pause(800ms);
  EXPECT_EQ(next_list().query("resourceVersion"), "11");
}

}  // namespace
}  // namespace kube::cache
