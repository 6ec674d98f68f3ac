// SPDX-License-Identifier: Apache-2.0
#include "config_entries.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <kube/base/file.hpp>

namespace kubecpp {
namespace {

namespace kubeconfig = kube::kubeconfig;
namespace rest = kube::rest;
using kube::Error;
using kube::ErrorCode;
using kube::Result;

Error wrong_flags(std::string what) {
  return {ErrorCode::InvalidArgument, std::move(what)};
}

template <class Text>
void assign(const std::optional<Text>& from, Text& to) {
  if (from) to = *from;
}

// A certificate or key: its path made absolute, or its content. Each form clears the other.
template <class Data>
Result<void> assign_file(const OptionalText& from, bool embed, std::string& path, Data& data) {
  if (!from) return {};
  if (embed) {
    Result<std::string> text = kube::read_file(*from, kube::kMaxSmallFileBytes);
    if (!text) return text.error();
    data = *std::move(text);
    path.clear();
    return {};
  }
  std::error_code ignored;
  path = from->empty() ? "" : std::filesystem::absolute(*from, ignored).lexically_normal().string();
  if (!path.empty()) data = {};
  return {};
}

// "key=value" or "key-".
struct Assignment {
  std::string key{};
  OptionalText value{};
};

Result<Assignment> parse_assignment(const std::string& text, const std::string& flag) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && equals > 0)
    return Assignment{text.substr(0, equals), text.substr(equals + 1)};
  if (equals == std::string::npos && text.size() > 1 && text.back() == '-')
    return Assignment{text.substr(0, text.size() - 1), std::nullopt};
  // What stands there may be a secret.
  return wrong_flags(flag + ": expected KEY=VALUE, or KEY- to remove it");
}

Result<void> change_auth_provider(kubeconfig::AuthInfo& user, const ConfigOptions& options) {
  if (options.auth_provider) {
    if (options.auth_provider->empty()) {
      user.auth_provider.reset();
    } else {
      user.auth_provider.ensure().name = *options.auth_provider;
    }
  }
  for (const std::string& text : options.auth_provider_args) {
    Result<Assignment> setting = parse_assignment(text, "--auth-provider-arg");
    if (!setting) return setting.error();
    if (!user.auth_provider) continue;
    auto& settings = user.auth_provider->config;
    if (setting->value) {
      settings[setting->key] = *std::move(setting->value);
    } else {
      settings.erase(setting->key);
    }
  }
  return {};
}

Result<void> change_exec(kubeconfig::AuthInfo& user, const ConfigOptions& options) {
  if (options.exec_command) {
    if (options.exec_command->empty()) {
      user.exec.reset();
      return {};
    }
    user.exec.ensure().command = *options.exec_command;
  }
  if (!user.exec) return {};
  rest::ExecConfig& exec = *user.exec;
  assign(options.exec_api_version, exec.api_version);
  if (!options.exec_args.empty()) exec.args = options.exec_args;
  if (options.exec_provide_cluster_info)
    exec.provide_cluster_info = *options.exec_provide_cluster_info;
  if (options.exec_interactive_mode) {
    const std::string& mode = *options.exec_interactive_mode;
    exec.interactive_mode = mode == "Never"         ? rest::ExecInteractiveMode::Never
                            : mode == "IfAvailable" ? rest::ExecInteractiveMode::IfAvailable
                            : mode == "Always"      ? rest::ExecInteractiveMode::Always
                                                    : rest::ExecInteractiveMode::Unset;
    user.unknown_interactive_mode.clear();
  }
  for (const std::string& text : options.exec_env) {
    Result<Assignment> variable = parse_assignment(text, "--exec-env");
    if (!variable) return variable.error();
    const auto found = std::find_if(exec.env.begin(), exec.env.end(),
                                    [&](const auto& each) { return each.first == variable->key; });
    if (!variable->value) {
      if (found != exec.env.end()) exec.env.erase(found);
    } else if (found != exec.env.end()) {
      found->second = *std::move(variable->value);
    } else {
      exec.env.emplace_back(variable->key, *std::move(variable->value));
    }
  }
  return {};
}

}  // namespace

Result<std::string> set_context(kubeconfig::Kubeconfig& config, const ConfigOptions& options) {
  if (options.words.empty() && !options.current)
    return wrong_flags("you must specify a non-empty context name or --current");
  if (!options.words.empty() && options.current)
    return wrong_flags("you cannot specify both a context name and --current");
  const std::string name = options.current ? config.current_context : options.words.front();
  if (name.empty()) return wrong_flags("no current context is set");
  const bool existed = config.contexts.contains(name);
  kubeconfig::Context& context = config.contexts[name];
  assign(options.cluster, context.cluster);
  assign(options.user, context.user);
  assign(options.namespace_, context.namespace_);
  return "Context \"" + name + "\" " + (existed ? "modified" : "created") + ".\n";
}

Result<std::string> set_cluster(kubeconfig::Kubeconfig& config, const ConfigOptions& options) {
  const bool has_ca = options.certificate_authority && !options.certificate_authority->empty();
  if (options.insecure.value_or(false) && has_ca) {
    return wrong_flags(
        "you cannot specify a certificate authority and insecure mode at the same time");
  }
  if (options.embed_certs && !has_ca)
    return wrong_flags("you must specify a --certificate-authority to embed");
  const std::string& name = options.words.front();
  kubeconfig::Cluster cluster = config.clusters[name];
  // A server clears the TLS server name of the one before it.
  if (options.server) cluster.tls_server_name.clear();
  assign(options.server, cluster.server);
  assign(options.tls_server_name, cluster.tls_server_name);
  assign(options.proxy_url, cluster.proxy_url);
  // As kubectl does: a call without the flag sets it to false.
  cluster.insecure_skip_tls_verify = options.insecure.value_or(false);
  if (cluster.insecure_skip_tls_verify && options.insecure) {
    cluster.certificate_authority.clear();
    cluster.certificate_authority_data.clear();
  }
  if (auto done = assign_file(options.certificate_authority, options.embed_certs,
                              cluster.certificate_authority, cluster.certificate_authority_data);
      !done)
    return done.error();
  if (has_ca) cluster.insecure_skip_tls_verify = false;
  config.clusters[name] = std::move(cluster);
  return "Cluster \"" + name + "\" set.\n";
}

Result<std::string> set_credentials(kubeconfig::Kubeconfig& config, const ConfigOptions& options) {
  const auto is_set = [](const auto& text) { return text && !text->empty(); };
  const bool sets_token = is_set(options.token);
  const bool sets_basic = is_set(options.username) || is_set(options.password);
  if (sets_token && sets_basic) {
    return wrong_flags(
        "you cannot specify more than one authentication method at the same time: --token, "
        "--username/--password");
  }
  if (options.embed_certs && !is_set(options.client_certificate) && !is_set(options.client_key))
    return wrong_flags("you must specify a --client-certificate or --client-key to embed");
  const std::string& name = options.words.front();
  kubeconfig::AuthInfo user = config.users[name];
  if (auto done = assign_file(options.client_certificate, options.embed_certs,
                              user.client_certificate, user.client_certificate_data);
      !done)
    return done.error();
  if (auto done = assign_file(options.client_key, options.embed_certs, user.client_key,
                              user.client_key_data);
      !done)
    return done.error();
  assign(options.token, user.token);
  assign(options.username, user.username);
  assign(options.password, user.password);
  // A new way to log in replaces the other one.
  if (sets_basic) user.token = {};
  if (sets_token) {
    user.username.clear();
    user.password = {};
  }
  if (auto done = change_auth_provider(user, options); !done) return done.error();
  if (auto done = change_exec(user, options); !done) return done.error();
  config.users[name] = std::move(user);
  return "User \"" + name + "\" set.\n";
}

}  // namespace kubecpp
