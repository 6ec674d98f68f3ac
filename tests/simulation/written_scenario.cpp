// SPDX-License-Identifier: Apache-2.0
//
// Writes that are read: a controller that reports its writes, and user code that waits for its own.
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "mirror.hpp"
#include "scenarios.hpp"

namespace kube::simulated {
namespace {

using core::v1::ConfigMap;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr const char* kFresh = "a reconcile finds what the last one of its key has written";

// Copies the value of each ConfigMap to an annotation of it.
class Annotator {
 public:
  Annotator(Simulation& sim, SharedInformer<ConfigMap>& objects)
      : sim_(sim), objects_(objects), client_(sim.client()) {}

  Result<ReconcileResult> reconcile(const ReconcileRequest& request, const std::stop_token& stop) {
    const Cached<ConfigMap> object = objects_.lister().find(request.key);
    expect_fresh(request.key, object);
    if (!object) return ReconcileResult::done();
    const auto value = object->data.find("value");
    const std::string wanted = value == object->data.end() ? "" : value->second;
    ConfigMap next = *object;
    if (const auto of = next.metadata.annotations.find("of");
        of != next.metadata.annotations.end() && of->second == wanted) {
      return ReconcileResult::done();
    }
    next.metadata.annotations["of"] = wanted;
    const auto written = client_.api<ConfigMap>(request.key.namespace_).update(next, {}, stop);
    if (!written) return written.error();
    {
      const std::lock_guard lock(mutex_);
      written_[request.key.to_string()] = written->metadata.resource_version;
    }
    request.written(objects_, *written);
    return ReconcileResult::done();
  }

 private:
  // The object may have been changed or deleted since.
  void expect_fresh(const ObjectKey& key, const Cached<ConfigMap>& object) const {
    const std::lock_guard lock(mutex_);
    const auto last = written_.find(key.to_string());
    if (last == written_.end()) return;
    if (!objects_.has_version(last->second)) {
      sim_.fail(kFresh, key.to_string() + "@" + last->second + " is newer than the cache");
    }
    if (object && version_number(object.resource_version()) < version_number(last->second)) {
      sim_.fail(kFresh, "the cache has " + key.to_string() + "@" +
                            std::string(object.resource_version()) + ", and " + last->second +
                            " was written");
    }
  }

  Simulation& sim_;
  const SharedInformer<ConfigMap>& objects_;
  const Client client_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> written_{};
};

// Creates objects that nobody else changes, and reads each when the cache has it.
void read_own_writes(Simulation& sim, const SharedInformer<ConfigMap>& objects,
                     const std::stop_token& stop) {
  const auto api = sim.client().api<ConfigMap>("default");
  for (int i = 0; i < 3 && !stop.stop_requested(); ++i) {
    ConfigMap own;
    own.metadata.name = "own-" + std::to_string(i);
    const auto made = api.create(own, {}, stop);
    if (!made) continue;
    const ObjectKey key{"default", own.metadata.name};
    const std::string& version = made->metadata.resource_version;
    if (!objects.lister().wait_for(version, minutes(10), stop)) continue;
    const Cached<ConfigMap> found = objects.lister().find(key);
    if (!found || version_number(found.resource_version()) < version_number(version)) {
      sim.fail("a cache that has a version has what was written", key.to_string());
    }
    sim.clock()->sleep_for(milliseconds(sim.draw(5000)), stop);
  }
}

}  // namespace

void writes_are_read(Simulation& sim) {
  InformerOptions options = drawn_options(sim);
  options.namespace_ = "default";
  SharedInformer<ConfigMap> objects(sim.client().rest(), options);
  const testing::ObservedInformer observed = sim.observe(objects, options);
  Annotator annotator(sim, objects);
  ControllerOptions how;
  how.workers = 1 + static_cast<int>(sim.draw(3));
  how.executor = sim.runtime().executor;
  // A key is never reconciled with an older cache, however long a watch is silent.
  how.max_write_wait = hours(24);
  Controller controller(
      sim.runtime(),
      sim.watched(objects,
                  [&annotator](const ReconcileRequest& request, std::stop_token stop) {
                    return annotator.reconcile(request, stop);
                  }),
      how);
  static_cast<void>(controller.watch(objects));
  static_cast<void>(controller.start());
  static_cast<void>(objects.start());
  auto reader = sim.spawn("reads its writes",
                          [&](std::stop_token stop) { read_own_writes(sim, objects, stop); });
  changes_with_pauses(sim, 4 + sim.draw(5));
  sim.rest();
  controller.stop_and_wait();
}

}  // namespace kube::simulated
