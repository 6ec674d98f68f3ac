// SPDX-License-Identifier: Apache-2.0
//
// Makes the documents of server-side apply from typed objects.
#pragma once

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/codec/object.hpp>
#include <kube/json/value.hpp>

namespace kube {

/// Returns the document that applies the fields that are set in an object: its JSON without the
/// members that it also has for unset fields (creationTimestamp null, an empty status, a required
/// number that is 0). The manager that applies a document owns the fields in it. A value in an
/// optional field remains, whatever it is: replicas 0, an empty emptyDir.
/// @par Errors   Decode when the object does not encode to valid JSON, because a raw value in it is
/// invalid.
Result<json::Value> apply_document(const void* object, const meta::TypeDescriptor& type);
template <Described T>
Result<json::Value> apply_document(const T& object) {
  return apply_document(&object, T::descriptor());
}

}  // namespace kube
