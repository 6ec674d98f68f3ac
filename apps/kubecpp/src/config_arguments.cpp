// SPDX-License-Identifier: Apache-2.0
//
// The flags of `kubecpp config`.
#include "config_command.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "flags.hpp"

namespace kubecpp {
namespace {

CLI::App& add_command(CLI::App& config, ConfigOptions& options, const std::string& name,
                      const std::string& help) {
  CLI::App& command = *config.add_subcommand(name, help);
  if (name != "set-context") add_unused_namespace(command);
  command.add_option("--kubeconfig", options.kubeconfig,
                     "Kubeconfig file; defaults to $KUBECONFIG or ~/.kube/config");
  return command;
}

// An empty value is one: it clears. CLI11 leaves an optional text empty for it.
template <class Text>
CLI::Option* add_text(CLI::App& command, const std::string& name, std::optional<Text>& text,
                      const std::string& help) {
  return command.add_option_function<std::string>(
      name, [&text](const std::string& value) { text = value; }, help);
}

// Unset without the flag: CLI11 counts a std::optional, and sets it to 0 in any case.
void add_switch(CLI::App& command, const std::string& name, std::optional<bool>& flag,
                const std::string& help) {
  command.add_flag_function(
      name, [&flag](std::int64_t count) { flag = count > 0; }, help);
}

void add_words(CLI::App& command, ConfigOptions& options, const std::string& name, int count,
               const std::string& help) {
  command.add_option(name, options.words, help)->required()->expected(count);
}

void add_view(CLI::App& config, ConfigOptions& options) {
  CLI::App& command = add_command(
      config, options, "view", "Display the merged kubeconfig, without tokens, passwords and keys");
  command.add_flag("--minify", options.minify, "Remove what the current context does not use");
  command.add_flag("--flatten", options.flatten,
                   "Embed the files of certificates and keys; shows secrets");
  command.add_flag("--raw", options.raw, "Show certificates and secrets");
  command.add_flag("--merge", options.merge,
                   "Merge the files of $KUBECONFIG; --merge=false needs --kubeconfig");
  command.add_flag("--allow-missing-template-keys", options.allow_missing_keys,
                   "Print nothing for fields of a JSONPath that are missing");
  command.add_option("--context", options.context, "Context to use with --minify");
  command.add_option("-o,--output", options.output,
                     "Output format: json, yaml, name, jsonpath=TEMPLATE, "
                     "jsonpath-as-json=TEMPLATE or jsonpath-file=FILE; defaults to yaml");
}

void add_lists(CLI::App& config, ConfigOptions& options) {
  CLI::App& contexts = add_command(config, options, "get-contexts", "Display contexts");
  contexts.add_option("name", options.words, "Names of contexts; all without one");
  contexts.add_flag("--no-headers", options.no_headers, "Omit the headers");
  contexts.add_option("-o,--output", options.output, "Output format: name")
      ->check(or_empty(CLI::IsMember({"name"})));
  add_command(config, options, "get-clusters", "Display the names of clusters");
  add_command(config, options, "get-users", "Display the names of users");
  add_command(config, options, "current-context", "Display the current context");
}

void add_changes(CLI::App& config, ConfigOptions& options) {
  add_words(add_command(config, options, "use-context", "Set the current context"), options,
            "CONTEXT", 1, "Name of the context to use");
  CLI::App& set = add_command(config, options, "set",
                              "Set a field, such as clusters.NAME.server, in a kubeconfig");
  add_words(set, options, "PROPERTY", 2,
            "Field, such as clusters.NAME.server or users.NAME.token, and its new value");
  set.add_flag("--set-raw-bytes", options.set_raw_bytes,
               "Take data of certificates and keys as it is, not as base64");
  add_words(add_command(config, options, "unset", "Remove a field or an entry"), options,
            "PROPERTY", 1,
            "Field or entry to remove, such as contexts.NAME.namespace or users.NAME");
  add_words(add_command(config, options, "rename-context", "Rename a context"), options, "CONTEXT",
            2, "Name of the context, and its new name");
  add_words(add_command(config, options, "delete-context", "Delete a context"), options, "CONTEXT",
            1, "Name of the context to delete");
  add_words(add_command(config, options, "delete-cluster", "Delete a cluster"), options, "CLUSTER",
            1, "Name of the cluster to delete");
  add_words(add_command(config, options, "delete-user", "Delete a user"), options, "USER", 1,
            "Name of the user to delete");
}

void add_set_context(CLI::App& config, ConfigOptions& options) {
  CLI::App& command = add_command(config, options, "set-context", "Create or change a context");
  command.add_option("CONTEXT", options.words, "Name of the context")->expected(0, 1);
  command.add_flag("--current", options.current, "Change the current context");
  add_text(command, "--cluster", options.cluster, "Name of its cluster");
  add_text(command, "--user", options.user, "Name of its user");
  add_text(command, "-n,--namespace", options.namespace_, "Its default namespace");
}

void add_set_cluster(CLI::App& config, ConfigOptions& options) {
  CLI::App& command = add_command(config, options, "set-cluster", "Create or change a cluster");
  add_words(command, options, "CLUSTER", 1, "Name of the cluster");
  add_text(command, "-s,--server", options.server, "URL of its API server");
  add_text(command, "--tls-server-name", options.tls_server_name,
           "Name that its certificate is checked for");
  add_switch(command, "--insecure-skip-tls-verify", options.insecure,
             "Do not check its certificate");
  add_text(command, "--certificate-authority", options.certificate_authority,
           "File with the CA to trust");
  add_text(command, "--proxy-url", options.proxy_url, "Proxy to reach it through");
  command.add_flag("--embed-certs", options.embed_certs, "Embed the file in the kubeconfig");
}

void add_set_credentials(CLI::App& config, ConfigOptions& options) {
  CLI::App& command = add_command(config, options, "set-credentials", "Create or change a user");
  add_words(command, options, "USER", 1, "Name of the user");
  add_text(command, "--client-certificate", options.client_certificate,
           "File with the client certificate");
  add_text(command, "--client-key", options.client_key, "File with its key");
  command.add_flag("--embed-certs", options.embed_certs, "Embed the files in the kubeconfig");
  add_text(command, "--token", options.token, "Bearer token");
  add_text(command, "--username", options.username, "Name for basic authentication");
  add_text(command, "--password", options.password, "Password for basic authentication");
  add_text(command, "--auth-provider", options.auth_provider, "Name of the auth provider: oidc");
  command
      .add_option("--auth-provider-arg", options.auth_provider_args,
                  "KEY=VALUE for the auth provider; KEY- removes it")
      ->allow_extra_args(false);
  add_text(command, "--exec-command", options.exec_command,
           "Command of a plugin that prints credentials");
  add_text(command, "--exec-api-version", options.exec_api_version,
           "API version of the plugin, such as client.authentication.k8s.io/v1");
  add_text(command, "--exec-interactive-mode", options.exec_interactive_mode,
           "Whether the plugin may use the terminal: Never, IfAvailable or Always")
      ->check(CLI::IsMember({"Never", "IfAvailable", "Always"}));
  command.add_option("--exec-arg", options.exec_args, "Argument of the plugin")
      ->allow_extra_args(false);
  command
      .add_option("--exec-env", options.exec_env,
                  "NAME=VALUE of the plugin's environment; NAME- removes it")
      ->allow_extra_args(false);
  add_switch(command, "--exec-provide-cluster-info", options.exec_provide_cluster_info,
             "Pass the cluster to the plugin");
}

}  // namespace

Runner add_config(CLI::App& command) {
  const auto options = std::make_shared<ConfigOptions>();
  command.require_subcommand(0, 1);
  add_view(command, *options);
  add_lists(command, *options);
  add_changes(command, *options);
  add_set_context(command, *options);
  add_set_cluster(command, *options);
  add_set_credentials(command, *options);
  for (CLI::App* each : command.get_subcommands({})) add_unused_connection(*each);
  return [options, &command](Output& out) { return run_config(command, *options, out); };
}

}  // namespace kubecpp
