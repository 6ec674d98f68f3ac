// SPDX-License-Identifier: Apache-2.0
//
// The decorator that adds credentials to requests.
#include <kube/config/token_file.hpp>
#include <kube/config/transport_for.hpp>
#include <kube/json/base64.hpp>

#include "authentication.hpp"
#include "exec_source.hpp"
#include "oidc.hpp"
#include "source_transport.hpp"

namespace kube::rest {
namespace {

// Passes a response on and reports a refused token to the token file.
class RefusalWatch final : public transport::ForwardingHandler {
 public:
  RefusalWatch(std::shared_ptr<transport::ResponseHandler> inner, std::shared_ptr<TokenFile> token,
               TimePoint started)
      : ForwardingHandler(std::move(inner)), token_(std::move(token)), started_(started) {}

  void on_head(transport::ResponseHead head) override {
    if (head.status == 401) token_->refused(started_);
    inner_->on_head(std::move(head));
  }

 private:
  const std::shared_ptr<TokenFile> token_;
  const TimePoint started_;
};

class FixedAuthorization final : public transport::RoundTripper {
 public:
  FixedAuthorization(SecretText value, std::shared_ptr<transport::RoundTripper> base)
      : value_(std::move(value)), base_(std::move(base)) {}

  std::shared_ptr<transport::Exchange> start(transport::HttpRequest request,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) override {
    if (!request.headers.find("Authorization"))
      request.headers.set("Authorization", value_.reveal());
    return base_->start(std::move(request), std::move(handler), std::move(stop));
  }

 private:
  const SecretText value_;
  const std::shared_ptr<transport::RoundTripper> base_;
};

class TokenFileAuthorization final : public transport::RoundTripper {
 public:
  TokenFileAuthorization(std::shared_ptr<TokenFile> token, std::shared_ptr<Clock> clock,
                         std::shared_ptr<transport::RoundTripper> base)
      : token_(std::move(token)), clock_(std::move(clock)), base_(std::move(base)) {}

  std::shared_ptr<transport::Exchange> start(transport::HttpRequest request,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) override {
    if (request.headers.find("Authorization")) {
      return base_->start(std::move(request), std::move(handler), std::move(stop));
    }
    const TimePoint started = clock_->now();
    request.headers.set("Authorization", "Bearer " + token_->token().reveal());
    return base_->start(std::move(request),
                        std::make_shared<RefusalWatch>(std::move(handler), token_, started),
                        std::move(stop));
  }

 private:
  const std::shared_ptr<TokenFile> token_;
  const std::shared_ptr<Clock> clock_;
  const std::shared_ptr<transport::RoundTripper> base_;
};

Result<std::shared_ptr<transport::RoundTripper>> with_source(
    const Config& config, const Runtime& runtime, CurlTransports curl,
    std::shared_ptr<transport::RoundTripper> base) {
  auto source =
      config.exec_provider ? exec_source(config, runtime) : auth_provider_source(config, runtime);
  if (!source) return source.error();
  return with_credentials(*std::move(source),
                          std::make_shared<SourceCertificates>(std::move(curl), config.tls),
                          runtime, std::move(base));
}

}  // namespace

Result<std::shared_ptr<transport::RoundTripper>> authenticated(
    const Config& config, const Runtime& runtime, std::shared_ptr<transport::RoundTripper> base) {
  return authenticated_over(config, runtime, {}, std::move(base));
}

Result<std::shared_ptr<transport::RoundTripper>> authenticated_over(
    const Config& config, const Runtime& runtime, CurlTransports curl,
    std::shared_ptr<transport::RoundTripper> base) {
  if (config.exec_provider && config.auth_provider) {
    return Error(ErrorCode::Config, "execProvider and authProvider cannot be used in combination");
  }
  if (!config.username.empty()) {
    std::string value = "Basic ";
    json::write_base64(config.username + ":" + config.password.reveal(), value);
    return std::make_shared<FixedAuthorization>(std::move(value), std::move(base));
  }
  if (!config.bearer_token_file.empty()) {
    auto token = TokenFile::create({.path = config.bearer_token_file,
                                    .initial = config.bearer_token,
                                    .logger = runtime.logger},
                                   runtime.clock());
    if (!token) return token.error();
    return std::make_shared<TokenFileAuthorization>(*std::move(token), runtime.clock(),
                                                    std::move(base));
  }
  if (!config.bearer_token.empty()) {
    return std::make_shared<FixedAuthorization>("Bearer " + config.bearer_token.reveal(),
                                                std::move(base));
  }
  // A client certificate of the configuration takes precedence over a plugin's credentials.
  if (config.auth_provider || (config.exec_provider && config.tls.certificate.empty())) {
    return with_source(config, runtime, std::move(curl), std::move(base));
  }
  return base;
}

}  // namespace kube::rest
