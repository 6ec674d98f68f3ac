// SPDX-License-Identifier: Apache-2.0
//
// The stage of the seed: the scheduler, the network, and what happens to the cluster meanwhile.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include <kube/base/thread_turns.hpp>

#include "network.hpp"
#include "scheduler.hpp"
#include "stage.hpp"

namespace kube::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// Without turns there is nothing to wait for: the run has ended.
void wait_in_turn(const std::function<bool()>& done) {
  Mutex mutex;
  MutexLock lock(mutex);
  if (ThreadTurns* const turns = ThreadTurns::of_this_thread()) turns->wait(lock, done);
}

class SimulatedStage final : public Stage {
 public:
  SimulatedStage(const SimulationOptions& options, Journal& journal, Truth& truth)
      : options_(options),
        journal_(journal),
        jitter_(options.seed, 4),
        chaos_draws_(options.seed, 5),
        scheduler_(std::make_shared<Scheduler>(
            Scheduler::Options{options.seed, options.in_order, options.max_steps})) {
    journal.set_clock(scheduler_->clock());
    make_server();
    Random weather_draws(options.seed, 6);
    const Weather weather = options.faults ? Weather::of(weather_draws) : Weather{};
    slow_handlers_ = options.faults && weather_draws.one_in(3) ? 150 : 0;
    network_ =
        std::make_shared<Network>(scheduler_, *server_, journal, truth, options.seed, weather);
    if (!options.faults) network_->calm();
    make_client();
  }

  const Client& client() const override { return *client_; }
  const std::shared_ptr<Clock>& clock() const override { return scheduler_->clock(); }
  apiserver::ApiServer& server() override { return *server_; }
  bool takes_turns() const override { return true; }
  Patience patience() const override { return {minutes(15), seconds(1), seconds(20)}; }

  void begin(std::function<void()> look) override {
    scheduler_->on_step([this, look = std::move(look)] {
      look();
      network_->look_at_frontends();
    });
    scheduler_->on_stuck([this](const std::string& why) { journal_.fail("all goes on", why); });
    scheduler_->on_dead_end([this] { journal_.write_last_words(); });
    if (options_.faults) stir();
  }
  void calm() override {
    network_->calm();
    chaos_.cancel();
  }
  void wait_until(TimePoint end, const std::function<bool()>& done) override {
    scheduler_->wait_until(end, done);
  }
  std::function<void()> run(std::function<void()> code) override {
    auto ended = std::make_shared<bool>(false);
    scheduler_->submit([code = std::move(code), ended] {
      code();
      *ended = true;
    });
    return [ended] { wait_in_turn([&ended] { return *ended; }); };
  }

  std::vector<apiserver::StoreWrite> writes(std::size_t from) const override {
    return network_->frontend().writes(from);
  }
  void await_write(const std::string& /*resource_version*/) const override {}
  std::uint64_t oldest_version() const override { return network_->oldest_version(); }
  void delay_handler() override {
    if (network_->is_calm()) return;
    if (auto dice = journal_.happens(slow_handlers_, "a slow handler")) {
      scheduler_->clock()->sleep_for(milliseconds(dice->below(4000)), {});
    }
  }

  void end() override;
  void on_threads_left(std::function<void()> stop) override { stop_threads_ = std::move(stop); }
  std::size_t steps() const override { return scheduler_->steps(); }

 private:
  bool failed() const { return journal_.broken().has_value(); }
  void end_requests();
  void end_threads();
  void check_what_is_left();
  void make_server();
  void make_client();
  void stir();
  void something_happens();

  const SimulationOptions& options_;
  Journal& journal_;
  Random jitter_;
  Random chaos_draws_;
  std::shared_ptr<Scheduler> scheduler_;
  std::unique_ptr<apiserver::ApiServer> server_;
  std::shared_ptr<Network> network_;
  std::optional<Client> client_;
  std::uint64_t slow_handlers_ = 0;
  Timer chaos_;
  std::function<void()> stop_threads_;
};

void SimulatedStage::make_server() {
  Runtime serving;
  serving.executor = scheduler_;
  apiserver::ApiServer::Options options;
  options.listens = false;
  options.initial_revision = 100;
  options.seed = options_.seed;
  options.runtime = serving;
  auto started = apiserver::ApiServer::start(std::move(options));
  if (!started) throw std::runtime_error(started.error().to_string());
  server_ = *std::move(started);
}

void SimulatedStage::make_client() {
  Runtime runtime;
  runtime.executor = scheduler_;
  runtime.random = [this] { return static_cast<double>(jitter_.below(1'000'000)) / 1'000'000; };
  if (options_.trace) runtime.logger = std::make_shared<JournalLogger>(journal_);
  rest::Config config;
  config.host = "http://server";
  ClientOptions options;
  options.runtime = runtime;
  options.transport = network_;
  auto made = Client::create(config, options);
  if (!made) throw std::runtime_error(made.error().to_string());
  client_.emplace(*std::move(made));
}

void SimulatedStage::stir() {
  constexpr milliseconds kPauses[] = {milliseconds(50), milliseconds(700), seconds(4), seconds(30)};
  const auto most = static_cast<std::uint64_t>(kPauses[chaos_draws_.below(4)].count());
  chaos_ = scheduler_->submit_after(milliseconds(1 + chaos_draws_.below(most)), [this] {
    if (network_->is_calm()) return;
    something_happens();
    stir();
  });
}

void SimulatedStage::something_happens() {
  if (auto dice = journal_.happens(40, "a frontend restarts")) network_->restart(*dice);
  if (journal_.happens(40, "all connections are reset")) network_->reset_all();
  if (auto dice = journal_.happens(60, "compaction")) {
    const std::uint64_t now = server_->resource_version();
    server_->compact(now - std::min<std::uint64_t>(now, dice->below(3)));
  }
  if (auto dice = journal_.happens(30, "the time of day jumps")) {
    scheduler_->jump_wall(seconds(dice->below(20'000)) - seconds(10'000));
  }
  if (auto dice = journal_.happens(30, "the machine sleeps")) {
    scheduler_->jump(seconds(1 + dice->below(dice->one_in(3) ? 2000 : 20)));
  }
}

void SimulatedStage::end_requests() {
  scheduler_->wait_until(scheduler_->clock()->now() + minutes(2),
                         [this] { return failed() || network_->open() == 0; });
  if (failed()) return;
  for (const std::string& request : network_->open_requests()) {
    journal_.fail("all requests end", request + " is still open");
  }
}

// A thread that waits on would never be joined.
void SimulatedStage::end_threads() {
  const std::size_t threads = scheduler_->waiting();
  if (threads == 0) return;
  journal_.fail("nothing is left",
                std::to_string(threads) + (threads == 1 ? " thread waits" : " threads wait"));
  if (stop_threads_) stop_threads_();
  scheduler_->end_waits();
}

void SimulatedStage::check_what_is_left() {
  if (const std::size_t pending = scheduler_->pending(); pending != 0) {
    journal_.fail("nothing is left", std::to_string(pending) + " tasks and timers wait");
  }
  if (const std::uint64_t thrown = scheduler_->failed_tasks(); thrown != 0) {
    journal_.fail("no exception leaves a task",
                  std::to_string(thrown) + " did, the first: " + scheduler_->first_exception());
  }
  const long users = network_.use_count();
  if (users != 1) {
    journal_.fail("nothing leaks", std::to_string(users - 1) + " objects use the transport");
  }
}

void SimulatedStage::end() {
  if (!failed()) end_requests();
  // What is ready now is the end of what was stopped.
  const auto let_end = [this] {
    scheduler_->wait_until(scheduler_->clock()->now() + milliseconds(1), [] { return false; });
  };
  if (scheduler_->waiting() != 0) let_end();
  end_threads();
  scheduler_->on_step({});
  client_.reset();
  network_->close();
  server_.reset();
  let_end();
  end_threads();
  if (!failed()) check_what_is_left();
}

}  // namespace

StageMaker simulated_stage() {
  return {[](const SimulationOptions& options, Journal& journal, Truth& truth) {
    return std::make_unique<SimulatedStage>(options, journal, truth);
  }};
}

}  // namespace kube::testing
