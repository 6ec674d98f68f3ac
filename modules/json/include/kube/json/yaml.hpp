// SPDX-License-Identifier: Apache-2.0
//
// Reads YAML into json::Values and writes it, as kubectl does: plain yes, no, on, off, y and n are
// booleans, 010 is octal, quoted text stays text, keys of maps become strings.
//
// Any thread may call these functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/base/text_argument.hpp>
#include <kube/json/value.hpp>

namespace kube::yaml {

/// Reads a manifest: YAML documents separated by lines of "---" or ended by "...", JSON documents
/// one after another, or JSON documents separated by "---". Skips empty documents.
///
/// Anchors, aliases and merge keys are resolved; the size that they expand to is bounded. For a
/// duplicate key the last value wins, unless the options reject duplicates; a merge key counts as
/// the keys that it inserts.
/// @par Errors   Decode: "yaml: line 3: ..." for YAML, "json: offset 17: ..." for JSON.
/// @par Cost   At most n log n for n bytes of any input.
Result<std::vector<json::Value>> parse_all(std::string_view text,
                                           const json::ParseOptions& options = {});

/// The same; also returns each duplicate key of a map, in the words of Go's strict reader: `line 3:
/// key "a" already set in map`.
/// @par Errors   As above.
Result<std::vector<json::Value>> parse_all(std::string_view text,
                                           std::vector<std::string>& repeated_keys);

/// One document of a manifest.
/// @par Thread safety   A value.
struct Document {
  json::Value value{};
  std::string_view json{};  ///< Its text in the manifest if it is JSON; empty for YAML.
  int line = 0;             ///< The line of the manifest on which it begins, from 1.
  std::vector<std::string> repeated_keys{};  ///< As above; none of JSON, whose text has them.
};

/// Reads a manifest; returns each document with its JSON text, in which strict reading by type and
/// meta::duplicate_fields() find duplicate fields.
/// @par Errors   As above.
Result<std::vector<Document>> read_documents(std::string_view text);
template <TemporaryText T>
Result<std::vector<Document>> read_documents(T&& text) = delete;  // Give the text a name first.

/// Reads exactly one document.
/// @par Errors   As parse_all(); Decode when there is no document or a second one.
Result<json::Value> parse(std::string_view text, const json::ParseOptions& options = {});
Result<json::Value> parse(std::string_view text, std::vector<std::string>& repeated_keys);

/// Returns block style as kubectl prints it: two spaces a level, lists at the level of their key,
/// members in order, quotes only around text that would be read as another type.
std::string dump(const json::Value& value);

}  // namespace kube::yaml
