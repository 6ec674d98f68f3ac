// SPDX-License-Identifier: Apache-2.0
//
// Makes a rest::Config of a Kubeconfig: chooses the context, applies overrides, validates
// (docs/reference/clients-and-config.md 10.3 to 10.6).
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <kube/config/config.hpp>
#include <kube/config/kubeconfig.hpp>
#include <kube/config/kubeconfig_types.hpp>
#include <kube/config/loading_rules.hpp>

namespace kube::kubeconfig {

/// What the caller sets instead of the files: kubectl's global flags. Empty fields override
/// nothing; a flag can be set but not cleared.
/// @par Thread safety   A value.
struct ConfigOverrides {
  AuthInfo user{};             ///< A client certificate given here replaces file and data, and so
                               ///< does a key.
  Cluster cluster_defaults{};  ///< Used where neither the files nor `cluster` have a value.
  Cluster cluster{};           ///< A CA or insecure given here replaces all three; so does a server
                               ///< with the TLS server name.
  Context context{};           ///< Names of a cluster and user, which must exist; a namespace.
  std::string current_context{};  ///< Must exist.
  std::string timeout{};          ///< See parse_timeout(). Empty: none.
};

/// A namespace, and whether the caller chose it.
/// @par Thread safety   A value.
struct NamespaceChoice {
  std::string name{};
  bool overridden = false;
  bool operator==(const NamespaceChoice&) const = default;
};

/// A configuration with its overrides. client-go's DirectClientConfig.
/// @par Thread safety   Immutable.
class ClientConfig {
 public:
  /// @param context   Empty: overrides.current_context, else the current one.
  explicit ClientConfig(Kubeconfig config, ConfigOverrides overrides = {},
                        std::string context = {});

  /// Returns the configuration of the chosen context. A server of plain http gets no credentials.
  /// An auth provider's `persist` and `begin_renewal` use the file of the user; without one they
  /// are empty.
  /// @par Errors   InvalidArgument when an override names an entry that does not exist or a timeout
  ///   is not valid; Config, "invalid configuration: " with a line for each problem, as in
  ///   clients-and-config.md 10.6. None has the value of a credential.
  /// @par Blocks   While it reads certificates and the token file.
  Result<rest::Config> client_config() const;

  /// Returns the override, even of an empty configuration; else that of the context, else
  /// "default".
  /// @par Errors   As confirm_usable().
  Result<NamespaceChoice> namespace_() const;

  /// Checks the chosen context with its cluster and user; the other entries do not matter.
  /// @par Errors   As client_config().
  Result<void> confirm_usable() const;

  /// Returns the configuration with the overrides applied to the chosen entries.
  /// @par Errors   InvalidArgument when an override names an entry that does not exist.
  Result<Kubeconfig> merged_raw_config() const;
  const Kubeconfig& raw_config() const& { return config_; }
  Kubeconfig raw_config() && { return std::move(config_); }

 private:
  struct Chosen;
  std::string context_name() const;
  Result<Chosen> choose() const;
  Result<void> confirm(const Chosen& chosen) const;

  Kubeconfig config_;
  ConfigOverrides overrides_;
  std::string context_;
};

/// Reads the files when it is asked, and falls back to the configuration of a pod when there is
/// none. client-go's DeferredLoadingClientConfig.
/// @par Thread safety   Immutable.
class DeferredClientConfig {
 public:
  struct Options {
    LoadingRules rules{};
    ConfigOverrides overrides{};
    rest::InClusterOptions in_cluster{};
    /// A configuration that counts as none. Empty: no such. An error of it means the same.
    std::function<Result<rest::Config>()> default_config{};
  };
  explicit DeferredClientConfig(Options options) : options_(std::move(options)) {}

  /// Returns the configuration of the files. When there is none, or it equals the default one, and
  /// the program runs in a pod (both service variables are set and the token is a file), that of
  /// the pod, in which overrides replace the server, the token with its file, and the CA file.
  /// @par Errors   Those of LoadingRules::load(), ClientConfig::client_config() and
  ///   in_cluster_config().
  /// @par Blocks   As LoadingRules::load().
  Result<rest::Config> client_config(std::stop_token stop = {}) const;

  /// Returns the namespace of the files; that of the pod when they have none, unless the context
  /// says "default" itself.
  /// @par Errors   As client_config().
  /// @par Blocks   As LoadingRules::load().
  Result<NamespaceChoice> namespace_(std::stop_token stop = {}) const;

  /// Returns the files as they are.
  /// @par Errors   As LoadingRules::load().
  /// @par Blocks   As LoadingRules::load().
  Result<Kubeconfig> raw_config(std::stop_token stop = {}) const {
    return options_.rules.load(std::move(stop));
  }

 private:
  bool in_cluster_is_possible() const;

  Options options_;
};

/// Checks all entries of a configuration.
/// @par Errors   Config, as ClientConfig::client_config().
/// @par Blocks   While it reads certificates.
Result<void> validate(const Kubeconfig& config);

/// Reads "5" (seconds) or a Go duration such as "1m30s"; "0" is none.
/// @par Errors   InvalidArgument: "Invalid timeout value. ...".
Result<std::chrono::milliseconds> parse_timeout(std::string_view text);

/// Returns "foo" for namespaces/foo, namespace/foo and ns/foo in any case of letters; other text
/// unchanged.
std::string namespace_of_argument(std::string_view text);

/// Whether an error means that the chosen context does not exist, or none was chosen.
bool is_context_not_found(const Error& error);
/// Whether an error means that a configuration is invalid: its validation failed, or its context
/// does not exist.
bool is_configuration_invalid(const Error& error);

}  // namespace kube::kubeconfig
