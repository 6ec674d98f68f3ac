// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <chrono>
#include <memory>
#include <utility>

#include <kube/config/client_config.hpp>
#include <kube/meta/errors.hpp>
#include <kube/transport/exchange_failure.hpp>

#include "error_output.hpp"
#include "kuberc.hpp"
#include "warning_printer.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;

constexpr const char* kUsageReason = "WrongCall";

kube::Result<kube::rest::Config> config_of(const ConnectionOptions& options, std::stop_token stop) {
  if (const std::string& server = options.overrides.cluster.server; !server.empty()) {
    // The message does not quote the URL, which may contain a password.
    if (auto valid = kube::rest::validate({.host = server}); !valid) {
      return Error(
          ErrorCode::InvalidArgument,
          "--server: expected a URL such as http://127.0.0.1:8080: " + valid.error().message());
    }
  }
  kube::kubeconfig::DeferredClientConfig::Options from;
  from.rules = kube::kubeconfig::LoadingRules::defaults();
  from.rules.explicit_path = options.kubeconfig;
  from.rules.warn = [](const std::string& text) { print_error("warning: " + text); };
  from.overrides = options.overrides;
  for (const std::string& text : options.as_user_extra) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return Error(ErrorCode::InvalidArgument, "--as-user-extra: expected KEY=VALUE");
    from.overrides.user.impersonate.extra[text.substr(0, equals)].push_back(
        text.substr(equals + 1));
  }
  auto config =
      kube::kubeconfig::DeferredClientConfig(std::move(from)).client_config(std::move(stop));
  if (!config && config.error().code() == ErrorCode::Cancelled) return config;
  // Every other error is about the content of the files, not about the command line.
  if (!config) {
    return Error(ErrorCode::Config, config.error().to_string())
        .with_reason(config.error().reason());
  }
  // Checked for each command, as kubectl does, whether or not a plugin is to run.
  auto policy = plugin_policy_of_kuberc(options.kuberc);
  if (!policy) return policy.error();
  if (config->exec_provider) config->exec_provider->policy = *std::move(policy);
  if (options.reads_stdin && config->exec_provider) config->exec_provider->stdin_unavailable = true;
  return config;
}

}  // namespace

kube::Result<Connection> connect(const ConnectionOptions& options, std::stop_token stop) {
  const auto config = config_of(options, std::move(stop));
  if (!config) return config.error();
  const auto url = kube::rest::base_url(*config);
  if (!url) return url.error();
  kube::ClientOptions client_options;
  client_options.warning_handler = std::make_shared<WarningPrinter>();
  const bool verbose = options.verbose || options.level_logs;
  if (verbose || options.logs_warnings) {
    client_options.runtime.logger =
        kube::stderr_logger(verbose ? kube::LogLevel::Debug : kube::LogLevel::Warning);
  }
  auto client = kube::Client::create(*config, client_options);
  if (!client) return client.error();
  return Connection{*std::move(client), config->namespace_.empty() ? "default" : config->namespace_,
                    *url};
}

Error usage_error_of(const std::string& command, const std::string& text) {
  return Error(ErrorCode::InvalidArgument,
               text + "\nSee '" + program_name() + " " + command + " -h' for help and examples")
      .with_reason(kUsageReason);
}

std::string type_required(const std::string& command) {
  return "You must specify the type of resource to " + command + ". Use \"" + program_name() +
         " api-resources\" for a complete list of supported resources.";
}

kube::Timer warn_when_slow(const kube::Client& client, const std::string& what) {
  return client.runtime().executor->submit_after(
      std::chrono::seconds(5), [what] { print_error("still waiting for " + what); });
}

std::string not_logged_in(const std::string& why) {
  return "You must be logged in to the server (" + why + ")";
}

int report(const kube::Error& error) {
  if (error.code() == ErrorCode::Cancelled) {
    print_error("interrupted");
    return kInterrupted;
  }
  if (const std::string host = kube::transport::refusing_host(error); !host.empty()) {
    print_note("The connection to the server " + host +
               " was refused - did you specify the right host or port?");
  } else if (error.reason() == kUsageReason) {
    print_error_text(error.message());
  } else if (error.code() == ErrorCode::Config) {
    print_error_lines(error.to_string());  // a line for each mistake
  } else if (error.code() == ErrorCode::Credentials) {
    print_error_text(error.to_string());  // with the kubeconfig's hint how to install a plugin
  } else if (kube::is_unauthorized(error)) {
    print_error(not_logged_in(error.message()));
  } else {
    print_error(error.to_string());
  }
  return 1;
}

}  // namespace kubecpp
