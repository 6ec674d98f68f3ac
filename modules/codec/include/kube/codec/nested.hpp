// SPDX-License-Identifier: Apache-2.0
//
// Fields deep inside a JSON object, with client-go's rules (unstructured.NestedString and family):
//
//   Result<Optional<std::string>> node = nested_string(pod.content, {"spec", "nodeName"});
//
// A missing field, and anything below a missing or null one, is nullopt. A value of another type,
// and a way through something that is no object, is a Decode error such as ".spec.replicas accessor
// error: 1.5 is of the type float64, expected int64". Names are plain keys: "e[0]" is a key too,
// and lists can't be traversed.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

namespace kube {

using NestedPath = std::initializer_list<std::string_view>;

/// The value itself, null values included; nullptr when not found. It lives as long as `object`
/// does and isn't changed.
Result<const json::Value*> nested_field(const json::Value& object, NestedPath path);
Result<const json::Value*> nested_field(const json::Value&& object,
                                        NestedPath path) = delete;  // Give it a name first.
/// A copy.
Result<Optional<json::Value>> nested_field_copy(const json::Value& object, NestedPath path);

Result<Optional<std::string>> nested_string(const json::Value& object, NestedPath path);
Result<Optional<bool>> nested_bool(const json::Value& object, NestedPath path);
Result<Optional<std::int64_t>> nested_int64(const json::Value& object, NestedPath path);
Result<Optional<double>> nested_float64(const json::Value& object, NestedPath path);
/// Integers too, unless a double can't hold them exactly.
Result<Optional<double>> nested_number_as_float64(const json::Value& object, NestedPath path);
Result<Optional<std::vector<std::string>>> nested_string_slice(const json::Value& object,
                                                               NestedPath path);
Result<Optional<json::Array>> nested_slice(const json::Value& object, NestedPath path);
Result<Optional<json::Object>> nested_map(const json::Value& object, NestedPath path);

using StringMap = std::map<std::string, std::string, std::less<>>;
Result<Optional<StringMap>> nested_string_map(const json::Value& object, NestedPath path);
/// The same where null stands for an empty map, and a null value for "".
Result<Optional<StringMap>> nested_null_coercing_string_map(const json::Value& object,
                                                            NestedPath path);

/// Makes objects on the way; InvalidArgument when something else stands there, and for an empty
/// path. `object` is unchanged then.
Result<void> set_nested_field(json::Value& object, json::Value value, NestedPath path);

/// Nothing happens when there is no such field.
void remove_nested_field(json::Value& object, NestedPath path);

}  // namespace kube
