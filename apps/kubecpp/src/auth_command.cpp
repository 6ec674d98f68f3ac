// SPDX-License-Identifier: Apache-2.0
#include "auth_command.hpp"

#include <memory>
#include <optional>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/stop_signal.hpp>
#include <kube/meta/errors.hpp>

#include "auth_can_i.hpp"
#include "cluster.hpp"
#include "command_help.hpp"
#include "command_table.hpp"
#include "flags.hpp"
#include "output_format.hpp"
#include "table_printer.hpp"

namespace kubecpp {
namespace {

namespace json = kube::json;
using kube::Error;
using kube::ErrorCode;

std::string whoami_table(const json::Value& review) {
  json::Array rows;
  const auto add = [&](const std::string& name, std::string_view value) {
    if (!value.empty())
      rows.emplace_back(json::Object{{"cells", json::Array{name, std::string(value)}}});
  };
  const auto words = [](const json::Value* list) {
    return list == nullptr || !list->is_array() ? std::string() : bracketed(*list);
  };
  add("Username", review.string_at({"status", "userInfo", "username"}));
  add("UID", review.string_at({"status", "userInfo", "uid"}));
  add("Groups", words(review.at_path({"status", "userInfo", "groups"})));
  if (const json::Value* extra = review.at_path({"status", "userInfo", "extra"})) {
    const json::Value sorted = json::sorted_members(*extra);
    if (const json::Object* members = sorted.if_object()) {
      for (const auto& [key, value] : *members) add("Extra: " + std::string(key), words(&value));
    }
  }
  TablePrinter table({});
  table.add(json::Object{
      {"columnDefinitions", json::Array{json::Object{{"name", "Attribute"}, {"priority", 0}},
                                        json::Object{{"name", "Value"}, {"priority", 0}}}},
      {"rows", std::move(rows)}});
  return table.take_text();
}

Error whoami_error(const Error& error) {
  const std::string what = "the selfsubjectreviews API is not enabled in the cluster";
  if (kube::is_forbidden(error))
    return Error(ErrorCode::Config, what + " or you do not have permission to call it");
  return kube::is_not_found(error) ? Error(ErrorCode::Config, what) : error;
}

Runner add_whoami(CLI::App& command) {
  const auto options = std::make_shared<WhoAmIOptions>();
  command.add_option("-o,--output", options->output,
                     "Output format: json, yaml, name, jsonpath=TEMPLATE, "
                     "jsonpath-as-json=TEMPLATE or jsonpath-file=FILE; defaults to a table");
  add_unused_namespace(command);
  add_connection(command, options->connection);
  return [options](Output& out) { return run_whoami(*options, out); };
}

constexpr CommandEntry kAuthCommands[] = {
    {"can-i", "Check whether an action is allowed", add_can_i},
    {"whoami", "Print the user that the server sees", add_whoami},
};

}  // namespace

kube::Result<json::Value> post_review(const kube::Client& client, const std::string& group,
                                      const std::string& kind, json::Value spec,
                                      std::stop_token stop) {
  kube::Request request;
  request.verb = "create";
  request.method = "POST";
  request.path = "/apis/" + group + "/v1/" + kube::ascii::to_lower(kind) + "s";
  request.resource = {group, kube::ascii::to_lower(kind) + "s"};
  json::Object review{{"kind", kind}, {"apiVersion", group + "/v1"}};
  if (spec.is_object()) review.set("spec", std::move(spec));
  request.body = json::dump(review);
  const auto answer = client.rest().send(request, std::move(stop));
  if (!answer) return answer.error();
  return json::parse(answer->body);
}

int run_whoami(const WhoAmIOptions& options, Output& out) {
  const kube::StopSignal signal;
  std::optional<OutputFormat> format;
  if (!options.output.empty()) {
    auto parsed = parse_document_format(options.output, signal.token());
    if (!parsed) return report(parsed.error());
    format = *std::move(parsed);
  }
  const auto connection = connect(options.connection, signal.token());
  if (!connection) return report(connection.error());
  const auto review = post_review(connection->client, "authentication.k8s.io", "SelfSubjectReview",
                                  {}, signal.token());
  if (!review) return report_server(whoami_error(review.error()));
  if (!format) {
    out.write(whoami_table(*review));
    return out.exit_status(0);
  }
  if (format->kind == GetOutput::Name) {
    out.write("selfsubjectreview.authentication.k8s.io/<unknown>\n");
    return out.exit_status(0);
  }
  const auto text = format->text(*review);
  if (!text) return report(text.error());
  out.write(*text);
  return out.exit_status(0);
}

Runner add_auth(CLI::App& command) {
  command.require_subcommand(0, 1);
  return add_commands(command, kAuthCommands,
                      [&command](Output& out) { return help_of_group(command, out); });
}

}  // namespace kubecpp
