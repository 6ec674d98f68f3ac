// SPDX-License-Identifier: Apache-2.0
//
// Reading and writing described types. The engine is untyped and compiled once; the templates are
// thin shells.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/meta/descriptor.hpp>
#include <kube/meta/object.hpp>

namespace kube::meta {

/// Reads a JSON object into `*object`, a default-constructed value of the type. Unknown keys are
/// skipped, null leaves a field unset. Errors are Decode and name kind, field path and byte offset;
/// `*object` is then partly filled and must be dropped.
Result<void> read_json(std::string_view text, const TypeDescriptor& type, void* object);

/// Appends the JSON of a value; for a kind with "kind" and "apiVersion" first.
void write_json(const void* object, const TypeDescriptor& type, std::string& out);

/// T of JSON text. For a kind, "apiVersion" and "kind" in the text must be T's when present.
template <Described T>
Result<T> from_json(std::string_view text) {
  T value;
  if (auto read = read_json(text, T::descriptor(), &value); !read) return read.error();
  return value;
}
template <std::same_as<Unstructured> T>
Result<T> from_json(std::string_view text) {
  return unstructured_from_json(text);
}

template <Described T>
std::string to_json(const T& value) {
  std::string out;
  write_json(&value, T::descriptor(), out);
  return out;
}
inline std::string to_json(const Unstructured& value) {
  return json::dump(value.content);
}

}  // namespace kube::meta
