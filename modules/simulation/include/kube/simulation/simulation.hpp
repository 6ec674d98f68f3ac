// SPDX-License-Identifier: Apache-2.0
//
// kube::testing::Simulation: client, informers, queues, controllers and user code on a simulated
// clock, network and scheduler, against the embedded server's own store. All choices come from one
// seed: the same seed is the same run.
//
//   void scenario(testing::Simulation& sim) {
//     SharedInformer<Pod> pods(sim.client().rest());
//     const testing::ObservedInformer observed = sim.observe(pods);
//     static_cast<void>(pods.start());
//     for (int i = 0; i < 20; ++i) {
//       sim.step("create a pod", [&] { static_cast<void>(sim.server().create(some_pod(sim))); });
//       sim.run_for(std::chrono::seconds(sim.draw(5)));
//     }
//     sim.rest();  // no more faults: in the end the cache equals the server
//   }
//
//   testing::SimulationReport report = testing::simulate({.seed = 7}, scenario);
//
// Delays, cuts at any byte, error statuses, silent and slow watches, repeated events, restarts with
// an older or newer watch cache, compaction, and clock jumps are drawn while the scenario runs.
// One thread runs at any moment. User code that blocks in the library (Api<T>::get(),
// WorkQueue::get(), wait_for_sync()) or in a wait of sim.clock() sleeps, and the seed decides when
// it goes on. User code must not block in any other way.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <kube/apiserver/api_server.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/client/client.hpp>
#include <kube/codec/converter.hpp>
#include <kube/controller/controller.hpp>

namespace kube::testing {

/// A rule that a run broke, and how.
struct BrokenRule {
  std::string rule{};
  std::string what{};
};

/// Which run.
struct SimulationOptions {
  std::uint64_t seed = 0;
  /// The numbers of happenings (faults, and Simulation::step()) that are left out.
  std::set<std::uint32_t> without{};
  /// Tasks run in the order in which they became ready, not in one of the seed.
  bool in_order = false;
  bool trace = false;  ///< Fills SimulationReport::trace.
  /// The maximum number of tasks; a run that needs more has a loop without a pause.
  std::size_t max_steps = 200'000;
  /// False: a calm run, without any fault.
  bool faults = true;
};

/// What a run found.
struct SimulationReport {
  std::optional<BrokenRule> broken{};     ///< The first one; empty: nothing was found.
  std::string trace{};                    ///< A line for each thing that happened.
  std::vector<std::uint32_t> happened{};  ///< The numbers of happenings, in their order.
  std::size_t steps = 0;
};

/// One state of an object, as a handler or a store has it.
struct SeenObject {
  std::string key{};  ///< "namespace/name".
  std::string uid{};
  std::string resource_version{};
};

/// What Simulation::observe() needs of an informer, without its type.
struct InformerProbe {
  std::string resource{};  ///< "pods", "deployments.apps".
  meta::GroupVersionResource served_as{};
  const void* informer = nullptr;  ///< Which one: its core.
  std::string namespace_{};        ///< Empty: all.
  std::string label_selector{};
  std::string field_selector{};
  /// The store has other objects than the server: their content is not compared.
  bool other_content = false;
  /// Objects are stored without their bytes: an event that comes again is reported again.
  bool decoded = false;
  std::function<std::vector<SeenObject>()> objects{};
  std::function<InformerStatus()> status{};
  /// Whether the store has this content of an object.
  std::function<bool(const ObjectKey& key, const Unstructured& served)> has{};
};

/// How the objects of an observed informer's cache are compared with the server's.
enum class ObservedContent : std::uint8_t {
  Equal,  ///< All fields. Without those of InformerOptions::drop_fields, it is as VersionsOnly.
  VersionsOnly  ///< Key, uid and version: for an informer with a transform.
};

/// A witness of an informer: a handler that knows what it may see. The informer must outlive it, or
/// release() is called before; also before the scenario stops the informer and goes on to rest().
/// @par Thread safety   As Simulation.
class ObservedInformer {
 public:
  struct Witness;
  ObservedInformer(std::shared_ptr<Witness> witness, HandlerRegistration registration);
  ObservedInformer(ObservedInformer&&) noexcept = default;
  ObservedInformer& operator=(ObservedInformer&& other) noexcept;
  ~ObservedInformer();

  /// Removes the handler; any call of it after this is a broken rule. From here on nothing is asked
  /// of the informer.
  void release();

 private:
  std::shared_ptr<Witness> witness_;
  std::shared_ptr<HandlerRegistration> registration_;
};

/// User code that runs beside the scenario and may block. Stopped and waited for by the destructor.
/// @par Thread safety   As Simulation.
class SimulatedThread {
 public:
  SimulatedThread(SimulatedThread&&) noexcept = default;
  SimulatedThread& operator=(SimulatedThread&&) = delete;
  ~SimulatedThread();
  void request_stop() { stop_.request_stop(); }
  /// Does nothing for one that was moved from.
  /// @par Blocks   Until the function has returned.
  void join();

 private:
  friend class Simulation;
  struct State;
  explicit SimulatedThread(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
  std::stop_source stop_{};
};

struct StageMaker;

/// One run. The rules of the library are checked in each:
/// - at rest the cache of each observed informer equals the server;
/// - each witness saw a history that could have happened: nothing lost, nothing twice, versions
///   rise;
/// - an informer or handler has synced only after the whole initial state was delivered;
/// - no key is in the hands of two workers, and the last reconcile of each key has seen its final
/// state (watched());
/// - in the end all requests have ended, no thread waits, no timer is left, and no exception has
///   left a task.
///
/// @par Thread safety   The scenario, its handlers, reconcilers and SimulatedThreads, of which one
///   runs at any moment.
class Simulation {
 public:
  explicit Simulation(const SimulationOptions& options);
  /// On another stage than the simulated one, for the tests of this library.
  Simulation(const SimulationOptions& options, const StageMaker& stage);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  const Client& client() const;
  const Runtime& runtime() const;
  const std::shared_ptr<Clock>& clock() const;
  /// The server itself, for changes that no fault concerns.
  apiserver::ApiServer& server();

  /// Returns a number from 0 to count - 1, from the scenario's own dice; a count of 0 breaks a
  /// rule.
  std::uint64_t draw(std::uint64_t count);
  bool one_in(std::uint64_t count) { return draw(count) == 0; }
  template <class T, std::size_t N>
  const T& draw_of(const T (&values)[N]) {
    return values[draw(N)];
  }
  template <class T, std::size_t N>
  T draw_of(const T (&&values)[N]) {  // of a list in braces, which is gone behind the semicolon
    return values[draw(N)];
  }

  /// Runs a part of the scenario that may be left out: when a failing run is shrunk, all that is
  /// not needed is. Returns whether it ran.
  bool step(const std::string& what, const std::function<void()>& part);
  /// Appends a line to the trace.
  void note(const std::string& line);
  /// Reports a broken rule; the first one counts.
  void fail(std::string rule, std::string what);
  bool failed() const;

  /// Lets everything run for a while of virtual time. Returns at once when a rule is broken.
  /// @par Blocks   The scenario, for that while.
  void run_for(Duration duration);
  /// Runs until `done`, at most for `timeout`. Returns done().
  /// @par Blocks   The scenario, until then.
  bool run_until(const std::function<bool()>& done, Duration timeout);
  /// Ends the faults.
  void calm();
  /// calm(), and runs until every rule of rest holds; when that takes more than 15 minutes, the
  /// first one that does not is broken. Each observed informer has to run.
  /// @par Blocks   The scenario, until then.
  void rest();

  /// Runs user code that may block beside the scenario.
  [[nodiscard]] SimulatedThread spawn(const std::string& name,
                                      std::function<void(std::stop_token)> code);

  /// Adds a witness to an informer, before or after its start. `options` are the informer's: they
  /// say which of the server's objects its cache has to have, by namespace, label selector, and
  /// field selector of metadata.name and metadata.namespace; another field selector is a broken
  /// rule. A transform must refuse no object, and needs ObservedContent::VersionsOnly.
  /// The handler must get every event: one that gets the latest state, or has a max_pending, is not
  /// told of states that the rules miss then.
  template <Object T>
  [[nodiscard]] ObservedInformer observe(SharedInformer<T>& informer,
                                         const InformerOptions& options = {},
                                         HandlerOptions handler = {},
                                         ObservedContent content = ObservedContent::Equal);

  /// Returns a reconciler that is checked: no key is in the hands of two workers, and at rest the
  /// last reconcile of each key has succeeded and seen the state that the server has; if the
  /// informer is not observed, that of its cache. Its keys must be those of the informer's own
  /// objects, all of them (no mapped and no filtered ones), and its controller must run at rest().
  template <Object T>
  [[nodiscard]] Reconciler watched(SharedInformer<T>& informer, Reconciler reconcile);

  /// Adds a rule that has to hold after each step: `broken` returns what is wrong, or "".
  void always(std::string rule, std::function<std::string()> broken);
  /// Adds a rule that has to hold at rest.
  /// A run in which it does not breaks the rule of this name.
  void at_rest(std::string rule, std::function<std::string()> broken);

  /// Ends the run: all of the scenario is destroyed by now. Checks that nothing is left.
  void finish();
  SimulationReport report();

 private:
  struct Impl;
  std::shared_ptr<ObservedInformer::Witness> make_witness(InformerProbe probe);
  static void heard(ObservedInformer::Witness& witness, char what, const SeenObject& before,
                    const SeenObject& after, bool flag);
  Reconciler watch_reconciles(const void* informer, const std::string& resource,
                              std::function<std::string(const ObjectKey&)> version,
                              Reconciler reconcile);

  std::unique_ptr<Impl> impl_;
};

/// A scenario: makes informers, controllers and changes, and calls rest().
using Scenario = std::function<void(Simulation&)>;

/// Runs a scenario once.
/// @par Thread safety   May be called from several threads, each with a scenario of its own.
SimulationReport simulate(const SimulationOptions& options, const Scenario& scenario);

/// Leaves out happenings of a failing run as long as the same rule stays broken. Returns the
/// options of the shortest run found.
/// @par Thread safety   As simulate().
SimulationOptions shrink(SimulationOptions failing, const Scenario& scenario,
                         std::size_t max_runs = 400);

/// A scenario of a program.
struct NamedScenario {
  std::string name{};
  Scenario run{};
};

/// The main() of a program that runs scenarios by seed; `--help` prints its arguments. Returns 0,
/// 1 when a rule was broken, 2 for wrong arguments.
/// @par Thread safety   One thread.
int simulation_main(int argc, char** argv, std::span<const NamedScenario> scenarios);

namespace detail {

template <Object T>
SeenObject seen(const Cached<T>& object) {
  return {std::string(object.key()), std::string(object.uid()),
          std::string(object.resource_version())};
}

}  // namespace detail

template <Object T>
ObservedInformer Simulation::observe(SharedInformer<T>& informer, const InformerOptions& options,
                                     HandlerOptions handler, ObservedContent content) {
  InformerProbe probe;
  probe.resource = informer.resource().group_resource().to_string();
  probe.served_as = informer.resource().gvr();
  probe.informer = informer.core().get();
  probe.namespace_ = options.namespace_;
  probe.label_selector = options.label_selector;
  probe.field_selector = options.field_selector;
  const bool transformed = content == ObservedContent::VersionsOnly;
  probe.other_content = transformed || !options.drop_fields.empty();
  probe.decoded = transformed || options.storage == cache::StoragePolicy::Decoded;
  probe.objects = [lister = informer.lister()] {
    std::vector<SeenObject> out;
    const auto objects = lister.list();
    for (const Cached<T>& object : objects) out.push_back(detail::seen(object));
    return out;
  };
  probe.has = [lister = informer.lister()](const ObjectKey& key, const Unstructured& served) {
    const Cached<T> object = lister.find(key);
    if (!object) return false;
    if constexpr (std::same_as<T, Unstructured>) {
      return *object == served;
    } else {
      const Result<T> expected = meta::from_unstructured<T>(served);
      return expected && *object == *expected;
    }
  };
  probe.status = [core = std::weak_ptr(informer.core())] {
    const auto alive = core.lock();
    return alive ? alive->status() : InformerStatus{};
  };
  auto witness = make_witness(std::move(probe));
  ResourceEventHandler<T> events;
  events.on_add = [witness](const Cached<T>& object, bool initial) {
    heard(*witness, '+', {}, detail::seen(object), initial);
  };
  events.on_update = [witness](const Cached<T>& before, const Cached<T>& after) {
    heard(*witness, '=', detail::seen(before), detail::seen(after), before == after);
  };
  events.on_delete = [witness](const DeletedObject<T>& deleted) {
    const Cached<T>& object = deleted.object;
    heard(*witness, '-', detail::seen(object), {}, deleted.final_state_unknown);
  };
  return ObservedInformer(witness,
                          informer.add_event_handler(std::move(events), std::move(handler)));
}

template <Object T>
// NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved
Reconciler Simulation::watched(SharedInformer<T>& informer, Reconciler reconcile) {
  return watch_reconciles(
      informer.core().get(), informer.resource().group_resource().to_string(),
      [lister = informer.lister()](const ObjectKey& key) {
        const Cached<T> object = lister.find(key);
        return std::string(object.resource_version());
      },
      std::move(reconcile));
}

}  // namespace kube::testing
