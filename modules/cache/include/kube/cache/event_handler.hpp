// SPDX-License-Identifier: Apache-2.0
//
// kube::ResourceEventHandler<T>: the callbacks by which an informer reports changes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <kube/cache/cached.hpp>

namespace kube {

/// How it is known that an object is gone.
enum class DeletionEvidence : std::uint8_t {
  /// The watch reported it. With selectors in InformerOptions, a server also reports an object so
  /// that exists and no longer matches.
  Observed,
  /// A list did not have the object any more: it was deleted while no watch was open, and may have
  /// changed before. Or the watch reported it with a final state that the cache refused.
  Inferred,
  /// A filtering_handler() no longer accepts the object, which exists.
  Filtered,
};
/// "Observed", "Inferred", "Filtered".
std::string_view to_string(DeletionEvidence evidence);

/// A deleted object; key and object are always set.
/// @par Thread safety   A value.
template <Object T>
struct DeletedObject {
  ObjectKey key{};
  /// Observed: its final state, as the server reported it. Inferred: the last known state.
  /// Filtered: the last state that the filter accepted.
  Cached<T> object{};
  bool final_state_unknown = false;  ///< Inferred.
  bool still_exists = false;         ///< Filtered.

  DeletionEvidence evidence() const {
    if (still_exists) return DeletionEvidence::Filtered;
    return final_state_unknown ? DeletionEvidence::Inferred : DeletionEvidence::Observed;
  }
};

/// The callbacks of one handler; unset ones are skipped.
///
/// The callbacks should be short: typically they add a key to a queue. A callback that blocks
/// delays neither the cache nor timers, but it delays other handlers when as many block as there
/// are threads (ClientOptions::handler_threads). An exception is caught, counted and logged, and
/// delivery continues.
/// @par Thread safety   Called one at a time and in order, from Runtime::handlers, with no lock
/// held.
template <Object T>
struct ResourceEventHandler {
  /// `is_in_initial_list`: the object is part of the initial state, not a later change.
  std::function<void(const Cached<T>& object, bool is_in_initial_list)> on_add{};
  std::function<void(const Cached<T>& old_object, const Cached<T>& new_object)> on_update{};
  std::function<void(const DeletedObject<T>& deleted)> on_delete{};
};

/// Returns a handler that receives only the objects that `filter` accepts: an update that makes an
/// object acceptable becomes an add, and one that does the opposite a deletion, with
/// DeletionEvidence::Filtered.
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
      if (handler.on_delete) handler.on_delete({old_object.object_key(), old_object, false, true});
    }
  };
  return result;
}

}  // namespace kube
