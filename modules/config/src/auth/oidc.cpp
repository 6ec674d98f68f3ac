// SPDX-License-Identifier: Apache-2.0
#include "oidc.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/percent.hpp>
#include <kube/json/base64.hpp>
#include <kube/json/value.hpp>
#include <kube/transport/body_collector.hpp>
#include <kube/transport/curl_transport.hpp>
#include <kube/transport/url.hpp>

#include "source_registry.hpp"

namespace kube::rest {
namespace {

using transport::HttpResponse;

constexpr std::chrono::seconds kLeeway{10};
constexpr std::chrono::milliseconds kIdentityProviderTimeout{30'000};
constexpr std::size_t kMaxAnswerBytes = std::size_t{1} << 20;

SecretText secret_of(const AuthProviderSettings& config, const char* key) {
  const auto found = config.find(key);
  return found == config.end() ? SecretText() : found->second;
}

// Of a setting that is not a secret: a URL, an id, certificates.
std::string value_of(const AuthProviderSettings& config, const char* key) {
  return secret_of(config, key).reveal();
}

std::string form_escaped(std::string_view text) {
  return percent_encoded(text, [](char c) {
    return ascii::is_alnum(c) || std::string_view("-._~").find(c) != std::string_view::npos;
  });
}

// The refresh token and the client's secret are passwords.
Result<void> check_encrypted(const std::string& url, const char* what) {
  if (url.starts_with("https://") || transport::is_loopback_url(url)) return {};
  return Error(ErrorCode::Credentials, std::string(what) + " " + transport::printable_url(url) +
                                           " is not https; expected https, since the refresh "
                                           "token is sent there");
}

// The requests of one refresh. Answers are never quoted: they hold tokens.
class IdentityProvider {
 public:
  static Result<IdentityProvider> connect(const AuthProviderSettings& config,
                                          std::stop_token stop) {
    transport::CurlTransport::Options options;
    options.tls.ca.file = value_of(config, "idp-certificate-authority");
    if (const std::string data = value_of(config, "idp-certificate-authority-data");
        !data.empty()) {
      const auto pem = json::read_base64(data);
      if (!pem) {
        return Error(ErrorCode::Config, "idp-certificate-authority-data is not base64");
      }
      options.tls.ca.data = *pem;
    }
    auto made = transport::CurlTransport::create(std::move(options));
    if (!made) return made.error();
    return IdentityProvider(*std::move(made), std::move(stop));
  }

  Result<std::string> token_endpoint(const std::string& issuer) const {
    if (auto safe = check_encrypted(issuer, "the idp-issuer-url"); !safe) return safe.error();
    std::string base = issuer;
    while (base.ends_with('/')) base.pop_back();
    const Result<HttpResponse> response = send({.url = base + "/.well-known/openid-configuration"});
    if (!response) return response.error();
    const Result<json::Value> document = json::parse(response->body);
    const std::string endpoint(document ? document->string_at({"token_endpoint"}) : "");
    if (response->status == 200 && !endpoint.empty()) {
      if (auto safe = check_encrypted(endpoint, "the token_endpoint"); !safe) return safe.error();
      return endpoint;
    }
    return Error(ErrorCode::Credentials,
                 "the discovery document of " + transport::printable_url(issuer) +
                     " has no token_endpoint (status " + std::to_string(response->status) + ")");
  }

  // RFC 6749: the client's password belongs into a header; some providers want it in the form.
  Result<json::Value> refresh(const std::string& endpoint,
                              const AuthProviderSettings& config) const {
    const std::string id = form_escaped(value_of(config, "client-id"));
    const std::string secret = form_escaped(secret_of(config, "client-secret").reveal());
    const std::string grant = "grant_type=refresh_token&refresh_token=" +
                              form_escaped(secret_of(config, "refresh-token").reveal());
    std::optional<Result<HttpResponse>> response;
    if (!secret.empty()) {
      std::string basic = "Basic ";
      json::write_base64(id + ":" + secret, basic);
      response = post(endpoint, grant, basic);
    }
    const bool refused = response && *response && (*response)->status >= 400;
    if (!response || refused) {
      response =
          post(endpoint,
               grant + "&client_id=" + id + (secret.empty() ? "" : "&client_secret=" + secret), "");
    }
    if (!*response) return response->error();
    return read_answer(**response, endpoint);
  }

 private:
  IdentityProvider(std::shared_ptr<transport::CurlTransport> transport, std::stop_token stop)
      : transport_(std::move(transport)), stop_(std::move(stop)) {}

  Result<HttpResponse> post(const std::string& endpoint, const std::string& form,
                            const std::string& authorization) const {
    transport::HttpRequest request{
        .method = "POST",
        .url = endpoint,
        .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
        .body = form};
    if (!authorization.empty()) request.headers.set("Authorization", authorization);
    return send(std::move(request));
  }

  Result<HttpResponse> send(transport::HttpRequest request) const {
    request.timeout = kIdentityProviderTimeout;
    const auto collector = std::make_shared<transport::BodyCollector>(
        kMaxAnswerBytes, transport::printable_request(request));
    const auto exchange = transport_->start(std::move(request), collector, stop_);
    std::optional<Result<HttpResponse>> response = collector->wait(*real_clock(), stop_);
    if (!response) return Error(ErrorCode::Cancelled, "the refresh was cancelled");
    if (!*response) exchange->cancel();
    return *std::move(response);
  }

  static Result<json::Value> read_answer(const HttpResponse& response,
                                         const std::string& endpoint) {
    Result<json::Value> document = json::parse(response.body);
    if (response.status == 200 && document && document->is_object()) return document;
    // RFC 6749 5.2: a code such as invalid_grant.
    std::string code(document ? document->string_at({"error"}) : "");
    if (code.size() > 64 || !std::all_of(code.begin(), code.end(),
                                         [](char c) { return ascii::is_alnum(c) || c == '_'; })) {
      code.clear();
    }
    return Error(ErrorCode::Credentials, transport::printable_url(endpoint) + " responded " +
                                             std::to_string(response.status) +
                                             (code.empty() ? "" : ": " + code));
  }

  std::shared_ptr<transport::CurlTransport> transport_;
  std::stop_token stop_;
};

// The configuration with the newest tokens, and how to replace them.
class OidcProvider {
 public:
  explicit OidcProvider(AuthProviderConfig config)
      : config_(std::move(config)), stored_(tokens_of(config_.config)) {}

  // Called by one thread at a time: the source's refresh.
  Result<Credentials> fetch(const RefreshContext& context, std::stop_token stop) {
    const Result<std::optional<Credentials>> valid = valid_token(context);
    if (!valid) return valid.error();
    if (*valid) {
      if (is_unsaved_) store_again(context, stop);
      return **valid;
    }
    if (!has_refresh_token()) return no_refresh_token();
    return renew(context, std::move(stop));
  }

 private:
  struct Tokens {
    SecretText id;
    SecretText refresh;
    bool operator==(const Tokens&) const = default;
  };
  using Persist = std::function<Result<void>(const AuthProviderSettings&)>;

  static Tokens tokens_of(const AuthProviderSettings& config) {
    return {.id = secret_of(config, "id-token"), .refresh = secret_of(config, "refresh-token")};
  }
  static Credentials credentials(const SecretText& token, WallTime expiry) {
    return {.token = token, .expires = expiry - kLeeway};
  }
  static Error no_refresh_token() {
    return {ErrorCode::Credentials, "No valid id-token, and cannot refresh without refresh-token"};
  }
  bool has_refresh_token() const { return !secret_of(config_.config, "refresh-token").empty(); }

  Result<std::optional<Credentials>> valid_token(const RefreshContext& context) const {
    const SecretText token = secret_of(config_.config, "id-token");
    if (token.empty()) return std::optional<Credentials>();
    const Result<WallTime> expiry = id_token_expiry(token);
    if (!expiry) return expiry.error();
    if (*expiry - kLeeway <= context.clock->wall_now()) return std::optional<Credentials>();
    return std::optional<Credentials>(credentials(token, *expiry));
  }

  // Whether what is stored is not what this process has read or stored last: another process has
  // renewed the tokens, or the user has logged in again. Those tokens are used then.
  bool take_stored(const AuthProviderSettings& config) {
    Tokens found = tokens_of(config);
    if (found == stored_) return false;
    config_.config["id-token"] = found.id;
    config_.config["refresh-token"] = found.refresh;
    stored_ = std::move(found);
    is_unsaved_ = false;
    return true;
  }

  // A refresh token may be valid once: it is not spent before the new one can be stored.
  Result<Credentials> renew(const RefreshContext& context, std::stop_token stop) {
    if (!config_.begin_renewal) return refresh(config_.persist, std::move(stop));
    const Result<TokenRenewal> renewal = config_.begin_renewal(*context.clock, stop);
    if (!renewal) {
      if (renewal.error().code() == ErrorCode::Cancelled) return renewal.error();
      return Error(ErrorCode::Credentials,
                   "cannot renew the tokens: " + renewal.error().to_string());
    }
    if (take_stored(renewal->config)) {
      const Result<std::optional<Credentials>> valid = valid_token(context);
      if (!valid) return valid.error();
      if (*valid) return **valid;
      if (!has_refresh_token()) return no_refresh_token();
    }
    return refresh(renewal->persist, std::move(stop));
  }

  Result<Credentials> refresh(const Persist& persist, std::stop_token stop) {
    const auto provider = IdentityProvider::connect(config_.config, std::move(stop));
    if (!provider) return provider.error();
    const auto endpoint = provider->token_endpoint(value_of(config_.config, "idp-issuer-url"));
    if (!endpoint) return endpoint.error();
    const Result<json::Value> answer = provider->refresh(*endpoint, config_.config);
    if (!answer) return answer.error().with_context("failed to refresh token");
    const SecretText token = answer->string_at({"id_token"});
    if (token.empty()) {
      return Error(ErrorCode::Credentials,
                   "token response did not contain an id_token, either the scope \"openid\" wasn't "
                   "requested upon login, or the provider doesn't support id_tokens as part of the "
                   "refresh response");
    }
    const Result<WallTime> expiry = id_token_expiry(token);
    if (!expiry) return expiry.error();
    config_.config["id-token"] = token;
    if (const std::string_view next = answer->string_at({"refresh_token"}); !next.empty()) {
      config_.config["refresh-token"] = next;
    }
    if (auto stored = store(persist); !stored) {
      return Error(ErrorCode::Credentials,
                   "could not persist new tokens: " + stored.error().to_string() +
                       "; this process uses them until it ends");
    }
    return credentials(token, *expiry);
  }

  Result<void> store(const Persist& persist) {
    is_unsaved_ = false;
    if (!persist) return {};
    Result<void> stored = persist(config_.config);
    is_unsaved_ = !stored;
    if (stored) stored_ = tokens_of(config_.config);
    return stored;
  }

  // The tokens are valid: that they can't be stored fails no further request.
  void store_again(const RefreshContext& context, const std::stop_token& stop) {
    Result<void> stored;
    if (!config_.begin_renewal) {
      stored = store(config_.persist);
    } else if (const auto renewal = config_.begin_renewal(*context.clock, stop); !renewal) {
      stored = renewal.error();
    } else if (tokens_of(renewal->config) == stored_) {
      stored = store(renewal->persist);
    }
    if (stored) return;
    KUBE_LOG(context.logger, LogLevel::Warning, "config", "new tokens could not be stored",
             {"error", stored.error().to_string()});
  }

  AuthProviderConfig config_;  // With the newest tokens.
  Tokens stored_;              // As they were read or stored last.
  bool is_unsaved_ = false;    // config_ has tokens that could not be stored.
};

// With the tokens: of two users of a provider, none may get those of the other. client-go's key is
// the cluster, the issuer and the client id.
struct OidcKey {
  std::string cluster;
  AuthProviderSettings settings;
  bool operator==(const OidcKey&) const = default;
};

SourceRegistry<OidcKey>& oidc_registry() {
  static SourceRegistry<OidcKey> registry;
  return registry;
}

Error removed_provider(const std::string& name, const std::string& plugin, const std::string& url) {
  return {ErrorCode::Config, "The " + name + " auth plugin has been removed.\nPlease use the \"" +
                                 plugin + "\" kubectl/client-go credential plugin instead.\nSee " +
                                 url + " for further details"};
}

}  // namespace

Result<void> check_auth_provider(const AuthProviderConfig& provider) {
  if (provider.name == "azure") {
    return removed_provider("azure", "kubelogin", "https://github.com/Azure/kubelogin");
  }
  if (provider.name == "gcp") {
    return removed_provider("gcp", "gke-gcloud-auth-plugin",
                            "https://cloud.google.com/blog/products/containers-kubernetes/"
                            "kubectl-auth-changes-in-gke");
  }
  if (provider.name != "oidc") {
    return Error(ErrorCode::Config, "no Auth Provider found for name \"" + provider.name + "\"");
  }
  for (const char* needed : {"idp-issuer-url", "client-id"}) {
    if (value_of(provider.config, needed).empty())
      return Error(ErrorCode::Config, std::string("Must provide ") + needed);
  }
  return {};
}

Result<std::shared_ptr<CredentialSource>> auth_provider_source(const Config& config,
                                                               const Runtime& runtime) {
  const AuthProviderConfig& provider = *config.auth_provider;
  if (auto valid = check_auth_provider(provider); !valid) return valid.error();
  const OidcKey key{.cluster = config.host, .settings = provider.config};
  return oidc_registry().find_or_make(key, runtime.clock(), [&provider] {
    auto oidc = std::make_shared<OidcProvider>(provider);
    return std::make_shared<CredentialSource>(
        "auth-provider oidc", [oidc](const RefreshContext& context, std::stop_token stop) {
          return oidc->fetch(context, std::move(stop));
        });
  });
}

}  // namespace kube::rest
