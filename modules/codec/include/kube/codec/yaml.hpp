// SPDX-License-Identifier: Apache-2.0
//
// Described types as YAML, by way of their JSON: what kubectl and the API server do.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/codec/object.hpp>

namespace kube::meta {

/// Reads one YAML document, which may be JSON, into `*object`, a default-constructed value of the
/// type. Keys that come twice are reported before everything else, all in one problem:
/// `yaml: unmarshal errors:\n  line 3: key "a" already set in map`. Other problems come in the
/// order of their keys, as the API server has them.
/// @par Errors   As read_json(); offsets are those in the JSON that the document stands for.
Result<void> read_yaml(std::string_view text, const TypeDescriptor& type, void* object,
                       const ReadOptions& options = {});

/// Appends a value in block style, keys sorted, as kubectl prints it.
void write_yaml(const void* object, const TypeDescriptor& type, std::string& out);

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
