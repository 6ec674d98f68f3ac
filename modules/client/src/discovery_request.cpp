// SPDX-License-Identifier: Apache-2.0
#include "discovery_request.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/clock.hpp>
#include <kube/base/mutex.hpp>
#include <kube/meta/errors.hpp>
#include <kube/transport/body_collector.hpp>
#include <kube/transport/no_waiting.hpp>
#include <kube/transport/url.hpp>

#include "answer_text.hpp"
#include "media_type.hpp"
#include "request_attempts.hpp"

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

// Wakes the caller when a response is complete.
class Arrivals {
 public:
  void note() KUBE_EXCLUDES(mutex_) {
    {
      const MutexLock lock(mutex_);
      ++count_;
    }
    changed_.notify_all();
  }
  // Waits for a response since the last call.
  void wait(Clock& clock, TimePoint until, const std::stop_token& stop) KUBE_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    clock.wait_until(lock, changed_, until, stop,
                     [this]() KUBE_REQUIRES(mutex_) { return count_ != seen_; });
    seen_ = count_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::size_t count_ KUBE_GUARDED_BY(mutex_) = 0;
  std::size_t seen_ KUBE_GUARDED_BY(mutex_) = 0;
};

Error stopped_waiting_for(const std::string& path) {
  return Error(ErrorCode::Cancelled, "stopped while waiting for the response")
      .with_context("get " + path);
}

// A document that is asked for until it comes, its error is final, or its time is over.
class AwaitedDocument {
 public:
  AwaitedDocument(const RestClient& client, const std::string& path,
                  std::shared_ptr<Arrivals> arrivals, const std::stop_token& stop)
      : client_(client),
        clock_(*client.runtime().clock()),
        request_(discovery_request(client, path)),
        arrivals_(std::move(arrivals)),
        stop_(stop),
        attempts_(client, request_, RetryOn::LostConnection),
        deadline_(deadline_after(clock_.now(), *request_.timeout)) {
    begin();
  }
  ~AwaitedDocument() { give_up_exchange(); }
  AwaitedDocument(const AwaitedDocument&) = delete;
  AwaitedDocument& operator=(const AwaitedDocument&) = delete;

  const std::optional<Result<json::Value>>& result() const { return result_; }
  bool is_under_way() const { return collector_ != nullptr; }
  // When advance() is to be called though no response has come.
  TimePoint next() const { return result_ ? TimePoint::max() : is_under_way() ? deadline_ : due_; }

  void advance() {
    if (result_) return;
    if (is_under_way() && collector_->is_finished()) {
      take_response();
    } else if (is_under_way() && clock_.now() >= deadline_) {
      finish(attempts_.retries()
                 .final_error(Error(ErrorCode::Timeout, "the response was not complete in time"))
                 .with_context("get " + request_.path));
    } else if (!is_under_way() && clock_.now() >= due_) {
      begin();
    }
  }

 private:
  void begin() {
    if (const auto limited = attempts_.wait_for_rate_limit(stop_); !limited) {
      finish(limited.error().with_context("get " + request_.path));
      return;
    }
    collector_ = std::make_shared<transport::BodyCollector>(
        kMaxDocument, "get " + request_.path, [arrivals = arrivals_] { arrivals->note(); });
    exchange_ = attempts_.start(request_, collector_, stop_);
  }
  void take_response() {
    const std::shared_ptr<transport::BodyCollector> collector = std::exchange(collector_, nullptr);
    const auto response = collector->wait(clock_, {});
    if (*response) {
      attempts_.after(nullptr, (*response)->status);
      finish(document_of(client_, request_.path, **response));
    } else if (stop_.stop_requested()) {
      finish(stopped_waiting_for(request_.path));
    } else if (!attempts_.after(&response->error(), 0)) {
      finish(attempts_.retries().final_error(response->error()));
    } else {
      due_ = deadline_after(clock_.now(), attempts_.delay());
      if (due_ >= deadline_) finish(attempts_.out_of_time());
    }
  }
  void finish(Result<json::Value> result) {
    result_ = std::move(result);
    give_up_exchange();
  }
  void give_up_exchange() {
    collector_.reset();
    if (const auto exchange = std::exchange(exchange_, nullptr)) exchange->cancel();
  }

  const RestClient& client_;
  Clock& clock_;
  const Request request_;
  const std::shared_ptr<Arrivals> arrivals_;
  const std::stop_token stop_;
  RequestAttempts attempts_;
  const TimePoint deadline_;  // for all attempts
  TimePoint due_{};           // of the next attempt, while none is under way
  std::shared_ptr<transport::BodyCollector> collector_;
  std::shared_ptr<transport::Exchange> exchange_;
  std::optional<Result<json::Value>> result_;
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
  if (const auto allowed = transport::may_wait(); !allowed) {
    for (const std::string& path : paths) take(allowed.error().with_context("get " + path));
    return;
  }
  Clock& clock = *client.runtime().clock();
  const auto arrivals = std::make_shared<Arrivals>();
  std::deque<std::unique_ptr<AwaitedDocument>> documents;  // from the first that was not taken
  std::size_t started = 0;
  for (std::size_t taken = 0; taken < paths.size();) {
    const auto under_way = [&] {
      return static_cast<std::size_t>(
          std::ranges::count_if(documents, [](const auto& each) { return each->is_under_way(); }));
    };
    for (; started < paths.size() && under_way() < at_once && !stop.stop_requested(); ++started) {
      documents.push_back(
          std::make_unique<AwaitedDocument>(client, paths[started], arrivals, stop));
    }
    TimePoint next = TimePoint::max();
    for (const auto& each : documents) {
      each->advance();
      next = std::min(next, each->next());
    }
    if (!documents.empty() && documents.front()->result()) {
      take(*documents.front()->result());
      documents.pop_front();
      ++taken;
    } else if (stop.stop_requested()) {
      take(stopped_waiting_for(paths[taken]));
      if (!documents.empty()) documents.pop_front();
      ++taken;
    } else {
      arrivals->wait(clock, next, stop);
    }
  }
}

}  // namespace kube
