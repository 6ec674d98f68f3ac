// SPDX-License-Identifier: Apache-2.0
//
// Informers and their handlers.
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "scenarios.hpp"

namespace kube::simulated {

using core::v1::ConfigMap;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ObservedInformer;

namespace {

// One informer, with handlers before and after the start.
template <Object T>
void follow(Simulation& sim, const meta::ResourceInfo& resource) {
  for (std::uint64_t i = sim.draw(8); i > 0; --i) change_object(sim, resource);
  const InformerOptions options = drawn_options(sim);
  SharedInformer<T> informer(sim.client().rest(), resource, options);
  const ObservedInformer early = sim.observe(informer, options);
  static_cast<void>(informer.start());
  changes_with_pauses(sim, 4 + sim.draw(6), resource);
  const ObservedInformer late = sim.observe(informer, options);
  changes_with_pauses(sim, 3 + sim.draw(4), resource);
  sim.rest();
}

}  // namespace

void informer_follows(Simulation& sim) {
  follow<ConfigMap>(sim, config_maps());
}

// Objects of a custom resource, whose type is known at run time.
void dynamic_informer_follows(Simulation& sim) {
  define_widgets(sim);
  follow<Unstructured>(sim, widgets());
}

// Handlers are added and released at any moment.
void handlers_come_and_go(Simulation& sim) {
  InformerOptions options = drawn_options(sim);
  if (sim.one_in(2)) options.resync_period = seconds(2);
  SharedInformer<ConfigMap> informer(sim.client().rest(), options);
  std::vector<std::optional<ObservedInformer>> places(3);
  static_cast<void>(informer.start());
  for (int i = 0; i < 10 && !sim.failed(); ++i) {
    auto& place = places[sim.draw(places.size())];
    sim.step("a handler comes or goes", [&] {
      HandlerOptions handler;
      if (sim.one_in(3)) handler.resync_period = milliseconds(0);
      if (place) {
        place.reset();
      } else {
        place = sim.observe(informer, options, handler);
      }
    });
    changes_with_pauses(sim, 1 + sim.draw(2));
  }
  sim.rest();
}

// Informers that share a client start and stop at any moment; others wait for them.
void informers_stop(Simulation& sim) {
  const InformerOptions options = drawn_options(sim);
  for (int round = 0; round < 3 && !sim.failed(); ++round) {
    SharedInformer<ConfigMap> informer(sim.client().rest(), options);
    const ObservedInformer observed = sim.observe(informer, options);
    auto waits = sim.spawn("waits for sync", [&](std::stop_token stop) {
      const bool synced = informer.wait_for_sync(stop);
      if (synced && !informer.has_synced()) {
        sim.fail("wait_for_sync() waits until has_synced()", "it has not");
      }
      if (!synced && !stop.stop_requested() && !informer.is_stopped()) {
        sim.fail("wait_for_sync() waits until has_synced()", "it gave up");
      }
    });
    if (!sim.one_in(6)) static_cast<void>(informer.start());
    changes_with_pauses(sim, 1 + sim.draw(4));
    if (sim.one_in(3)) sim.run_for(milliseconds(sim.draw(90'000)));
    sim.step("stop the informer", [&] {
      sim.one_in(2) ? informer.stop() : informer.stop_and_wait();
      if (!informer.is_stopped()) sim.fail("a stopped informer says so", "is_stopped() is false");
    });
  }
  sim.rest();
}

// Handlers remove others, or themselves, in the middle of a call.
void handlers_remove_each_other(Simulation& sim) {
  constexpr std::size_t kHandlers = 3;
  SharedInformer<ConfigMap> informer(sim.client().rest(), drawn_options(sim));
  static_cast<void>(informer.start());
  std::vector<bool> gone(kHandlers, false);
  std::vector<HandlerRegistration> handlers(kHandlers);
  // Of itself the call that runs is the last one; of another one, a call that has begun goes on.
  const auto call = [&](std::size_t self, const Cached<ConfigMap>& object) {
    if (gone[self]) sim.fail("nothing runs after its handle is gone", std::string(object.key()));
    sim.clock()->sleep_for(milliseconds(sim.draw(40)), {});
    if (!sim.one_in(6)) return;
    const std::size_t other = sim.draw(kHandlers);
    sim.step("a handler removes " + std::to_string(other), [&] {
      other == self ? handlers[self].unregister_and_wait() : handlers[other].unregister();
      if (other == self) gone[self] = true;
    });
  };
  for (int i = 0; i < 8 && !sim.failed(); ++i) {
    const std::size_t place = sim.draw(kHandlers);
    sim.step("a handler is added", [&] {
      handlers[place].unregister_and_wait();
      gone[place] = false;
      ResourceEventHandler<ConfigMap> handler;
      handler.on_add = [&call, place](const Cached<ConfigMap>& object, bool) {
        call(place, object);
      };
      handler.on_update = [&call, place](const Cached<ConfigMap>&, const Cached<ConfigMap>& after) {
        call(place, after);
      };
      handlers[place] = informer.add_event_handler(std::move(handler));
    });
    changes_with_pauses(sim, 1 + sim.draw(2));
  }
  sim.rest();
  for (HandlerRegistration& each : handlers) each.unregister_and_wait();
}

// Handlers are removed in the middle of a burst of short calls.
void handlers_leave_in_a_burst(Simulation& sim) {
  for (int i = 0; i < 12; ++i) change_object(sim);
  SharedInformer<ConfigMap> informer(sim.client().rest());
  static_cast<void>(informer.start());
  for (int round = 0; round < 4 && !sim.failed(); ++round) {
    bool leaves = false;
    ResourceEventHandler<ConfigMap> handler;
    handler.on_add = [&](const Cached<ConfigMap>& object, bool) {
      if (leaves) sim.fail("nothing runs after its handle is gone", std::string(object.key()));
      sim.clock()->sleep_for(milliseconds(sim.draw(3)), {});
    };
    HandlerRegistration registration = informer.add_event_handler(std::move(handler));
    sim.run_until([&] { return registration.status().delivered != 0; }, seconds(60));
    sim.run_for(milliseconds(sim.draw(6)));
    registration.unregister();
    leaves = true;
    registration.unregister_and_wait();
  }
  sim.rest();
}

}  // namespace kube::simulated
