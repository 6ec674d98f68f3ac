// SPDX-License-Identifier: Apache-2.0
//
// Informers on a real pool: who waits for whom, who is called when, and that nothing races.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <latch>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <kube/base/executor.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/cache/shared_informer_factory.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/fake_clock.hpp>
#include <kube/testing/scripted_transport.hpp>

#include "scripted_run.hpp"

namespace kube::cache {
namespace {

using kube::testing::eventually;
using kube::testing::ScriptedCall;
using kube::testing::ScriptedTransport;
using testing::event_text;
using testing::list_text;
using testing::object_text;

class InformerThreads : public ::testing::Test {
 protected:
  InformerThreads() {
    transport->on("GET", "/api/v1/pods", [this](ScriptedCall call) {
      if (call.query("watch")) {
        const MutexLock lock(mutex);
        watches.push_back(std::move(call));
        return;
      }
      std::vector<std::string> items;
      for (int i = 0; i < listed; ++i) items.push_back(object_text("x/" + std::to_string(i), "5"));
      call.respond(200, list_text(items, "10"));
    });
  }
  ~InformerThreads() override { pool->stop(); }

  RestClient client() const {
    rest::Config config;
    config.host = "http://server";
    return RestClient::create(config, Runtime{.executor = pool}, transport).value();
  }
  /// Sends an event to every watch. The calling thread plays the transport's.
  void send(const std::string& event) {
    std::vector<ScriptedCall> calls;
    {
      const MutexLock lock(mutex);
      calls = watches;
    }
    for (ScriptedCall& call : calls) call.data(event);
  }
  void modify(const std::string& key, int version) {
    send(event_text("MODIFIED", object_text(key, std::to_string(version))));
  }
  void await_watches(std::size_t count) {
    ASSERT_TRUE(eventually([&] {
      const MutexLock lock(mutex);
      return watches.size() >= count;
    })) << "no watch was opened";
  }

  int listed = 3;
  std::shared_ptr<ThreadPool> pool =
      std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 3});
  std::shared_ptr<ScriptedTransport> transport = std::make_shared<ScriptedTransport>();
  Mutex mutex;
  std::vector<ScriptedCall> watches KUBE_GUARDED_BY(mutex);
};

std::size_t threads_of_this_process() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    ++count;
  return count;
}

TEST_F(InformerThreads, INF_20_AShutDownLeavesNoThreadBehind) {
  const std::size_t before = threads_of_this_process();
  {
    const auto own = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 2});
    const Runtime runtime{.executor = own, .handlers = own};
    const RestClient client =
        RestClient::create({.host = "http://server"}, runtime, transport).value();
    std::atomic<int> calls{0};
    const ResourceEventHandler<Unstructured> handler{.on_add = [&](const auto&, bool) { ++calls; }};
    SharedInformer<Unstructured> early(client, testing::pods(), {.watch_list = false});
    const auto before_start = early.add_event_handler(handler);
    ASSERT_TRUE(early.start());
    ASSERT_TRUE(early.wait_for_sync({}));

    SharedInformer<Unstructured> late(client, testing::pods(), {.watch_list = false});
    ASSERT_TRUE(late.start());
    ASSERT_TRUE(late.wait_for_sync({}));
    auto after_sync = late.add_event_handler(handler);
    ASSERT_TRUE(after_sync.wait_for_sync({}));
    after_sync.unregister();

    SharedInformer<Unstructured> never(client, testing::pods(), {.watch_list = false});
    const auto unused = never.add_event_handler(handler);
    ASSERT_TRUE(before_start.wait_for_sync({}));
    EXPECT_EQ(calls, 2 * listed);
    EXPECT_EQ(threads_of_this_process(), before + 2) << "those of the pool";
    early.stop_and_wait();
    late.stop_and_wait();
    never.stop_and_wait();
    own->stop();
  }
  // The system may still list a thread that has been joined.
  EXPECT_TRUE(eventually([&] { return threads_of_this_process() == before; }));
}

TEST_F(InformerThreads, FiftyInformersUseNoMoreThreadsThanOne) {
  SharedInformer<Unstructured> one(client(), testing::pods(), {.watch_list = false});
  ASSERT_TRUE(one.start());
  ASSERT_TRUE(one.wait_for_sync({}));
  const std::size_t threads = threads_of_this_process();

  std::vector<std::unique_ptr<SharedInformer<Unstructured>>> fifty;
  std::vector<HandlerRegistration> registrations;
  std::atomic<int> told{0};
  for (int i = 0; i < 50; ++i) {
    auto& informer = fifty.emplace_back(std::make_unique<SharedInformer<Unstructured>>(
        client(), testing::pods(), InformerOptions{.watch_list = false}));
    for (int h = 0; h < 2; ++h) {
      registrations.push_back(
          informer->add_event_handler({.on_add = [&](const auto&, bool) { ++told; }}));
    }
    ASSERT_TRUE(informer->start());
  }
  for (const auto& informer : fifty) ASSERT_TRUE(informer->wait_for_sync({}));
  for (const auto& registration : registrations) ASSERT_TRUE(registration.wait_for_sync({}));
  EXPECT_EQ(told, 50 * 2 * 3);
  EXPECT_EQ(threads_of_this_process(), threads);
}

// [I2]
TEST_F(InformerThreads, INF_28_ABlockedHandlerHoldsUpNeitherTheStoreNorOtherHandlers) {
  SharedInformer<Unstructured> informer(client(), testing::pods(), {.watch_list = false});
  std::binary_semaphore release{0};
  std::latch blocked{1};
  constexpr int kLast = 1010;
  std::latch seen{kLast - 9};  // an add, and an update for each version from 11 on
  const auto slow = informer.add_event_handler({.on_add = [&](const auto&, bool) {
    blocked.count_down();
    release.acquire();
    release.release();
  }});
  const auto quick = informer.add_event_handler(
      {.on_add = [&](const auto&, bool) { seen.count_down(); },
       .on_update = [&](const auto&, const auto&) { seen.count_down(); }});
  listed = 1;
  ASSERT_TRUE(informer.start());
  blocked.wait();
  await_watches(1);
  for (int version = 11; version <= kLast; ++version) modify("x/0", version);
  seen.wait();
  const auto stored = informer.lister().find("x/0");
  EXPECT_EQ(stored.resource_version(), std::to_string(kLast));
  EXPECT_GT(slow.status().pending, 0U);
  EXPECT_FALSE(slow.has_synced());
  EXPECT_TRUE(quick.wait_for_sync({}));
  release.release();
  EXPECT_TRUE(slow.wait_for_sync({}));
}

TEST_F(InformerThreads,
       INF_22_INF_23_INF_24_UnregisterDoesNotWaitForACallUnderWayAndTheOtherFormDoes) {
  listed = 1;
  for (const bool late : {false, true}) {
    SharedInformer<Unstructured> informer(client(), testing::pods(), {.watch_list = false});
    if (late) {
      ASSERT_TRUE(informer.start());
      ASSERT_TRUE(informer.wait_for_sync({}));
    }
    std::binary_semaphore release{0};
    std::latch blocked{1};
    std::atomic<bool> returned{false};
    auto registration = informer.add_event_handler({.on_add = [&](const auto&, bool) {
      blocked.count_down();
      release.acquire();
      returned = true;
    }});
    if (!late) {
      ASSERT_TRUE(informer.start());
    }
    blocked.wait();
    registration.unregister();
    EXPECT_FALSE(returned);
    std::jthread opener([&] { release.release(); });
    registration.unregister_and_wait();
    EXPECT_TRUE(returned);
  }
}

TEST_F(InformerThreads, TheRegistrationsDestructorWaitsForTheCallUnderWay) {
  SharedInformer<Unstructured> informer(client(), testing::pods(), {.watch_list = false});
  listed = 1;
  for (int round = 0; round < 20; ++round) {
    std::latch inside{1};
    std::atomic<bool> returned{false};
    {
      const auto registration = informer.add_event_handler({.on_add = [&](const auto&, bool) {
        inside.count_down();
        std::this_thread::yield();
        returned = true;
      }});
      if (round == 0) {
        ASSERT_TRUE(informer.start());
      }
      inside.wait();
    }
    EXPECT_TRUE(returned);
  }
}

TEST_F(InformerThreads, BlockedHandlersOfAClientHoldUpNoCache) {
  rest::Config config;
  config.host = "http://server";
  const auto shared = RestClient::create(
      config, Runtime{.executor = pool, .handlers = std::make_shared<ThreadPool>()}, transport);
  SharedInformer<Unstructured> informer(*shared, testing::pods(), {.watch_list = false});
  std::binary_semaphore release{0};
  std::latch blocked{2};
  const auto block = [&](const auto&, bool) {
    blocked.count_down();
    release.acquire();
    release.release();
  };
  listed = 1;
  const auto first = informer.add_event_handler({.on_add = block});
  const auto second = informer.add_event_handler({.on_add = block});
  ASSERT_TRUE(informer.start());
  blocked.wait();  // as many as there are threads for handlers
  SharedInformer<Unstructured> other(*shared, testing::pods(), {.watch_list = false});
  ASSERT_TRUE(other.start());
  EXPECT_TRUE(other.wait_for_sync({}));
  await_watches(2);
  modify("x/0", 11);
  EXPECT_TRUE(eventually([&] { return informer.last_sync_resource_version() == "11"; }))
      << "the update was not stored";
  const auto stored = informer.lister().find("x/0");
  EXPECT_EQ(stored.resource_version(), "11");
  release.release();
}

TEST_F(InformerThreads, FAC_05_EveryShutdownWaitsForWhatRuns) {
  listed = 1;
  for (int round = 0; round < 10; ++round) {
    SharedInformerFactory factory{client(), {.watch_list = false}};
    const auto informer = factory.for_resource(testing::pods());
    std::latch inside{1};
    std::binary_semaphore release{0};
    std::atomic<bool> returned{false};
    const auto registration = informer->add_event_handler({.on_add = [&](const auto&, bool) {
      inside.count_down();
      release.acquire();
      returned = true;
    }});
    factory.start();
    inside.wait();
    std::atomic<int> calling{0};
    std::atomic<int> too_early{0};
    {
      std::vector<std::jthread> stoppers;
      for (int i = 0; i < 3; ++i) {
        stoppers.emplace_back([&] {
          ++calling;
          factory.shutdown();
          if (!returned) ++too_early;
        });
      }
      EXPECT_TRUE(eventually([&] { return calling == 3; }));
      EXPECT_TRUE(eventually([&] { return informer->status().state == InformerState::Stopped; }));
      for (int i = 0; i < 50; ++i) std::this_thread::yield();  // for those who'd return
      release.release();
    }
    EXPECT_EQ(too_early, 0);
    factory.shutdown();  // at once
  }
}

// On one thread, where the handler's calls take time.
TEST_F(InformerThreads, ASlowHandlerGivesItsThreadBackBetweenItsCalls) {
  const auto clock = std::make_shared<kube::testing::FakeClock>();
  const auto one_thread =
      std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 1, .clock = clock});
  rest::Config config;
  config.host = "http://server";
  const auto alone = RestClient::create(config, Runtime{.executor = one_thread}, transport);
  listed = 150;  // more than are delivered at once
  SharedInformer<Unstructured> informer(*alone, testing::pods(), {.watch_list = false});
  std::vector<std::string> order;  // one thread
  std::vector<std::string> keys[2];
  std::latch told{300};
  const auto slow = informer.add_event_handler({.on_add = [&](const auto& object, bool) {
    clock->advance(std::chrono::milliseconds(10));
    order.emplace_back("slow");
    keys[0].emplace_back(object.key());
    told.count_down();
  }});
  const auto quick = informer.add_event_handler({.on_add = [&](const auto& object, bool) {
    order.emplace_back("quick");
    keys[1].emplace_back(object.key());
    told.count_down();
  }});
  ASSERT_TRUE(informer.start());
  told.wait();
  informer.stop_and_wait();
  ASSERT_EQ(order.size(), 300U);
  EXPECT_EQ(order[0], "slow");
  EXPECT_EQ(order[1], "quick");
  EXPECT_EQ(order.back(), "slow");
  EXPECT_EQ(keys[0], keys[1]) << "a call that was put off came out of order";
  one_thread->stop();
}

TEST_F(InformerThreads, StopAndWaitWaitsForTheCallUnderWayAndNoneStartsAfterIt) {
  listed = 100;
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> calls{0};
    std::atomic<bool> inside{false};
    auto informer = std::make_unique<SharedInformer<Unstructured>>(
        client(), testing::pods(), InformerOptions{.watch_list = false});
    const auto registration = informer->add_event_handler({.on_add = [&](const auto&, bool) {
      inside = true;
      ++calls;
      std::this_thread::yield();
      inside = false;
    }});
    ASSERT_TRUE(informer->start());
    ASSERT_TRUE(eventually([&] { return calls > 0; })) << "the handler was never called";
    informer->stop_and_wait();
    EXPECT_FALSE(inside);
    const int before = calls;
    modify("x/0", 11);
    informer.reset();
    EXPECT_EQ(calls, before);
  }
}

TEST_F(InformerThreads, INF_38_CallsOfAHandlerComeOneAtATimeAndInOrder) {
  SharedInformer<Unstructured> informer(client(), testing::pods(), {.watch_list = false});
  constexpr int kEvents = 3000;
  struct Seen {
    std::atomic<int> inside{0};
    int last = 0;  // what a race on it would break
    std::latch done{1};
  };
  std::vector<std::unique_ptr<Seen>> seen;
  std::vector<HandlerRegistration> registrations;
  for (int i = 0; i < 4; ++i) {
    Seen& s = *seen.emplace_back(std::make_unique<Seen>());
    registrations.push_back(
        informer.add_event_handler({.on_update = [&s](const auto&, const auto& object) {
          EXPECT_EQ(++s.inside, 1);
          const int version = std::stoi(std::string(object.resource_version()));
          EXPECT_GT(version, s.last);
          s.last = version;
          --s.inside;
          if (version == 10 + kEvents) s.done.count_down();
        }}));
  }
  ASSERT_TRUE(informer.start());
  await_watches(1);
  for (int version = 11; version <= 10 + kEvents; ++version) modify("x/0", version);
  for (const auto& s : seen) s->done.wait();
}

TEST_F(InformerThreads, INF_05_HandlersIndexesAndReadersComeAndGoWhileEventsFlow) {
  SharedInformer<Unstructured> informer(client(), testing::pods(), {.watch_list = false});
  listed = 50;
  std::atomic<bool> done{false};
  std::vector<std::jthread> threads;
  threads.emplace_back([&] { ASSERT_TRUE(informer.start()); });
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; !done; ++i) {
        std::atomic<int> calls{0};
        auto registration = informer.add_event_handler(
            {.on_add = [&](const auto& object, bool) { calls += object.key().empty() ? 0 : 1; },
             .on_update = [&](const auto&,
                              const auto& object) { calls += object->kind().empty() ? 0 : 1; }});
        if (i % 2 == 0) registration.wait_for_sync({});
        registration.unregister_and_wait();
        const int before = calls;
        if (i < 5) {
          EXPECT_TRUE(
              informer.add_index(std::to_string(t) + "-" + std::to_string(i), [](const auto& o) {
                return std::vector<std::string>{std::string(o.resource_version())};
              }));
        }
        EXPECT_EQ(calls, before);
      }
    });
  }
  threads.emplace_back([&] {
    while (!done) {
      for (const auto& object : informer.lister().list()) {
        EXPECT_TRUE(informer.lister().find(object.key()));
      }
      EXPECT_LE(informer.status().objects, 50U);
    }
  });
  await_watches(1);
  for (int version = 11; version < 1500; ++version) {
    modify("x/" + std::to_string(version % 50), version);
  }
  done = true;
  for (std::jthread& thread : threads) thread.join();
  informer.stop_and_wait();
  const auto after = informer.add_event_handler({});
  EXPECT_FALSE(after.wait_for_sync({}));
}

// As on a server, versions rise in the order of events.
TEST_F(InformerThreads, CTL_03_ThreeThreadsAddUpdateAndDeleteAndAllReadWhatTheyWrote) {
  SharedInformer<Unstructured> informer(client(), testing::pods(), {.watch_list = false});
  listed = 0;
  std::atomic<int> calls{0};
  const auto registration =
      informer.add_event_handler({.on_add = [&](const auto&, bool) { ++calls; },
                                  .on_update = [&](const auto&, const auto&) { ++calls; },
                                  .on_delete = [&](const auto&) { ++calls; }},
                                 {.delivery = HandlerDelivery::LatestState});
  ASSERT_TRUE(informer.start());
  await_watches(1);
  Mutex order;
  int version = 10;
  std::atomic<int> expected{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      std::vector<bool> exists(10);
      std::uint64_t random = static_cast<std::uint64_t>(t) + 1;
      for (int i = 0; i < 300; ++i) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        const std::size_t which = (random >> 33) % exists.size();
        const bool removes = exists[which] && (random >> 60) % 2 == 0;
        const char* type = removes ? "DELETED" : exists[which] ? "MODIFIED" : "ADDED";
        const std::string key = "x/" + std::to_string(t) + "-" + std::to_string(which);
        exists[which] = !removes;
        std::string written;
        {
          const MutexLock lock(order);
          written = std::to_string(++version);
          send(event_text(type, object_text(key, written)));
        }
        ASSERT_TRUE(informer.lister().wait_for(written, kube::testing::kPatience));
        const auto stored = informer.lister().find(key);
        ASSERT_EQ(stored.resource_version(), removes ? "" : written);
      }
      expected += static_cast<int>(std::count(exists.begin(), exists.end(), true));
    });
  }
  for (std::jthread& thread : threads) thread.join();
  EXPECT_EQ(informer.lister().list().size(), static_cast<std::size_t>(expected));
  informer.stop_and_wait();
  const int after = calls;
  EXPECT_GT(after, 0);
  EXPECT_EQ(calls, after);
}

TEST_F(InformerThreads, INF_08_WhatIsSetWhileItStartsIsTakenOrRefused) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> transformed{0};
    SharedInformer<Unstructured> informer(client(), testing::pods(), {.watch_list = false});
    std::latch together{3};
    bool taken = false;
    {
      const std::jthread transforming([&] {
        together.arrive_and_wait();
        const auto set = informer.set_transform([&](Unstructured object) -> Result<Unstructured> {
          ++transformed;
          return object;
        });
        taken = static_cast<bool>(set);
      });
      const std::jthread listening([&] {
        together.arrive_and_wait();
        const auto set = informer.set_watch_error_handler([](const Error&) {});
        if (!set) {
          EXPECT_EQ(set.error().code(), ErrorCode::InvalidArgument);
        }
      });
      together.arrive_and_wait();
      EXPECT_TRUE(informer.start());
    }
    ASSERT_TRUE(informer.wait_for_sync({}));
    EXPECT_EQ(transformed, taken ? listed : 0);
  }
}

TEST_F(InformerThreads, ARegistrationThatIsKeptKeepsNoThread) {
  listed = 3;
  const std::size_t threads = threads_of_this_process();
  auto own = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 2});
  auto handlers = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 2});
  const std::weak_ptr<ThreadPool> pools[] = {own, handlers};
  rest::Config config;
  config.host = "http://server";
  Runtime runtime{.executor = std::move(own), .handlers = std::move(handlers)};
  auto with_threads = std::make_unique<RestClient>(
      RestClient::create(config, std::exchange(runtime, {}), transport).value());
  auto informer = std::make_unique<SharedInformer<Unstructured>>(
      *with_threads, testing::pods(), InformerOptions{.watch_list = false});
  const auto captured = std::make_shared<int>(0);
  HandlerRegistration kept = informer->add_event_handler(
      {.on_add = [captured](const auto&, bool) { ++*captured; }}, {.name = "kept"});
  ASSERT_TRUE(informer->start());
  ASSERT_TRUE(kept.wait_for_sync({}));

  informer.reset();
  with_threads.reset();
  {
    const MutexLock lock(mutex);
    watches.clear();  // what was asked of the server is the test's
  }
  for (const auto& gone : pools) {
    EXPECT_TRUE(eventually([&] { return gone.expired(); }));
  }
  EXPECT_TRUE(eventually([&] { return threads_of_this_process() <= threads; }));
  EXPECT_EQ(captured.use_count(), 1) << "nor what the handler has captured";
  EXPECT_TRUE(kept.has_synced());
  EXPECT_TRUE(kept.wait_for_sync({}));
  EXPECT_EQ(kept.status().name, "kept");
  EXPECT_EQ(kept.status().delivered, 3U);
  EXPECT_EQ(kept.status().pending, 0U);
  kept.unregister();
  kept.unregister_and_wait();
}

TEST_F(InformerThreads, AnInformerMayGoAtAnyMoment) {
  listed = 20;
  for (int round = 0; round < 100; ++round) {
    auto informer = std::make_unique<SharedInformer<Unstructured>>(
        client(), testing::pods(), InformerOptions{.watch_list = false});
    std::atomic<int> calls{0};
    const auto registration =
        informer->add_event_handler({.on_add = [&](const auto&, bool) { ++calls; }});
    ASSERT_TRUE(informer->start());
    std::jthread stopper([&] { informer->stop(); });
    for (int i = 0; i < round % 10; ++i) std::this_thread::yield();
    stopper.join();
    informer.reset();
  }
}

}  // namespace
}  // namespace kube::cache
