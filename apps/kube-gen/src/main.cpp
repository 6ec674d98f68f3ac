// SPDX-License-Identifier: Apache-2.0
//
// kube-gen: C++ structs and descriptors from schema facts. See README.md.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <system_error>

#include <kube/base/file.hpp>
#include <kube/json/yaml.hpp>
#include <kube/schema/documents.hpp>

#include "custom.hpp"
#include "emit.hpp"

namespace kube::gen {
namespace {

struct Options {
  std::vector<std::filesystem::path> schema;
  std::vector<std::string> packages;
  std::string choices;
  std::string include_directory;
  std::string source_directory;
  std::size_t shards = 1;
  std::string expected_headers;
  bool list_headers = false;
  bool kinds = false;
  std::string resources;
};

// Of `crd` and `openapi`.
struct CustomCommand {
  std::vector<std::string> crds;
  std::string openapi;
  CustomOptions options;
  bool list_headers = false;
};

Error failure(std::string message) {
  return Error(ErrorCode::Config, std::move(message));
}

// Writes a file whose text changed; one that didn't keeps its age, so that nothing is built anew.
Result<void> write_text(const std::filesystem::path& path, const std::string& text) {
  if (const auto present = read_file(path.string()); present && *present == text) return {};
  std::error_code code;
  std::filesystem::create_directories(path.parent_path(), code);
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out)
    return failure(path.string() +
                   ": cannot be written: " + std::generic_category().message(errno));
  return {};
}

// The build must know the headers before they are made, so it has a list; they have to agree.
Result<void> compare_headers(const std::vector<File>& headers, const std::string& list_path) {
  const auto text = read_file(list_path);
  if (!text) return text.error();
  std::istringstream lines(*text);
  std::vector<std::string> expected;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && !line.starts_with('#')) expected.push_back(line);
  }
  std::vector<std::string> made;
  made.reserve(headers.size());
  for (const File& header : headers) made.push_back(header.path);
  std::ranges::sort(expected);
  std::ranges::sort(made);
  std::string difference;
  std::vector<std::string> only;
  std::ranges::set_difference(made, expected, std::back_inserter(only));
  for (const std::string& path : only) difference += "\n  + " + path;
  only.clear();
  std::ranges::set_difference(expected, made, std::back_inserter(only));
  for (const std::string& path : only) difference += "\n  - " + path;
  if (difference.empty()) return {};
  return failure(list_path +
                 ": the list of headers must be changed (--list-headers prints it):" + difference);
}

Result<void> write_source(const Result<File>& made, const Options& options) {
  if (!made) return made.error();
  return write_text(std::filesystem::path(options.source_directory) / made->path, made->text);
}

// Without --schema the built-in types are taken from share/kube/schema beside the program's folder:
// there they are installed, and the build tree has links.
Result<void> find_schema(Options& options) {
  if (!options.schema.empty()) return {};
  std::error_code code;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", code);
  const std::filesystem::path found =
      program.parent_path().parent_path() / "share" / "kube" / "schema";
  if (!std::filesystem::is_directory(found, code))
    return failure("--schema: expected a directory of schema facts, there is none in " +
                   found.string());
  options.schema.push_back(found);
  if (options.choices.empty()) options.choices = found / "choices.json";
  return {};
}

Result<std::vector<schema::Package>> read_packages(const CustomCommand& command, Schema& schema) {
  std::vector<schema::Package> packages;
  for (const std::string& file : command.crds) {
    const auto text = read_file(file);
    if (!text) return text.error();
    if (auto read = schema::read_crds(*text, file, packages); !read) return read.error();
  }
  if (!command.openapi.empty()) {
    const auto text = read_file(command.openapi);
    if (!text) return text.error();
    const auto document = yaml::parse(*text);
    if (!document) return document.error().with_context(command.openapi);
    auto package =
        schema::read_openapi(*document, command.openapi, [&](const std::string& reference) {
          const auto type = schema.find(reference);
          return type && *type != nullptr;
        });
    if (!package) return package.error();
    packages.push_back(*std::move(package));
  }
  return packages;
}

Result<void> run_custom(const CustomCommand& command, Options options) {
  if (auto found = find_schema(options); !found) return found;
  Choices choices;
  if (!options.choices.empty()) {
    auto read = read_choices(options.choices);
    if (!read) return read.error();
    choices = *std::move(read);
  }
  Schema schema(options.schema);
  const auto packages = read_packages(command, schema);
  if (!packages) return packages.error();
  const auto files = emit_custom(*packages, schema, choices, command.options);
  if (!files) return files.error();
  if (command.list_headers) {
    for (const File& header : files->headers) std::cout << header.path << "\n";
    return {};
  }
  for (const File& header : files->headers) {
    if (auto written =
            write_text(std::filesystem::path(options.include_directory) / header.path, header.text);
        !written) {
      return written;
    }
  }
  return write_source(files->source, options);
}

Result<void> run(Options options) {
  if (!options.resources.empty()) return write_source(emit_resources(options.resources), options);
  if (auto found = find_schema(options); !found) return found;
  Choices choices;
  if (!options.choices.empty()) {
    auto read = read_choices(options.choices);
    if (!read) return read.error();
    choices = *std::move(read);
  }
  Schema schema(options.schema);
  Planner planner(schema, choices);
  if (options.kinds) {
    return write_source(emit_registry(options.packages, planner), options);
  }
  if (options.packages.size() != 1) return failure("--package: expected one, without --kinds");
  auto layout = planner.layout(options.packages.front());
  if (!layout) return layout.error();
  auto headers = emit_headers(**layout, planner);
  if (!headers) return headers.error();
  if (options.list_headers) {
    for (const File& header : *headers) std::cout << header.path << "\n";
    return {};
  }
  if (!options.expected_headers.empty()) {
    if (auto same = compare_headers(*headers, options.expected_headers); !same) return same;
  }
  auto sources = emit_sources(**layout, schema, choices, options.shards);
  if (!sources) return sources.error();
  for (const File& file : *headers) {
    if (auto written =
            write_text(std::filesystem::path(options.include_directory) / file.path, file.text);
        !written) {
      return written;
    }
  }
  for (const File& file : *sources) {
    if (auto written =
            write_text(std::filesystem::path(options.source_directory) / file.path, file.text);
        !written) {
      return written;
    }
  }
  return {};
}

}  // namespace
}  // namespace kube::gen

namespace {

int run_program(int argc, char** argv) {
  kube::gen::Options options;
  CLI::App app{"Makes C++ structs and type descriptors from schema facts of the Kubernetes API."};
  app.add_option("--schema", options.schema,
                 "Directories of <package>.json and resources.json; of two packages of one name "
                 "the first counts; default: ../share/kube/schema beside this program's folder");
  app.add_option("--package", options.packages, "What to generate: core.v1");
  app.add_flag("--kinds", options.kinds,
               "Write the table of the kinds of all these packages instead: types.cpp");
  app.add_option("--resources", options.resources,
                 "Write the facts of this resources.json instead: resources.cpp");
  app.add_option(
      "--choices", options.choices,
      "File of types to skip, names of headers, ...: see README.md; without --schema the "
      "choices.json there");
  app.add_option("--include-dir", options.include_directory, "Where headers go")->default_val(".");
  app.add_option("--source-dir", options.source_directory, "Where sources go")->default_val(".");
  app.add_option("--shards", options.shards, "Number of sources")
      ->default_val(1)
      ->check(CLI::Range(1, 64));
  app.add_option("--expect-headers", options.expected_headers,
                 "File that lists the headers, one a line; others are an error");
  app.add_flag("--list-headers", options.list_headers,
               "Print the headers' paths and write nothing");

  kube::gen::CustomCommand custom;
  app.require_subcommand(0, 1);
  app.fallthrough();  // --include-dir and the like
  auto* crd = app.add_subcommand("crd", "Types of CustomResourceDefinitions");
  crd->add_option("files", custom.crds,
                  "YAML or JSON, any number of documents each: definitions, lists of them, and "
                  "objects of other kinds, which are passed over; a file without a definition is "
                  "an error")
      ->required();
  auto* openapi = app.add_subcommand(
      "openapi", "Types of an OpenAPI v3 document, as the API server has under /openapi/v3/");
  openapi->add_option("file", custom.openapi, "JSON or YAML")->required();
  for (CLI::App* command : {crd, openapi}) {
    command->add_option(
        "--namespace", custom.options.namespace_,
        "C++ namespace around that of the version: acme::widgets; default: the first "
        "part of the group");
    command
        ->add_option("--name", custom.options.name,
                     "Of the source, NAME.cpp, and of <kube_gen/NAME.hpp>")
        ->default_val("types");
  }
  CLI11_PARSE(app, argc, argv);
  custom.list_headers = options.list_headers;
  const bool is_custom = crd->parsed() || openapi->parsed();
  const auto done = is_custom ? kube::gen::run_custom(custom, options) : kube::gen::run(options);
  if (!done) {
    std::cerr << "kube-gen: " << done.error().to_string() << "\n";
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const std::exception& error) {  // of the libraries below: no memory, say
    std::cerr << "kube-gen: " << error.what() << "\n";
    return 1;
  }
}
