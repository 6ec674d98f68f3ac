// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::StoreObserver: follows what an informer writes to its store, for code that keeps
// something of its own in step with it, such as a server of the cache.
#pragma once

#include <string_view>
#include <vector>

#include <kube/cache/detail/cell.hpp>
#include <kube/cache/informer_status.hpp>

namespace kube::cache {

/// Unlike event handlers, it is called in the same step as the store is written, sees relists as
/// such, the versions that the store reaches without a change, and the informer's condition.
///
/// @par Thread safety   The informer calls it one call at a time, in order, on its strand, with no
///   lock held. A call that takes long delays the informer.
class StoreObserver {
 public:
  virtual ~StoreObserver() = default;
  /// A list has replaced all objects. It is the first call. `changed`: an object was added, changed
  /// or removed by it; events between the version before and this one are not known.
  virtual void on_replaced(std::vector<CellRef> objects, std::string_view resource_version,
                           bool changed) = 0;
  /// An event has stored an object.
  virtual void on_stored(const CellRef& object) = 0;
  /// An event has removed an object: its last state, with the version of the removal.
  /// `final_state_unknown`: that was refused, and this is the stored state, with its older version.
  /// The next call is on_progress() then, with the version of the removal, if it has one.
  virtual void on_removed(const CellRef& object, bool final_state_unknown) = 0;
  /// A bookmark: the store has reached a version.
  virtual void on_progress(std::string_view resource_version) = 0;
  /// The server answers lists and watches in another way than before. After Missing, a list comes
  /// before anything else.
  virtual void on_condition(InformerCondition /*condition*/) {}
};

}  // namespace kube::cache
