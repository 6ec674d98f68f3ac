// SPDX-License-Identifier: Apache-2.0
#include "discovery_request.hpp"

#include <deque>
#include <memory>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/meta/errors.hpp>
#include <kube/transport/body_collector.hpp>
#include <kube/transport/url.hpp>

#include "answer_text.hpp"
#include "media_type.hpp"
#include "request_retries.hpp"

namespace kube {
namespace {

// A large cluster's documents have a few MB.
constexpr std::size_t kMaxDocument = std::size_t{32} << 20;

// Refuses responses of other servers and pages of proxies. A missing Content-Type may be JSON.
Result<void> expect_json(const RestClient& client, const std::string& path,
                         const transport::HttpResponse& response) {
  const std::string_view type = response.headers.find("Content-Type").value_or("");
  const Result<rest::MediaType> media = rest::parse_media_type(type);
  const bool may_be_json =
      type.empty() || (media && (media->type == "application/json" || media->type == "text/plain"));
  // Every document of discovery is an object.
  if (may_be_json && ascii::trim_space(response.body).starts_with('{')) return {};
  const bool says_why = response.body.empty() || is_html(type, response.body);
  return Error(ErrorCode::Decode,
               "expected a discovery document, found " +
                   what_answer_is(response.status, response.headers, response.body) +
                   (says_why ? "" : ", not JSON; it is not a Kubernetes API server"))
      .with_context("GET " + transport::printable_url(client.url({.path = path})))
      .with_context("get " + path);
}

Result<json::Value> document_of(const RestClient& client, const std::string& path,
                                const transport::HttpResponse& response) {
  if (auto json = expect_json(client, path, response); !json) return json.error();
  return json::parse(response.body).with_context("get " + path);
}

// A request that is under way.
class DocumentInFlight {
 public:
  DocumentInFlight(const RestClient& client, std::string path, const std::stop_token& stop)
      : client_(client),
        path_(std::move(path)),
        collector_(std::make_shared<transport::BodyCollector>(kMaxDocument, "get " + path_)),
        exchange_(client_.start(discovery_request(client_, path_), collector_, stop)) {}
  ~DocumentInFlight() { exchange_->cancel(); }
  DocumentInFlight(const DocumentInFlight&) = delete;
  DocumentInFlight& operator=(const DocumentInFlight&) = delete;

  Result<json::Value> wait(const std::stop_token& stop) {
    Clock& clock = *client_.runtime().clock();
    const auto response = collector_->wait(clock, stop);
    if (!response || stop.stop_requested()) {
      return Error(ErrorCode::Cancelled, "stopped while waiting for the response")
          .with_context("get " + path_);
    }
    if (*response) return document_of(client_, path_, **response);
    // That was the first attempt; send() makes the others.
    Request request = discovery_request(client_, path_);
    request.retry = client_.config().retry;
    RequestRetries retries(request.method, *request.retry, RetryOn::LostConnection);
    const auto delay = retries.next(response->error());
    if (!delay) return retries.final_error(response->error());
    (void)clock.sleep_for(*delay, stop);
    --request.retry->max_retries;
    const auto later = client_.send(request, stop);
    return later ? document_of(client_, path_, *later) : later.error();
  }

 private:
  const RestClient& client_;
  const std::string path_;
  const std::shared_ptr<transport::BodyCollector> collector_;
  const std::shared_ptr<transport::Exchange> exchange_;
};

}  // namespace

Request discovery_request(const RestClient& client, std::string path) {
  Request request;
  request.verb = "get";
  request.path = std::move(path);
  request.accept = kAcceptDiscovery;
  const std::chrono::milliseconds configured = client.config().timeout;
  request.timeout = configured.count() > 0 ? configured : kDiscoveryTimeout;
  request.max_bytes = kMaxDocument;
  return request;
}

Result<transport::HttpResponse> get_discovery(const RestClient& client, std::string path,
                                              std::string_view accept, std::stop_token stop) {
  Request request = discovery_request(client, std::move(path));
  request.accept = accept;
  Result<transport::HttpResponse> response = client.send(request, std::move(stop));
  if (!response) return response;
  if (auto json = expect_json(client, request.path, *response); !json) return json.error();
  return response;
}

Result<json::Value> get_discovery_document(const RestClient& client, const std::string& path,
                                           std::stop_token stop) {
  const auto response = get_discovery(client, path, kAcceptDiscovery, std::move(stop));
  if (!response) return response.error();
  return json::parse(response->body).with_context("get " + path);
}

void get_discovery_documents(const RestClient& client, const std::vector<std::string>& paths,
                             std::size_t at_once, const std::stop_token& stop,
                             const std::function<void(Result<json::Value>)>& take) {
  if (client.config().qps > 0 || client.config().rate_limiter) {
    for (const std::string& path : paths) take(get_discovery_document(client, path, stop));
    return;
  }
  std::deque<std::unique_ptr<DocumentInFlight>> in_flight;
  std::size_t started = 0;
  for (std::size_t taken = 0; taken < paths.size(); ++taken) {
    for (; started < paths.size() && in_flight.size() < at_once; ++started) {
      in_flight.push_back(std::make_unique<DocumentInFlight>(client, paths[started], stop));
    }
    take(in_flight.front()->wait(stop));
    in_flight.pop_front();
  }
}

}  // namespace kube
