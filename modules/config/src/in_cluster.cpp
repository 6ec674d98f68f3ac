// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a program in a pod: service account and environment.
#include <filesystem>

#include <kube/base/ascii.hpp>
#include <kube/base/file.hpp>
#include <kube/config/kubeconfig.hpp>

namespace kube::rest {
namespace {

std::string join_host_port(const std::string& host, const std::string& port) {
  const bool v6 = host.find(':') != std::string::npos;
  return v6 ? "[" + host + "]:" + port : host + ":" + port;
}

std::string pod_namespace(const Environment& environment, const std::filesystem::path& directory) {
  if (auto name = environment("POD_NAMESPACE"); name && !name->empty()) return *name;
  if (auto text = read_file((directory / "namespace").string(), kMaxSmallFileBytes); text) {
    if (const std::string_view name = ascii::trim_space(*text); !name.empty())
      return std::string(name);
  }
  return "default";
}

}  // namespace

Result<Config> in_cluster_config(const InClusterOptions& options) {
  const Environment environment = options.environment ? options.environment : process_environment();
  const std::string host = environment("KUBERNETES_SERVICE_HOST").value_or("");
  const std::string port = environment("KUBERNETES_SERVICE_PORT").value_or("");
  if (host.empty() || port.empty()) {
    return Error(ErrorCode::Config,
                 "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and "
                 "KUBERNETES_SERVICE_PORT must be defined");
  }
  const std::filesystem::path directory = options.directory;
  const std::filesystem::path token_file = directory / "token";
  Result<std::string> token = read_file(token_file.string(), kMaxSmallFileBytes);
  if (!token) return token.error().with_context("in-cluster configuration");
  if (ascii::trim_space(*token).empty()) {
    return Error(ErrorCode::Config, "read empty token from file \"" + token_file.string() + "\"")
        .with_context("in-cluster configuration");
  }

  Config config;
  config.host = "https://" + join_host_port(host, port);
  config.bearer_token = std::string(ascii::trim_space(*token));
  config.bearer_token_file = token_file.string();
  config.namespace_ = pod_namespace(environment, directory);

  const std::filesystem::path ca_file = directory / "ca.crt";
  const Result<std::string> ca = read_file(ca_file.string(), kMaxSmallFileBytes);
  if (ca && ca->find("-----BEGIN CERTIFICATE-----") != std::string::npos) {
    config.tls.ca.file = ca_file.string();
  } else {
    KUBE_LOG(
        options.logger, LogLevel::Error, "config", "the cluster's CA file can't be used",
        {"file", ca_file.string()},
        {"error", ca ? std::string("the file contains no certificate") : ca.error().to_string()});
  }
  return config;
}

Result<Config> default_config(const InClusterOptions& in_cluster) {
  Result<Config> config = kubeconfig::load({.environment = in_cluster.environment});
  if (config || !kubeconfig::is_empty_config(config.error())) return config;
  // Like clientcmd's deferred loading: only a missing configuration leads to the in-cluster one; an
  // invalid configuration is reported.
  const Environment environment =
      in_cluster.environment ? in_cluster.environment : process_environment();
  std::error_code ignored;
  const bool possible = !environment("KUBERNETES_SERVICE_HOST").value_or("").empty() &&
                        !environment("KUBERNETES_SERVICE_PORT").value_or("").empty() &&
                        std::filesystem::is_regular_file(
                            std::filesystem::path(in_cluster.directory) / "token", ignored);
  return possible ? in_cluster_config(in_cluster) : config;
}

}  // namespace kube::rest
