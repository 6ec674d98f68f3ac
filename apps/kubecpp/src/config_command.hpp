// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp config`: shows and changes kubeconfig files, in kubectl's words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <kube/base/secret_text.hpp>

#include "command.hpp"
#include "output.hpp"

namespace kubecpp {

/// A flag that was not given changes nothing; one with an empty value clears.
using OptionalText = std::optional<std::string>;
using OptionalSecret = std::optional<kube::SecretText>;

struct ConfigOptions {
  std::string kubeconfig{};
  std::string context{};

  // view, get-contexts
  bool minify = false;
  bool flatten = false;
  bool raw = false;
  bool merge = true;
  bool allow_missing_keys = true;
  bool no_headers = false;
  std::string output{};

  std::vector<std::string> words{};  ///< Names, or a property and its value.
  bool set_raw_bytes = false;
  bool current = false;

  // The entries of set-context, set-cluster and set-credentials.
  OptionalText cluster{};
  OptionalText user{};
  OptionalText namespace_{};
  OptionalText server{};
  OptionalText tls_server_name{};
  OptionalText certificate_authority{};
  OptionalText proxy_url{};
  std::optional<bool> insecure{};
  OptionalText client_certificate{};
  OptionalText client_key{};
  OptionalSecret token{};
  OptionalText username{};
  OptionalSecret password{};
  bool embed_certs = false;
  OptionalText auth_provider{};
  std::vector<std::string> auth_provider_args{};  ///< "key=value", "key-" removes.
  OptionalText exec_command{};
  OptionalText exec_api_version{};
  OptionalText exec_interactive_mode{};
  std::vector<std::string> exec_args{};
  std::vector<std::string> exec_env{};  ///< "name=value", "name-" removes.
  std::optional<bool> exec_provide_cluster_info{};
};

/// Adds the subcommands with their flags.
Runner add_config(CLI::App& command);

/// Runs the subcommand that was parsed. Returns the exit status.
int run_config(const CLI::App& command, const ConfigOptions& options, Output& out);

}  // namespace kubecpp
