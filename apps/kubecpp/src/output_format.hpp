// SPDX-License-Identifier: Apache-2.0
//
// The -o of get: tables, JSON, YAML, names, JSONPath templates and custom columns.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/json/json_path_template.hpp>
#include <kube/json/value.hpp>

#include "custom_columns.hpp"

namespace kubecpp {

enum class GetOutput { Table, Wide, Json, Yaml, Name, JsonPath, JsonPathAsJson, CustomColumns };

struct OutputFormat {
  GetOutput kind = GetOutput::Table;
  std::optional<kube::json::JsonPathTemplate> path{};  ///< JsonPath and JsonPathAsJson.
  std::optional<CustomColumns> columns{};              ///< CustomColumns.
  bool allow_missing_keys = true;

  /// Whether the server makes the tables.
  bool is_table() const { return kind == GetOutput::Table || kind == GetOutput::Wide; }

  /// Returns the text of an object, or of a List, for Json, Yaml and the JSONPath formats.
  /// @par Errors   InvalidArgument: the value is not as the template expects.
  kube::Result<std::string> text(const kube::json::Value& value) const;
};

/// Escapes the control characters of a text but tabs and line feeds, which templates contain: for
/// terminals, which obey them. Programs that read the output get it as it is.
std::string terminal_text(std::string_view text);

/// Reads "wide", "jsonpath={.kind}", "custom-columns-file=FILE" and so on.
/// @par Errors   InvalidArgument, in kubectl's words; Config when a file can't be read; Cancelled.
kube::Result<OutputFormat> parse_output_format(const std::string& word, bool allow_missing_keys,
                                               const std::stop_token& stop);

/// Reads a format of -o that needs no table: json, yaml, name and the JSONPath ones.
/// @par Errors   As parse_output_format().
kube::Result<OutputFormat> parse_document_format(const std::string& word,
                                                 const std::stop_token& stop);

}  // namespace kubecpp
