// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a program in a pod: service account and environment.
#include <filesystem>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/file.hpp>
#include <kube/config/client_config.hpp>
#include <kube/config/kubeconfig.hpp>

namespace kube::rest {
namespace {

std::string join_host_port(const std::string& host, const std::string& port) {
  const bool v6 = host.find(':') != std::string::npos;
  return v6 ? "[" + host + "]:" + port : host + ":" + port;
}

}  // namespace

std::string in_cluster_namespace(const InClusterOptions& options) {
  const Environment environment = options.environment ? options.environment : process_environment();
  if (auto name = environment("POD_NAMESPACE"); name && !name->empty()) return *name;
  const std::filesystem::path file = std::filesystem::path(options.directory) / "namespace";
  if (const auto found = read_regular_file(file.string()); found) {
    if (const std::string_view name = ascii::trim_space(found->text); !name.empty())
      return std::string(name);
  }
  return "default";
}

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
  const Result<DatedFile> token = read_regular_file(token_file.string());
  if (!token) return token.error().with_context("in-cluster configuration");
  if (ascii::trim_space(token->text).empty()) {
    return Error(ErrorCode::Config, "read empty token from file \"" + token_file.string() + "\"")
        .with_context("in-cluster configuration");
  }

  Config config;
  config.host = "https://" + join_host_port(host, port);
  config.bearer_token = ascii::trim_space(token->text);
  config.bearer_token_file = token_file.string();
  config.namespace_ = in_cluster_namespace(options);

  const std::filesystem::path ca_file = directory / "ca.crt";
  const Result<DatedFile> ca = read_regular_file(ca_file.string());
  if (ca && ca->text.find("-----BEGIN CERTIFICATE-----") != std::string::npos) {
    config.tls.ca.file = ca_file.string();
  } else {
    KUBE_LOG(
        options.logger, LogLevel::Error, "config", "the cluster's CA file can't be used",
        {"file", ca_file.string()},
        {"error", ca ? std::string("the file contains no certificate") : ca.error().to_string()});
  }
  return config;
}

Result<Config> default_config(const InClusterOptions& in_cluster, std::stop_token stop) {
  return kubeconfig::DeferredClientConfig(
             {.rules = kubeconfig::LoadingRules::defaults(in_cluster.environment),
              .in_cluster = in_cluster})
      .client_config(std::move(stop));
}

}  // namespace kube::rest
