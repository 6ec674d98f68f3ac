// SPDX-License-Identifier: Apache-2.0
#include "kubeconfig_resolve.hpp"

#include <vector>

#include <kube/base/ascii.hpp>
#include <kube/base/dns_names.hpp>
#include <kube/base/file.hpp>
#include <kube/base/join.hpp>
#include <kube/config/kubeconfig.hpp>
#include <kube/transport/url.hpp>

namespace kube::kubeconfig {
namespace {

constexpr std::string_view kEmptyConfigReason = "EmptyConfig";

using Problems = std::vector<std::string>;

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

template <class T>
std::string names_of(const Entries<T>& entries) {
  if (entries.empty()) return "none";
  std::string text;
  for (const auto& [name, entry] : entries) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

template <class T>
void add(Problems& problems, const Entry<T>& entry, const std::string& text) {
  problems.push_back(entry.file.empty() ? text : entry.file + ": " + text);
}

void check_cluster(const std::string& name, const Entry<Cluster>& entry, Problems& problems) {
  const Cluster& cluster = entry.value;
  if (cluster.server.empty()) {
    add(problems, entry, "no server found for cluster " + in_quotes(name));
  }
  if (!cluster.proxy_url.empty()) {
    const Result<transport::Url> url = transport::parse_server_url(cluster.proxy_url);
    const std::string shown = in_quotes(transport::printable_server_url(cluster.proxy_url));
    if (!url) {
      add(problems, entry,
          "invalid 'proxy-url' " + shown + " for cluster " + in_quotes(name) + ": " +
              url.error().message());
    } else if (url->scheme != "http" && url->scheme != "https" && url->scheme != "socks5") {
      add(problems, entry,
          "invalid 'proxy-url' " + shown + " for cluster " + in_quotes(name) +
              ": unsupported scheme " + in_quotes(url->scheme) +
              ", must be http, https, or socks5");
    }
  }
  const transport::PemSource& ca = cluster.certificate_authority;
  if (!ca.data.empty() && !ca.file.empty()) {
    add(problems, entry,
        "certificate-authority-data and certificate-authority are both specified for " + name +
            ". certificate-authority-data will override.");
  }
  if (!ca.file.empty()) {
    if (auto bytes = read_file(ca.file, kMaxSmallFileBytes); !bytes) {
      add(problems, entry,
          "unable to read certificate-authority " + ca.file + " for " + name + " due to " +
              bytes.error().message());
    }
  }
}

void check_client_certificate(const std::string& name, const Entry<User>& entry,
                              Problems& problems) {
  const transport::PemSource& certificate = entry.value.client_certificate;
  const transport::PemSource& key = entry.value.client_key;
  if (certificate.empty() && key.empty()) return;
  if (!certificate.data.empty() && !certificate.file.empty()) {
    add(problems, entry,
        "client-cert-data and client-cert are both specified for " + name +
            ". client-cert-data will override.");
  }
  if (!key.data.empty() && !key.file.empty()) {
    add(problems, entry,
        "client-key-data and client-key are both specified for " + name +
            "; client-key-data will override");
  }
  if (key.empty()) {
    add(problems, entry,
        "client-key-data or client-key must be specified for " + name +
            " to use the clientCert authentication method.");
  }
  if (certificate.empty()) {
    add(problems, entry,
        "client-certificate-data or client-certificate must be specified for " + name +
            " to use its client key");
  }
  for (const auto& [field, source] :
       {std::pair("client-cert", &certificate), std::pair("client-key", &key)}) {
    if (source->file.empty()) continue;
    if (auto bytes = read_file(source->file, kMaxSmallFileBytes); !bytes) {
      add(problems, entry,
          "unable to read " + std::string(field) + " " + source->file + " for " + name +
              " due to " + bytes.error().message());
    }
  }
}

void check_user(const std::string& name, const Entry<User>& entry, Problems& problems) {
  const User& user = entry.value;
  std::vector<std::string> methods;
  if (!user.token.empty()) methods.emplace_back("token");
  if (!user.username.empty() || !user.password.empty()) methods.emplace_back("basicAuth");
  check_client_certificate(name, entry, problems);
  if (methods.size() > 1) {
    add(problems, entry,
        "more than one authentication method found for " + name +
            "; found [token basicAuth], only one is allowed");
  }
  if (user.impersonates_more && user.impersonate.empty()) {
    add(problems, entry,
        "requesting uid, groups or user-extra for " + name + " without impersonating a user");
  }
}

Error invalid(const Problems& problems) {
  const std::string text =
      problems.size() == 1 ? problems.front() : "[" + join(problems, ", ") + "]";
  return {ErrorCode::Config, "invalid configuration: " + text};
}

std::string place_of(const std::string& name, const Entry<User>& entry) {
  return (entry.file.empty() ? "" : entry.file + ": ") + "user " + in_quotes(name);
}

// Refuses settings of a user entry that this library does not support: ignoring them would mean to
// act anonymously, or with more rights than the entry has.
Result<void> check_supported(const std::string& name, const Entry<User>& entry, bool tls) {
  const User& user = entry.value;
  const std::string where = place_of(name, entry);
  if (!user.impersonate.empty() || user.impersonates_more) {
    return Error(ErrorCode::Config, where + " impersonates " + in_quotes(user.impersonate) +
                                        ", which is not supported");
  }
  if (!tls) return {};
  if (user.exec) {
    return Error(ErrorCode::Config,
                 where +
                     " uses exec, but exec credential plugins are not supported yet; use a "
                     "client certificate, token or tokenFile");
  }
  if (!user.auth_provider.empty()) {
    return Error(ErrorCode::Config,
                 where + " uses the auth-provider " + in_quotes(user.auth_provider) +
                     ", which is not supported; use a client certificate, token or tokenFile");
  }
  return {};
}

Result<void> apply_user(const Entry<User>& entry, rest::Config& config) {
  const User& user = entry.value;
  config.bearer_token = user.token;
  config.bearer_token_file = user.token_file;
  if (user.token.empty() && !user.token_file.empty()) {
    const Result<std::string> text = read_file(user.token_file, kMaxSmallFileBytes);
    if (!text) {
      const std::string where = entry.file.empty() ? "" : entry.file + ": ";
      return Error(ErrorCode::Config, where + "tokenFile: " + text.error().message());
    }
    config.bearer_token = std::string(ascii::trim_space(*text));
  }
  config.tls.certificate = user.client_certificate;
  config.tls.key = user.client_key;
  config.username = user.username;
  config.password = user.password;
  return {};
}

// A server URL with a path loses query and fragment; other URLs are unchanged.
std::string host_of(const std::string& server) {
  const Result<transport::Url> url = transport::parse_url(server);
  if (!url || url->path.empty() || url->path == "/") return server;
  return server.substr(0, server.find_first_of("?#"));
}

bool is_tls(const Cluster& cluster) {
  rest::Config config;
  config.host = host_of(cluster.server);
  return rest::is_tls(config);
}

template <class T>
const Entry<T>* find(const Entries<T>& entries, const std::string& name) {
  const auto found = entries.find(name);
  return found == entries.end() ? nullptr : &found->second;
}

Result<const Entries<Context>::value_type*> choose_context(const File& file,
                                                           std::string_view wanted) {
  const std::string name(wanted.empty() ? std::string_view(file.current_context) : wanted);
  if (name.empty()) {
    return Error(ErrorCode::Config, "no context chosen: current-context is not set; contexts: " +
                                        names_of(file.contexts));
  }
  const auto context = file.contexts.find(name);
  if (context != file.contexts.end()) return &*context;
  if (wanted.empty()) {
    return Error(ErrorCode::Config, "context was not found for specified context: " + name +
                                        "; contexts: " + names_of(file.contexts));
  }
  // The caller chose this context, not the file.
  return Error(
      ErrorCode::InvalidArgument,
      "context " + in_quotes(name) + " does not exist; contexts: " + names_of(file.contexts));
}

// Null: the file has no such entry.
Result<void> check_context(const std::string& name, const Entry<Context>& entry,
                           const Entry<Cluster>* cluster, const Entry<User>* user) {
  const Context& context = entry.value;
  Problems problems;
  if (context.cluster.empty()) {
    add(problems, entry, "cluster was not specified for context " + in_quotes(name));
  } else if (cluster == nullptr) {
    add(problems, entry,
        "cluster " + in_quotes(context.cluster) + " was not found for context " + in_quotes(name));
  } else {
    check_cluster(context.cluster, *cluster, problems);
  }
  // A context without a user is anonymous; a context whose user is missing is an error.
  if (user != nullptr) {
    const bool tls = cluster != nullptr && is_tls(cluster->value);
    // Check this first: missing parts of a plugin's entry do not matter when no plugin is run.
    if (user->value.exec && tls) return check_supported(context.user, *user, tls);
    check_user(context.user, *user, problems);
  } else if (!context.user.empty()) {
    add(problems, entry,
        "user " + in_quotes(context.user) + " was not found for context " + in_quotes(name));
  }
  if (!context.namespace_.empty() && !dns1123_label_problems(context.namespace_).empty()) {
    add(problems, entry,
        "namespace " + in_quotes(context.namespace_) + " for context " + in_quotes(name) +
            " does not conform to the kubernetes DNS_LABEL rules");
  }
  return problems.empty() ? Result<void>() : invalid(problems);
}

}  // namespace

Error empty_config(std::string_view why) {
  return Error(ErrorCode::Config,
               "invalid configuration: no configuration has been provided: " + std::string(why))
      .with_reason(std::string(kEmptyConfigReason));
}

bool is_empty_config(const Error& error) {
  return error.code() == ErrorCode::Config && error.reason() == kEmptyConfigReason;
}

Result<rest::Config> resolve(const File& file, std::string_view wanted) {
  const auto chosen = choose_context(file, wanted);
  if (!chosen) return chosen.error();
  const auto& [name, entry] = **chosen;
  const Context& context = entry.value;
  const Entry<Cluster>* const cluster = find(file.clusters, context.cluster);
  const Entry<User>* const user = find(file.users, context.user);
  if (auto valid = check_context(name, entry, cluster, user); !valid) return valid.error();

  const Cluster& where = cluster->value;
  rest::Config config;
  config.host = host_of(where.server);
  config.namespace_ = context.namespace_;
  config.proxy_url = where.proxy_url;
  config.disable_compression = where.disable_compression;

  const bool tls = rest::is_tls(config);
  if (user != nullptr) {
    if (auto supported = check_supported(context.user, *user, tls); !supported)
      return supported.error();
  }
  // Credentials are never sent unencrypted.
  if (!tls) return config;
  config.origin = cluster->file;
  if (user != nullptr) {
    if (auto applied = apply_user(*user, config); !applied) return applied.error();
    config.origin = place_of(context.user, *user);
  }
  config.tls.ca = where.certificate_authority;
  config.tls.insecure_skip_verify = where.insecure_skip_tls_verify;
  config.tls.server_name = where.tls_server_name;
  return config;
}

}  // namespace kube::kubeconfig
