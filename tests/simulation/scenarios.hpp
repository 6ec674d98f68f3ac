// SPDX-License-Identifier: Apache-2.0
//
// The scenarios of the library itself. They run in turns (simulate), and threaded_scenarios() on
// threads (tests/real_threads), too, so what their threads share has a lock.
#pragma once

#include <span>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/api/core/v1/secret.hpp>
#include <kube/simulation/simulation.hpp>

namespace kube::simulated {

using testing::Simulation;

/// The type of the objects that a scenario changes.
const meta::ResourceInfo& config_maps();
/// A custom resource, which the server has after define_widgets().
const meta::ResourceInfo& widgets();
void define_widgets(Simulation& sim);

/// Changes a small set of objects at the server: creates, updates, deletes, deletes and creates
/// again.
void change_object(Simulation& sim, const meta::ResourceInfo& resource = config_maps());
/// A number of changes with pauses in between.
void changes_with_pauses(Simulation& sim, std::uint64_t count,
                         const meta::ResourceInfo& resource = config_maps());
/// The options of an informer, drawn.
InformerOptions drawn_options(Simulation& sim);

/// Those whose rules are the simulation's own, which allow for servers that lie.
std::span<const testing::NamedScenario> library_scenarios();
/// Those and the ones with rules of their own, for honest servers, whose rules need no turns.
std::span<const testing::NamedScenario> threaded_scenarios();
/// All of them.
std::span<const testing::NamedScenario> all_scenarios();

void informer_follows(Simulation& sim);
void dynamic_informer_follows(Simulation& sim);
void handlers_come_and_go(Simulation& sim);
void informers_stop(Simulation& sim);
void controller_copies(Simulation& sim);
void controller_stops(Simulation& sim);
void queues_lose_nothing(Simulation& sim);
void handlers_merge(Simulation& sim);
void namespaces_follow(Simulation& sim);
void handles_are_counted(Simulation& sim);
void first_use_starts(Simulation& sim);
void dropped_fields_and_snapshots(Simulation& sim);
void writes_are_read(Simulation& sim);
void priorities_hold(Simulation& sim);
void handlers_leave_in_a_burst(Simulation& sim);
void controller_awaits_all(Simulation& sim);
void handlers_remove_each_other(Simulation& sim);

}  // namespace kube::simulated
