// SPDX-License-Identifier: Apache-2.0
//
// kube::Object: the concept of an API object, generated or Unstructured; and the resource of a
// generated one.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

/// A type that clients, caches and controllers can handle.
template <class T>
concept Object = (Described<T> && requires(T t) { t.metadata; }) || std::same_as<T, Unstructured>;

namespace meta {

/// Returns the resource of a generated kind.
ResourceInfo resource_of(const TypeDescriptor& type);
template <Described T>
ResourceInfo resource_of() {
  return resource_of(T::descriptor());
}

}  // namespace meta
}  // namespace kube
