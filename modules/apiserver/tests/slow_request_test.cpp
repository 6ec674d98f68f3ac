// SPDX-License-Identifier: Apache-2.0
//
// A slow request delays no other: neither by its thread nor by a lock.
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include <kube/base/executor.hpp>

#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

/// Code of the server waits in it until the test releases it.
class Barrier {
 public:
  ~Barrier() { open(); }
  void pass() {
    MutexLock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    while (!open_) changed_.wait(lock);
  }
  void open() {
    const MutexLock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  bool await(std::size_t waiting) {
    MutexLock lock(mutex_);
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (waiting_ < waiting) {
      if (changed_.wait_until(lock, deadline) == std::cv_status::timeout) return false;
    }
    return true;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::size_t waiting_ KUBE_GUARDED_BY(mutex_) = 0;
  bool open_ KUBE_GUARDED_BY(mutex_) = false;
};

class SlowRequests : public ServerTest {
 protected:
  ApiServer::Options options() const override {
    auto options = ServerTest::options();
    options.authorizer = [barrier = barrier_](const AccessRequest& access) {
      if (access.name == "slow") barrier->pass();
      return true;
    };
    return options;
  }
  /// Releases the waiting code, for which stop() would wait otherwise.
  void TearDown() override {
    barrier_->open();
    ServerTest::TearDown();
  }

  const std::shared_ptr<Barrier> barrier_ = std::make_shared<Barrier>();
};

TEST_F(SlowRequests, HoldUpNobodyOnOtherConnections) {
  const std::string slow = std::string(kConfigMaps) + "/slow";
  const std::size_t threads = ApiServer::Options().threads;
  ASSERT_GE(threads, 2U);
  WatchClient watch(port(), std::string(kConfigMaps) + "?watch=true&resourceVersion=" + revision());
  std::vector<std::future<Answer>> answers;
  for (std::size_t i = 1; i < threads; ++i) {
    answers.push_back(
        std::async(std::launch::async, [&] { return HttpClient(port()).send("GET", slow); }));
  }
  ASSERT_TRUE(barrier_->await(threads - 1));
  EXPECT_EQ(get("/healthz").body, "ok");
  make_config_map("a");
  EXPECT_EQ(names_of(get(kConfigMaps)), "a");
  EXPECT_EQ(watch.next_text(), "ADDED a");
  barrier_->open();
  for (auto& answer : answers) EXPECT_EQ(answer.get().status, 404);
}

/// The machine's clock; a thread that reads it waits at the barrier once that is armed.
class SlowClock final : public Clock {
 public:
  TimePoint now() const override { return clock_->now(); }
  WallTime wall_now() const override {
    if (armed_.exchange(false)) barrier_.pass();
    return clock_->wall_now();
  }
  WaitStatus wait_until(MutexLock& lock, CondVar& cv, TimePoint deadline, std::stop_token stop,
                        const std::function<bool()>& ready) override {
    return clock_->wait_until(lock, cv, deadline, std::move(stop), ready);
  }
  void arm() { armed_.store(true); }
  Barrier& barrier() { return barrier_; }

 private:
  std::shared_ptr<Clock> clock_ = real_clock();
  mutable std::atomic<bool> armed_{false};
  mutable Barrier barrier_;
};

TEST(SlowEncoding, HoldsNoLockThatReadersOrWritersNeed) {
  const auto clock = std::make_shared<SlowClock>();
  ApiServer::Options options;
  options.runtime.executor =
      std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 1, .clock = clock});
  const auto server = ApiServer::start(std::move(options));
  ASSERT_TRUE(server);
  const std::string path = "/api/v1/namespaces/default/configmaps";
  const auto call = [&](std::string_view method, std::string_view body) {
    return HttpClient((*server)->port()).send(method, path, body);
  };
  ASSERT_EQ(call("POST", config_map("a")).status, 201);
  // The age of an object in a table is the first value that reads the clock.
  clock->arm();
  auto table = std::async(std::launch::async, [&] {
    return HttpClient((*server)->port())
        .send("GET", path, {}, {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}});
  });
  // Whatever fails, no thread waits for ever.
  const std::shared_ptr<void> release(nullptr, [&](void*) { clock->barrier().open(); });
  ASSERT_TRUE(clock->barrier().await(1));
  EXPECT_EQ(call("POST", config_map("b")).status, 201);
  EXPECT_EQ(names_of(call("GET", {})), "a b");
  EXPECT_EQ((*server)->statistics().objects, 17U)
      << "four namespaces, a service, two priority classes, eight levels, and what is made here";
  clock->barrier().open();
  const json::Value rows = table.get().json();
  EXPECT_EQ(rows.at_path({"rows"})->if_array()->size(), 1U);
}

}  // namespace
}  // namespace kube::apiserver::test
