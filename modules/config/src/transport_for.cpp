// SPDX-License-Identifier: Apache-2.0
#include <kube/config/identity.hpp>
#include <kube/config/transport_for.hpp>

#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kube/base/join.hpp>
#include <kube/config/request_log.hpp>
#include <kube/transport/client_certificate.hpp>
#include <kube/transport/wrappers.hpp>

#include "auth/authentication.hpp"
#include "auth/oidc.hpp"
#include "plain_credentials.hpp"

namespace kube::rest {
namespace {

// Returns the value of a variable that is a number of seconds; `preset` when it is not.
std::chrono::milliseconds seconds_of(const Environment& variables, std::string_view name,
                                     std::chrono::milliseconds preset) {
  const std::string text = variables(name).value_or("");
  int seconds = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (code != std::errc() || end != text.data() + text.size()) return preset;
  return std::chrono::seconds(seconds);
}

// Checks what a kubeconfig's fields refer to, which their reader does not look at. All mistakes at
// once, each with its place.
Result<void> check_parts(const Config& config, bool uses_tls) {
  const Config::Origins& at = config.origins;
  std::vector<std::string> lines;
  std::optional<ErrorCode> code;
  const auto add = [&](const std::string& place, const Result<void>& checked) {
    if (checked || place.empty()) return;  // without a place, its user reports it
    if (!code) code = checked.error().code();
    lines.push_back(place + checked.error().message());
  };
  if (uses_tls && is_tls(config)) {
    add(at.ca, transport::check_ca(config.tls.ca));
    const Result<void> pair =
        transport::check_client_certificate(config.tls.certificate, config.tls.key);
    const bool of_key = !pair && transport::is_of_client_key(pair.error());
    add(of_key ? at.key : at.certificate, pair);
  }
  const bool has_token = !config.bearer_token.empty() || !config.bearer_token_file.empty();
  if (config.auth_provider && config.username.empty() && !has_token)
    add(at.auth_provider, check_auth_provider(*config.auth_provider));
  return code ? Error(*code, join(lines, "\n")) : Result<void>();
}

// The transports of a config, and what sends requests by them.
struct Connected {
  std::shared_ptr<transport::RoundTripper> base;
  CurlTransports curl;
};

Result<Connected> connected(const Config& config, const Runtime& runtime) {
  Connected out;
  for (int i = 0; i < (config.separate_watch_connections ? 2 : 1); ++i) {
    transport::CurlTransport::Options options = transport_options(config);
    // Both read the same files: one reports them.
    if (out.curl.empty()) options.logger = runtime.logger;
    auto made = transport::CurlTransport::create(std::move(options));
    if (!made) {
      return config.origin.empty() ? made.error() : made.error().with_context(config.origin);
    }
    out.curl.push_back(*std::move(made));
  }
  out.base = out.curl.front();
  if (out.curl.size() > 1) {
    out.base = transport::separate_watches(out.curl.back(), out.base);
  }
  return out;
}

}  // namespace

transport::CurlTransport::Options transport_options(const Config& config,
                                                    const Environment& environment) {
  const Environment variables = environment ? environment : process_environment();
  transport::CurlTransport::Options options;
  options.tls = config.tls;
  options.proxy_url = config.proxy_url;
  options.compression = !config.disable_compression;
  options.http2 = variables("DISABLE_HTTP2").value_or("").empty();
  options.unix_socket = unix_socket(config);
  if (config.connect_timeout.count() > 0) options.connect_timeout = config.connect_timeout;
  if (config.tls_handshake_timeout.count() > 0) {
    options.tls_handshake_timeout = config.tls_handshake_timeout;
  }
  options.http2_read_idle_timeout =
      seconds_of(variables, "HTTP2_READ_IDLE_TIMEOUT_SECONDS", options.http2_read_idle_timeout);
  options.http2_ping_timeout =
      seconds_of(variables, "HTTP2_PING_TIMEOUT_SECONDS", options.http2_ping_timeout);
  return options;
}

Result<std::shared_ptr<transport::RoundTripper>> transport_for(
    const Config& config, const Runtime& runtime, std::shared_ptr<transport::RoundTripper> base) {
  if (auto valid = validate(config); !valid) return valid.error();
  const ImpersonationConfig& impersonate = config.impersonate;
  if (impersonate.user_name.empty() && !impersonate.empty()) {
    return Error(ErrorCode::Config,
                 "impersonate has a uid, groups or extra values; expected a user_name, too");
  }
  if (auto usable = check_parts(config, !base); !usable) return usable.error();
  CurlTransports curl;
  if (!base) {
    auto made = connected(config, runtime);
    if (!made) return made.error();
    base = std::move(made->base);
    curl = std::move(made->curl);
  }
  if (config.wrap_transport) base = config.wrap_transport(std::move(base));
  // Between the credentials and the wire: the log shows what is sent.
  base = with_request_log(std::move(base), runtime.logger, runtime.clock(),
                          config.request_log_verbosity);
  base = warning_of_plain_credentials(config, std::move(base), runtime.logger);
  auto layers = authenticated_over(config, runtime, std::move(curl), std::move(base));
  if (!layers) return layers.error();
  if (!config.user_agent.empty()) *layers = with_user_agent(config.user_agent, *layers);
  if (!impersonate.empty()) *layers = impersonating(impersonate, *layers);
  return layers;
}

}  // namespace kube::rest
