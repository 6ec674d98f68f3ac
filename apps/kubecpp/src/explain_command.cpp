// SPDX-License-Identifier: Apache-2.0
#include "explain_command.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <kube/base/ascii.hpp>
#include <kube/base/stop_signal.hpp>
#include <kube/client/openapi.hpp>
#include <kube/config/kubeconfig.hpp>

#include "cluster.hpp"
#include "error_output.hpp"
#include "explain_document.hpp"
#include "flags.hpp"
#include "output_format.hpp"
#include "server_resources.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::meta::ResourceInfo;

std::vector<std::string> words_of_path(const std::string& path) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    words.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// The resource at the beginning of a path, and the fields after it.
struct ExplainedField {
  ResourceInfo resource;
  std::vector<std::string> fields;
};

// "deployments.apps.spec" names the group, "deployments.spec" does not.
Result<ExplainedField> find_field(const kube::DeferredRestMapper& mapper,
                                  const ExplainRequest& request, const std::stop_token& stop) {
  std::vector<std::string> words = words_of_path(request.path);
  if (words.empty()) words.emplace_back();
  auto resource = mapper.resolve(kube::ascii::to_lower(words.front()), stop);
  if (!resource) return Error(ErrorCode::Config, resource.error().message());
  const std::string rest =
      request.path.substr(std::min(words.front().size() + 1, request.path.size()));
  if (request.api_version.empty()) {
    const auto current = mapper.current(stop);
    if (!current) return current.error();
    std::size_t longest = 0;
    for (const ResourceInfo& each : (*current)->resources()) {
      if (each.plural == resource->plural && each.group.size() > longest &&
          (rest + ".").starts_with(each.group + ".")) {
        resource = each;
        longest = each.group.size();
      }
    }
    return ExplainedField{
        *resource,
        words_of_path(longest == 0 ? rest : rest.substr(std::min(longest + 1, rest.size())))};
  }
  const auto version = kube::meta::parse_group_version(request.api_version);
  if (!version) return Error(ErrorCode::Config, version.error().message());
  resource->group = version->group;
  resource->version = version->version;
  return ExplainedField{*std::move(resource), words_of_path(rest)};
}

Result<std::string> explain_by(const kube::CachedDiscovery& discovery,
                               const kube::DeferredRestMapper& mapper,
                               const ExplainOptions& options, const std::stop_token& stop) {
  auto found = find_field(mapper, options.request, stop);
  if (!found) return found.error();
  const DocumentRequest request{.resource = found->resource.gvr(),
                                .kind = found->resource.kind,
                                .fields = std::move(found->fields),
                                .recursive = options.request.recursive,
                                .max_depth = options.request.max_depth};
  if (!options.openapi_v2) {
    const auto openapi = discovery.openapi_v3();
    const auto paths = openapi->paths(stop);
    if (paths) {
      if (!(*paths)->contains(kube::openapi_path_of(request.resource.group_version()))) {
        return Error(ErrorCode::Config, "couldn't find resource for \"" + request.resource.group +
                                            "/" + request.resource.version +
                                            ", Resource=" + request.resource.resource + "\"");
      }
      const auto document = openapi->spec_of(request.resource.group_version(), stop);
      if (!document) return document.error();
      return explain_openapi_v3(*document, request);
    }
    if (stop.stop_requested()) return paths.error();
  }
  const auto document = discovery.openapi_v2(stop);
  if (!document) return document.error();
  return explain_openapi_v2(**document, request);
}

bool has_no_response(const Error& error) {
  return error.code() == ErrorCode::Unreachable || error.code() == ErrorCode::Timeout;
}

Result<std::string> explain_by_server(const ExplainOptions& options, const std::stop_token& stop) {
  const auto connection = connect(options.connection, stop);
  if (!connection) {
    if (kube::kubeconfig::is_empty_config(connection.error()))
      return explain_builtin(options.request);
    return connection.error();
  }
  const auto discovery = discovery_of(*connection, options.connection);
  if (!discovery) return discovery.error();
  const auto mapper = mapper_of(*connection, *discovery, stop);
  auto text = mapper ? explain_by(**discovery, **mapper, options, stop) : mapper.error();
  if (text || !has_no_response(text.error())) return text;
  print_error("warning: " + text.error().to_string() +
              "; explaining built-in resources without descriptions");
  return explain_builtin(options.request);
}

}  // namespace

int run_explain(const ExplainOptions& options, Output& out) {
  const kube::StopSignal signal;
  if (options.request.path.empty())
    return report(Error(ErrorCode::InvalidArgument, type_required("explain")));
  if (options.request.max_depth > 0 && !options.request.recursive)
    return report(Error(ErrorCode::InvalidArgument, "--max-depth requires --recursive"));
  if (options.request.max_depth < 0)
    return report(Error(ErrorCode::InvalidArgument, "--max-depth must be non-negative"));
  const auto text = explain_by_server(options, signal.token());
  if (!text)
    return text.error().code() == ErrorCode::Server ? report_server(text.error())
                                                    : report(text.error());
  out.write(terminal_text(*text));
  return out.exit_status(0);
}

Runner add_explain(CLI::App& command) {
  const auto options = std::make_shared<ExplainOptions>();
  ExplainRequest& explain = options->request;
  command.add_option("path", explain.path, "RESOURCE[.FIELD...], such as pods.spec.containers");
  command.add_flag("-R,--recursive", explain.recursive, "Print the fields of fields");
  command.add_option("--max-depth", explain.max_depth,
                     "Levels of fields that --recursive prints; 0: all");
  command.add_option("--api-version", explain.api_version,
                     "Version of the resource, such as apps/v1");
  command
      .add_option_function<std::string>(
          "-o,--output",
          [options](const std::string& word) {
            options->openapi_v2 = word == "plaintext-openapiv2";
          },
          "Output format: plaintext or plaintext-openapiv2; defaults to plaintext")
      ->check(or_empty(CLI::IsMember({"plaintext", "plaintext-openapiv2"})));
  add_unused_namespace(command);
  add_connection(command, options->connection);
  return [options](Output& out) { return run_explain(*options, out); };
}

}  // namespace kubecpp
