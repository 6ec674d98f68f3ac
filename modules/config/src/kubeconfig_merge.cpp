// SPDX-License-Identifier: Apache-2.0
//
// Merges kubeconfigs, entries and their paths.
#include <filesystem>
#include <iterator>

#include <kube/base/file.hpp>
#include <kube/config/kubeconfig_types.hpp>
#include <kube/transport/url.hpp>

#include "kubeconfig_fields.hpp"

namespace kube::kubeconfig {
namespace {

namespace fs = std::filesystem;

// Reads as DATA+OMITTED in base64.
constexpr std::string_view kOmitted = "\x0c\x04\xc0\xf8\xe3\x08\x4d\x31\x03";
constexpr std::string_view kRedactedWord = "REDACTED";
// The settings of the oidc provider that are credentials.
constexpr std::string_view kSecretSettings[] = {"id-token", "refresh-token", "client-secret",
                                                "access-token"};

template <class T>
void merge_plain_fields(T& into, const T& from) {
  for (const TextField<T>& field : text_fields<T>()) {
    if (!field.is_set(from)) continue;
    if (field.secret != nullptr) {
      into.*field.secret = from.*field.secret;
    } else {
      into.*field.text = from.*field.text;
    }
  }
  for (const FlagField<T>& field : flag_fields<T>()) {
    if (from.*field.member) into.*field.member = true;
  }
  for (const auto& [name, extension] : from.extensions) into.extensions[name] = extension;
  if (!from.origin.file.empty()) into.origin = from.origin;
}

fs::path folder_of(const Origin& origin) {
  std::error_code ignored;
  return std::filesystem::absolute(origin.file, ignored).parent_path();
}

void resolve_path(std::string& path, const Origin& origin, const std::string& folder) {
  if (path.empty() || path.front() == '/' || (folder.empty() && origin.file.empty())) return;
  const fs::path base = folder.empty() ? folder_of(origin) : fs::path(folder);
  path = (base / path).lexically_normal().string();
}

template <class T>
void resolve_fields(T& entry, const std::string& folder) {
  for (const TextField<T>& field : text_fields<T>()) {
    if (field.kind == FieldKind::Path) resolve_path(entry.*field.text, entry.origin, folder);
  }
}

template <class T>
Result<void> relativize_fields(T& entry) {
  if (entry.origin.file.empty()) return {};
  for (const TextField<T>& field : text_fields<T>()) {
    if (field.kind != FieldKind::Path) continue;
    std::string& path = entry.*field.text;
    if (path.empty()) continue;
    Result<std::string> relative = relativize(path, folder_of(entry.origin).string());
    if (!relative) return relative.error();
    path = *std::move(relative);
  }
  return {};
}

template <class Data>
Result<void> embed(std::string& path, Data& data, const Origin& origin, std::string_view field) {
  if (path.empty()) return {};
  if (!data.empty()) {
    return Error(ErrorCode::Config,
                 origin.at(field) + "cannot have values for both path and contents");
  }
  std::string resolved = path;
  resolve_path(resolved, origin, "");
  Result<DatedFile> file = read_regular_file(resolved);
  if (!file) return Error(ErrorCode::Config, origin.at(field) + file.error().message());
  data = std::move(file->text);
  path.clear();
  return {};
}

template <class T>
void redact_fields(Entries<T>& entries) {
  for (auto& [name, entry] : entries) {
    for (const TextField<T>& field : text_fields<T>()) {
      if (field.secret != nullptr && field.is_set(entry)) entry.*field.secret = kRedactedWord;
    }
  }
}

// A URL with a user may hold a password; whether it does, only one that is well-formed says.
void redact_user(std::string& url) {
  if (url.find('@') != std::string::npos) url = transport::printable_server_url(url);
}

template <class T>
Result<void> keep_only(Entries<T>& entries, const std::string& name, std::string_view kind) {
  const auto found = entries.find(name);
  if (found == entries.end()) {
    return Error(ErrorCode::Config, "cannot locate " + std::string(kind) + " " + name);
  }
  entries.erase(entries.begin(), found);
  entries.erase(std::next(entries.begin()), entries.end());
  return {};
}

}  // namespace

bool Kubeconfig::empty() const {
  return current_context.empty() && clusters.empty() && users.empty() && contexts.empty();
}

void merge_fields(Cluster& into, const Cluster& from) {
  merge_plain_fields(into, from);
}

void merge_fields(Context& into, const Context& from) {
  merge_plain_fields(into, from);
}

void merge_fields(AuthInfo& into, const AuthInfo& from) {
  merge_plain_fields(into, from);
  rest::ImpersonationConfig& as = into.impersonate;
  if (!from.impersonate.user_name.empty()) as.user_name = from.impersonate.user_name;
  if (!from.impersonate.uid.empty()) as.uid = from.impersonate.uid;
  if (!from.impersonate.groups.empty()) as.groups = from.impersonate.groups;
  for (const auto& [key, values] : from.impersonate.extra) as.extra[key] = values;
  if (from.auth_provider) into.auth_provider = from.auth_provider;
  if (from.exec) {
    into.exec = from.exec;
    into.unknown_interactive_mode = from.unknown_interactive_mode;
  }
}

void merge(Kubeconfig& into, const Kubeconfig& from) {
  if (into.current_context.empty()) {
    into.current_context = from.current_context;
    // Without one, messages name the first file.
    if (!from.current_context.empty() || into.current_context_origin.file.empty())
      into.current_context_origin = from.current_context_origin;
  }
  if (!into.preferences.colors) into.preferences.colors = from.preferences.colors;
  into.preferences.extensions.insert(from.preferences.extensions.begin(),
                                     from.preferences.extensions.end());
  into.clusters.insert(from.clusters.begin(), from.clusters.end());
  into.users.insert(from.users.begin(), from.users.end());
  into.contexts.insert(from.contexts.begin(), from.contexts.end());
  into.extensions.insert(from.extensions.begin(), from.extensions.end());
}

void resolve_paths(Kubeconfig& config, const std::string& folder) {
  for (auto& [name, cluster] : config.clusters) resolve_fields(cluster, folder);
  for (auto& [name, user] : config.users) {
    resolve_fields(user, folder);
    if (user.exec && user.exec->command.find('/') != std::string::npos)
      resolve_path(user.exec->command, user.origin, folder);
  }
}

Result<std::string> relativize(std::string_view path, std::string_view base) {
  if (path.empty()) return std::string();
  if (path.front() != '/') {
    return Error(ErrorCode::InvalidArgument,
                 "\"" + std::string(path) + "\" is not an absolute path");
  }
  const fs::path relative =
      fs::path(path).lexically_normal().lexically_relative(fs::path(base).lexically_normal());
  if (relative.empty() || *relative.begin() == "..") return std::string(path);
  return relative.string();
}

Result<void> relativize_paths(Cluster& cluster) {
  return relativize_fields(cluster);
}

Result<void> relativize_paths(AuthInfo& user) {
  if (auto done = relativize_fields(user); !done || !user.exec) return done;
  std::string& command = user.exec->command;
  if (command.empty() || command.front() != '/' || user.origin.file.empty()) return {};
  Result<std::string> relative = relativize(command, folder_of(user.origin).string());
  if (!relative) return relative.error();
  // Without a '/' it would be looked for in PATH.
  if (relative->front() != '/') relative->insert(0, "./");
  command = *std::move(relative);
  return {};
}

Result<void> minify(Kubeconfig& config) {
  if (config.current_context.empty())
    return Error(ErrorCode::Config, "current-context must exist in order to minify");
  if (auto kept = keep_only(config.contexts, config.current_context, "context"); !kept) return kept;
  const Context& context = config.contexts.begin()->second;
  if (context.cluster.empty()) {
    config.clusters.clear();
  } else if (auto kept = keep_only(config.clusters, context.cluster, "cluster"); !kept) {
    return kept;
  }
  if (context.user.empty()) {
    config.users.clear();
    return {};
  }
  return keep_only(config.users, context.user, "user");
}

Result<void> flatten(Kubeconfig& config) {
  for (auto& [name, cluster] : config.clusters) {
    if (auto done = embed(cluster.certificate_authority, cluster.certificate_authority_data,
                          cluster.origin, "certificate-authority");
        !done)
      return done;
  }
  for (auto& [name, user] : config.users) {
    if (auto done = embed(user.client_certificate, user.client_certificate_data, user.origin,
                          "client-certificate");
        !done)
      return done;
    if (auto done = embed(user.client_key, user.client_key_data, user.origin, "client-key"); !done)
      return done;
  }
  return {};
}

void shorten(Kubeconfig& config) {
  const auto omit = [](auto& data) {
    if (!data.empty()) data = kOmitted;
  };
  for (auto& [name, cluster] : config.clusters) omit(cluster.certificate_authority_data);
  for (auto& [name, user] : config.users) {
    omit(user.client_certificate_data);
    omit(user.client_key_data);
    if (!user.token.empty()) user.token = kRedactedWord;
  }
}

void redact(Kubeconfig& config) {
  redact_fields(config.clusters);
  redact_fields(config.users);
  for (auto& [name, user] : config.users) {
    if (!user.auth_provider) continue;
    for (const std::string_view setting : kSecretSettings) {
      const auto found = user.auth_provider->config.find(std::string(setting));
      if (found != user.auth_provider->config.end() && !found->second.empty())
        found->second = kRedactedWord;
    }
  }
  redact_fields(config.contexts);
  for (auto& [name, cluster] : config.clusters) {
    redact_user(cluster.server);
    redact_user(cluster.proxy_url);
  }
}

}  // namespace kube::kubeconfig
