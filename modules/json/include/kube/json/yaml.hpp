// SPDX-License-Identifier: Apache-2.0
//
// YAML into and out of json::Value, as kubectl reads and prints it: plain yes, no, on, off, y and n
// are booleans, 010 is octal, quoted text stays text, keys of maps become strings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/json/value.hpp>

namespace kube::yaml {

/// Reads a manifest: YAML documents separated by lines of "---", JSON documents in a row, or JSON
/// documents separated by "---". Empty documents are skipped; behind a line of "..." another one
/// may follow, behind a document without either nothing may.
///
/// Anchors, aliases and merge keys are resolved; what they may expand to is bounded. Of equal keys
/// the last one wins unless the options reject them; what a merge key brings counts as if it stood
/// in its place.
/// @par Errors   Decode: "yaml: line 3: ..." for YAML, "json: offset 17: ..." for JSON.
Result<std::vector<json::Value>> parse_all(std::string_view text,
                                           const json::ParseOptions& options = {});

/// The same, and every key that comes twice in a map, in the words of Go's strict reader:
/// `line 3: key "a" already set in map`.
Result<std::vector<json::Value>> parse_all(std::string_view text,
                                           std::vector<std::string>& repeated_keys);

/// One document of a manifest.
struct Document {
  json::Value value{};
  std::string_view json{};  ///< Its text in the manifest if it is JSON; empty for YAML.
};

/// Reads a manifest, with the text of its JSON documents, so that they can be read again by their
/// type, strictly. Reports the keys that come twice in YAML documents, as above.
Result<std::vector<Document>> read_documents(std::string_view text,
                                             std::vector<std::string>& repeated_keys);

/// Reads exactly one document; Decode if there is none or a second one.
Result<json::Value> parse(std::string_view text, const json::ParseOptions& options = {});
Result<json::Value> parse(std::string_view text, std::vector<std::string>& repeated_keys);

/// Block style as kubectl prints it: two spaces a level, lists at the level of their key, members
/// in their order, quotes only where the text would read as something else.
std::string dump(const json::Value& value);

}  // namespace kube::yaml
