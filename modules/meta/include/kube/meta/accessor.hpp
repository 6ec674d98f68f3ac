// SPDX-License-Identifier: Apache-2.0
//
// Access to metadata and list items of objects whose type is known at run time only: client-go's
// api/meta. Code that knows the type writes `object.metadata` and `list.items`.
#pragma once

#include <cstddef>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/codec/object.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/meta/object_meta.hpp>
#include <kube/meta/partial_object_metadata.hpp>

namespace kube::meta {

/// The metadata of a value of a described type.
/// @par Errors   InvalidArgument for a type without, such as a list: `object does not implement the
///   Object interfaces`.
Result<ObjectMeta*> accessor(void* object, const TypeDescriptor& type);
Result<const ObjectMeta*> accessor(const void* object, const TypeDescriptor& type);

/// Name, labels, owners and all else that is metadata, without what makes the object what it is.
template <Described T>
requires requires(const T& t) {
  { t.metadata } -> std::convertible_to<const ObjectMeta&>;
}
PartialObjectMetadata as_partial_object_metadata(const T& object) {
  return {.metadata = object.metadata};
}
/// @par Errors   Decode: metadata of an object that is not what ObjectMeta has; InvalidArgument
///   when there is none.
Result<PartialObjectMetadata> as_partial_object_metadata(const Unstructured& object);

/// The number of items of a list that is given as a document; 0 for null and absent items, and for
/// what is no list.
std::size_t list_length(const json::Value& list);

/// Replaces all items of a list. The list's kind and version say what the items must be: those of
/// another kind are refused; "List" takes all.
/// @par Errors   InvalidArgument: `item[1]: can't assign or convert Service into Pod`; the list is
///   as before.
Result<void> set_list_items(Unstructured& list, std::vector<Unstructured> items);

}  // namespace kube::meta
