// SPDX-License-Identifier: Apache-2.0
//
// What a handler of an informer may see, and what its store must have.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <kube/simulation/simulation.hpp>

#include "journal.hpp"
#include "selection.hpp"
#include "truth.hpp"

namespace kube::testing {

/// @par Thread safety   None: the thread that has the baton, or the lock of the rules.
struct ObservedInformer::Witness {
  Witness(Journal& journal_, const Truth& truth_, std::uint64_t oldest, InformerProbe probe_,
          std::size_t number);

  void heard(char what, const SeenObject& before, const SeenObject& after, bool flag);
  /// Looks at what has to hold always.
  void look();
  /// Returns what is not as it has to be at rest, or "".
  std::string unrest();
  /// Returns what the store has otherwise than the server, or "".
  std::string other_content() const;
  /// Whether the informer follows an object that the server has.
  bool selects(const std::string& key) const;
  void fail(const std::string& rule, const std::string& what);

  Journal& journal;
  const Truth& truth;
  const InformerProbe probe;
  const std::string name;
  Selection selection{};
  /// The registration's, once there is one.
  std::function<bool()> registration_synced{};
  /// Where it runs, and the lock of the rules there.
  Stage* stage = nullptr;
  std::function<std::unique_lock<std::mutex>()> lock{};

  std::map<std::string, SeenObject> mirror{};
  std::map<std::string, std::uint64_t> newest{};  ///< Version, by key.
  std::set<std::uint64_t> versions{};             ///< All that were reported.
  std::uint64_t began = 0;                        ///< The oldest watch cache at the beginning.
  std::size_t began_restarts = 0;                 ///< Truth::restarts() at the beginning.
  bool is_late = false;                           ///< Added when the informer had synced.
  std::vector<SeenObject> had{};                  ///< For a late one: what the store had.
  std::uint64_t baseline = 0;                     ///< The newest version of the initial adds.
  std::uint64_t joined = 0;                       ///< The newest write when the handler had synced.
  bool synced = false;
  bool handler_synced = false;
  bool leaves = false;  ///< unregister() has returned.
  bool released = false;
};

}  // namespace kube::testing
