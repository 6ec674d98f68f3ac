// SPDX-License-Identifier: Apache-2.0
//
// A kubeconfig file that is being changed: its values, and the text whose comments stay.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

namespace kube::kubeconfig {

/// @par Thread safety   A value.
struct Document {
  Document();
  std::string text{};
  json::Value value;  ///< An object; what kubectl writes when nothing is there.

  json::Object& root() { return *value.if_object(); }
};

/// Returns a text that begins with the byte order mark of UTF-16, as PowerShell writes files, in
/// UTF-8, and others as they are. Half a pair of surrogates becomes U+FFFD.
std::string as_utf8(std::string_view text);

/// Returns an empty document for a file that does not exist.
/// @par Errors   Config: the file can't be read, or is not YAML.
Result<Document> read_document(const std::string& path);

/// @par Errors   Config: the file can't be written.
Result<void> write_document(const std::string& path, Document document);

/// Replaces what the file holds, through symbolic links. Makes missing folders.
/// @par Errors   Config: the file can't be written.
Result<void> write_text(const std::string& path, std::string_view text);

/// Returns the list of this key, which is made when it is not one.
json::Array& list_of(json::Object& root, std::string_view key);

/// Returns the element of a list with this name; the end of the list without one.
json::Array::iterator find_named(json::Array& list, std::string_view name);

}  // namespace kube::kubeconfig
