// SPDX-License-Identifier: Apache-2.0
#include "remote_file.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <kube/base/clock.hpp>
#include <kube/base/file.hpp>
#include <kube/transport/body_collector.hpp>
#include <kube/transport/curl_transport.hpp>
#include <kube/transport/url.hpp>

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
namespace transport = kube::transport;

constexpr int kMaxAttempts = 3;    // kubectl's
constexpr int kMaxRedirects = 10;  // Go's
constexpr std::chrono::seconds kBetweenAttempts(1);
constexpr std::chrono::minutes kMaxSilence(1);

Error cannot_read(const std::string& url, const std::string& why) {
  return {ErrorCode::Config,
          "unable to read URL \"" + transport::printable_url(url) + "\": " + why};
}

Error stopped_download() {
  return {ErrorCode::Cancelled, "interrupted"};
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// Returns the URL that a Location header names, which may be relative.
std::string redirected_to(const transport::Url& base, std::string_view location) {
  if (is_url(location)) return std::string(location);
  if (location.starts_with("//")) return base.scheme + ":" + std::string(location);
  const std::string server = base.scheme + "://" + base.authority;
  if (location.starts_with('/')) return server + std::string(location);
  const std::string folder = base.path.substr(0, base.path.rfind('/') + 1);
  return server + (folder.empty() ? "/" : folder) + std::string(location);
}

// Requests without credentials.
class Download {
 public:
  Download(std::shared_ptr<transport::CurlTransport> transport, std::stop_token stop)
      : transport_(std::move(transport)), stop_(std::move(stop)) {}

  // Returns the last response of a chain of redirects.
  Result<transport::HttpResponse> follow(std::string url) const {
    for (int redirects = 0;; ++redirects) {
      const auto parsed = transport::parse_url(url);
      if (!parsed) return cannot_read(url, parsed.error().message());
      auto response = get(url);
      if (!response || !is_redirect(response->status)) return response;
      const auto location = response->headers.find("Location");
      if (!location) return response;
      if (redirects == kMaxRedirects)
        return cannot_read(url, "expected at most ten redirects in a row");
      url = redirected_to(*parsed, *location);
    }
  }

 private:
  Result<transport::HttpResponse> get(const std::string& url) const {
    transport::HttpRequest request{.url = url, .headers = {{"Accept", "*/*"}}};
    request.idle_timeout = kMaxSilence;
    const auto collector = std::make_shared<transport::BodyCollector>(
        kube::kMaxFileBytes, transport::printable_request(request));
    const auto exchange = transport_->start(std::move(request), collector, stop_);
    std::optional<Result<transport::HttpResponse>> response =
        collector->wait(*kube::real_clock(), stop_);
    if (!response) return stopped_download();
    if (!*response) exchange->cancel();
    return *std::move(response);
  }

  const std::shared_ptr<transport::CurlTransport> transport_;
  const std::stop_token stop_;
};

}  // namespace

bool is_url(std::string_view path) {
  return path.starts_with("http://") || path.starts_with("https://");
}

Result<std::string> read_url(const std::string& url, const std::stop_token& stop) {
  auto made = transport::CurlTransport::create({});
  if (!made) return made.error();
  const Download download(*std::move(made), stop);
  for (int attempt = 1;; ++attempt) {
    auto response = download.follow(url);
    if (response && response->status == 200) return std::move(response->body);
    const bool again =
        response ? response->status >= 500 : response.error().code() == ErrorCode::Unreachable;
    if (!again || attempt == kMaxAttempts) {
      if (!response) return response.error();
      return cannot_read(url, "expected the status 200, found " + std::to_string(response->status));
    }
    if (kube::real_clock()->sleep_for(kBetweenAttempts, stop) == kube::WaitStatus::Stopped)
      return stopped_download();
  }
}

}  // namespace kubecpp
