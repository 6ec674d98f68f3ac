// SPDX-License-Identifier: Apache-2.0
//
// What a user turns on one by one: merged notifications, several namespaces, informers that are
// counted or start by themselves, fields that are dropped.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kube/cache/multi_namespace_informer.hpp>
#include <kube/cache/shared_informer_factory.hpp>
#include <kube/cache/snapshot.hpp>

#include "mirror.hpp"
#include "scenarios.hpp"

namespace kube::simulated {

using core::v1::ConfigMap;
using std::chrono::hours;
using testing::ObservedInformer;

namespace {

template <class Lists>
std::function<std::string(const ObjectKey&)> versions_of(Lists lister) {
  return [lister = std::move(lister)](const ObjectKey& key) {
    const Cached<ConfigMap> object = lister.find(key);
    return std::string(object.resource_version());
  };
}

// A use of the factory's informer; the handler goes first.
struct CountedUse {
  InformerHandle<ConfigMap> handle;
  std::optional<ObservedInformer> observed;
};

}  // namespace

// Slow handlers that get the latest state, always or when too much waits.
void handlers_merge(Simulation& sim) {
  const InformerOptions options = drawn_options(sim);
  SharedInformer<ConfigMap> informer(sim.client().rest(), options);
  const ObservedInformer observed = sim.observe(informer, options);
  Mirror mirror(sim, options.namespace_, true);
  HandlerOptions how;
  if (sim.one_in(2)) {
    how.delivery = HandlerDelivery::LatestState;
  } else {
    how.max_pending = 1 + sim.draw(3);
    if (sim.one_in(2)) how.overflow = HandlerOverflow::Unregister;
  }
  const HandlerRegistration registration = informer.add_event_handler(mirror.handler(), how);
  static_cast<void>(informer.start());
  // One that ended has seen a part of a legal history, which the mirror has checked, and no more.
  sim.at_rest("a handler of merged notifications ends with what the server has",
              [&] { return registration.status().fell_behind ? "" : mirror.differs(); });
  changes_with_pauses(sim, 6 + sim.draw(8));
  sim.rest();
}

// Several namespaces as one, with a handler before the start and one later.
void namespaces_follow(Simulation& sim) {
  const std::vector<std::string> namespaces =
      sim.one_in(3) ? std::vector<std::string>{"default", "empty"}
                    : std::vector<std::string>{"default", "kube-public"};
  const std::string scope = namespaces.back() == "empty" ? "default" : "";
  for (std::uint64_t i = sim.draw(6); i > 0; --i) change_object(sim);
  MultiNamespaceInformer<ConfigMap> informers(sim.client().rest(), namespaces, drawn_options(sim));
  Mirror early(sim, scope, sim.one_in(2));
  Mirror late(sim, scope, false);
  const auto registration = informers.add_event_handler(early.handler());
  static_cast<void>(informers.start());
  changes_with_pauses(sim, 3 + sim.draw(4));
  const auto second = informers.add_event_handler(late.handler());
  sim.at_rest("the handlers of several namespaces have what the server has", [&] {
    const std::string differs = early.differs();
    return differs.empty() ? late.differs() : differs;
  });
  sim.at_rest("the lister of several namespaces has what the server has", [&]() -> std::string {
    if (!informers.has_synced() || !registration.has_synced()) return "it has not synced";
    return cache_differs(sim, scope, versions_of(informers.lister()));
  });
  changes_with_pauses(sim, 2 + sim.draw(4));
  sim.rest();
  informers.stop_and_wait();
}

// Users take and release handles of one informer, which runs while there are some.
void handles_are_counted(Simulation& sim) {
  const InformerOptions options = drawn_options(sim);
  SharedInformerFactory factory(sim.client().rest(), options);
  std::vector<std::optional<CountedUse>> places(3);
  factory.start();
  for (int i = 0; i < 8 && !sim.failed(); ++i) {
    auto& place = places[sim.draw(places.size())];
    sim.step(place ? "a handle is released" : "a handle is acquired", [&] {
      if (place) {
        place.reset();
      } else {
        place.emplace(CountedUse{factory.acquire<ConfigMap>(), {}});
        place->observed = sim.observe(*place->handle, options);
      }
    });
    const bool any = std::ranges::any_of(places, [](const auto& each) { return each.has_value(); });
    if (factory.status().size() != (any ? 1U : 0U)) {
      sim.fail("an informer runs while it has handles",
               any ? "it has one, and is gone" : "it has none, and is there");
    }
    changes_with_pauses(sim, 1 + sim.draw(2));
  }
  sim.rest();
  for (auto& place : places) place.reset();
  if (!factory.status().empty()) sim.fail("an informer runs while it has handles", "it is there");
}

// Nothing is requested before the first use; then it runs as if it had been started.
void first_use_starts(Simulation& sim) {
  InformerOptions options = drawn_options(sim);
  options.start_on_first_use = true;
  SharedInformer<ConfigMap> informer(sim.client().rest(), options);
  const char* const rule = "an informer that starts by its first use starts then";
  changes_with_pauses(sim, sim.draw(3));
  const auto is_started = [&] { return informer.status().state != InformerState::NotStarted; };
  if (is_started()) sim.fail(rule, "it has started unused");
  std::optional<testing::SimulatedThread> waits;
  switch (sim.draw(3)) {
    case 0:
      static_cast<void>(informer.lister().list());
      break;
    case 1:
      waits.emplace(sim.spawn("waits for sync", [&](std::stop_token stop) {
        if (!informer.wait_for_sync(stop) && !stop.stop_requested()) sim.fail(rule, "it gave up");
      }));
      break;
    default:
      static_cast<void>(informer.has_synced());
  }
  if (!sim.run_until(is_started, hours(2)) && !sim.failed()) sim.fail(rule, "it has not");
  const ObservedInformer observed = sim.observe(informer, options);
  changes_with_pauses(sim, 2 + sim.draw(4));
  sim.rest();
}

// Fields are dropped from whatever comes, by list or watch; a snapshot keeps what it has.
void dropped_fields_and_snapshots(Simulation& sim) {
  InformerOptions options = drawn_options(sim);
  options.drop_fields = {"data.value", "metadata.managedFields"};
  SharedInformer<ConfigMap> first(sim.client().rest(), options);
  options.namespace_ = "default";
  SharedInformer<ConfigMap> second(sim.client().rest(), options);
  static_cast<void>(first.start());
  static_cast<void>(second.start());
  sim.at_rest("a cache without fields has the server's objects", [&]() -> std::string {
    if (!first.has_synced() || !second.has_synced()) return "an informer has not synced";
    return cache_differs(sim, "default", versions_of(second.lister()));
  });
  for (int i = 0; i < 4 && !sim.failed(); ++i) {
    changes_with_pauses(sim, 1 + sim.draw(3));
    const auto [all, some] = snapshot(first.lister(), second.lister());
    const auto of_first = versions_of(all);
    std::vector<std::string> before;
    for (const ObjectKey& key : changed_keys()) before.push_back(of_first(key));
    const std::size_t objects = some.list().size();
    changes_with_pauses(sim, 1);
    std::vector<std::string> after;
    for (const ObjectKey& key : changed_keys()) after.push_back(of_first(key));
    if (after != before || some.list().size() != objects) {
      sim.fail("a snapshot stays as it is", "it has changed");
    }
    for (const Cached<ConfigMap>& object : all.list()) {
      if (object->data.contains("value") || !object->metadata.managed_fields.empty()) {
        sim.fail("dropped fields are in no cache", std::string(object.key()));
      }
    }
  }
  sim.rest();
}

}  // namespace kube::simulated
