// SPDX-License-Identifier: Apache-2.0
//
// A controller with several workers, whose reconciler blocks in calls of the API.
#include <atomic>
#include <memory>
#include <utility>

#include "scenarios.hpp"

namespace kube::simulated {
namespace {

using core::v1::ConfigMap;
using core::v1::Secret;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ObservedInformer;

const meta::GroupVersionResource kCopies{"", "v1", "secrets"};

// Copies the value of each ConfigMap "object-N" to a Secret of that name.
class Copier {
 public:
  Copier(Simulation& sim, SharedInformer<ConfigMap>& sources)
      : sim_(sim), informer_(sources), sources_(sources.lister()), client_(sim.client()) {}

  Result<ReconcileResult> reconcile(const ReconcileRequest& request, const std::stop_token& stop) {
    if (!informer_.has_synced()) {
      sim_.fail("no key is reconciled before its informers have synced", request.key.to_string());
    }
    const auto api = client_.api<Secret>(request.key.namespace_);
    const Cached<ConfigMap> source = sources_.find(request.key);
    if (!source) {
      const auto gone = api.delete_(request.key.name, {}, stop);
      if (!gone && !is_not_found(gone.error())) return gone.error();
      return ReconcileResult::done();
    }
    const auto found = api.get(request.key.name, {}, stop);
    if (!found && !is_not_found(found.error())) return found.error();
    Secret copy;
    if (found) copy = *found;
    copy.metadata.name = request.key.name;
    copy.metadata.namespace_ = request.key.namespace_;
    const auto value = source->data.find("value");
    copy.string_data["value"] = value == source->data.end() ? "" : value->second;
    copy.metadata.annotations["of"] = copy.string_data["value"];
    const auto written = found ? api.update(copy, {}, stop) : api.create(copy, {}, stop);
    if (!written) return written.error();
    if (sim_.one_in(8)) return ReconcileResult::requeue_after(seconds(1 + sim_.draw(20)));
    return ReconcileResult::done();
  }

 private:
  Simulation& sim_;
  const SharedInformer<ConfigMap>& informer_;
  const Lister<ConfigMap> sources_;
  const Client client_;
};

// The copies equal the sources.
std::string compare_copies(Simulation& sim, const SharedInformer<ConfigMap>& sources) {
  const auto all = sources.lister().list();
  for (const Cached<ConfigMap>& source : all) {
    const auto copy = sim.server().get(kCopies, source.object_key());
    if (!copy) return "no copy of " + std::string(source.key());
    const auto value = source->data.find("value");
    if (value == source->data.end()) continue;
    const auto of = copy->content.string_at({"metadata", "annotations", "of"});
    if (of != value->second) return "the copy of " + std::string(source.key()) + " is old";
  }
  return {};
}

}  // namespace

void controller_copies(Simulation& sim) {
  InformerOptions options = drawn_options(sim);
  options.namespace_ = "default";
  SharedInformer<ConfigMap> sources(sim.client().rest(), options);
  const ObservedInformer observed = sim.observe(sources, options);
  Copier copier(sim, sources);
  ControllerOptions how;
  how.workers = 1 + static_cast<int>(sim.draw(3));
  how.executor = sim.runtime().executor;
  Controller controller(
      sim.runtime(),
      sim.watched(sources,
                  [&copier](const ReconcileRequest& request, std::stop_token stop) {
                    return copier.reconcile(request, stop);
                  }),
      how);
  static_cast<void>(controller.watch(sources));
  static_cast<void>(controller.start());
  static_cast<void>(sources.start());
  sim.at_rest("the copies equal the sources", [&] { return compare_copies(sim, sources); });
  changes_with_pauses(sim, 4 + sim.draw(6));
  sim.rest();
  controller.stop_and_wait();
}

// The controller, or its informer, ends at any moment, while its reconciler blocks.
void controller_stops(Simulation& sim) {
  InformerOptions options = drawn_options(sim);
  options.namespace_ = "default";
  SharedInformer<ConfigMap> sources(sim.client().rest(), options);
  Copier copier(sim, sources);
  std::atomic<bool> gone = false;
  {
    ControllerOptions how;
    how.workers = 1 + static_cast<int>(sim.draw(3));
    how.executor = sim.runtime().executor;
    Controller controller(
        sim.runtime(),
        [&](const ReconcileRequest& request, std::stop_token stop) {
          if (gone) sim.fail("nothing runs after its handle is gone", "the reconciler");
          auto result = copier.reconcile(request, stop);
          if (gone) sim.fail("nothing runs after its handle is gone", "the reconciler");
          return result;
        },
        how);
    static_cast<void>(controller.watch(sources));
    static_cast<void>(controller.start());
    static_cast<void>(sources.start());
    changes_with_pauses(sim, 1 + sim.draw(5));
    if (sim.one_in(2)) sim.run_for(milliseconds(sim.draw(200)));
    sim.step("stop the controller", [&] {
      if (sim.one_in(3)) sources.stop_and_wait();
      if (sim.one_in(2)) controller.stop();
      controller.stop_and_wait();
      gone = true;
    });
  }
  gone = true;
  change_object(sim);
  sim.run_for(seconds(3));
  sim.rest();
}

// A controller of two informers, one of which starts later: no key is reconciled before both have
// synced.
void controller_awaits_all(Simulation& sim) {
  for (std::uint64_t i = sim.draw(6); i > 0; --i) change_object(sim);
  const InformerOptions options = drawn_options(sim);
  SharedInformer<ConfigMap> sources(sim.client().rest(), options);
  SharedInformer<Secret> copies(sim.client().rest(), options);
  const ObservedInformer observed = sim.observe(sources, options);
  ControllerOptions how;
  how.executor = sim.runtime().executor;
  Controller controller(
      sim.runtime(),
      sim.watched(sources,
                  [&](const ReconcileRequest& request, std::stop_token) -> Result<ReconcileResult> {
                    if (!sources.has_synced() || !copies.has_synced()) {
                      sim.fail("no key is reconciled before its informers have synced",
                               request.key.to_string());
                    }
                    return ReconcileResult::done();
                  }),
      how);
  static_cast<void>(controller.watch(sources));
  static_cast<void>(controller.watch(copies));
  static_cast<void>(controller.start());
  static_cast<void>(sources.start());
  changes_with_pauses(sim, sim.draw(3));
  static_cast<void>(copies.start());
  changes_with_pauses(sim, 2 + sim.draw(3));
  sim.rest();
  controller.stop_and_wait();
}

}  // namespace kube::simulated
