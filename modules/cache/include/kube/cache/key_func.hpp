// SPDX-License-Identifier: Apache-2.0
//
// kube::KeyFunc<T>: the function that makes the key of an object in a store or queue of the
// program's own, and client-go's functions of that kind. SplitMetaNamespaceKey is
// parse_object_key() of <kube/names/object_key.hpp>.
//
//   // One object for each node: the last one that was added.
//   const auto node = index_by_field<Pod>("spec.nodeName");
//   Store<Pod> last({.key_func = index_func_to_key_func_adapter<Pod>(*node)});
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/call_user_code.hpp>
#include <kube/base/result.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/event_handler.hpp>
#include <kube/cache/indexer.hpp>
#include <kube/names/object_key.hpp>

namespace kube {

/// Returns the key of an object, at most kMaxKeyBytes and not empty. The same object has to get the
/// same key each time.
/// @par Errors   Any: the object is not taken. An exception counts as one (Internal).
/// @par Thread safety   Called by the thread that writes, possibly by several at the same time,
///   with no lock held.
template <Object T>
using KeyFunc = std::function<Result<std::string>(const Cached<T>& object)>;

/// The maximum size of a key that a KeyFunc makes.
inline constexpr std::size_t kMaxKeyBytes = 65'535;

/// Returns "namespace/name", or "name" for an object without a namespace.
/// @par Errors   InvalidArgument: there is no object, or it has no name.
template <Object T>
Result<std::string> meta_namespace_key_func(const Cached<T>& object) {
  if (!object) return Error(ErrorCode::InvalidArgument, "there is no object");
  if (object.name().empty()) {
    return Error(ErrorCode::InvalidArgument, "the object has no metadata.name");
  }
  return object.object_key().to_string();
}

/// Returns the key of a deleted object. It is the one that was recorded with the deletion: an
/// inferred one need not have an object.
/// @par Errors   InvalidArgument: there is no key.
template <Object T>
Result<std::string> deletion_handling_meta_namespace_key_func(const DeletedObject<T>& deleted) {
  std::string key = deleted.key.to_string();
  if (key.empty()) return Error(ErrorCode::InvalidArgument, "the deletion has no key");
  return key;
}
/// @par Errors   Those of meta_namespace_key_func().
template <Object T>
Result<std::string> deletion_handling_meta_namespace_key_func(const Cached<T>& object) {
  return meta_namespace_key_func(object);
}

/// Makes a key function of an index function that has one value for each object.
/// @par Errors   The key function: InvalidArgument when there is no value, or more than one.
template <Object T>
KeyFunc<T> index_func_to_key_func_adapter(IndexFunc<T> function) {
  return [function = std::move(function)](const Cached<T>& object) -> Result<std::string> {
    std::vector<std::string> values = function(object);
    if (values.size() == 1) return std::move(values.front());
    return Error(ErrorCode::InvalidArgument, "expected one value of the index function, found " +
                                                 std::to_string(values.size()));
  };
}

namespace cache {

/// @par Errors   InvalidArgument: the key is empty or too long.
inline Result<void> check_key(std::string_view key) {
  if (!key.empty() && key.size() <= kMaxKeyBytes) return {};
  return Error(ErrorCode::InvalidArgument, "expected a key of 1 to " +
                                               std::to_string(kMaxKeyBytes) + " bytes, found " +
                                               std::to_string(key.size()));
}

/// Returns the key of an object by a function, which may be empty: then meta_namespace_key_func().
/// @par Errors   Those of the function, with the object's name, as client-go's KeyError: code,
///   reason and message are those of the cause. InvalidArgument for a key that is empty or too
///   long.
template <Object T>
Result<std::string> key_of(const KeyFunc<T>& function, const Cached<T>& object) {
  Result<std::string> key =
      !object || !function ? meta_namespace_key_func(object)
                           : call_user_code("the key function", [&] { return function(object); });
  const Result<void> valid = key ? check_key(*key) : Result<void>(key.error());
  if (valid) return key;
  return valid.error().with_context("create the key of object \"" +
                                    object.object_key().to_string() + '"');
}

}  // namespace cache
}  // namespace kube
