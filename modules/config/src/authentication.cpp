// SPDX-License-Identifier: Apache-2.0
//
// The decorator that adds credentials to requests.
#include <kube/config/token_file.hpp>
#include <kube/config/transport_for.hpp>
#include <kube/json/base64.hpp>

namespace kube::rest {
namespace {

// Passes a response on and reports a refused token to the token file.
class RefusalWatch final : public transport::ResponseHandler {
 public:
  RefusalWatch(std::shared_ptr<transport::ResponseHandler> inner, std::shared_ptr<TokenFile> token,
               TimePoint started)
      : inner_(std::move(inner)), token_(std::move(token)), started_(started) {}

  void on_head(transport::ResponseHead head) override {
    if (head.status == 401) token_->refused(started_);
    inner_->on_head(std::move(head));
  }
  transport::Flow on_data(std::string_view chunk) override { return inner_->on_data(chunk); }
  void on_end(Result<void> result) override { inner_->on_end(std::move(result)); }

 private:
  const std::shared_ptr<transport::ResponseHandler> inner_;
  const std::shared_ptr<TokenFile> token_;
  const TimePoint started_;
};

class FixedAuthorization final : public transport::RoundTripper {
 public:
  FixedAuthorization(std::string value, std::shared_ptr<transport::RoundTripper> base)
      : value_(std::move(value)), base_(std::move(base)) {}

  std::shared_ptr<transport::Exchange> start(transport::HttpRequest request,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) override {
    if (!request.headers.find("Authorization")) request.headers.set("Authorization", value_);
    return base_->start(std::move(request), std::move(handler), std::move(stop));
  }

 private:
  const std::string value_;
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
    request.headers.set("Authorization", "Bearer " + token_->token());
    return base_->start(std::move(request),
                        std::make_shared<RefusalWatch>(std::move(handler), token_, started),
                        std::move(stop));
  }

 private:
  const std::shared_ptr<TokenFile> token_;
  const std::shared_ptr<Clock> clock_;
  const std::shared_ptr<transport::RoundTripper> base_;
};

}  // namespace

Result<std::shared_ptr<transport::RoundTripper>> authenticated(
    const Config& config, const Runtime& runtime, std::shared_ptr<transport::RoundTripper> base) {
  if (!config.username.empty()) {
    std::string value = "Basic ";
    json::write_base64(config.username + ":" + config.password, value);
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
    return std::make_shared<FixedAuthorization>("Bearer " + config.bearer_token, std::move(base));
  }
  return base;
}

}  // namespace kube::rest
