// SPDX-License-Identifier: Apache-2.0
//
// Makes the documents of server-side apply from typed objects.
#pragma once

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/codec/object.hpp>
#include <kube/json/value.hpp>

namespace kube {

/// An object to apply, and which of its zero fields are set. A field that is not optional, such as
/// `bool paused`, does not say whether its false, 0 or "" was set or left alone; `zeros` does,
/// after `mine.zeros.ensure_path({"spec", "paused"}) = false`. extract() fills it with the zero
/// fields that the manager owns, so that the next apply keeps them. T is a Described type.
/// @par Thread safety   A value.
template <class T>
struct ApplyConfiguration : T {
  /// A document of the fields that are sent even if they are zero: {"spec":{"paused":false}}. Null
  /// stands for the zero of any type; other values than zeros count as absent. An item of a list is
  /// for the items with the same values in all of its members that are not zero, usually the keys
  /// of the list, as in [{"name":"main","stdin":false}]; without such members it is for the item
  /// at the same index.
  json::Value zeros{};

  friend bool operator==(const ApplyConfiguration&, const ApplyConfiguration&) = default;
};

/// Returns the document that applies the fields that are set in an object: its JSON without the
/// members that it also has for unset fields (creationTimestamp null, an empty status, a required
/// number that is 0). The manager that applies a document owns the fields in it. A value in an
/// optional field remains, whatever it is: replicas 0, an empty emptyDir. Of the fields that are
/// not optional, those in `zeros` (ApplyConfiguration::zeros) remain, and spec.replicas of a Scale,
/// which has nothing else to set.
/// @par Errors   Decode when the object does not encode to valid JSON, because a raw value in it is
/// invalid.
Result<json::Value> apply_document(const void* object, const meta::TypeDescriptor& type,
                                   const json::Value& zeros = {});
template <Described T>
Result<json::Value> apply_document(const T& object) {
  return apply_document(&object, T::descriptor());
}
template <Described T>
Result<json::Value> apply_document(const ApplyConfiguration<T>& object) {
  const T* plain = &object;
  return apply_document(plain, T::descriptor(), object.zeros);
}

}  // namespace kube
