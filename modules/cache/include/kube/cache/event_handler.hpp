// SPDX-License-Identifier: Apache-2.0
//
// What an informer tells its handlers.
#pragma once

#include <functional>
#include <string>

#include <kube/cache/cached.hpp>

namespace kube {

/// The last thing known of an object that is gone. The key is always there; the object nearly
/// always. `final_state_unknown` says that the deletion was inferred from a relist, so that the
/// object may be older than the one deleted.
template <Object T>
struct DeletedObject {
  ObjectKey key{};
  Cached<T> object{};
  bool final_state_unknown = false;
};

/// Callbacks of one handler; unset ones are skipped.
///
/// Calls to one handler come one at a time and in order, on the informer's executor, with no lock
/// held. They should be short: typically they add a key to a queue. An exception is caught, counted
/// and logged, and delivery goes on.
template <Object T>
struct ResourceEventHandler {
  /// `is_in_initial_list`: part of the state at the start, not a change seen since.
  std::function<void(const Cached<T>& object, bool is_in_initial_list)> on_add{};
  std::function<void(const Cached<T>& old_object, const Cached<T>& new_object)> on_update{};
  std::function<void(const DeletedObject<T>& deleted)> on_delete{};
};

}  // namespace kube
