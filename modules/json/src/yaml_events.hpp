// SPDX-License-Identifier: Apache-2.0
//
// Builds values from the events of yaml-cpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <kube/json/value.hpp>

namespace kube::yaml {

/// Whether and how duplicate keys of a map are reported.
struct RepeatedKeys {
  bool reject = false;
  std::vector<std::string>* report = nullptr;
  bool in_json = true;  ///< Also in JSON documents.

  bool matter() const { return reject || report != nullptr; }
};

/// What is known of a document beside its value.
struct DocumentPlace {
  int line = 0;                   ///< On which it begins.
  std::size_t repeated_keys = 0;  ///< What has been reported up to its end.
};

/// Returns a Decode error: "yaml: line 3: ...".
Error yaml_error(int line, const std::string& message);

/// Appends the values of all documents of `text`, a part of a manifest that begins on `first_line`,
/// and their places to `places`, if it is not null.
/// @param size   The size of the part; the caller added what follows it in `text`.
/// @par Errors   Decode, with the line in the manifest.
Result<void> build_documents(const std::string& text, std::size_t size, int first_line,
                             const RepeatedKeys& repeated, std::vector<json::Value>& out,
                             std::vector<DocumentPlace>* places = nullptr);

}  // namespace kube::yaml
