// SPDX-License-Identifier: Apache-2.0
//
// kube::kubeconfig::Kubeconfig: the content of a kubeconfig file, or of several merged, before a
// context is chosen (docs/reference/clients-and-config.md 10.1). client-go's clientcmd/api.Config.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/base/secret_text.hpp>
#include <kube/config/credentials.hpp>

namespace kube::kubeconfig {

/// The file that an entry came from, for messages and for writing. All origins are equal, so that
/// entries compare by content.
/// @par Thread safety   A value.
struct Origin {
  std::string file{};  ///< Empty: not from a file. client-go's LocationOfOrigin.
  std::string path{};  ///< The entry in the file: "clusters[0].cluster".
  /// Of its fields, from 1; "": of the entry. 0: the value is not the file's, but an override.
  std::map<std::string, int, std::less<>> lines{};

  /// Returns "FILE: line 3: clusters[0].cluster.server: ", the beginning of a message about a field
  /// ("": about the entry); "" when there is no file, or the value is not the file's.
  std::string at(std::string_view field) const;
  friend bool operator==(const Origin&, const Origin&) { return true; }
};

/// Extensions by name; each is JSON text, as compact as json::dump() writes it.
using Extensions = std::map<std::string, std::string, std::less<>>;

/// @par Thread safety   A value.
struct Cluster {
  std::string server{};
  std::string tls_server_name{};
  bool insecure_skip_tls_verify = false;
  std::string certificate_authority{};       ///< A path.
  std::string certificate_authority_data{};  ///< PEM; base64 in the file.
  std::string proxy_url{};
  bool disable_compression = false;
  Extensions extensions{};
  Origin origin{};
  bool operator==(const Cluster&) const = default;
};

/// A user: its credentials.
/// @par Thread safety   A value.
struct AuthInfo {
  std::string client_certificate{};       ///< A path.
  std::string client_certificate_data{};  ///< PEM; base64 in the file.
  std::string client_key{};               ///< A path.
  SecretText client_key_data{};           ///< PEM; base64 in the file.
  SecretText token{};
  std::string token_file{};  ///< A path.
  std::string username{};
  SecretText password{};
  rest::ImpersonationConfig impersonate{};  ///< as, as-uid, as-groups, as-user-extra
  Optional<rest::AuthProviderConfig> auth_provider{};
  Optional<rest::ExecConfig> exec{};
  /// exec.interactiveMode when it is not one of the known ones; validation refuses it.
  std::string unknown_interactive_mode{};
  Extensions extensions{};
  Origin origin{};
  bool operator==(const AuthInfo&) const = default;
};

/// @par Thread safety   A value.
struct Context {
  std::string cluster{};
  std::string user{};
  std::string namespace_{};
  Extensions extensions{};
  Origin origin{};
  bool operator==(const Context&) const = default;
};

/// A legacy part of the file.
/// @par Thread safety   A value.
struct Preferences {
  bool colors = false;
  Extensions extensions{};
  bool operator==(const Preferences&) const = default;
};

template <class T>
using Entries = std::map<std::string, T, std::less<>>;

/// @par Thread safety   A value.
struct Kubeconfig {
  Preferences preferences{};
  Entries<Cluster> clusters{};
  Entries<AuthInfo> users{};
  Entries<Context> contexts{};
  std::string current_context{};
  Origin current_context_origin{};  ///< Of the field, which may be missing in that file.
  Extensions extensions{};

  /// Whether it has no cluster, user, context and current-context.
  bool empty() const;
  bool operator==(const Kubeconfig&) const = default;
};

/// Reads the first document of YAML or JSON. Unknown fields are ignored. Without kind and
/// apiVersion it is a v1 Config, and without content an empty one. Paths are as they are written.
/// @param file   The file's name, for messages and for origins.
/// @par Errors   Config. All mistakes of the text, a line of the message for each: "FILE: line 7:
///   users[0].user.token: expected a string, got number". Never the value of a credential.
/// @par Thread safety   Any thread may call these functions.
Result<Kubeconfig> read_kubeconfig(std::string_view text, const std::string& file = {});

/// Returns YAML as kubectl writes it: keys in alphabetical order, entries sorted by name. The
/// secrets are part of it.
std::string to_yaml(const Kubeconfig& config);
/// Returns the same as JSON, indented by four blanks as kubectl prints it.
std::string to_json(const Kubeconfig& config);

/// Adds the entries that `into` does not have, and its current-context if it has none: of several
/// files the first wins, with the whole entry.
void merge(Kubeconfig& into, const Kubeconfig& from);

/// Makes the relative paths of the entries absolute, each against the folder of its origin, or all
/// against `folder` if it is not empty. The
/// command of an exec plugin is a path only if it has a '/'; PATH finds the others.
void resolve_paths(Kubeconfig& config, const std::string& folder = {});

/// Returns `path` relative to the folder `base` if it is inside of it, else `path`; "" for "".
/// @par Errors   InvalidArgument when `path` is not absolute.
Result<std::string> relativize(std::string_view path, std::string_view base);
/// Does that with the paths of an entry, the base being the folder of its origin.
/// @par Errors   As relativize().
Result<void> relativize_paths(Cluster& cluster);
Result<void> relativize_paths(AuthInfo& user);

/// Keeps the current context with its cluster and user.
/// @par Errors   Config: "current-context must exist in order to minify", "cannot locate context
///   X", and the same for cluster and user.
Result<void> minify(Kubeconfig& config);

/// Replaces the paths of certificates and keys by the content of the files.
/// @par Errors   Config: a file that can't be read; "cannot have values for both path and
/// contents".
/// @par Blocks   While it reads the files.
Result<void> flatten(Kubeconfig& config);

/// Replaces the data of certificates and keys, so that they print as DATA+OMITTED, and tokens by
/// REDACTED. The rest stays: use redact() for what others may see.
void shorten(Kubeconfig& config);

/// Replaces each token, password and client key's data that is set by REDACTED, and the tokens and
/// the client secret of an auth provider; user and password in the URL of a server or a proxy by
/// "***". Arguments and variables of plugins stay: what they mean is not known, and kubectl shows
/// them.
void redact(Kubeconfig& config);

}  // namespace kube::kubeconfig
