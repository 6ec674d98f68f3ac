// SPDX-License-Identifier: Apache-2.0
//
// Query parameters of described option types, such as PodLogOptions.
#pragma once

#include <kube/meta/object.hpp>
#include <kube/meta/options.hpp>

namespace kube::meta {

/// Every field under its JSON key: what JSON omits is left out, what it writes as null is empty,
/// lists repeat the key (without their empty elements), nested objects count as if their fields
/// stood in the outer one, maps are skipped; kind and apiVersion never. Sorted by key.
QueryParameters to_query(const void* object, const TypeDescriptor& type);

template <Described T>
QueryParameters to_query(const T& options) {
  return to_query(&options, T::descriptor());
}

}  // namespace kube::meta
