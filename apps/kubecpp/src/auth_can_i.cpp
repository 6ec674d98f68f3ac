// SPDX-License-Identifier: Apache-2.0
#include "auth_can_i.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/stop_signal.hpp>

#include "auth_command.hpp"
#include "auth_rules.hpp"
#include "cluster.hpp"
#include "error_output.hpp"
#include "flags.hpp"
#include "server_resources.hpp"
#include "table_printer.hpp"

namespace kubecpp {
namespace {

namespace json = kube::json;
using kube::Error;
using kube::ErrorCode;
using kube::Result;

constexpr std::array<std::string_view, 16> kResourceVerbs = {
    "get", "list", "watch", "create",  "update", "patch",    "delete", "deletecollection",
    "use", "bind", "*",     "approve", "sign",   "escalate", "attest", "impersonate"};
constexpr std::array<std::string_view, 8> kUrlVerbs = {"get",     "put",    "post",  "head",
                                                       "options", "delete", "patch", "*"};

// kubectl prints an empty line after these.
void warn_of_access(const std::string& text) {
  std::fprintf(stderr, "Warning: %s\n\n", printable(text).c_str());
}

Error wrong_call(const std::string& text) {
  return Error(ErrorCode::InvalidArgument, text);
}

Result<void> check_flags(const CanIOptions& options) {
  if (options.list) {
    if (!options.words.empty())
      return wrong_call("list option must be specified with no arguments");
    if (options.quiet || options.all_namespaces || !options.subresource.empty()) {
      return wrong_call(
          "list option can't be specified with neither quiet, all-namespaces nor subresource "
          "options");
    }
    return {};
  }
  if (options.words.size() != 2) {
    const Error wrong = usage_error_of(
        "auth can-i",
        "you must specify two arguments: verb resource or verb resource/resourceName.");
    // As kubectl writes this one.
    return Error(wrong.code(), wrong.message() + ".").with_reason(wrong.reason());
  }
  return {};
}

// The resource as the server knows it; a name that it does not know is asked about as it is.
kube::meta::ResourceInfo resource_for(const Connection& connection, const CanIOptions& options,
                                      const std::string& word, const std::stop_token& stop) {
  kube::meta::ResourceInfo unknown;
  unknown.plural = word;
  unknown.namespaced = true;
  if (word == "*") return unknown;
  const auto mapper = mapper_of(connection, options.connection, stop);
  const std::string lower = kube::ascii::to_lower(word);
  if (mapper) {
    if (const auto known = (*mapper)->resolve(lower, stop)) return *known;
  }
  if (lower == "users" || lower == "groups") return unknown;  // are impersonated
  const std::size_t dot = std::min(lower.find('.'), lower.size());
  std::string text = "the server doesn't have a resource type '" + lower.substr(0, dot) + "'";
  if (dot < lower.size()) text += " in group '" + lower.substr(dot + 1) + "'";
  warn_of_access(text);
  return unknown;
}

void warn_of_verb(const std::string& verb, std::span<const std::string_view> known) {
  if (std::ranges::find(known, verb) == known.end())
    warn_of_access("verb '" + verb + "' is not a known verb");
}

json::Object without_empty(std::initializer_list<std::pair<const char*, std::string>> members) {
  json::Object object;
  for (const auto& [name, value] : members) {
    if (!value.empty()) object.set(name, value);
  }
  return object;
}

Result<json::Object> wanted_access_of(const CanIOptions& options, const Connection& connection,
                                      const std::string& namespace_, const std::stop_token& stop) {
  const std::string& verb = options.words[0];
  const std::string& target = options.words[1];
  if (target.starts_with('/')) {
    if (!options.subresource.empty())
      return wrong_call("--subresource can not be used with NonResourceURL");
    warn_of_verb(verb, kUrlVerbs);
    return json::Object{
        {"nonResourceAttributes", without_empty({{"path", target}, {"verb", verb}})}};
  }
  const std::size_t slash = std::min(target.find('/'), target.size());
  const auto resource = resource_for(connection, options, target.substr(0, slash), stop);
  if (!options.all_namespaces) {
    if (!resource.namespaced) {
      warn_of_access("resource '" + resource.plural + "' is not namespace scoped" +
                     (resource.group.empty() ? "" : " in group '" + resource.group + "'"));
    }
    warn_of_verb(verb, kResourceVerbs);
  }
  const std::string name = slash < target.size() ? target.substr(slash + 1) : std::string();
  return json::Object{{"resourceAttributes", without_empty({{"namespace", namespace_},
                                                            {"verb", verb},
                                                            {"group", resource.group},
                                                            {"resource", resource.plural},
                                                            {"subresource", options.subresource},
                                                            {"name", name}})}};
}

json::Value words_value(const std::vector<std::string>& words) {
  return json::Array(words.begin(), words.end());
}

std::string rules_table(const json::Value& status, bool headers) {
  json::Array columns;
  for (const char* name : {"Resources", "Non-Resource URLs", "Resource Names", "Verbs"})
    columns.emplace_back(json::Object{{"name", name}, {"priority", 0}});
  json::Array rows;
  for (const AccessRule& rule : compact_rules(status)) {
    rows.emplace_back(json::Object{
        {"cells",
         json::Array{resource_of_rule(rule), bracketed(words_value(rule.urls)),
                     bracketed(words_value(rule.names)), bracketed(words_value(rule.verbs))}}});
  }
  TablePrinter table({.headers = headers, .own_headers = true});
  table.add(json::Object{{"columnDefinitions", std::move(columns)}, {"rows", std::move(rows)}});
  return table.take_text();
}

int list_access(const CanIOptions& options, const Connection& connection,
                const std::string& namespace_, const std::stop_token& stop, Output& out) {
  const auto review =
      post_review(connection.client, "authorization.k8s.io", "SelfSubjectRulesReview",
                  json::Object{{"namespace", namespace_}}, stop);
  if (!review) return report_server(review.error());
  static const json::Value kNothing = json::Object{};
  const json::Value* status = review->at_path({"status"});
  if (status == nullptr) status = &kNothing;
  const json::Value* incomplete = status->at_path({"incomplete"});
  if (incomplete != nullptr && *incomplete == json::Value(true)) {
    std::fprintf(stderr, "Warning: the list may be incomplete: %s\n",
                 printable(status->string_at({"evaluationError"})).c_str());
  }
  out.write(rules_table(*status, !options.no_headers));
  return out.exit_status(0);
}

}  // namespace

std::string bracketed(const json::Value& list) {
  std::string text = "[";
  for (const json::Value& each : *list.if_array()) {
    if (text.size() > 1) text += ' ';
    text += each.string_or_empty();
  }
  return text + "]";
}

int run_can_i(const CanIOptions& options, Output& out) {
  const kube::StopSignal signal;
  if (auto valid = check_flags(options); !valid) return report(valid.error());
  const auto connection = connect(options.connection, signal.token());
  if (!connection) return report(connection.error());
  std::string namespace_ = options.namespace_.empty() ? connection->namespace_ : options.namespace_;
  if (options.all_namespaces) namespace_.clear();
  if (options.list) return list_access(options, *connection, namespace_, signal.token(), out);
  auto spec = wanted_access_of(options, *connection, namespace_, signal.token());
  if (!spec) return report(spec.error());
  if (options.no_headers)
    return report(wrong_call("--no-headers cannot be set without --list specified"));
  const auto review = post_review(connection->client, "authorization.k8s.io",
                                  "SelfSubjectAccessReview", *std::move(spec), signal.token());
  if (!review) return report_server(review.error());
  const json::Value* found = review->at_path({"status", "allowed"});
  const bool allowed = found != nullptr && *found == json::Value(true);
  std::string text = allowed ? "yes" : "no";
  for (const char* member : {"reason", "evaluationError"}) {
    const std::string why(allowed ? "" : review->string_at({"status", member}));
    if (!why.empty()) text += " - " + printable(why);
  }
  if (!options.quiet) out.write(text + "\n");
  return out.exit_status(allowed ? 0 : 1);
}

Runner add_can_i(CLI::App& command) {
  const auto options = std::make_shared<CanIOptions>();
  CanIOptions& can_i = *options;
  command.add_option("words", can_i.words,
                     "VERB and RESOURCE, RESOURCE/NAME or the path of a URL, such as /logs/; \"*\" "
                     "is any");
  add_namespace(command, can_i.namespace_);
  command.add_flag("-A,--all-namespaces", can_i.all_namespaces,
                   "Check the action in all namespaces");
  command.add_flag("-q,--quiet", can_i.quiet, "Print nothing; the exit status is the answer");
  command.add_option("--subresource", can_i.subresource,
                     "Subresource, such as log of pods or scale of deployments");
  command.add_flag("--list", can_i.list, "Print all that is allowed");
  command.add_flag("--no-headers", can_i.no_headers, "Omit the headers of --list");
  add_connection(command, can_i.connection);
  return [options](Output& out) { return run_can_i(*options, out); };
}

}  // namespace kubecpp
