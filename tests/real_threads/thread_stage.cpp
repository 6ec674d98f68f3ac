// SPDX-License-Identifier: Apache-2.0
#include "thread_stage.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include <kube/testing/eventually.hpp>

#include "hurry.hpp"

namespace real_threads {
namespace {

using kube::Client;
using kube::Duration;
using kube::TimePoint;
using kube::apiserver::ApiServer;
using kube::apiserver::StoreWrite;
using kube::testing::Journal;
using kube::testing::SimulationOptions;
using kube::testing::Stage;
using kube::testing::Truth;
using std::chrono::milliseconds;
using std::chrono::seconds;

// The pauses of a scenario are for simulated time; here they only have to let threads meet.
constexpr Duration kLongestPause = seconds(4);
constexpr milliseconds kBetweenLooks{100};
// Of a run of a few minutes: a loop without a pause sends thousands.
constexpr std::uint64_t kManyRequests = 1500;

std::size_t entries_of(const char* folder) {
  std::size_t count = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

/// The threads and descriptors of the process.
struct Held {
  std::size_t threads = entries_of("/proc/self/task");
  std::size_t descriptors = entries_of("/proc/self/fd");
};

/// The writes to the server, as its threads report them.
class Writes {
 public:
  void add(const StoreWrite& write) {
    const std::lock_guard lock(mutex_);
    writes_.push_back(write);
    versions_.insert(std::to_string(write.resource_version));
    changed_.notify_all();
  }
  std::vector<StoreWrite> from(std::size_t position) const {
    const std::lock_guard lock(mutex_);
    return {writes_.begin() + static_cast<std::ptrdiff_t>(position), writes_.end()};
  }
  void await(const std::string& version) const {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kube::testing::kPatience, [&] { return versions_.contains(version); });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<StoreWrite> writes_;
  std::set<std::string> versions_;
};

class ThreadStage final : public Stage {
 public:
  ThreadStage(const SimulationOptions& options, Journal& journal, Truth& truth, const Fault& fault,
              int pace, Tally& tally)
      : journal_(journal),
        fault_(fault),
        tally_(tally),
        clock_(std::make_shared<HurriedClock>(pace)),
        as_clock_(clock_),
        stirs_(options.seed, 11) {
    journal.set_clock(as_clock_);
    truth.set_lies(fault.lies);
    executor_ = pool("kube", 8);
    handlers_ = pool("kube-handler", 2);
    make_server();
    Chance chance{Random(options.seed, 12),
                  [clock = clock_](milliseconds time) { return clock->real(time); }};
    front_.emplace(server_->port(), fault.fates ? fault.fates(std::move(chance)) : Fates());
    make_client(options);
  }

  const Client& client() const override { return *client_; }
  const std::shared_ptr<kube::Clock>& clock() const override { return as_clock_; }
  ApiServer& server() override { return *server_; }
  bool takes_turns() const override { return false; }
  Patience patience() const override {
    return {kube::testing::kPatience * clock_->pace(), milliseconds(500), seconds(15)};
  }

  void begin(std::function<void()> look) override {
    look_ = std::move(look);
    if (fault_.fates) front_->set_faulty(true);
  }
  void calm() override {
    if (calm_.exchange(true)) return;
    front_->set_faulty(false);
    front_->come_back();
    if (fault_.held_back) front_->cut();
  }
  Duration longest_pause() const override { return calm_ ? Duration::max() : kLongestPause; }
  void wait_until(TimePoint end, const std::function<bool()>& done) override;
  std::function<void()> run(std::function<void()> code) override {
    auto thread = std::make_shared<std::thread>(std::move(code));
    return [thread] {
      if (thread->joinable()) thread->join();
    };
  }

  std::vector<StoreWrite> writes(std::size_t from) const override { return writes_.from(from); }
  void await_write(const std::string& version) const override { writes_.await(version); }
  std::uint64_t oldest_version() const override {
    return fault_.stale ? 0 : server_->resource_version();
  }
  void delay_handler() override {
    if (calm_) return;
    if (auto dice = journal_.happens(60, "a slow handler")) {
      clock_->sleep_for(milliseconds(dice->below(1000)), {});
    }
  }

  void end() override;
  std::size_t steps() const override { return looks_; }

 private:
  std::shared_ptr<kube::ThreadPool> pool(std::string name, std::size_t threads) const {
    return std::make_shared<kube::ThreadPool>(
        kube::ThreadPool::Options{.threads = threads, .name = std::move(name), .clock = as_clock_});
  }
  void make_server();
  void make_client(const SimulationOptions& options);
  void stir();
  void check_what_is_left(const std::weak_ptr<kube::transport::RoundTripper>& transport);

  const Held before_;
  Journal& journal_;
  const Fault& fault_;
  Tally& tally_;
  const std::shared_ptr<HurriedClock> clock_;
  const std::shared_ptr<kube::Clock> as_clock_;
  Random stirs_;
  Writes writes_;
  std::function<void()> look_;
  std::size_t looks_ = 0;
  std::atomic<bool> calm_ = false;
  TimePoint next_stir_{};
  std::shared_ptr<kube::ThreadPool> executor_;
  std::shared_ptr<kube::ThreadPool> handlers_;
  std::weak_ptr<kube::transport::RoundTripper> transport_;
  std::unique_ptr<ApiServer> server_;
  std::optional<faulty_front::FaultyFront> front_;
  std::optional<Client> client_;
};

void ThreadStage::make_server() {
  ApiServer::Options options;
  options.initial_revision = 100;
  options.bookmark_period = seconds(2);
  options.runtime.executor = executor_;
  options.on_write = [this](const StoreWrite& write) { writes_.add(write); };
  auto started = ApiServer::start(std::move(options));
  if (!started) throw std::runtime_error(started.error().to_string());
  server_ = *std::move(started);
}

void ThreadStage::make_client(const SimulationOptions& options) {
  kube::Runtime runtime;
  runtime.executor = executor_;
  runtime.handlers = handlers_;
  if (options.trace) runtime.logger = std::make_shared<kube::testing::JournalLogger>(journal_);
  kube::rest::Config config;
  config.host = front_->url();
  kube::ClientOptions client_options;
  client_options.runtime = runtime;
  client_options.transport = kube::transport::CurlTransport::create({.clock = as_clock_}).value();
  transport_ = client_options.transport;
  auto made = Client::create(config, client_options);
  if (!made) throw std::runtime_error(made.error().to_string());
  client_.emplace(*std::move(made));
}

void ThreadStage::wait_until(TimePoint end, const std::function<bool()>& done) {
  for (;;) {
    ++looks_;
    look_();
    stir();
    const TimePoint now = clock_->now();
    if (done() || now >= end) return;
    clock_->sleep_until(std::min(end, now + kBetweenLooks), {});
  }
}

void ThreadStage::stir() {
  if (calm_ || !fault_.stir || clock_->now() < next_stir_) return;
  next_stir_ = clock_->now() + seconds(1);
  Surroundings at{*front_, *server_, stirs_};
  if (fault_.stir(at)) ++tally_.injected;
}

void ThreadStage::end() {
  client_.reset();
  for (const auto& [name, count] : front_->counts()) {
    if (name == fault_.name) tally_.injected += count;
  }
  tally_.requests = front_->requests();
  if (tally_.requests > kManyRequests) {
    journal_.fail("no loop without a pause", std::to_string(tally_.requests) + " requests");
  }
  const bool freed = kube::testing::eventually([&] { return transport_.expired(); });
  if (!freed) journal_.fail("nothing leaks", "the transport is still used");
  front_.reset();
  server_.reset();
  // A task that ends may hold its executor a little longer.
  const bool unused = kube::testing::eventually(
      [&] { return executor_.use_count() == 1 && handlers_.use_count() == 1; });
  if (!unused) journal_.fail("nothing leaks", "an executor is still used");
  executor_.reset();
  handlers_.reset();
  if (journal_.broken()) return;
  const bool as_before = kube::testing::eventually([&] {
    const Held now;
    return now.threads <= before_.threads && now.descriptors <= before_.descriptors;
  });
  if (as_before) return;
  const Held now;
  journal_.fail("nothing is left", std::to_string(before_.threads) + " threads became " +
                                       std::to_string(now.threads) + ", " +
                                       std::to_string(before_.descriptors) + " descriptors " +
                                       std::to_string(now.descriptors));
}

}  // namespace

kube::testing::StageMaker thread_stage(const Fault& fault, int pace, Tally& tally) {
  return {[&fault, pace, &tally](const SimulationOptions& options, Journal& journal, Truth& truth) {
    return std::make_unique<ThreadStage>(options, journal, truth, fault, pace, tally);
  }};
}

}  // namespace real_threads
