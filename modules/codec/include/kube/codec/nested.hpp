// SPDX-License-Identifier: Apache-2.0
//
// Reads and sets fields of a JSON object, with client-go's rules (unstructured.NestedString ...):
//
//   Result<Optional<std::string>> node = nested_string(pod.content, {"spec", "nodeName"});
//
// The result is nullopt for a missing field, and for a field of a missing or null one. Names are
// plain keys: "e[0]" is a key too, and a path can't enter a list. Pure functions: any thread may
// call them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/json/value.hpp>

namespace kube {

using NestedPath = std::initializer_list<std::string_view>;

/// Returns the value itself, which may be null; nullptr when there is no such field. It lives until
/// `object` changes.
/// @par Errors   Decode when a parent is not an object: `.spec.replicas accessor error: 3 is of the
///   type int64, expected map[string]interface{}`.
Result<const json::Value*> nested_field(const json::Value& object, NestedPath path);
Result<const json::Value*> nested_field(const json::Value&& object,
                                        NestedPath path) = delete;  // Give it a name first.
/// Returns a copy of the value.
/// @par Errors   As nested_field().
Result<Optional<json::Value>> nested_field_copy(const json::Value& object, NestedPath path);
template <AnyText T>
Result<Optional<json::Value>> nested_field_copy(const T& text, NestedPath path) =
    delete;  // json::parse() it first.

/// Return the value as a type.
/// @par Errors   As nested_field(); Decode also for a value of another type: `.spec.replicas
///   accessor error: 1.5 is of the type float64, expected int64`.
Result<Optional<std::string>> nested_string(const json::Value& object, NestedPath path);
template <AnyText T>
Result<Optional<std::string>> nested_string(const T& text,
                                            NestedPath path) = delete;  // json::parse() it first.
Result<Optional<bool>> nested_bool(const json::Value& object, NestedPath path);
template <AnyText T>
Result<Optional<bool>> nested_bool(const T& text,
                                   NestedPath path) = delete;  // json::parse() it first.
Result<Optional<std::int64_t>> nested_int64(const json::Value& object, NestedPath path);
template <AnyText T>
Result<Optional<std::int64_t>> nested_int64(const T& text,
                                            NestedPath path) = delete;  // json::parse() it first.
Result<Optional<double>> nested_float64(const json::Value& object, NestedPath path);
template <AnyText T>
Result<Optional<double>> nested_float64(const T& text,
                                        NestedPath path) = delete;  // json::parse() it first.
/// Accepts integers too, unless a double can't hold them exactly.
Result<Optional<double>> nested_number_as_float64(const json::Value& object, NestedPath path);
template <AnyText T>
Result<Optional<double>> nested_number_as_float64(const T& text, NestedPath path) =
    delete;  // json::parse() it first.
Result<Optional<std::vector<std::string>>> nested_string_slice(const json::Value& object,
                                                               NestedPath path);
template <AnyText T>
Result<Optional<std::vector<std::string>>> nested_string_slice(const T& text, NestedPath path) =
    delete;  // json::parse() it first.
Result<Optional<json::Array>> nested_slice(const json::Value& object, NestedPath path);
template <AnyText T>
Result<Optional<json::Array>> nested_slice(const T& text,
                                           NestedPath path) = delete;  // json::parse() it first.
Result<Optional<json::Object>> nested_map(const json::Value& object, NestedPath path);
template <AnyText T>
Result<Optional<json::Object>> nested_map(const T& text,
                                          NestedPath path) = delete;  // json::parse() it first.

using StringMap = std::map<std::string, std::string, std::less<>>;
/// Returns a map of strings.
/// @par Errors   As nested_string(); names the key of a value that isn't a string.
Result<Optional<StringMap>> nested_string_map(const json::Value& object, NestedPath path);
template <AnyText T>
Result<Optional<StringMap>> nested_string_map(const T& text,
                                              NestedPath path) = delete;  // json::parse() it first.
/// The same, but reads null as an empty map, and a null value as "".
Result<Optional<StringMap>> nested_null_coercing_string_map(const json::Value& object,
                                                            NestedPath path);
template <AnyText T>
Result<Optional<StringMap>> nested_null_coercing_string_map(const T& text, NestedPath path) =
    delete;  // json::parse() it first.

/// Sets a field; makes the parents that are missing.
/// @par Errors   InvalidArgument when a parent is not an object, naming it, and for an empty path.
///   `object` is then unchanged.
Result<void> set_nested_field(json::Value& object, json::Value value, NestedPath path);

/// Removes a field, if it exists.
void remove_nested_field(json::Value& object, NestedPath path);

}  // namespace kube
