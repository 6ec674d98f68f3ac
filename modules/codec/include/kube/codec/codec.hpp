// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes described types as JSON. The engine is untyped and compiled once; the templates
// only call it. Pure functions: any thread may call them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/codec/object.hpp>

namespace kube::meta {

/// How a document is read.
struct ReadOptions {
  /// Unknown and duplicate fields are an error, in the words of the API server's strict field
  /// validation: `strict decoding error: unknown field "spec.foo", duplicate field
  /// "metadata.name"`. JSON only.
  bool strict = false;
  /// Receives the warnings of the API server, at most 100, strict or not: `unknown field
  /// "spec.foo"` and the like.
  std::vector<std::string>* problems = nullptr;
};

/// Reads a JSON object into `*object`, a default-constructed value of the type. Unknown keys are
/// skipped, null leaves a field unset. For a duplicate key the last value wins; objects and maps
/// are merged.
/// @par Errors   Decode; names the kind, the field's path and the byte offset. `*object` is then
///   partly filled and must be dropped. Strict reading fails after it has filled `*object`.
/// @par Cost   One pass over the text.
Result<void> read_json(std::string_view text, const TypeDescriptor& type, void* object,
                       const ReadOptions& options = {});

/// Appends the JSON of a value; that of a kind begins with "kind" and "apiVersion".
void write_json(const void* object, const TypeDescriptor& type, std::string& out);

/// Returns the duplicate fields in JSON of any type, as ReadOptions::problems names them:
/// `duplicate field "spec.size"`. For invalid JSON, those found before the error.
/// @par Cost   One pass over the text.
std::vector<std::string> duplicate_fields(std::string_view json);

/// Reads a T. For a kind, "apiVersion" and "kind" in the text must be T's when present.
/// @par Errors   As read_json(); for Unstructured as unstructured_from_json().
template <Described T>
Result<T> from_json(std::string_view text, const ReadOptions& options = {}) {
  auto value = Result<T>::make();  // returned in any case, and so never moved
  if (auto read = read_json(text, T::descriptor(), &*value, options); !read) value = read.error();
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
