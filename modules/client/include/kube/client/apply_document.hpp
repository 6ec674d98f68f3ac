// SPDX-License-Identifier: Apache-2.0
//
// Server-side apply with typed objects.
#pragma once

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/codec/object.hpp>
#include <kube/json/value.hpp>

namespace kube {

/// The document that applies what is set in an object: its JSON without the members that JSON shows
/// for unset fields, too (creationTimestamp null, an empty status, a required number that is 0).
/// Whoever applies a document owns what it names. What is set in an optional field stays, whatever
/// it is: replicas 0, an empty emptyDir.
Result<json::Value> apply_document(const void* object, const meta::TypeDescriptor& type);

template <Described T>
Result<json::Value> apply_document(const T& object) {
  return apply_document(&object, T::descriptor());
}

}  // namespace kube
