// SPDX-License-Identifier: Apache-2.0
//
// Access to metadata and list items of objects whose type is known at run time only: client-go's
// api/meta. Code that knows the type uses `object.metadata` and `list.items`. Pure functions: any
// thread may call them, for different objects.
#pragma once

#include <cstddef>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/codec/object.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/meta/object_meta.hpp>
#include <kube/meta/partial_object_metadata.hpp>

namespace kube::meta {

/// Returns the metadata of a value of a described type.
/// @par Errors   InvalidArgument for a type without metadata, such as a list: `object does not
///   implement the Object interfaces`.
Result<ObjectMeta*> accessor(void* object, const TypeDescriptor& type);
Result<const ObjectMeta*> accessor(const void* object, const TypeDescriptor& type);

/// Returns a copy of an object's metadata: name, labels, owners and so on.
template <Described T>
requires requires(const T& t) {
  { t.metadata } -> std::convertible_to<const ObjectMeta&>;
}
PartialObjectMetadata as_partial_object_metadata(const T& object) {
  return {.metadata = object.metadata};
}
/// @par Errors   Decode when ObjectMeta can't hold the metadata; InvalidArgument when the object
///   has none.
Result<PartialObjectMetadata> as_partial_object_metadata(const Unstructured& object);

/// Returns the number of items of a list; 0 for null and absent items, and for a value that is not
/// a list.
std::size_t list_length(const json::Value& list);
template <AnyText T>
std::size_t list_length(const T& text) = delete;  // json::parse() it first.

/// Replaces all items of a list. The items must have the list's kind, without "List", and its
/// version; a "List" takes items of any kind.
/// @par Errors   InvalidArgument for another kind: `item[1]: can't assign or convert Service into
///   Pod`. The list is then unchanged.
Result<void> set_list_items(Unstructured& list, std::vector<Unstructured> items);

}  // namespace kube::meta
