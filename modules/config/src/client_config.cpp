// SPDX-License-Identifier: Apache-2.0
#include <kube/config/client_config.hpp>

#include <charconv>
#include <optional>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/file.hpp>
#include <kube/names/time.hpp>

#include "auth_provider_persister.hpp"
#include "kubeconfig_fields.hpp"
#include "kubeconfig_validate.hpp"

namespace kube::kubeconfig {
namespace {

constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

// Messages do not blame the file for the values of overrides.
template <class T>
void mark_overridden(T& entry, const T& by) {
  for (const TextField<T>& field : text_fields<T>()) {
    if (field.is_set(by)) entry.origin.lines[std::string(field.name)] = 0;
  }
  for (const FlagField<T>& field : flag_fields<T>()) {
    if (by.*field.member) entry.origin.lines[std::string(field.name)] = 0;
  }
}

// The beginning of a message about what may be data or a file.
std::string place_of(const Origin& origin, std::string_view field, bool is_data) {
  return origin.at(std::string(field) + (is_data ? "-data" : ""));
}

Error no_such(const std::string& kind, const std::string& name, const std::string& others) {
  // The caller chose this name, not the file.
  return {ErrorCode::InvalidArgument, kind + " " + in_quotes(name) + " does not exist; " + others};
}

Result<void> apply_user(const std::string& name, const AuthInfo& user, const Cluster& cluster,
                        rest::Config& config) {
  config.bearer_token = user.token;
  config.bearer_token_file = user.token_file;
  if (user.token.empty() && !user.token_file.empty()) {
    const Result<DatedFile> file = read_regular_file(user.token_file);
    if (!file) {
      return Error(ErrorCode::Config, user.origin.at("tokenFile") + file.error().message());
    }
    config.bearer_token = ascii::trim_space(file->text);
  }
  config.tls.certificate = {.data = user.client_certificate_data, .file = user.client_certificate};
  config.tls.key = {.data = user.client_key_data, .file = user.client_key};
  config.username = user.username;
  config.password = user.password;
  if (user.auth_provider) {
    config.auth_provider = user.auth_provider;
    if (!config.auth_provider->persist && !user.origin.file.empty())
      persist_in(user.origin.file, name, *config.auth_provider);
  }
  if (user.exec) {
    rest::ExecConfig& exec = config.exec_provider.ensure();
    exec = *user.exec;
    exec.install_hint = clean_install_hint(exec.install_hint);
    const auto extension = cluster.extensions.find(kExecExtension);
    if (extension != cluster.extensions.end()) exec.config = extension->second;
  }
  return {};
}

Cluster merged_cluster(const Cluster* found, const ConfigOverrides& overrides) {
  Cluster cluster;
  merge_fields(cluster, overrides.cluster_defaults);
  if (found != nullptr) merge_fields(cluster, *found);
  const Cluster& by = overrides.cluster;
  merge_fields(cluster, by);
  if (by.insecure_skip_tls_verify || !by.certificate_authority.empty() ||
      !by.certificate_authority_data.empty()) {
    cluster.insecure_skip_tls_verify = by.insecure_skip_tls_verify;
    cluster.certificate_authority = by.certificate_authority;
    cluster.certificate_authority_data = by.certificate_authority_data;
  }
  if (!by.tls_server_name.empty() || !by.server.empty())
    cluster.tls_server_name = by.tls_server_name;
  mark_overridden(cluster, by);
  return cluster;
}

AuthInfo merged_user(const AuthInfo* found, const ConfigOverrides& overrides) {
  AuthInfo user;
  if (found != nullptr) merge_fields(user, *found);
  const AuthInfo& by = overrides.user;
  merge_fields(user, by);
  if (!by.client_certificate.empty() || !by.client_certificate_data.empty()) {
    user.client_certificate = by.client_certificate;
    user.client_certificate_data = by.client_certificate_data;
  }
  if (!by.client_key.empty() || !by.client_key_data.empty()) {
    user.client_key = by.client_key;
    user.client_key_data = by.client_key_data;
  }
  mark_overridden(user, by);
  return user;
}

template <class T>
const T* find_entry(const Entries<T>& entries, const std::string& name) {
  const auto found = entries.find(name);
  return found == entries.end() ? nullptr : &found->second;
}

}  // namespace

// The effective entries, and whether the files have them.
struct ClientConfig::Chosen {
  std::string context_name{};
  const Context* context_in_file = nullptr;
  Context context{};
  const Cluster* cluster_in_file = nullptr;
  Cluster cluster{};
  const AuthInfo* user_in_file = nullptr;
  AuthInfo user{};
};

ClientConfig::ClientConfig(Kubeconfig config, ConfigOverrides overrides, std::string context)
    : config_(std::move(config)), overrides_(std::move(overrides)), context_(std::move(context)) {}

std::string ClientConfig::context_name() const {
  if (!overrides_.current_context.empty()) return overrides_.current_context;
  return context_.empty() ? config_.current_context : context_;
}

Result<ClientConfig::Chosen> ClientConfig::choose() const {
  Chosen out;
  out.context_name = context_name();
  out.context_in_file = find_entry(config_.contexts, out.context_name);
  if (out.context_in_file != nullptr) {
    out.context = *out.context_in_file;
  } else if (!overrides_.current_context.empty()) {
    return no_such("context", out.context_name, "contexts: " + names_of(config_.contexts));
  }
  merge_fields(out.context, overrides_.context);
  out.user_in_file = find_entry(config_.users, out.context.user);
  if (out.user_in_file == nullptr && !overrides_.context.user.empty())
    return no_such("auth info", out.context.user, "users: " + names_of(config_.users));
  out.user = merged_user(out.user_in_file, overrides_);
  out.cluster_in_file = find_entry(config_.clusters, out.context.cluster);
  if (out.cluster_in_file == nullptr && !overrides_.context.cluster.empty())
    return no_such("cluster", out.context.cluster, "clusters: " + names_of(config_.clusters));
  out.cluster = merged_cluster(out.cluster_in_file, overrides_);
  return out;
}

Result<void> ClientConfig::confirm(const Chosen& chosen) const {
  const std::string& name = chosen.context_name;
  if (chosen.context_in_file == nullptr && !name.empty()) {
    const bool is_current = context_.empty() && overrides_.current_context.empty();
    return context_not_found((is_current ? config_.current_context_origin.at("") : "") +
                             "context was not found for specified context: " + name +
                             "; contexts: " + names_of(config_.contexts));
  }
  const bool has_cluster = chosen.cluster_in_file != nullptr || !(chosen.cluster == Cluster{});
  if (!has_cluster && config_.empty())
    return empty_config("it has no cluster, user, context or current-context");
  if (!has_cluster && name.empty()) {
    return context_not_found(
        config_.current_context_origin.at("") +
        "no context chosen: current-context is not set; contexts: " + names_of(config_.contexts));
  }
  Problems problems;
  // A context without a user is anonymous, and overrides may take the place of the cluster.
  const Context& context = chosen.context;
  const bool has_user = chosen.user_in_file != nullptr || context.user.empty();
  if (chosen.context_in_file != nullptr)
    check_context(name, context, has_user, has_cluster, problems);
  if (has_cluster) check_cluster(context.cluster, chosen.cluster, problems);
  check_user(context.user, chosen.user, is_tls(chosen.cluster), problems);
  return problems.empty() ? Result<void>() : invalid_configuration(problems);
}

Result<void> ClientConfig::confirm_usable() const {
  const Result<Chosen> chosen = choose();
  return chosen ? confirm(*chosen) : chosen.error();
}

Result<rest::Config> ClientConfig::client_config() const {
  const Result<Chosen> chosen = choose();
  if (!chosen) return chosen.error();
  if (auto usable = confirm(*chosen); !usable) return usable.error();
  const Cluster& cluster = chosen->cluster;
  const AuthInfo& user = chosen->user;
  rest::Config config;
  config.host = host_of(cluster.server);
  config.namespace_ = chosen->context.namespace_;
  config.proxy_url = cluster.proxy_url;
  config.disable_compression = cluster.disable_compression;
  config.impersonate = user.impersonate;
  if (!overrides_.timeout.empty()) {
    const auto timeout = parse_timeout(overrides_.timeout);
    if (!timeout) return timeout.error();
    config.timeout = *timeout;
  }
  // Credentials never leave the machine unencrypted.
  const bool local = !rest::unix_socket(config).empty();
  if (!local && !rest::is_tls(config)) return config;
  config.origin = cluster.origin.file;
  if (!(user == AuthInfo{})) {
    const std::string& name = chosen->context.user;
    if (auto applied = apply_user(name, user, cluster, config); !applied) return applied.error();
    config.origins.certificate =
        place_of(user.origin, "client-certificate", !user.client_certificate_data.empty());
    config.origins.key = place_of(user.origin, "client-key", !user.client_key_data.empty());
    if (user.auth_provider) {
      config.origins.auth_provider = user.origin.at(
          user.auth_provider->name == "oidc" ? "auth-provider.config" : "auth-provider.name");
    }
  }
  config.origins.ca = place_of(cluster.origin, "certificate-authority",
                               !cluster.certificate_authority_data.empty());
  config.tls.ca = {.data = cluster.certificate_authority_data,
                   .file = cluster.certificate_authority};
  config.tls.insecure_skip_verify = cluster.insecure_skip_tls_verify;
  config.tls.server_name = cluster.tls_server_name;
  // On a unix socket the cluster decides whether there is TLS: a certificate of the user alone, as
  // a kubeconfig has it for another cluster, does not.
  const bool has_tls = !config.tls.ca.empty() || config.tls.insecure_skip_verify;
  if (local && !has_tls) config.tls = {};
  return config;
}

Result<NamespaceChoice> ClientConfig::namespace_() const {
  if (!overrides_.context.namespace_.empty())
    return NamespaceChoice{overrides_.context.namespace_, true};
  const Result<Chosen> chosen = choose();
  if (!chosen) return chosen.error();
  if (auto usable = confirm(*chosen); !usable) return usable.error();
  const std::string& name = chosen->context.namespace_;
  return NamespaceChoice{name.empty() ? "default" : name, false};
}

Result<Kubeconfig> ClientConfig::merged_raw_config() const {
  const Result<Chosen> chosen = choose();
  if (!chosen) return chosen.error();
  Kubeconfig config = config_;
  config.current_context = chosen->context_name;
  if (!chosen->context_name.empty()) config.contexts[chosen->context_name] = chosen->context;
  if (!chosen->context.user.empty()) config.users[chosen->context.user] = chosen->user;
  if (!chosen->context.cluster.empty()) config.clusters[chosen->context.cluster] = chosen->cluster;
  return config;
}

Result<std::chrono::milliseconds> parse_timeout(std::string_view text) {
  long long seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  constexpr long long kMaxSeconds = 292LL * 365 * 24 * 3600;  // what a Go duration holds
  if (error == std::errc() && end == text.data() + text.size() && seconds >= -kMaxSeconds &&
      seconds <= kMaxSeconds)
    return std::chrono::seconds(seconds);
  const Result<meta::Duration> duration = meta::Duration::parse(text);
  if (duration) return std::chrono::ceil<std::chrono::milliseconds>(duration->value);
  return Error(ErrorCode::InvalidArgument,
               "Invalid timeout value. Timeout must be a single integer in seconds, or an integer "
               "followed by a corresponding time unit (e.g. 1s | 2m | 3h)");
}

std::string namespace_of_argument(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash + 1 == text.size()) return std::string(text);
  const std::string kind = ascii::to_lower(text.substr(0, slash));
  const bool is_namespace = kind == "ns" || kind == "namespace" || kind == "namespaces";
  return std::string(is_namespace ? text.substr(slash + 1) : text);
}

}  // namespace kube::kubeconfig
