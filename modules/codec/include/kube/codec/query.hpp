// SPDX-License-Identifier: Apache-2.0
//
// Query parameters of described option types, such as ListOptions and PodLogOptions.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>

namespace kube {

/// Names and values, not yet percent-encoded. A name may stand more than once.
using QueryParameters = std::vector<std::pair<std::string, std::string>>;

namespace meta {

/// Every field under its JSON key: what JSON omits is left out, what it writes as null is empty,
/// lists repeat the key (without their empty elements), nested objects count as if their fields
/// stood in the outer one, maps and lists of objects are skipped; kind and apiVersion never.
/// Sorted by key.
QueryParameters to_query(const void* object, const TypeDescriptor& type);

template <Described T>
QueryParameters to_query(const T& options) {
  return to_query(&options, T::descriptor());
}

/// Sets the fields that the parameters name, as a server reads them. Other parameters are skipped,
/// and so are fields that hold objects. Of several values of a field that is not a list the first
/// counts; a boolean is false for "false" and "0" and otherwise true.
/// @par Errors   InvalidArgument for a value that the field can't have, a number that is not one
///   for example, naming parameter and value.
Result<void> read_query(const QueryParameters& query, const TypeDescriptor& type, void* object);

template <Described T>
Result<T> from_query(const QueryParameters& query) {
  auto options = Result<T>::make();
  if (auto read = read_query(query, T::descriptor(), &*options); !read) options = read.error();
  return options;
}

/// A boolean parameter by itself, such as "watch"; false when absent.
bool query_flag(const QueryParameters& query, std::string_view name);

}  // namespace meta
}  // namespace kube
