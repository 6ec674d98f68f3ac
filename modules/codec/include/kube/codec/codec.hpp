// SPDX-License-Identifier: Apache-2.0
//
// Reading and writing described types. The engine is untyped and compiled once; the templates are
// thin shells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/codec/object.hpp>

namespace kube::meta {

/// How to read.
struct ReadOptions {
  /// Unknown and duplicate fields are an error, worded as the API server's strict field validation:
  /// `strict decoding error: unknown field "spec.foo", duplicate field "metadata.name"`. JSON only.
  bool strict = false;
  /// Takes `unknown field "spec.foo"` and the like, one each (the first 100), strict or not: what
  /// the API server warns of.
  std::vector<std::string>* problems = nullptr;
};

/// Reads a JSON object into `*object`, a default-constructed value of the type. Unknown keys are
/// skipped, null leaves a field unset. Errors are Decode and name kind, field path and byte offset;
/// `*object` is then partly filled and must be dropped; unless the error is that of strict reading,
/// which leaves it whole. Of a key that comes twice the last value counts, of objects and maps all
/// members.
Result<void> read_json(std::string_view text, const TypeDescriptor& type, void* object,
                       const ReadOptions& options = {});

/// Appends the JSON of a value; for a kind with "kind" and "apiVersion" first.
void write_json(const void* object, const TypeDescriptor& type, std::string& out);

/// The fields that come twice in JSON of any type, as problems above names them: `duplicate field
/// "spec.size"`. Of text that isn't JSON what stands before the mistake.
/// @par Cost   One pass over the text.
std::vector<std::string> duplicate_fields(std::string_view json);

/// T of JSON text. For a kind, "apiVersion" and "kind" in the text must be T's when present.
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
