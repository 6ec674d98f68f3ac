// SPDX-License-Identifier: Apache-2.0
#include <kube/simulation/simulation.hpp>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "exception_text.hpp"
#include "journal.hpp"
#include "reconciles.hpp"
#include "stage.hpp"
#include "truth.hpp"
#include "witness.hpp"

namespace kube::testing {
namespace {

struct NamedRule {
  std::string rule;
  std::function<std::string()> broken;
};

constexpr const char* kAllAgree = "at rest all agree";

}  // namespace

struct SimulatedThread::State {
  std::function<void()> wait{};
};

SimulatedThread::~SimulatedThread() {
  if (!state_) return;
  stop_.request_stop();
  join();
}

void SimulatedThread::join() {
  if (state_) state_->wait();
}

struct Simulation::Impl {
  Impl(const SimulationOptions& given, const StageMaker& maker)
      : options(given),
        journal(given.seed, given.without, given.trace),
        draws(given.seed, 3),
        stage(maker.make(options, journal, truth)) {
    stage->begin([this] { look(); });
  }

  // What the rules know: needed where no baton orders the threads.
  using Lock = std::unique_lock<std::mutex>;
  Lock lock() { return stage->takes_turns() ? Lock() : Lock(mutex); }

  void look();
  /// Returns what does not hold yet that has to at rest.
  std::optional<BrokenRule> unrest();
  std::string unrest_of_the_library();
  const ObservedInformer::Witness* witness_of(const void* informer) const;

  const SimulationOptions options;
  Journal journal;
  Random draws;
  Truth truth;
  std::mutex mutex;
  std::unique_ptr<Stage> stage;
  std::vector<std::shared_ptr<ObservedInformer::Witness>> witnesses;
  std::vector<std::shared_ptr<Reconciles>> reconciles;
  std::vector<NamedRule> always;
  std::vector<NamedRule> at_rest;
  std::vector<std::stop_source> threads;
  bool finished = false;
};

void Simulation::Impl::look() {
  if (finished) return;
  {
    const Lock held = lock();
    truth.follow(*stage);
    if (journal.broken()) return;
    for (const auto& witness : witnesses) witness->look();
  }
  for (const NamedRule& each : always) {
    if (std::string what = each.broken(); !what.empty()) journal.fail(each.rule, std::move(what));
  }
}

// The newest: an informer may be where one was that is gone.
const ObservedInformer::Witness* Simulation::Impl::witness_of(const void* informer) const {
  const auto witness = std::find_if(witnesses.rbegin(), witnesses.rend(), [&](const auto& each) {
    return each->probe.informer == informer;
  });
  return witness == witnesses.rend() ? nullptr : witness->get();
}

std::string Simulation::Impl::unrest_of_the_library() {
  const Lock held = lock();
  truth.follow(*stage);
  for (const auto& witness : witnesses) {
    if (std::string what = witness->unrest(); !what.empty()) return what;
  }
  for (const auto& each : reconciles) {
    if (std::string what = each->unrest(truth, witness_of(each->informer())); !what.empty()) {
      return what;
    }
  }
  return {};
}

std::optional<BrokenRule> Simulation::Impl::unrest() {
  if (std::string what = unrest_of_the_library(); !what.empty()) {
    return BrokenRule{kAllAgree, std::move(what)};
  }
  for (const NamedRule& each : at_rest) {
    if (std::string what = each.broken(); !what.empty()) return BrokenRule{each.rule, what};
  }
  return std::nullopt;
}

Simulation::Simulation(const SimulationOptions& options) : Simulation(options, simulated_stage()) {}

Simulation::Simulation(const SimulationOptions& options, const StageMaker& stage)
    : impl_(std::make_unique<Impl>(options, stage)) {}

Simulation::~Simulation() {
  if (!impl_->finished) finish();
}

const Client& Simulation::client() const {
  return impl_->stage->client();
}
const Runtime& Simulation::runtime() const {
  return client().runtime();
}
const std::shared_ptr<Clock>& Simulation::clock() const {
  return impl_->stage->clock();
}
apiserver::ApiServer& Simulation::server() {
  return impl_->stage->server();
}

std::uint64_t Simulation::draw(std::uint64_t count) {
  if (count == 0) {
    fail("draw() has something to draw from", "draw(0)");
    return 0;
  }
  const Impl::Lock held = impl_->lock();
  return impl_->draws.below(count);
}

bool Simulation::step(const std::string& what, const std::function<void()>& part) {
  if (failed() || !impl_->journal.happens(1000, what)) return false;
  part();
  return true;
}

void Simulation::note(const std::string& line) {
  impl_->journal.note([&] { return line; });
}

void Simulation::fail(std::string rule, std::string what) {
  impl_->journal.fail(std::move(rule), std::move(what));
}

bool Simulation::failed() const {
  return impl_->journal.broken().has_value();
}

void Simulation::run_for(Duration duration) {
  const Duration pause = std::min(duration, impl_->stage->longest_pause());
  const TimePoint end = deadline_after(impl_->stage->clock()->now(), pause);
  impl_->stage->wait_until(end, [this] { return failed(); });
}

bool Simulation::run_until(const std::function<bool()>& done, Duration timeout) {
  const TimePoint end = deadline_after(impl_->stage->clock()->now(), timeout);
  impl_->stage->wait_until(end, [&] { return failed() || done(); });
  return done();
}

void Simulation::calm() {
  impl_->stage->calm();
}

void Simulation::rest() {
  if (failed()) return;
  calm();
  note("rest");
  const Stage::Patience patience = impl_->stage->patience();
  const TimePoint end = clock()->now() + patience.recovery;
  std::optional<BrokenRule> why = BrokenRule{kAllAgree, "there was no time"};
  while (!failed() && clock()->now() < end) {
    run_for(patience.look);
    why = impl_->unrest();
    if (why) continue;
    // It stays so; what a slow response still brings begins another wait.
    run_for(patience.stays);
    why = impl_->unrest();
    if (!why) return;
  }
  if (!failed()) fail(why->rule, why->what);
}

SimulatedThread Simulation::spawn(const std::string& name,
                                  std::function<void(std::stop_token)> code) {
  SimulatedThread thread(std::make_shared<SimulatedThread::State>());
  thread.state_->wait =
      impl_->stage->run([this, name, code = std::move(code), stop = thread.stop_.get_token()] {
        try {
          code(stop);
        } catch (...) {
          fail("user code does not throw", name + ": " + text_of_exception());
        }
      });
  const Impl::Lock held = impl_->lock();
  impl_->threads.push_back(thread.stop_);
  return thread;
}

std::shared_ptr<ObservedInformer::Witness> Simulation::make_witness(InformerProbe probe) {
  Impl& impl = *impl_;
  const Impl::Lock held = impl.lock();
  impl.truth.follow(*impl.stage);
  auto witness = std::make_shared<ObservedInformer::Witness>(
      impl.journal, impl.truth, impl.stage->oldest_version(), std::move(probe),
      impl.witnesses.size());
  witness->stage = impl.stage.get();
  witness->lock = [&impl] {
    Impl::Lock entered = impl.lock();
    // What a handler sees now was written after the last look.
    if (entered) impl.truth.follow(*impl.stage);
    return entered;
  };
  impl.witnesses.push_back(witness);
  return witness;
}

void Simulation::heard(ObservedInformer::Witness& witness, char what, const SeenObject& before,
                       const SeenObject& after, bool flag) {
  Stage& stage = *witness.stage;
  if (!stage.takes_turns()) stage.await_write((what == '-' ? before : after).resource_version);
  {
    const Impl::Lock held = witness.lock();
    witness.heard(what, before, after, flag);
  }
  stage.delay_handler();
  const Impl::Lock held = witness.lock();
  if (witness.released) {
    witness.fail("nothing runs after its handle is gone", "a call was running when it went");
  }
}

Reconciler Simulation::watch_reconciles(const void* informer, const std::string& resource,
                                        std::function<std::string(const ObjectKey&)> version,
                                        Reconciler reconcile) {
  auto all = std::make_shared<Reconciles>(impl_->journal, informer, resource, std::move(version),
                                          [impl = impl_.get()] { return impl->lock(); });
  const Impl::Lock held = impl_->lock();
  impl_->reconciles.push_back(all);
  return watched_reconciler(std::move(all), std::move(reconcile));
}

void Simulation::always(std::string rule, std::function<std::string()> broken) {
  impl_->always.push_back({std::move(rule), std::move(broken)});
}

void Simulation::at_rest(std::string rule, std::function<std::string()> broken) {
  impl_->at_rest.push_back({std::move(rule), std::move(broken)});
}

void Simulation::finish() {
  Impl& impl = *impl_;
  if (impl.finished) return;
  calm();
  impl.always.clear();
  impl.at_rest.clear();
  impl.reconciles.clear();
  impl.stage->on_threads_left([&impl] {
    for (std::stop_source& each : impl.threads) each.request_stop();
  });
  impl.stage->end();
  impl.finished = true;
}

SimulationReport Simulation::report() {
  SimulationReport out;
  out.broken = impl_->journal.broken();
  out.trace = impl_->journal.take_trace();
  out.happened = impl_->journal.happened();
  out.steps = impl_->stage->steps();
  return out;
}

SimulationReport simulate(const SimulationOptions& options, const StageMaker& stage,
                          const Scenario& scenario) {
  Simulation simulation(options, stage);
  try {
    scenario(simulation);
  } catch (...) {
    simulation.fail("the scenario does not throw", text_of_exception());
  }
  simulation.finish();
  return simulation.report();
}

SimulationReport simulate(const SimulationOptions& options, const Scenario& scenario) {
  return simulate(options, simulated_stage(), scenario);
}

}  // namespace kube::testing
