// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a program that does not know yet whether it runs in a pod.
#include <filesystem>
#include <utility>

#include <kube/base/join.hpp>
#include <kube/config/client_config.hpp>

#include "kubeconfig_validate.hpp"

namespace kube::kubeconfig {
namespace {

Result<ClientConfig> read_files(const DeferredClientConfig::Options& options,
                                std::stop_token stop) {
  Result<Kubeconfig> config = options.rules.load(std::move(stop));
  if (!config) return config.error();
  return ClientConfig(*std::move(config), options.overrides);
}

}  // namespace

Error with_files(const Error& error, const LoadingRules& rules) {
  if (!is_empty_config(error)) return error;
  const std::vector<std::string> files = rules.files();
  if (!rules.explicit_path.empty()) {
    return empty_config(rules.explicit_path + " has no cluster, user, context or current-context");
  }
  return empty_config(files.empty() ? rules.why_no_file()
                                    : "nothing found in " + join(files, ", "));
}

bool DeferredClientConfig::in_cluster_is_possible() const {
  const rest::InClusterOptions& pod = options_.in_cluster;
  const rest::Environment environment =
      pod.environment ? pod.environment : rest::process_environment();
  std::error_code ignored;
  return !environment("KUBERNETES_SERVICE_HOST").value_or("").empty() &&
         !environment("KUBERNETES_SERVICE_PORT").value_or("").empty() &&
         std::filesystem::is_regular_file(std::filesystem::path(pod.directory) / "token", ignored);
}

Result<rest::Config> DeferredClientConfig::client_config(std::stop_token stop) const {
  const Result<ClientConfig> files = read_files(options_, std::move(stop));
  if (!files) return files.error();
  Result<rest::Config> config = files->client_config();
  if (config) {
    if (!options_.default_config) return config;
    const Result<rest::Config> usual = options_.default_config();
    if (!usual || !(*usual == *config)) return config;
  } else if (!is_empty_config(config.error())) {
    return config;
  }
  if (!in_cluster_is_possible()) {
    if (config) return config;
    return with_files(config.error(), options_.rules);
  }
  Result<rest::Config> pod = rest::in_cluster_config(options_.in_cluster);
  if (!pod) return pod;
  const ConfigOverrides& by = options_.overrides;
  if (!by.cluster.server.empty()) pod->host = by.cluster.server;
  if (!by.user.token.empty() || !by.user.token_file.empty()) {
    pod->bearer_token = by.user.token;
    pod->bearer_token_file = by.user.token_file;
  }
  if (!by.cluster.certificate_authority.empty())
    pod->tls.ca = {.file = by.cluster.certificate_authority};
  if (!by.context.namespace_.empty()) pod->namespace_ = by.context.namespace_;
  return pod;
}

Result<NamespaceChoice> DeferredClientConfig::namespace_(std::stop_token stop) const {
  const Result<ClientConfig> files = read_files(options_, std::move(stop));
  if (!files) return files.error();
  Result<NamespaceChoice> choice = files->namespace_();
  if (choice && choice->overridden) return choice;
  if (!choice && !is_empty_config(choice.error())) return choice;
  if (!in_cluster_is_possible()) {
    if (choice) return choice;
    return with_files(choice.error(), options_.rules);
  }
  if (choice) {
    if (choice->name != "default") return choice;
    // "default" that the context names itself is a choice.
    const Result<Kubeconfig> merged = files->merged_raw_config();
    if (merged) {
      const auto context = merged->contexts.find(merged->current_context);
      if (context != merged->contexts.end() && !context->second.namespace_.empty()) return choice;
    }
  }
  return NamespaceChoice{rest::in_cluster_namespace(options_.in_cluster), false};
}

}  // namespace kube::kubeconfig
