// SPDX-License-Identifier: Apache-2.0
#include <kube/config/config.hpp>

#include <ostream>

#include <kube/transport/url.hpp>

namespace kube::rest {
namespace {

constexpr std::string_view kRedacted = "--- REDACTED ---";
constexpr std::string_view kTruncated = "--- TRUNCATED ---";

bool same(const transport::TlsConfig& a, const transport::TlsConfig& b) {
  return a.ca == b.ca && a.certificate == b.certificate && a.key == b.key &&
         a.server_name == b.server_name && a.insecure_skip_verify == b.insecure_skip_verify;
}

// Writes "name=value" pairs of the fields that are set.
class Fields {
 public:
  void text(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    raw(name, "\"" + std::string(value) + "\"");
  }
  void hidden(std::string_view name, bool is_set) {
    if (is_set) raw(name, kRedacted);
  }
  template <class Source>
  void pem(std::string_view name, const Source& source, std::string_view shown) {
    if (!source.data.empty()) raw(std::string(name) + "_data", shown);
    text(std::string(name) + "_file", source.file);
  }
  void flag(std::string_view name, bool value) {
    if (value) raw(name, "true");
  }
  void time(std::string_view name, std::chrono::milliseconds value,
            std::chrono::milliseconds preset) {
    if (value != preset) raw(name, std::to_string(value.count()) + "ms");
  }
  void raw(std::string_view name, std::string_view value) {
    if (!out_.empty()) out_.append(", ");
    out_.append(name).append("=").append(value);
  }
  std::string take() && { return std::move(out_); }

 private:
  std::string out_;
};

Error not_a_host() {
  return {ErrorCode::Config, "host must be a URL or a host:port pair"};
}

// Parses a server URL with or without scheme, as client-go's DefaultServerURL does.
Result<transport::Url> parse_host(std::string_view host, bool tls_by_default) {
  const bool has_scheme = host.find("://") != std::string_view::npos;
  Result<transport::Url> url =
      has_scheme ? transport::parse_server_url(host)
                 : transport::parse_server_url((tls_by_default ? "https://" : "http://") +
                                               std::string(host));
  if (!url) return Error(ErrorCode::Config, not_a_host().message() + ": " + url.error().message());
  if (!has_scheme && !url->path.empty() && url->path != "/") return not_a_host();
  if (url->scheme != "http" && url->scheme != "https") {
    return Error(ErrorCode::Config,
                 "host has the scheme \"" + url->scheme + "\"; expected http or https");
  }
  if (url->has_user_info) {
    return Error(ErrorCode::Config,
                 "host must not hold a user and password; set username and password instead");
  }
  return url;
}

bool tls_is_configured(const transport::TlsConfig& tls) {
  return !tls.ca.empty() || !tls.certificate.empty() || tls.insecure_skip_verify;
}

constexpr std::string_view kUnixScheme = "unix:";

// "unix:8080" is a host with a port.
bool names_unix_socket(std::string_view host) {
  return host.starts_with(kUnixScheme) &&
         host.find_first_not_of("0123456789", kUnixScheme.size()) != host.npos;
}

Result<transport::Url> parse_host(const Config& config) {
  if (names_unix_socket(config.host)) {
    const std::string path = unix_socket(config);
    if (!path.starts_with('/') || path.size() < 2 || path.find_first_of("?#") != path.npos) {
      return Error(ErrorCode::Config,
                   "host is not a unix socket: expected unix:///path of the socket, or "
                   "unix:/path of the socket");
    }
    return parse_host("localhost", tls_is_configured(config.tls));
  }
  return parse_host(config.host.empty() ? "localhost" : std::string_view(config.host),
                    tls_is_configured(config.tls));
}

// Control characters would end a header or start another one.
bool fits_header(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte == 0x7f) return false;
  }
  return true;
}

}  // namespace

bool operator==(const Config& a, const Config& b) {
  return a.host == b.host && same(a.tls, b.tls) && a.bearer_token == b.bearer_token &&
         a.bearer_token_file == b.bearer_token_file && a.username == b.username &&
         a.password == b.password && a.impersonate == b.impersonate &&
         a.exec_provider == b.exec_provider && a.auth_provider == b.auth_provider &&
         a.namespace_ == b.namespace_ && a.user_agent == b.user_agent &&
         a.content_type == b.content_type && a.accept_content_types == b.accept_content_types &&
         a.proxy_url == b.proxy_url && a.disable_compression == b.disable_compression &&
         a.timeout == b.timeout && a.idle_timeout == b.idle_timeout &&
         a.connect_timeout == b.connect_timeout &&
         a.tls_handshake_timeout == b.tls_handshake_timeout && a.retry == b.retry &&
         a.qps == b.qps && a.burst == b.burst && a.rate_limiter == b.rate_limiter &&
         a.request_log_verbosity == b.request_log_verbosity &&
         a.separate_watch_connections == b.separate_watch_connections;
}

namespace {

std::string mode_word(ExecInteractiveMode mode) {
  switch (mode) {
    case ExecInteractiveMode::Never:
      return "Never";
    case ExecInteractiveMode::IfAvailable:
      return "IfAvailable";
    case ExecInteractiveMode::Always:
      return "Always";
    case ExecInteractiveMode::Unset:
      break;
  }
  return "";
}

std::string shown(const ImpersonationConfig& as) {
  Fields fields;
  fields.text("user_name", as.user_name);
  fields.text("uid", as.uid);
  for (const std::string& group : as.groups) fields.text("group", group);
  for (const auto& [key, values] : as.extra) fields.raw("extra." + key, kRedacted);
  return "{" + std::move(fields).take() + "}";
}

std::string shown(const ExecConfig& exec) {
  Fields fields;
  fields.text("command", exec.command);
  if (!exec.args.empty()) fields.raw("args", kRedacted);
  for (const auto& [name, value] : exec.env) fields.raw("env." + name, kRedacted);
  fields.text("api_version", exec.api_version);
  fields.text("install_hint", exec.install_hint);
  fields.flag("provide_cluster_info", exec.provide_cluster_info);
  fields.text("interactive_mode", mode_word(exec.interactive_mode));
  fields.flag("stdin_unavailable", exec.stdin_unavailable);
  fields.hidden("config", !exec.config.empty());
  return "{" + std::move(fields).take() + "}";
}

std::string shown(const AuthProviderConfig& provider) {
  Fields fields;
  fields.text("name", provider.name);
  for (const auto& [key, value] : provider.config) fields.raw("config." + key, kRedacted);
  return "{" + std::move(fields).take() + "}";
}

std::string shown(const RetryPolicy& retry) {
  const RetryPolicy preset;
  Fields fields;
  if (retry.max_retries != preset.max_retries) {
    fields.raw("max_retries", std::to_string(retry.max_retries));
  }
  if (!retry.retry_writes) fields.raw("retry_writes", "false");
  if (!retry.retry_lost_connections) fields.raw("retry_lost_connections", "false");
  fields.time("max_retry_after", retry.max_retry_after, preset.max_retry_after);
  fields.time("refusal_backoff", retry.refusal_backoff, preset.refusal_backoff);
  fields.time("lost_connection_delay", retry.lost_connection_delay, preset.lost_connection_delay);
  return "{" + std::move(fields).take() + "}";
}

}  // namespace

std::string to_string(const Config& config) {
  Fields fields;
  fields.text("host", unix_socket(config).empty() ? transport::printable_server_url(config.host)
                                                  : config.host);
  fields.pem("ca", config.tls.ca, kTruncated);
  fields.pem("certificate", config.tls.certificate, kTruncated);
  fields.pem("key", config.tls.key, kRedacted);
  fields.text("server_name", config.tls.server_name);
  fields.flag("insecure_skip_verify", config.tls.insecure_skip_verify);
  fields.hidden("bearer_token", !config.bearer_token.empty());
  fields.text("bearer_token_file", config.bearer_token_file);
  fields.text("username", config.username);
  fields.hidden("password", !config.password.empty());
  if (!config.impersonate.empty()) fields.raw("impersonate", shown(config.impersonate));
  if (config.exec_provider) fields.raw("exec_provider", shown(*config.exec_provider));
  if (config.auth_provider) fields.raw("auth_provider", shown(*config.auth_provider));
  fields.text("namespace", config.namespace_);
  fields.text("user_agent", config.user_agent);
  fields.text("content_type", config.content_type);
  fields.text("accept_content_types", config.accept_content_types);
  fields.text("proxy_url", transport::printable_server_url(config.proxy_url));
  fields.flag("disable_compression", config.disable_compression);
  const Config preset;
  fields.time("timeout", config.timeout, preset.timeout);
  fields.time("idle_timeout", config.idle_timeout, preset.idle_timeout);
  fields.time("connect_timeout", config.connect_timeout, preset.connect_timeout);
  fields.time("tls_handshake_timeout", config.tls_handshake_timeout, preset.tls_handshake_timeout);
  if (config.retry != preset.retry) fields.raw("retry", shown(config.retry));
  if (config.qps != 0) fields.raw("qps", std::to_string(config.qps));
  if (config.burst != 0) fields.raw("burst", std::to_string(config.burst));
  if (config.request_log_verbosity != 0) {
    fields.raw("request_log_verbosity", std::to_string(config.request_log_verbosity));
  }
  fields.flag("separate_watch_connections", config.separate_watch_connections);
  return "rest.Config{" + std::move(fields).take() + "}";
}

std::ostream& operator<<(std::ostream& out, const Config& config) {
  return out << to_string(config);
}

Result<std::string> base_url(const Config& config) {
  Result<transport::Url> url = parse_host(config);
  if (!url) return url.error();
  std::string text = url->scheme + "://" + url->authority + url->path;
  if (text.back() != '/') text.push_back('/');
  return text;
}

std::string unix_socket(const Config& config) {
  if (!names_unix_socket(config.host)) return {};
  const std::string path = config.host.substr(kUnixScheme.size());
  return path.starts_with("//") ? path.substr(2) : path;
}

bool is_tls(const Config& config) {
  const Result<transport::Url> url = parse_host(config);
  return url && url->scheme == "https";
}

Result<void> validate(const Config& config) {
  if (auto url = parse_host(config); !url) return url.error();
  const transport::TlsConfig& tls = config.tls;
  if (!tls.ca.empty() && tls.insecure_skip_verify) {
    return Error(ErrorCode::Config,
                 "specifying a root certificates file with the insecure flag is not allowed");
  }
  if (tls.certificate.empty() != tls.key.empty()) {
    return Error(ErrorCode::Config, tls.key.empty() ? "a client certificate needs its key"
                                                    : "a client key needs its certificate");
  }
  if (!config.username.empty() &&
      (!config.bearer_token.empty() || !config.bearer_token_file.empty())) {
    return Error(ErrorCode::Config, "username/password or bearer token may be set, but not both");
  }
  if (config.exec_provider && config.auth_provider) {
    return Error(ErrorCode::Config, "execProvider and authProvider cannot be used in combination");
  }
  if (config.impersonate.user_name.empty() && !config.impersonate.empty()) {
    return Error(ErrorCode::Config,
                 "requesting uid, groups or user-extra without impersonating a user");
  }
  if (!fits_header(config.bearer_token.reveal())) {
    return Error(ErrorCode::Config, "the bearer token contains a line break or control character");
  }
  if (!fits_header(config.user_agent)) {
    return Error(ErrorCode::Config, "the user agent contains a line break or control character");
  }
  // CBOR is an experiment that client-go replaces by JSON unless it is enabled.
  if (const std::string& type = config.content_type;
      !type.empty() && type != "application/json" && type != "application/cbor" &&
      type != "application/vnd.kubernetes.protobuf") {
    return Error(ErrorCode::Config, "content_type \"" + type +
                                        "\" is unknown; expected application/json or "
                                        "application/vnd.kubernetes.protobuf");
  }
  if (!fits_header(config.accept_content_types)) {
    return Error(ErrorCode::Config,
                 "accept_content_types contains a line break or control character");
  }
  return {};
}

Config anonymous(const Config& config) {
  Config copy = config;
  copy.tls.certificate = {};
  copy.tls.key = {};
  copy.bearer_token = {};
  copy.bearer_token_file.clear();
  copy.username.clear();
  copy.password = {};
  copy.impersonate = {};
  copy.exec_provider.reset();
  copy.auth_provider.reset();
  return copy;
}

}  // namespace kube::rest
