// SPDX-License-Identifier: Apache-2.0
//
// What it takes to be an API object: the concept kube::Object, and uniform access to the facts of
// its type for both generated structs and Unstructured.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

/// Anything that clients, caches and controllers handle.
template <class T>
concept Object = (Described<T> && requires(T t) { t.metadata; }) || std::same_as<T, Unstructured>;

namespace meta {

ResourceInfo resource_of(const TypeDescriptor& type);
/// The resource of a generated kind.
template <Described T>
ResourceInfo resource_of() {
  return resource_of(T::descriptor());
}

}  // namespace meta
}  // namespace kube
