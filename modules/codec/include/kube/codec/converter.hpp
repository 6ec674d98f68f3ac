// SPDX-License-Identifier: Apache-2.0
//
// Converts between described types and JSON values: for servers that patch typed objects, and for
// clients that need one object in both forms. Pure functions: any thread may call them.
//
// Cost: both directions go through JSON text, a write and a parse.
#pragma once

#include <string>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/object.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/json/value.hpp>

namespace kube::meta {

/// Returns the JSON of a value of a described type.
json::Value to_value(const void* object, const TypeDescriptor& type);

template <Described T>
json::Value to_value(const T& value) {
  return to_value(&value, T::descriptor());
}

/// Returns the T of a JSON value; unknown members are skipped, or are an error by the options. A
/// whole number is taken for a field of either form, integer or not.
/// @par Errors   As from_json().
template <Described T>
Result<T> from_value(const json::Value& value, const ReadOptions& options = {}) {
  return from_json<T>(json::dump(value), options);
}
template <Described T, AnyText Text>
Result<T> from_value(const Text& text,
                     const ReadOptions& options = {}) = delete;  // Use from_json().

template <Described T>
Unstructured to_unstructured(const T& value) {
  return Unstructured(to_value(value));
}

/// @par Errors   As from_json().
template <Described T>
Result<T> from_unstructured(const Unstructured& object, const ReadOptions& options = {}) {
  return from_value<T>(object.content, options);
}

}  // namespace kube::meta
