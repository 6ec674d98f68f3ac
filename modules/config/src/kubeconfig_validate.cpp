// SPDX-License-Identifier: Apache-2.0
#include "kubeconfig_validate.hpp"

#include <cstdio>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/dns_names.hpp>
#include <kube/base/file.hpp>
#include <kube/base/join.hpp>
#include <kube/base/printable.hpp>
#include <kube/base/utf8.hpp>
#include <kube/config/client_config.hpp>
#include <kube/transport/url.hpp>

#include "auth/exec_policy.hpp"
#include "auth/exec_versions.hpp"

namespace kube::kubeconfig {
namespace {

constexpr std::string_view kEmptyConfigReason = "EmptyConfig";
constexpr std::string_view kContextNotFoundReason = "ContextNotFound";
constexpr std::string_view kInvalidReason = "ConfigurationInvalid";

void add(Problems& problems, const Origin& origin, std::string_view field,
         const std::string& text) {
  problems.push_back(origin.at(field) + text);
}

void check_readable(const std::string& file, const Origin& origin, const std::string& field,
                    const std::string& what, const std::string& name, Problems& problems) {
  if (file.empty()) return;
  if (auto bytes = read_regular_file(file); !bytes) {
    add(problems, origin, field,
        "unable to read " + what + " " + file + " for " + name + " due to " +
            bytes.error().message());
  }
}

void check_proxy(const std::string& name, const Cluster& cluster, Problems& problems) {
  if (cluster.proxy_url.empty()) return;
  const Result<transport::Url> url = transport::parse_server_url(cluster.proxy_url);
  const std::string what = "invalid 'proxy-url' " +
                           in_quotes(transport::printable_server_url(cluster.proxy_url)) +
                           " for cluster " + in_quotes(name) + ": ";
  if (!url) {
    add(problems, cluster.origin, "proxy-url", what + url.error().message());
  } else if (url->scheme != "http" && url->scheme != "https" && url->scheme != "socks5") {
    add(problems, cluster.origin, "proxy-url",
        what + "unsupported scheme " + in_quotes(url->scheme) + ", must be http, https, or socks5");
  }
}

void check_server(const Cluster& cluster, Problems& problems) {
  const auto url = rest::base_url({.host = host_of(cluster.server)});
  if (!url) add(problems, cluster.origin, "server", url.error().message());
}

void check_ca(const std::string& name, const Cluster& cluster, Problems& problems) {
  const std::string& file = cluster.certificate_authority;
  const std::string& data = cluster.certificate_authority_data;
  if (!file.empty() && !data.empty()) {
    add(problems, cluster.origin, "certificate-authority-data",
        "certificate-authority-data and certificate-authority are both specified for " + name +
            ". certificate-authority-data will override.");
  }
  check_readable(file, cluster.origin, "certificate-authority", "certificate-authority", name,
                 problems);
  const bool has_ca = !file.empty() || !data.empty();
  if (has_ca && cluster.insecure_skip_tls_verify && is_tls(cluster)) {
    add(problems, cluster.origin, "insecure-skip-tls-verify",
        "specifying a root certificates file with the insecure flag is not allowed");
  }
}

void check_client_certificate(const std::string& name, const AuthInfo& user, Problems& problems) {
  const bool has_certificate =
      !user.client_certificate.empty() || !user.client_certificate_data.empty();
  const bool has_key = !user.client_key.empty() || !user.client_key_data.empty();
  if (!user.client_certificate.empty() && !user.client_certificate_data.empty()) {
    add(problems, user.origin, "client-certificate-data",
        "client-cert-data and client-cert are both specified for " + name +
            ". client-cert-data will override.");
  }
  if (!user.client_key.empty() && !user.client_key_data.empty()) {
    add(problems, user.origin, "client-key-data",
        "client-key-data and client-key are both specified for " + name +
            "; client-key-data will override");
  }
  if (has_certificate && !has_key) {
    add(problems, user.origin,
        user.client_certificate.empty() ? "client-certificate-data" : "client-certificate",
        "client-key-data or client-key must be specified for " + name +
            " to use the clientCert authentication method.");
  }
  if (has_key && !has_certificate) {
    add(problems, user.origin, user.client_key.empty() ? "client-key-data" : "client-key",
        "client-certificate-data or client-certificate must be specified for " + name +
            " to use its client key");
  }
  check_readable(user.client_certificate, user.origin, "client-certificate", "client-cert", name,
                 problems);
  check_readable(user.client_key, user.origin, "client-key", "client-key", name, problems);
}

// A token is sent in a header.
void check_token(const SecretText& token, const Origin& origin, std::string_view field,
                 Problems& problems) {
  if (auto valid = rest::validate({.bearer_token = token}); !valid)
    add(problems, origin, field, valid.error().message());
}

// What is used of a user's credentials: the first that is set.
void check_credentials(const AuthInfo& user, Problems& problems) {
  if (!user.username.empty()) return;
  if (!user.token.empty()) return check_token(user.token, user.origin, "token", problems);
  if (!user.token_file.empty()) {
    const Result<DatedFile> file = read_regular_file(user.token_file);
    if (!file) return add(problems, user.origin, "tokenFile", file.error().message());
    return check_token(ascii::trim_space(file->text), user.origin, "tokenFile", problems);
  }
  if (user.exec) {
    const std::string& version = user.exec->api_version;
    if (!version.empty() && !rest::is_exec_version(version)) {
      add(problems, user.origin, "exec.apiVersion",
          "invalid apiVersion " + in_quotes(printable(version)) + "; expected " +
              std::string(rest::kExecV1) + " or " + std::string(rest::kExecV1Beta1));
    }
  }
}

void check_exec(const std::string& name, const AuthInfo& user, Problems& problems) {
  const rest::ExecConfig& exec = *user.exec;
  const auto missing = [&](const std::string& field, const std::string& what) {
    add(problems, user.origin, "exec." + field,
        what + " must be specified for " + name + " to use exec authentication plugin");
  };
  if (user.auth_provider) {
    add(problems, user.origin, "auth-provider",
        "authProvider cannot be provided in combination with an exec plugin for " + name);
  }
  if (exec.command.empty()) missing("command", "command");
  if (exec.api_version.empty()) missing("apiVersion", "apiVersion");
  for (std::size_t i = 0; i < exec.env.size(); ++i) {
    if (exec.env[i].first.empty())
      missing("env[" + std::to_string(i) + "].name", "env variable name");
  }
  if (!user.unknown_interactive_mode.empty()) {
    add(problems, user.origin, "exec.interactiveMode",
        "invalid interactiveMode for " + name + ": " +
            in_quotes(printable(user.unknown_interactive_mode)) +
            ", must be Never, IfAvailable or Always");
  } else if (exec.interactive_mode == rest::ExecInteractiveMode::Unset) {
    missing("interactiveMode", "interactiveMode");
  }
  if (auto valid = rest::check_policy(exec.policy); !valid) {
    add(problems, user.origin, "exec", "allowlist misconfiguration: " + valid.error().message());
  }
}

// Unicode's control and format characters, private use and surrogates.
bool is_control_or_format(char32_t code) {
  struct Range {
    char32_t first;
    char32_t last;
  };
  static constexpr Range kRanges[] = {
      {0, 8},           {0xe, 0x1f},      {0x7f, 0x9f},       {0xad, 0xad},
      {0x600, 0x605},   {0x61c, 0x61c},   {0x6dd, 0x6dd},     {0x70f, 0x70f},
      {0x890, 0x891},   {0x8e2, 0x8e2},   {0x180e, 0x180e},   {0x200b, 0x200f},
      {0x202a, 0x202e}, {0x2060, 0x206f}, {0xd800, 0xf8ff},   {0xfeff, 0xfeff},
      {0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe00ff}, {0xf0000, 0x10ffff}};
  for (const Range& range : kRanges) {
    if (code >= range.first && code <= range.last) return true;
  }
  return false;
}

}  // namespace

std::string host_of(const std::string& server) {
  const Result<transport::Url> url = transport::parse_url(server);
  if (!url || url->path.empty() || url->path == "/") return server;
  return server.substr(0, server.find_first_of("?#"));
}

bool is_tls(const Cluster& cluster) {
  const auto url = rest::base_url({.host = host_of(cluster.server)});
  return !url || url->starts_with("https:");
}

void check_cluster(const std::string& name, const Cluster& cluster, Problems& problems) {
  if (cluster == Cluster{} && cluster.origin.file.empty()) {
    problems.emplace_back("cluster has no server defined");
    return;
  }
  if (cluster.server.empty()) {
    add(problems, cluster.origin, "server",
        name.empty() ? "default cluster has no server defined"
                     : "no server found for cluster " + in_quotes(name));
  }
  if (!cluster.server.empty()) check_server(cluster, problems);
  check_proxy(name, cluster, problems);
  check_ca(name, cluster, problems);
}

void check_user(const std::string& name, const AuthInfo& user, bool secure, Problems& problems) {
  check_client_certificate(name, user, problems);
  if (!user.token.empty() && (!user.username.empty() || !user.password.empty())) {
    add(problems, user.origin, "token",
        "more than one authentication method found for " + name +
            "; found [token basicAuth], only one is allowed");
  }
  if (user.exec) check_exec(name, user, problems);
  if (secure) check_credentials(user, problems);
  const rest::ImpersonationConfig& as = user.impersonate;
  if (as.user_name.empty() && !as.empty()) {
    add(problems, user.origin, "",
        "requesting uid, groups or user-extra for " + name + " without impersonating a user");
  }
}

void check_context(const std::string& name, const Context& context, bool has_user, bool has_cluster,
                   Problems& problems) {
  const std::string where = "for context " + in_quotes(name);
  const auto missing = [&](const std::string& kind, const std::string& entry) {
    add(problems, context.origin, kind,
        entry.empty() ? kind + " was not specified " + where
                      : kind + " " + in_quotes(entry) + " was not found " + where);
  };
  if (!has_user) missing("user", context.user);
  if (!has_cluster) missing("cluster", context.cluster);
  if (!context.namespace_.empty() && !dns1123_label_problems(context.namespace_).empty()) {
    add(problems, context.origin, "namespace",
        "namespace " + in_quotes(context.namespace_) + " " + where +
            " does not conform to the kubernetes DNS_LABEL rules");
  }
}

Error invalid_configuration(const Problems& problems, bool lacks_context) {
  return Error(ErrorCode::Config,
               (problems.size() == 1 ? "invalid configuration: " : "invalid configuration:\n") +
                   join(problems, "\n"))
      .with_reason(std::string(lacks_context ? kContextNotFoundReason : kInvalidReason));
}

Error empty_config(std::string_view why) {
  return Error(ErrorCode::Config,
               "invalid configuration: no configuration has been provided: " + std::string(why))
      .with_reason(std::string(kEmptyConfigReason));
}

Error context_not_found(const std::string& what) {
  return Error(ErrorCode::Config, what).with_reason(std::string(kContextNotFoundReason));
}

bool is_empty_config(const Error& error) {
  return error.code() == ErrorCode::Config && error.reason() == kEmptyConfigReason;
}

bool is_context_not_found(const Error& error) {
  return error.reason() == kContextNotFoundReason;
}

bool is_configuration_invalid(const Error& error) {
  return error.reason() == kInvalidReason || is_empty_config(error) || is_context_not_found(error);
}

Result<void> validate(const Kubeconfig& config) {
  Problems problems;
  if (config.empty()) return empty_config("it has no cluster, user, context or current-context");
  const std::string& name = config.current_context;
  const bool lacks_context = !name.empty() && !config.contexts.contains(name);
  if (lacks_context) {
    problems.push_back(config.current_context_origin.at("") +
                       "context was not found for specified context: " + name);
  }
  for (const auto& [context_name, context] : config.contexts) {
    check_context(context_name, context, config.users.contains(context.user),
                  config.clusters.contains(context.cluster), problems);
  }
  for (const auto& [user_name, user] : config.users) check_user(user_name, user, true, problems);
  for (const auto& [cluster_name, cluster] : config.clusters) {
    check_cluster(cluster_name, cluster, problems);
  }
  return problems.empty() ? Result<void>() : invalid_configuration(problems, lacks_context);
}

std::string clean_install_hint(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code = next_code_point(text, &at);
    if (!is_control_or_format(code)) {
      append_utf8(code, out);
      continue;
    }
    char name[16];
    std::snprintf(name, sizeof name, "U+%04X", static_cast<unsigned>(code));
    out += name;
  }
  return out;
}

}  // namespace kube::kubeconfig
