// SPDX-License-Identifier: Apache-2.0
#include "plain_credentials.hpp"

#include <atomic>
#include <utility>

#include <kube/transport/url.hpp>

namespace kube::rest {
namespace {

class PlainCredentialsWarning final : public transport::RoundTripper {
 public:
  PlainCredentialsWarning(std::shared_ptr<transport::RoundTripper> base,
                          std::shared_ptr<Logger> logger, bool through_other_machine)
      : base_(std::move(base)),
        logger_(std::move(logger)),
        through_other_machine_(through_other_machine) {}

  std::shared_ptr<transport::Exchange> start(transport::HttpRequest request,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) override {
    if (leaves_in_plain_text(request) && !warned_.exchange(true)) warn(request.url);
    return base_->start(std::move(request), std::move(handler), std::move(stop));
  }

 private:
  bool leaves_in_plain_text(const transport::HttpRequest& request) const {
    if (!request.url.starts_with("http://") || !request.headers.find("Authorization")) return false;
    return through_other_machine_ || !transport::is_loopback_url(request.url);
  }

  void warn(const std::string& url) const {
    // A program that has not asked for logs has to learn this all the same.
    const auto logger = logger_ ? logger_ : stderr_logger(LogLevel::Warning);
    KUBE_LOG(logger, LogLevel::Warning, "rest",
             "credentials are sent without encryption: the server's URL is not https",
             {"url", transport::printable_url(url)});
  }

  const std::shared_ptr<transport::RoundTripper> base_;
  const std::shared_ptr<Logger> logger_;
  const bool through_other_machine_;
  std::atomic<bool> warned_{false};
};

}  // namespace

std::shared_ptr<transport::RoundTripper> warning_of_plain_credentials(
    const Config& config, std::shared_ptr<transport::RoundTripper> base,
    std::shared_ptr<Logger> logger) {
  if (!unix_socket(config).empty()) return base;
  // Proxies of the environment are not used for loopback addresses.
  const bool through_other_machine =
      !config.proxy_url.empty() && !transport::is_loopback_url(config.proxy_url);
  return std::make_shared<PlainCredentialsWarning>(std::move(base), std::move(logger),
                                                   through_other_machine);
}

}  // namespace kube::rest
