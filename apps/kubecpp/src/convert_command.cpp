// SPDX-License-Identifier: Apache-2.0
#include "convert_command.hpp"

#include <cstdio>
#include <memory>

#include <kube/base/stop_signal.hpp>

#include "command.hpp"
#include "document_printer.hpp"
#include "error_output.hpp"
#include "flags.hpp"
#include "input_file.hpp"
#include "object_document.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;

// Prints the problems of strict reading; returns whether there are any.
bool print_problems(const ObjectFile& file, const std::string& name) {
  bool found = false;
  const auto print = [&](const std::string& where, const std::vector<std::string>& problems) {
    if (problems.empty()) return;
    found = true;
    print_error(where + ": " + strict_message(problems));
  };
  print(name, file.problems);
  for (const ObjectDocument& document : file.documents)
    print(document.where(), document.problems());
  return found;
}

Result<std::string> convert(const ObjectFile& file, const std::string& name, ConvertFormat to) {
  if (to == ConvertFormat::Protobuf) {
    if (file.documents.size() == 1) return file.documents.front().to_protobuf();
    return Error(ErrorCode::Decode, name + ": a protobuf file holds one object, found " +
                                        std::to_string(file.documents.size()) +
                                        " documents; put them into a List");
  }
  std::string text;
  for (const ObjectDocument& document : file.documents) {
    const auto value = document.to_value();
    if (!value)
      return Error(ErrorCode::Decode, document.where() + ": " + value.error().to_string());
    if (to == ConvertFormat::Yaml && !text.empty()) text += "---\n";
    text += to == ConvertFormat::Yaml ? yaml_text(*value) : json_text(*value);
  }
  return text;
}

ConvertFormat format_of(const std::string& word) {
  return word == "yaml"       ? ConvertFormat::Yaml
         : word == "protobuf" ? ConvertFormat::Protobuf
                              : ConvertFormat::Json;
}

}  // namespace

int run_convert(const ConvertOptions& options, Output& out) {
  if (options.to == ConvertFormat::Protobuf && options.out.empty() && out.is_terminal()) {
    return report(Error(ErrorCode::InvalidArgument,
                        "protobuf cannot be written to a terminal: use --out, or redirect "
                        "standard output"));
  }
  const auto text = [&] {
    const kube::StopSignal signal;  // the rest needs no signal
    return read_input(options.file, signal.token());
  }();
  if (!text) return report(text.error());
  const std::string name = input_name(options.file);
  const auto file = read_objects(*text, name);
  if (!file) return report(file.error());
  if (options.strict && print_problems(*file, name)) return 1;
  const auto converted = convert(*file, name, options.to);
  if (!converted) return report(converted.error());
  if (options.out.empty()) {
    out.write(*converted);
  } else if (auto written = write_output_file(options.out, *converted); !written) {
    return report(written.error().with_context("--out"));
  }
  return out.exit_status(0);
}

Runner add_convert(CLI::App& command) {
  const auto options = std::make_shared<ConvertOptions>();
  ConvertOptions& convert = *options;
  command
      .add_option("file", convert.file, "File in JSON, YAML or protobuf; - reads standard input")
      ->check(kNotEmpty)
      ->capture_default_str();
  command
      .add_option_function<std::string>(
          "--to", [&convert](const std::string& word) { convert.to = format_of(word); },
          "Encoding of the output: json, yaml or protobuf")
      ->check(CLI::IsMember({"json", "yaml", "protobuf"}))
      ->default_str("json");
  command.add_flag("--strict", convert.strict, "Fail on unknown and duplicate fields");
  command.add_option("--out", convert.out, "File to write to instead of standard output")
      ->check(kNotEmpty);
  return [options](Output& out) { return run_convert(*options, out); };
}

}  // namespace kubecpp
