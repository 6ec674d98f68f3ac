// SPDX-License-Identifier: Apache-2.0
//
// Query parameters of described option types, such as ListOptions and PodLogOptions. Pure
// functions: any thread may call them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>

namespace kube {

/// Names and values, not percent-encoded. Names may repeat.
using QueryParameters = std::vector<std::pair<std::string, std::string>>;

namespace meta {

/// Returns a parameter for each field, under its JSON key and sorted by it. Fields that JSON omits
/// are omitted, null is an empty value, a list repeats the key for each element that is not empty,
/// and the fields of nested objects are parameters too. Maps, lists of objects, kind and apiVersion
/// are omitted.
QueryParameters to_query(const void* object, const TypeDescriptor& type);

template <Described T>
QueryParameters to_query(const T& options) {
  return to_query(&options, T::descriptor());
}

/// Sets the fields that the parameters name, as a server reads them. Other parameters and fields
/// that hold objects are skipped. If a field that is not a list has several values, the first wins.
/// A boolean is false for "false" and "0" and otherwise true.
/// @par Errors   InvalidArgument for a value of another type, such as text for a number; names the
///   parameter, the expected type and the value.
Result<void> read_query(const QueryParameters& query, const TypeDescriptor& type, void* object);

/// @par Errors   As read_query().
template <Described T>
Result<T> from_query(const QueryParameters& query) {
  auto options = Result<T>::make();
  if (auto read = read_query(query, T::descriptor(), &*options); !read) options = read.error();
  return options;
}

/// Returns a boolean parameter, such as "watch"; false when absent.
bool query_flag(const QueryParameters& query, std::string_view name);

}  // namespace meta
}  // namespace kube
