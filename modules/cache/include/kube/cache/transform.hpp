// SPDX-License-Identifier: Apache-2.0
//
// kube::Transform<T>: changes objects before a cache stores them, to store less of them.
#pragma once

#include <functional>

#include <kube/base/result.hpp>
#include <kube/codec/object.hpp>

namespace kube {

/// Receives a copy of each object that arrives, and returns the object to store: without
/// managedFields, for example. It must not change namespace, name, uid or resourceVersion.
///
/// @par Errors   An Error fails the whole list that contains the object; the list is tried again
///   after a backoff, so that the cache does not sync before the transform has accepted every
///   object. For an event of a watch, or of an initial state that is streamed, it refuses only that
///   object. An exception, a changed key, or an object that can't be decoded refuses only that
///   object, from any source. Refused objects are counted (InformerStatus::processing_errors),
///   named by InformerStatus::refused_objects and in the log, shown in InformerStatus::last_error,
///   and reported to the watch error handler: once for a list, and for a watch with their number
///   when there are many. Without a transform, nothing decodes an object that arrives: one that
///   can't be decoded is stored, and get() of its Cached fails. The cache keeps the state that
///   it has of such an object, if any, until it accepts a newer one or the object is deleted. A
///   deletion whose final state is refused removes the object all the same: handlers receive the
///   state that the cache had, with DeletedObject::final_state_unknown.
/// @par Thread safety   Called on the informer's executor, one call at a time, with no lock held.
template <Object T>
using Transform = std::function<Result<T>(T object)>;

}  // namespace kube
