// SPDX-License-Identifier: Apache-2.0
//
// The checks of docs/reference/clients-and-config.md 10.6.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/config/kubeconfig_types.hpp>
#include <kube/config/loading_rules.hpp>

namespace kube::kubeconfig {

/// Lines of a message, each with the place of the field.
using Problems = std::vector<std::string>;

/// Each adds the problems of an entry. They open the files that the entry names.
void check_cluster(const std::string& name, const Cluster& cluster, Problems& problems);
/// `secure`: the user is for a server that gets credentials, so they must be usable.
void check_user(const std::string& name, const AuthInfo& user, bool secure, Problems& problems);
/// `has_user`, `has_cluster`: those that the context names exist, or it needs none.
void check_context(const std::string& name, const Context& context, bool has_user, bool has_cluster,
                   Problems& problems);

/// Returns the server's URL, without query and fragment if it has a path.
std::string host_of(const std::string& server);

/// Whether the server gets credentials; true also for a URL that is not valid, so that the mistakes
/// of the credentials are reported with it.
bool is_tls(const Cluster& cluster);

/// Returns "invalid configuration: " and the problems. `lacks_context`: one of them is that the
/// current context does not exist, which is_context_not_found() recognizes.
Error invalid_configuration(const Problems& problems, bool lacks_context = false);

/// Returns the error of a missing configuration; is_empty_config() recognizes it.
Error empty_config(std::string_view why);

/// Names the files in the error of a missing configuration; returns other errors unchanged.
Error with_files(const Error& error, const LoadingRules& rules);

/// Returns an error that is_context_not_found() recognizes.
Error context_not_found(const std::string& what);

/// Returns the names of entries for a message; "none" without any.
template <class T>
std::string names_of(const Entries<T>& entries) {
  if (entries.empty()) return "none";
  std::string text;
  for (const auto& [name, entry] : entries) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

inline std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

/// Returns the text without control characters: ESC becomes U+001B. Blanks and line breaks stay.
std::string clean_install_hint(std::string_view text);

}  // namespace kube::kubeconfig
