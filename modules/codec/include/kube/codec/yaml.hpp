// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes described types as YAML, through JSON as kubectl and the API server do. Pure
// functions: any thread may call them.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/codec/object.hpp>

namespace kube::meta {

/// Reads one YAML document, which may be JSON, into `*object`, a default-constructed value of the
/// type. The first problem names all duplicate keys:
/// `yaml: unmarshal errors:\n  line 3: key "a" already set in map`. The others are in the order of
/// their keys, as the API server reports them.
/// @par Errors   As read_json(), with offsets in the document's JSON; Decode for invalid YAML, with
///   the line.
Result<void> read_yaml(std::string_view text, const TypeDescriptor& type, void* object,
                       const ReadOptions& options = {});

/// Appends a value in block style, keys sorted, as kubectl prints it.
void write_yaml(const void* object, const TypeDescriptor& type, std::string& out);

/// @par Errors   As read_yaml().
template <Described T>
Result<T> from_yaml(std::string_view text, const ReadOptions& options = {}) {
  auto value = Result<T>::make();
  if (auto read = read_yaml(text, T::descriptor(), &*value, options); !read) value = read.error();
  return value;
}

template <Described T>
std::string to_yaml(const T& value) {
  std::string out;
  write_yaml(&value, T::descriptor(), out);
  return out;
}

}  // namespace kube::meta
