// SPDX-License-Identifier: Apache-2.0
#include "observed_transport.hpp"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace scenarios {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::transport::CurlTransport;
using kube::transport::Exchange;
using kube::transport::Flow;
using kube::transport::HttpRequest;
using kube::transport::ResponseHandler;
using kube::transport::ResponseHead;

namespace {

bool is_protobuf(const kube::transport::Headers& headers) {
  const auto type = headers.find("Content-Type");
  return type && type->starts_with("application/vnd.kubernetes.protobuf");
}

}  // namespace

struct ObservedTransport::State {
  std::atomic<std::size_t> responses{0};
  std::atomic<std::size_t> bindings{0};
  std::atomic<std::size_t> throttled{0};
  std::atomic<std::size_t> without_tls{0};
  std::atomic<std::size_t> watches{0};
  std::atomic<std::size_t> open_watches{0};
  std::atomic<std::size_t> protobuf_requests{0};
  std::atomic<std::size_t> protobuf_responses{0};
  std::mutex mutex;
  bool cut = false;
  std::vector<std::weak_ptr<Exchange>> open;

  bool is_cut() {
    const std::lock_guard lock(mutex);
    return cut;
  }
};

class ObservedTransport::Observer final : public ResponseHandler {
 public:
  Observer(std::shared_ptr<State> state, std::shared_ptr<ResponseHandler> handler, bool is_binding,
           bool is_watch)
      : state_(std::move(state)),
        handler_(std::move(handler)),
        is_binding_(is_binding),
        is_watch_(is_watch) {}

  void on_head(ResponseHead head) override {
    ++state_->responses;
    if (is_protobuf(head.headers)) ++state_->protobuf_responses;
    if (is_binding_ && head.status == 201) ++state_->bindings;
    if (head.status == 429 && head.headers.find("Retry-After")) ++state_->throttled;
    handler_->on_head(std::move(head));
  }
  Flow on_data(std::string_view chunk) override {
    // What comes before the cancelled exchange has ended is lost, too.
    return state_->is_cut() ? Flow::Continue : handler_->on_data(chunk);
  }
  void on_end(Result<void> result) override {
    if (!result && result.error().code() == ErrorCode::Cancelled && state_->is_cut())
      result = Error(ErrorCode::Unreachable, "the network was cut");
    if (is_watch_) --state_->open_watches;
    handler_->on_end(std::move(result));
  }

 private:
  std::shared_ptr<State> state_;
  std::shared_ptr<ResponseHandler> handler_;
  bool is_binding_;
  bool is_watch_;
};

ObservedTransport::ObservedTransport(std::shared_ptr<CurlTransport> real)
    : real_(std::move(real)), state_(std::make_shared<State>()) {}

ObservedTransport::~ObservedTransport() = default;

std::shared_ptr<Exchange> ObservedTransport::start(HttpRequest request,
                                                   std::shared_ptr<ResponseHandler> handler,
                                                   std::stop_token stop) {
  const std::string_view url = request.url;
  if (!url.starts_with("https://")) ++state_->without_tls;
  const bool is_watch = url.find("watch=true") != std::string_view::npos;
  if (is_watch) {
    ++state_->watches;
    ++state_->open_watches;
  }
  if (is_protobuf(request.headers)) ++state_->protobuf_requests;
  const bool is_binding =
      request.method == "POST" && url.substr(0, url.find('?')).ends_with("/binding");
  auto exchange =
      real_->start(std::move(request),
                   std::make_shared<Observer>(state_, std::move(handler), is_binding, is_watch),
                   std::move(stop));
  bool cut = false;
  {
    const std::lock_guard lock(state_->mutex);
    std::erase_if(state_->open, [](const auto& known) { return known.expired(); });
    state_->open.push_back(exchange);
    cut = state_->cut;
  }
  if (cut) exchange->cancel();
  return exchange;
}

std::size_t ObservedTransport::responses() const {
  return state_->responses;
}
std::size_t ObservedTransport::bindings() const {
  return state_->bindings;
}
std::size_t ObservedTransport::throttled() const {
  return state_->throttled;
}
std::size_t ObservedTransport::without_tls() const {
  return state_->without_tls;
}
std::size_t ObservedTransport::protobuf_requests() const {
  return state_->protobuf_requests;
}
std::size_t ObservedTransport::protobuf_responses() const {
  return state_->protobuf_responses;
}
std::size_t ObservedTransport::watches() const {
  return state_->watches;
}
std::size_t ObservedTransport::open_watches() const {
  return state_->open_watches;
}

void ObservedTransport::set_cut(bool cut) {
  std::vector<std::weak_ptr<Exchange>> open;
  {
    const std::lock_guard lock(state_->mutex);
    state_->cut = cut;
    if (cut) open = state_->open;
  }
  for (const auto& known : open) {
    if (const auto exchange = known.lock()) exchange->cancel();
  }
}

}  // namespace scenarios
