// SPDX-License-Identifier: Apache-2.0
#include <kube/config/config.hpp>

#include <ostream>

#include <kube/transport/url.hpp>

namespace kube::rest {
namespace {

constexpr std::string_view kRedacted = "--- REDACTED ---";
constexpr std::string_view kTruncated = "--- TRUNCATED ---";

bool same(const transport::PemSource& a, const transport::PemSource& b) {
  return a.data == b.data && a.file == b.file;
}

bool same(const transport::TlsConfig& a, const transport::TlsConfig& b) {
  return same(a.ca, b.ca) && same(a.certificate, b.certificate) && same(a.key, b.key) &&
         a.server_name == b.server_name && a.insecure_skip_verify == b.insecure_skip_verify;
}

// Writes "name=value" pairs of the fields that are set.
class Fields {
 public:
  void text(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    raw(name, "\"" + std::string(value) + "\"");
  }
  void secret(std::string_view name, std::string_view value) {
    if (!value.empty()) raw(name, kRedacted);
  }
  void pem(std::string_view name, const transport::PemSource& source, std::string_view shown) {
    if (!source.data.empty()) raw(std::string(name) + "_data", shown);
    text(std::string(name) + "_file", source.file);
  }
  void flag(std::string_view name, bool value) {
    if (value) raw(name, "true");
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

Result<transport::Url> parse_host(const Config& config) {
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
         a.password == b.password && a.namespace_ == b.namespace_ && a.user_agent == b.user_agent &&
         a.content_type == b.content_type && a.accept_content_types == b.accept_content_types &&
         a.proxy_url == b.proxy_url && a.disable_compression == b.disable_compression &&
         a.timeout == b.timeout && a.idle_timeout == b.idle_timeout && a.qps == b.qps &&
         a.burst == b.burst;
}

std::string to_string(const Config& config) {
  Fields fields;
  fields.text("host", transport::printable_server_url(config.host));
  fields.pem("ca", config.tls.ca, kTruncated);
  fields.pem("certificate", config.tls.certificate, kTruncated);
  fields.pem("key", config.tls.key, kRedacted);
  fields.text("server_name", config.tls.server_name);
  fields.flag("insecure_skip_verify", config.tls.insecure_skip_verify);
  fields.secret("bearer_token", config.bearer_token);
  fields.text("bearer_token_file", config.bearer_token_file);
  fields.text("username", config.username);
  fields.secret("password", config.password);
  fields.text("namespace", config.namespace_);
  fields.text("user_agent", config.user_agent);
  fields.text("content_type", config.content_type);
  fields.text("accept_content_types", config.accept_content_types);
  fields.text("proxy_url", transport::printable_server_url(config.proxy_url));
  fields.flag("disable_compression", config.disable_compression);
  if (config.timeout.count() != 0) {
    fields.raw("timeout", std::to_string(config.timeout.count()) + "ms");
  }
  if (config.idle_timeout != Config().idle_timeout) {
    fields.raw("idle_timeout", std::to_string(config.idle_timeout.count()) + "ms");
  }
  if (config.qps != 0) fields.raw("qps", std::to_string(config.qps));
  if (config.burst != 0) fields.raw("burst", std::to_string(config.burst));
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
  if (!fits_header(config.bearer_token)) {
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
  copy.bearer_token.clear();
  copy.bearer_token_file.clear();
  copy.username.clear();
  copy.password.clear();
  return copy;
}

}  // namespace kube::rest
