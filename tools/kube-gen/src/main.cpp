// SPDX-License-Identifier: Apache-2.0
//
// kube-gen: generates C++ structs and descriptors from schema facts. See README.md.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <exception>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <kube/base/file.hpp>
#include <kube/json/yaml.hpp>
#include <kube/schema/documents.hpp>

#include "custom.hpp"
#include "emit.hpp"

namespace kube::gen {
namespace {

struct Options {
  std::vector<std::filesystem::path> schema;
  std::string choices;
  std::vector<std::string> packages;
  std::vector<std::string> shards;  // package, number, package, number, ...
  std::vector<std::string> kinds;
  std::string resources;
  std::string include_directory;
  std::string source_directory;
  std::string expected_headers;
  bool list_headers = false;
};

// The files that a run generates.
struct Output {
  std::vector<File> headers;
  std::vector<File> sources;
};

// The arguments of `crd` and `openapi`.
struct CustomCommand {
  std::vector<std::string> crds;
  std::string openapi;
  CustomOptions options;
};

Error failure(std::string message) {
  return Error(ErrorCode::Config, std::move(message));
}

// Without --schema the built-in types are read from share/kube/schema beside the program's
// directory: they are installed there, and the build tree has links.
Result<void> find_schema(Options& options) {
  if (!options.schema.empty()) return {};
  std::error_code code;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", code);
  const std::filesystem::path found =
      program.parent_path().parent_path() / "share" / "kube" / "schema";
  if (!std::filesystem::is_directory(found, code))
    return failure("--schema: expected a directory of schema facts, found none in " +
                   found.string());
  options.schema.push_back(found);
  if (options.choices.empty()) options.choices = found / "choices.json";
  return {};
}

Result<Choices> choices_of(const Options& options) {
  if (options.choices.empty()) return Choices();
  return read_choices(options.choices);
}

Result<void> put_out(const Output& output, const Options& options) {
  if (options.list_headers) {
    for (const File& header : output.headers) std::cout << header.path << "\n";
    return {};
  }
  if (auto written = write_files(options.include_directory, output.headers); !written)
    return written;
  return write_files(options.source_directory, output.sources);
}

Result<std::vector<schema::Package>> read_packages(const CustomCommand& command, Schema& schema,
                                                   const Choices& choices) {
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
    auto package = schema::read_openapi(*document, command.openapi, known_types(schema, choices));
    if (!package) return package.error();
    packages.push_back(*std::move(package));
  }
  return packages;
}

Result<void> run_custom(const CustomCommand& command, Options options) {
  if (auto found = find_schema(options); !found) return found;
  const auto choices = choices_of(options);
  if (!choices) return choices.error();
  Schema schema(options.schema);
  const auto packages = read_packages(command, schema, *choices);
  if (!packages) return packages.error();
  auto files = emit_custom(*packages, schema, *choices, command.options);
  if (!files) return files.error();
  return put_out({std::move(files->headers), {std::move(files->source)}}, options);
}

// Decimal, from 1 to 64; nullopt for any other text.
std::optional<std::size_t> shard_count(std::string_view text) {
  std::size_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || rest != end || count < 1 || count > 64) return std::nullopt;
  return count;
}

Result<std::map<std::string, std::size_t>> shards_of(const Options& options) {
  std::map<std::string, std::size_t> shards;
  if (options.shards.size() % 2 != 0)
    return failure("--shards: expected a number after " + options.shards.back());
  for (std::size_t i = 0; i < options.shards.size(); i += 2) {
    const std::string& package = options.shards[i];
    if (std::ranges::find(options.packages, package) == options.packages.end())
      return failure("--shards: " + package + " is not among those of --package");
    const auto count = shard_count(options.shards[i + 1]);
    if (!count) {
      return failure("--shards: expected a number from 1 to 64 after " + package + ", found " +
                     options.shards[i + 1]);
    }
    shards[package] = *count;
  }
  return shards;
}

// Generates packages and the table of kinds. Packages refer to each other: all are read and laid
// out once.
Result<void> add_types(Options options, Output& output) {
  const auto shards = shards_of(options);
  if (!shards) return shards.error();
  if (auto found = find_schema(options); !found) return found;
  const auto choices = choices_of(options);
  if (!choices) return choices.error();
  Schema schema(options.schema);
  Planner planner(schema, *choices);
  std::string wrong_lists;
  for (const std::string& package : options.packages) {
    const auto layout = planner.layout(package);
    if (!layout) return layout.error();
    auto headers = emit_headers(**layout, planner);
    if (!headers) return headers.error();
    if (!options.expected_headers.empty() && !options.list_headers) {
      const auto list = std::filesystem::path(options.expected_headers) / (package + ".txt");
      if (const auto same = compare_headers(*headers, list); !same)
        wrong_lists += (wrong_lists.empty() ? "" : "\n") + same.error().to_string();
    }
    const auto shard = shards->find(package);
    auto sources =
        emit_sources(**layout, schema, *choices, shard == shards->end() ? 1 : shard->second);
    if (!sources) return sources.error();
    std::ranges::move(*headers, std::back_inserter(output.headers));
    std::ranges::move(*sources, std::back_inserter(output.sources));
  }
  if (!wrong_lists.empty()) return failure(wrong_lists);
  if (options.kinds.empty()) return {};
  auto table = emit_registry(options.kinds, planner);
  if (!table) return table.error();
  output.sources.push_back(*std::move(table));
  return {};
}

Result<void> run(const Options& options) {
  const bool types = !options.packages.empty() || !options.kinds.empty();
  if (!types && options.resources.empty())
    return failure("expected --package, --kinds, --resources or a subcommand");
  Output output;
  if (types) {
    if (auto added = add_types(options, output); !added) return added;
  }
  if (!options.resources.empty()) {
    auto table = emit_resources(options.resources);
    if (!table) return table.error();
    output.sources.push_back(*std::move(table));
  }
  return put_out(output, options);
}

}  // namespace
}  // namespace kube::gen

namespace {

int run_program(int argc, char** argv) {
  kube::gen::Options options;
  CLI::App app{
      "Generates C++ structs and type descriptors from schema facts of the Kubernetes API."};
  app.add_option("--schema", options.schema,
                 "Directories with <package>.json and resources.json; the first one with a package "
                 "is used; default: ../share/kube/schema beside the program's directory");
  app.add_option("--choices", options.choices,
                 "File with types to skip, names of headers and so on (see README.md); default "
                 "without --schema: the schema's choices.json");
  app.add_option("--package", options.packages, "Packages to generate, such as core.v1 apps.v1");
  app.add_option("--shards", options.shards,
                 "Pairs of a package and its number of sources, such as core.v1 4; default: 1");
  app.add_option("--kinds", options.kinds,
                 "Write types.cpp, the table of the kinds of these packages");
  app.add_option("--resources", options.resources,
                 "Write resources.cpp, the facts of this resources.json");
  app.add_option("--include-dir", options.include_directory, "Directory for headers")
      ->default_val(".");
  app.add_option("--source-dir", options.source_directory, "Directory for sources")
      ->default_val(".");
  app.add_option("--expect-headers", options.expected_headers,
                 "Directory with a list of headers per package, <package>.txt, one header per "
                 "line; nothing is written when the headers differ");
  app.add_flag("--list-headers", options.list_headers,
               "Print the headers' paths and write nothing");

  kube::gen::CustomCommand custom;
  app.require_subcommand(0, 1);
  app.fallthrough();  // --include-dir and others
  auto* crd = app.add_subcommand("crd", "Generate the types of CustomResourceDefinitions");
  crd->add_option("files", custom.crds,
                  "YAML or JSON files with CustomResourceDefinitions, or lists of them; objects of "
                  "other kinds are ignored; a file without a definition is an error")
      ->required();
  auto* openapi = app.add_subcommand(
      "openapi", "Generate the types of an OpenAPI v3 document, such as those below /openapi/v3/");
  openapi->add_option("file", custom.openapi, "JSON or YAML")->required();
  for (CLI::App* command : {crd, openapi}) {
    command->add_option(
        "--namespace", custom.options.namespace_,
        "C++ namespace around that of the version, such as acme::widgets; default: the first "
        "part of the group");
    command
        ->add_option("--name", custom.options.name,
                     "Name of the source, NAME.cpp, and of <kube_gen/NAME.hpp>")
        ->default_val("types");
  }
  CLI11_PARSE(app, argc, argv);
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
  } catch (const std::exception& error) {  // from the libraries: out of memory, for example
    std::cerr << "kube-gen: " << error.what() << "\n";
    return 1;
  }
}
