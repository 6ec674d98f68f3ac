// SPDX-License-Identifier: Apache-2.0
//
// The short way from files or a text to a rest::Config.
#include <kube/config/kubeconfig.hpp>

#include <utility>

#include <kube/config/client_config.hpp>
#include <kube/config/loading_rules.hpp>

#include "kubeconfig_validate.hpp"

namespace kube::kubeconfig {

Result<rest::Config> load(const LoadOptions& options, std::stop_token stop) {
  LoadingRules rules = LoadingRules::defaults(options.environment);
  rules.explicit_path = options.path;
  Result<Kubeconfig> config = rules.load(std::move(stop));
  if (!config) return config.error();
  ConfigOverrides overrides;
  overrides.current_context = options.context;
  Result<rest::Config> resolved =
      ClientConfig(*std::move(config), std::move(overrides)).client_config();
  return resolved ? resolved : with_files(resolved.error(), rules);
}

Result<rest::Config> parse(std::string_view text, std::string_view context,
                           std::string_view directory, std::string_view file) {
  Result<Kubeconfig> config = read_kubeconfig(text, std::string(file));
  if (!config) return config.error();
  LoadingRules rules;
  rules.explicit_path = file;
  resolve_paths(*config, std::string(directory));
  ConfigOverrides overrides;
  overrides.current_context = context;
  Result<rest::Config> resolved =
      ClientConfig(*std::move(config), std::move(overrides)).client_config();
  if (!resolved) return with_files(resolved.error(), rules);
  if (resolved->auth_provider) {
    resolved->auth_provider->persist = nullptr;
    resolved->auth_provider->begin_renewal = nullptr;
  }
  return resolved;
}

}  // namespace kube::kubeconfig
