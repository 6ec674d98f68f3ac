// SPDX-License-Identifier: Apache-2.0
//
// Answers GETs from files, asks the server whether they are still right, and writes its responses.
#include <kube/transport/http_cache.hpp>

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <optional>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/file.hpp>

#include "stored_response.hpp"

namespace kube::transport {
namespace {

constexpr unsigned kCacheFileMode = 0660;
constexpr unsigned kCacheFolderMode = 0750;
constexpr std::size_t kHeadRoom = std::size_t{1} << 20;  // for the head beside the body

// Delivers a response that is complete, to a handler that may pause.
class StoredDelivery {
 public:
  StoredDelivery(std::shared_ptr<ResponseHandler> handler, std::stop_token stop)
      : handler_(std::move(handler)), stop_(std::move(stop)) {}

  void run(HttpResponse response) {
    handler_->on_head({response.status, std::move(response.headers)});
    Flow flow = Flow::Continue;
    if (!response.body.empty()) flow = handler_->on_data(response.body);
    State delivering = State::Delivering;
    if (flow == Flow::Pause && state_.compare_exchange_strong(delivering, State::Paused)) return;
    end({});
  }
  // resume() may come before on_data() has returned.
  void resume() {
    State delivering = State::Delivering;
    if (state_.compare_exchange_strong(delivering, State::Resumed)) return;
    State paused = State::Paused;
    if (state_.compare_exchange_strong(paused, State::Resumed)) end({});
  }
  void cancel() {
    State paused = State::Paused;
    if (!state_.compare_exchange_strong(paused, State::Resumed)) return;
    end(Error(ErrorCode::Cancelled, "the exchange was cancelled"));
  }

 private:
  enum class State { Delivering, Paused, Resumed };

  void end(Result<void> result) {
    if (result && stop_.stop_requested()) {
      result = Error(ErrorCode::Cancelled, "stopped while the response was read");
    }
    handler_->on_end(std::move(result));
  }

  const std::shared_ptr<ResponseHandler> handler_;
  const std::stop_token stop_;
  std::atomic<State> state_{State::Delivering};
};

// An exchange with the server, if there is one, whose response may come from a file.
class CachedExchange final : public Exchange {
 public:
  CachedExchange(std::shared_ptr<StoredDelivery> stored, std::shared_ptr<Exchange> live)
      : stored_(std::move(stored)), live_(std::move(live)) {}
  void resume() override {
    stored_->resume();
    if (live_) live_->resume();
  }
  void cancel() override {
    stored_->cancel();
    if (live_) live_->cancel();
  }

 private:
  const std::shared_ptr<StoredDelivery> stored_;
  const std::shared_ptr<Exchange> live_;
};

}  // namespace

struct HttpCache::Core {
  Options options;

  std::string file_of(std::string_view url) const {
    return (std::filesystem::path(options.folder) / sha256_hex(url)).string();
  }
  std::chrono::system_clock::time_point now() const {
    return options.now ? options.now() : std::chrono::system_clock::now();
  }
  std::optional<HttpResponse> load(std::string_view url) const {
    const auto file = read_regular_file(file_of(url), options.max_bytes + kHeadRoom);
    if (!file) return std::nullopt;
    return from_stored(file->text);
  }
  void forget(std::string_view url) const { ::unlink(file_of(url).c_str()); }
  // Keeps what is worth it, and removes what was kept before otherwise.
  void store(const HttpRequest& request, HttpResponse response) const {
    if (!is_worth_storing(request.headers, response)) return forget(request.url);
    add_varied(request.headers, response);
    response.headers.remove("X-From-Cache");
    const std::string temporary = (std::filesystem::path(options.folder) / ".diskv-temp").string();
    const auto written = replace_file(file_of(request.url), to_stored(response),
                                      {.file_mode = kCacheFileMode,
                                       .folder_mode = kCacheFolderMode,
                                       .temporary_folder = temporary});
    if (!written) {
      KUBE_LOG(options.logger, LogLevel::Debug, "http_cache", "a response could not be kept",
               {"error", written.error().to_string()});
    }
  }
};

// Passes a response on and keeps a copy; delivers the stored response for a 304.
class HttpCache::Recorder final : public ResponseHandler {
 public:
  Recorder(std::shared_ptr<const Core> core, HttpRequest request,
           std::optional<HttpResponse> stored, std::shared_ptr<ResponseHandler> handler,
           std::shared_ptr<StoredDelivery> delivery)
      : core_(std::move(core)),
        request_(std::move(request)),
        stored_(std::move(stored)),
        handler_(std::move(handler)),
        delivery_(std::move(delivery)) {}

  void on_head(ResponseHead head) override {
    if (stored_ && head.status == 304) {
      not_modified_ = true;
      renew(*stored_, head.headers);
      return;
    }
    response_.status = head.status;
    response_.headers = head.headers;
    handler_->on_head(std::move(head));
  }
  Flow on_data(std::string_view chunk) override {
    if (not_modified_) return Flow::Continue;
    if (chunk.size() > core_->options.max_bytes - response_.body.size()) too_long_ = true;
    if (too_long_) {
      response_.body.clear();
    } else {
      response_.body.append(chunk);
    }
    return handler_->on_data(chunk);
  }
  void on_end(Result<void> result) override {
    if (!result) return handler_->on_end(std::move(result));
    if (not_modified_) {
      core_->store(request_, *stored_);
      stored_->headers.set("X-From-Cache", "1");
      return delivery_->run(*std::move(stored_));
    }
    if (too_long_) {
      core_->forget(request_.url);
    } else {
      core_->store(request_, std::move(response_));
    }
    handler_->on_end({});
  }

 private:
  const std::shared_ptr<const Core> core_;
  const HttpRequest request_;
  std::optional<HttpResponse> stored_;
  const std::shared_ptr<ResponseHandler> handler_;
  const std::shared_ptr<StoredDelivery> delivery_;
  HttpResponse response_;
  bool not_modified_ = false;
  bool too_long_ = false;
};

HttpCache::HttpCache(std::shared_ptr<RoundTripper> base, Options options)
    : core_(std::make_shared<const Core>(Core{std::move(options)})), base_(std::move(base)) {}

std::string HttpCache::file_of(std::string_view url) const {
  return core_->file_of(url);
}
void HttpCache::forget(std::string_view url) const {
  core_->forget(url);
}

std::shared_ptr<Exchange> HttpCache::start(HttpRequest request,
                                           std::shared_ptr<ResponseHandler> handler,
                                           std::stop_token stop) {
  if (request.method != "GET") {
    forget(request.url);
    return base_->start(std::move(request), std::move(handler), std::move(stop));
  }
  if (request.headers.find("Range") || request.headers.find("If-None-Match") ||
      !request.upgrade.empty()) {
    return base_->start(std::move(request), std::move(handler), std::move(stop));
  }
  auto delivery = std::make_shared<StoredDelivery>(handler, stop);
  std::optional<HttpResponse> stored = core_->load(request.url);
  if (stored && !varies_alike(request.headers, *stored)) stored.reset();
  if (stored && is_fresh(request.headers, *stored, core_->now())) {
    stored->headers.set("X-From-Cache", "1");
    delivery->run(*std::move(stored));
    return std::make_shared<CachedExchange>(std::move(delivery), nullptr);
  }
  HttpRequest sent = request;
  if (stored) {
    const Headers& headers = stored->headers;
    if (const auto tag = headers.find("ETag")) sent.headers.set("If-None-Match", std::string(*tag));
    if (const auto date = headers.find("Last-Modified")) {
      sent.headers.set("If-Modified-Since", std::string(*date));
    }
  }
  auto recorder = std::make_shared<Recorder>(core_, std::move(request), std::move(stored),
                                             std::move(handler), delivery);
  auto live = base_->start(std::move(sent), std::move(recorder), std::move(stop));
  return std::make_shared<CachedExchange>(std::move(delivery), std::move(live));
}

}  // namespace kube::transport
