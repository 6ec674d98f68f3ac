// SPDX-License-Identifier: Apache-2.0
//
// What an informer tells its handlers.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include <kube/cache/cached.hpp>

namespace kube {

/// The last thing known of an object that is gone; in a handler's call, key and object are always
/// there. `final_state_unknown` says that the deletion was inferred from a relist, so that the
/// object may be older than the one deleted.
template <Object T>
struct DeletedObject {
  ObjectKey key{};
  Cached<T> object{};
  bool final_state_unknown = false;
};

/// Callbacks of one handler; unset ones are skipped.
///
/// Calls to one handler come one at a time and in order, from Runtime::handlers, with no lock held.
/// They should be short: typically they add a key to a queue. One that blocks holds up no cache and
/// no timer, but other handlers when as many block as there are threads
/// (ClientOptions::handler_threads). An exception is caught, counted and logged, and delivery goes
/// on.
template <Object T>
struct ResourceEventHandler {
  /// `is_in_initial_list`: part of the state at the start, not a change seen since.
  std::function<void(const Cached<T>& object, bool is_in_initial_list)> on_add{};
  std::function<void(const Cached<T>& old_object, const Cached<T>& new_object)> on_update{};
  std::function<void(const DeletedObject<T>& deleted)> on_delete{};
};

/// A handler that hears of the objects that `filter` accepts, as if there were no others: an update
/// that makes an object acceptable is an add, one that makes it unacceptable a deletion.
template <Object T>
ResourceEventHandler<T> filtering_handler(std::function<bool(const Cached<T>&)> filter,
                                          ResourceEventHandler<T> handler) {
  ResourceEventHandler<T> result;
  result.on_add = [filter, on_add = handler.on_add](const Cached<T>& object, bool initial) {
    if (on_add && filter(object)) on_add(object, initial);
  };
  result.on_delete = [filter, on_delete = handler.on_delete](const DeletedObject<T>& deleted) {
    if (on_delete && filter(deleted.object)) on_delete(deleted);
  };
  result.on_update = [filter = std::move(filter), handler = std::move(handler)](
                         const Cached<T>& old_object, const Cached<T>& new_object) {
    const bool before = filter(old_object);
    const bool after = filter(new_object);
    if (before && after) {
      if (handler.on_update) handler.on_update(old_object, new_object);
    } else if (after) {
      if (handler.on_add) handler.on_add(new_object, false);
    } else if (before) {
      if (handler.on_delete) handler.on_delete({old_object.object_key(), old_object, false});
    }
  };
  return result;
}

}  // namespace kube
