// SPDX-License-Identifier: Apache-2.0
#include "version_command.hpp"

#include <memory>
#include <optional>

#include <kube/base/stop_signal.hpp>
#include <kube/json/value.hpp>

#include "cluster.hpp"
#include "document_printer.hpp"
#include "error_output.hpp"
#include "flags.hpp"

namespace kubecpp {
namespace {

namespace json = kube::json;
using kube::Result;

json::Value client_version() {
#if defined(__clang__)
  constexpr const char* kCompiler = "clang " __clang_version__;
#else
  constexpr const char* kCompiler = "gcc " __VERSION__;
#endif
  return json::Object{{"gitVersion", "v" KUBECPP_VERSION}, {"compiler", kCompiler}};
}

// All members: a newer server has more than the library knows.
Result<json::Value> version_of_server(const ConnectionOptions& options, std::stop_token stop) {
  const auto connection = connect(options, stop);
  if (!connection) return connection.error();
  kube::Request request;
  request.verb = "get";
  request.path = "/version";
  const auto answer = connection->client.rest().send(request, std::move(stop));
  if (!answer) return answer.error();
  return json::parse(answer->body);
}

std::string version_text(const json::Object& versions, const std::string& output) {
  if (output == "json") return shown_json(json::dump_pretty(versions)) + "\n";
  if (output == "yaml") return yaml_text(versions) + "\n";  // kubectl ends with an empty line, too
  std::string text = "Client Version: v" KUBECPP_VERSION "\n";
  if (const json::Value* server = versions.find("serverVersion")) {
    text += "Server Version: " + printable(server->string_at({"gitVersion"})) + "\n";
  }
  return text;
}

}  // namespace

int run_version(const VersionOptions& options, Output& out) {
  const kube::StopSignal signal;
  json::Object versions{{"clientVersion", client_version()}};
  std::optional<kube::Error> failure;
  if (!options.client_only) {
    auto server = version_of_server(options.connection, signal.token());
    if (server) {
      versions.set("serverVersion", *std::move(server));
    } else {
      failure = server.error();
    }
  }
  out.write(version_text(versions, options.output));
  return out.exit_status(failure ? report_server(*failure) : 0);
}

Runner add_version(CLI::App& command) {
  const auto options = std::make_shared<VersionOptions>();
  command.add_flag("--client", options->client_only, "Show the program's version only");
  command.add_option("-o,--output", options->output, "Output format: json or yaml")
      ->check(or_empty(CLI::IsMember({"json", "yaml"})));
  add_unused_namespace(command);
  add_connection(command, options->connection);
  return [options](Output& out) { return run_version(*options, out); };
}

}  // namespace kubecpp
