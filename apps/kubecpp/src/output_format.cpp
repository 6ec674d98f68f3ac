// SPDX-License-Identifier: Apache-2.0
#include "output_format.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "document_printer.hpp"
#include "error_output.hpp"
#include "input_file.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
namespace json = kube::json;

Error wrong_format(std::string text) {
  return {ErrorCode::InvalidArgument, std::move(text)};
}

Result<GetOutput> kind_of(std::string_view name) {
  constexpr std::pair<std::string_view, GetOutput> kKinds[] = {
      {"table", GetOutput::Table},
      {"wide", GetOutput::Wide},
      {"json", GetOutput::Json},
      {"yaml", GetOutput::Yaml},
      {"name", GetOutput::Name},
      {"jsonpath", GetOutput::JsonPath},
      {"jsonpath-file", GetOutput::JsonPath},
      {"jsonpath-as-json", GetOutput::JsonPathAsJson},
      {"custom-columns", GetOutput::CustomColumns},
      {"custom-columns-file", GetOutput::CustomColumns}};
  std::string names;
  for (const auto& [known, kind] : kKinds) {
    if (name == known) return kind;
    names += (names.empty() ? "" : ",") + std::string(known);
  }
  if (name.starts_with("go-template") || name.starts_with("template"))
    return wrong_format("templates of Go are not supported; expected jsonpath or custom-columns");
  return wrong_format("unable to match a printer suitable for the output format \"" +
                      std::string(name) + "\", allowed formats are: " + names);
}

}  // namespace

std::string terminal_text(std::string_view text) {
  std::string out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("\n\t", begin), text.size());
    kube::append_printable(out, text.substr(begin, end - begin));
    if (end < text.size()) out += text[end];
    begin = end + 1;
  }
  return out;
}

Result<OutputFormat> parse_output_format(const std::string& word, bool allow_missing_keys,
                                         const std::stop_token& stop) {
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string name = word.substr(0, equals);
  std::string argument = equals == word.size() ? std::string() : word.substr(equals + 1);
  const auto kind = word.empty() ? GetOutput::Table : kind_of(name);
  if (!kind) return kind.error();
  OutputFormat format{.kind = *kind, .allow_missing_keys = allow_missing_keys};
  const bool is_path = *kind == GetOutput::JsonPath || *kind == GetOutput::JsonPathAsJson;
  if (!is_path && *kind != GetOutput::CustomColumns) {
    if (equals == word.size()) return format;
    return wrong_format("expected " + name + " without an argument");
  }
  if (is_path && argument.empty())
    return wrong_format("template format specified but no template given");
  const bool is_file = name.ends_with("-file") && !argument.empty();
  if (is_file) {
    auto text = read_input(argument, stop);
    if (!text) return text.error().with_context("error reading template");
    argument = *std::move(text);
  }
  if (is_path) {
    auto path = json::JsonPathTemplate::parse(argument);
    if (!path) {
      // by text: of the words "JSON path ARGUMENT, offset ..." alone, without the first two
      return wrong_format("error parsing jsonpath " +
                          path.error().message().substr(std::string_view("JSON path ").size()));
    }
    format.path = *std::move(path);
    return format;
  }
  auto columns = is_file ? CustomColumns::parse_file(argument) : CustomColumns::parse(argument);
  if (!columns) return columns.error();
  format.columns = *std::move(columns);
  return format;
}

Result<OutputFormat> parse_document_format(const std::string& word, const std::stop_token& stop) {
  auto format = parse_output_format(word, true, stop);
  if (!format) return format;
  if (format->is_table() || format->columns) {
    return wrong_format("unable to match a printer suitable for the output format \"" +
                        word.substr(0, word.find('=')) +
                        "\", allowed formats are: json, jsonpath, jsonpath-as-json, "
                        "jsonpath-file, name, yaml");
  }
  return format;
}

Result<std::string> OutputFormat::text(const json::Value& value) const {
  const json::JsonPathOptions options{.allow_missing_keys = allow_missing_keys};
  switch (kind) {
    case GetOutput::Yaml:
      return yaml_text(value);
    case GetOutput::JsonPath:
      return path->to_text(value, options);
    case GetOutput::JsonPathAsJson: {
      const auto found = path->find(value, options);
      if (!found) return found.error();
      std::string out;
      for (const auto& values : *found) {
        json::Array list;
        for (const json::Value* each : values) list.push_back(*each);
        out += json_text(list);
      }
      return out;
    }
    default:
      return json_text(value);
  }
}

}  // namespace kubecpp
