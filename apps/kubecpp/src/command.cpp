// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <chrono>
#include <memory>
#include <utility>

#include <kube/config/kubeconfig.hpp>

#include "error_output.hpp"
#include "warning_printer.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;

kube::Result<kube::rest::Config> config_of(const ConnectionOptions& options) {
  const bool has_kubeconfig = !options.kubeconfig.empty() || !options.context.empty();
  if (options.server.empty()) {
    if (!has_kubeconfig) return kube::rest::default_config();
    auto config = kube::kubeconfig::load({.path = options.kubeconfig, .context = options.context});
    // Every error is about the content of the file, not about the command line.
    if (!config) return Error(ErrorCode::Config, config.error().to_string());
    return config;
  }
  if (has_kubeconfig) {
    return Error(ErrorCode::InvalidArgument,
                 "expected either --server or --kubeconfig and --context, not both");
  }
  kube::rest::Config config;
  config.host = options.server;
  // The message does not quote the URL, which may contain a password.
  if (auto valid = kube::rest::validate(config); !valid) {
    return Error(
        ErrorCode::InvalidArgument,
        "--server: expected a URL such as http://127.0.0.1:8080: " + valid.error().message());
  }
  return config;
}

}  // namespace

kube::Result<Connection> connect(const ConnectionOptions& options) {
  const auto config = config_of(options);
  if (!config) return config.error();
  const auto url = kube::rest::base_url(*config);
  if (!url) return url.error();
  kube::ClientOptions client_options;
  client_options.warning_handler = std::make_shared<WarningPrinter>();
  if (options.verbose) client_options.runtime.logger = kube::stderr_logger(kube::LogLevel::Debug);
  auto client = kube::Client::create(*config, client_options);
  if (!client) return client.error();
  return Connection{*std::move(client), config->namespace_.empty() ? "default" : config->namespace_,
                    *url};
}

kube::Timer warn_when_slow(const kube::Client& client, const std::string& what) {
  return client.runtime().executor->submit_after(
      std::chrono::seconds(5), [what] { print_error("still waiting for " + what); });
}

int report_failure(const kube::Error& error) {
  if (error.code() == ErrorCode::Cancelled) {
    print_error("interrupted");
    return 130;
  }
  print_error(error.to_string());
  return 1;
}

int report(const kube::Error& error) {
  const int status = report_failure(error);
  return error.code() == ErrorCode::InvalidArgument ? 2 : status;
}

}  // namespace kubecpp
