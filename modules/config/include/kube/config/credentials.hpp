// SPDX-License-Identifier: Apache-2.0
//
// The credentials of a rest::Config that are more than a text: impersonation, exec credential
// plugins and auth providers (docs/reference/clients-and-config.md ch. 3 and 11).
#pragma once

#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/base/secret_text.hpp>

namespace kube::rest {

/// The user that requests are made as, instead of the user of the credentials. Empty: none. uid,
/// groups and extra need a user_name.
/// @par Thread safety   A value.
struct ImpersonationConfig {
  std::string user_name{};
  std::string uid{};
  std::vector<std::string> groups{};
  std::map<std::string, std::vector<std::string>> extra{};

  bool empty() const { return user_name.empty() && uid.empty() && groups.empty() && extra.empty(); }
  bool operator==(const ImpersonationConfig&) const = default;
};

/// Whether a plugin may use the terminal. Unset is valid for v1beta1 only, where it means
/// IfAvailable.
enum class ExecInteractiveMode { Unset, Never, IfAvailable, Always };

/// The plugins that may run. A list is valid with Allowlist only.
struct ExecPluginPolicy {
  enum class Type { AllowAll, DenyAll, Allowlist };
  Type type = Type::AllowAll;
  /// Commands: as written in the kubeconfig, or base names that PATH resolves, or absolute paths.
  Optional<std::vector<std::string>> allowlist{};
  bool operator==(const ExecPluginPolicy&) const = default;
};

/// A program that prints credentials: the exec entry of a kubeconfig user.
/// @par Thread safety   A value.
struct ExecConfig {
  std::string command{};
  std::vector<std::string> args{};
  /// Variables added to the environment of the process, name and value.
  std::vector<std::pair<std::string, SecretText>> env{};
  std::string api_version{};   ///< client.authentication.k8s.io/v1 or /v1beta1.
  std::string install_hint{};  ///< Printed when the command is not found.
  bool provide_cluster_info = false;
  ExecInteractiveMode interactive_mode = ExecInteractiveMode::Unset;
  bool stdin_unavailable = false;  ///< The program itself reads standard input.
  std::string stdin_unavailable_message{};
  /// The cluster's extension client.authentication.k8s.io/exec, as JSON; passed to the plugin.
  std::string config{};
  ExecPluginPolicy policy{};

  bool operator==(const ExecConfig&) const = default;
};

/// The settings of an auth provider: tokens and the client's secret among them.
using AuthProviderSettings = std::map<std::string, SecretText>;

/// The stored settings of an auth provider, while no other process renews its tokens.
struct TokenRenewal {
  AuthProviderSettings config{};  ///< As they are stored now.
  /// Stores changed settings. The reservation ends with the last copy of this function.
  std::function<Result<void>(const AuthProviderSettings& config)> persist{};
};

/// The auth-provider entry of a kubeconfig user; "oidc" is the only one that works.
/// @par Thread safety   A value.
struct AuthProviderConfig {
  std::string name{};
  AuthProviderSettings config{};
  /// Stores a changed `config` where it came from, so that the next process finds the new tokens.
  /// Called without a lock held. Empty: not stored. Not compared.
  std::function<Result<void>(const AuthProviderSettings& config)> persist{};
  /// Called before the tokens are renewed, without a lock held: reserves the place where `config`
  /// came from, so that two processes do not spend a refresh token that is valid once. May wait;
  /// returns Cancelled when `stop` is requested. Empty: `persist` is used. Not compared.
  std::function<Result<TokenRenewal>(Clock& clock, std::stop_token stop)> begin_renewal{};

  friend bool operator==(const AuthProviderConfig& a, const AuthProviderConfig& b) {
    return a.name == b.name && a.config == b.config;
  }
};

}  // namespace kube::rest
