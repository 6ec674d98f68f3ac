// SPDX-License-Identifier: Apache-2.0
#include "network_exchange.hpp"

#include <algorithm>
#include <utility>

#include <kube/base/call_user_code.hpp>
#include <kube/transport/url.hpp>

namespace kube::testing {

using transport::ExchangeFailure;
using transport::Flow;
using transport::ResponseHead;

namespace {

// The path and query of an absolute URL.
std::string target_of(const std::string& url) {
  const std::size_t scheme = url.find("://");
  const std::size_t path = url.find('/', scheme == std::string::npos ? 0 : scheme + 3);
  return path == std::string::npos ? "/" : url.substr(path);
}

std::string status_body(int code, const std::string& reason, const std::string& message) {
  return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":")" +
         message + R"(","reason":")" + reason + R"(","code":)" + std::to_string(code) + "}\n";
}

const transport::Headers& json_headers() {
  static const transport::Headers headers{{"Content-Type", "application/json"}};
  return headers;
}

// The number of bytes of the first whole frame of a watch; 0 when there is none.
std::size_t first_frame(std::string_view bytes, bool protobuf) {
  if (!protobuf) return bytes.find('\n') + 1;  // npos + 1 is 0
  if (bytes.size() < 4) return 0;
  std::size_t size = 0;
  for (int i = 0; i < 4; ++i)
    size = size << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
  return bytes.size() < size + 4 ? 0 : size + 4;
}

}  // namespace

NetworkExchange::NetworkExchange(Network& network, std::uint64_t id, transport::HttpRequest request,
                                 std::shared_ptr<transport::ResponseHandler> handler)
    : network_(&network), id_(id), request_(std::move(request)), handler_(std::move(handler)) {
  heard_ = network.scheduler_->clock()->now();
}

std::string NetworkExchange::to_string() const {
  return "request " + std::to_string(id_) + " " + request_.method + " " + target_of(request_.url);
}

template <class F>
void NetworkExchange::later(Duration delay, F&& f) {
  travels_ =
      network_->scheduler_->submit_after(delay, [weak = weak_from_this(), f = std::forward<F>(f)] {
        const auto self = weak.lock();
        if (self && self->network_ != nullptr) f(*self);
      });
}

void NetworkExchange::begin(const std::stop_token& stop) {
  Network& net = *network_;
  net.journal_.note([&] { return "-> " + to_string(); });
  arm_timers();
  if (stop.stop_possible()) {
    stop_callback_.emplace(stop, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->cancel();
    });
  }
  if (network_ == nullptr) return;
  if (!net.calm_ && net.journal_.happens(net.weather_.elsewhere, "the other frontend")) {
    frontend_ = 1;
  }
  later(net.delay(), [](NetworkExchange& self) { self.arrive(); });
}

void NetworkExchange::arm_timers() {
  Scheduler& scheduler = *network_->scheduler_;
  const auto ends = [this](const char* why) {
    return [weak = weak_from_this(), why] {
      if (const auto self = weak.lock()) self->break_off(ErrorCode::Timeout, why, std::nullopt);
    };
  };
  if (request_.timeout) {
    timeout_ = scheduler.submit_after(*request_.timeout, ends("the exchange took too long"));
  }
  if (request_.head_timeout && request_.head_timeout->count() > 0) {
    head_timeout_ =
        scheduler.submit_after(*request_.head_timeout, ends("the response did not begin"));
  }
  if (request_.idle_timeout && request_.idle_timeout->count() > 0) check_silence();
}

void NetworkExchange::check_silence() {
  if (network_ == nullptr) return;
  const TimePoint now = network_->scheduler_->clock()->now();
  const TimePoint due = (paused_ ? now : heard_) + *request_.idle_timeout;
  if (due <= now) {
    break_off(ErrorCode::Timeout, "nothing was received for too long", std::nullopt);
    return;
  }
  silence_ = network_->scheduler_->submit_at(due, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->check_silence();
  });
}

// What goes wrong before a frontend sees the request. Returns true when it never does.
bool NetworkExchange::misses() {
  Network& net = *network_;
  Network::Place& place = net.frontends_[frontend_];
  if (place.down_until > net.scheduler_->clock()->now()) {
    break_off(ErrorCode::Unreachable, "the connection was refused", ExchangeFailure::NoConnection);
    return true;
  }
  if (net.calm_) return false;
  if (net.journal_.happens(net.weather_.refused, "refused: " + to_string())) {
    break_off(ErrorCode::Unreachable, "the connection was refused", ExchangeFailure::NoConnection);
    return true;
  }
  if (auto dice = net.journal_.happens(net.weather_.status, "an error status for " + to_string())) {
    constexpr int kCodes[] = {429, 500, 503};
    const int code = kCodes[dice->below(3)];
    transport::Headers headers = json_headers();
    if (code != 500 || dice->one_in(3)) headers.add("Retry-After", std::to_string(dice->below(5)));
    answer_with(code,
                status_body(code, code == 429 ? "TooManyRequests" : "InternalError", "unwell"),
                headers);
    return true;
  }
  if (request_.method == "GET" &&
      net.journal_.happens(net.weather_.expired, "410 for " + to_string())) {
    answer_with(410, status_body(410, "Expired", "too old resource version"), json_headers());
    return true;
  }
  if (auto dice = net.journal_.happens(net.weather_.lost, "lost: " + to_string())) {
    if (dice->one_in(2)) {
      break_off(ErrorCode::Unreachable, "the connection was lost",
                ExchangeFailure::LostBeforeRequest);
      return true;
    }
    cut_after_ = 0;  // carried out, and the response is lost
  }
  return false;
}

void NetworkExchange::arrive() {
  if (misses()) return;
  apiserver::FrontendRequest request;
  request.method = request_.method;
  request.target = target_of(request_.url);
  const auto field = [this](std::string_view name) {
    return std::string(request_.headers.find(name).value_or(""));
  };
  request.accept = field("Accept");
  request.content_type = field("Content-Type");
  request.authorization = field("Authorization");
  request.user_agent = field("User-Agent");
  request.body = request_.body;
  network_->frontends_[frontend_].server->handle(
      std::move(request), [weak = weak_from_this()](apiserver::FrontendResponse response) {
        const auto self = weak.lock();
        if (self && self->network_ != nullptr) self->answer(std::move(response));
      });
}

// Decides what becomes of the body. A watch that lasts is cut late, too.
void NetworkExchange::plan_body(bool endless) {
  Network& net = *network_;
  if (net.calm_) return;
  const std::uint64_t span = endless ? 4000 : 3000;
  const auto later = [endless](Random& dice) -> std::uint64_t {
    return endless && dice.one_in(4) ? dice.below(20'000) : 0;
  };
  if (auto dice = net.journal_.happens(net.weather_.cut, "cut: " + to_string())) {
    cut_after_ = 1 + dice->below(dice->one_in(2) ? 300 : span);
    *cut_after_ += later(*dice);
  }
  if (auto dice = net.journal_.happens(net.weather_.silent, "silent: " + to_string())) {
    silent_after_ = dice->below(dice->one_in(2) ? 1 : span);
    *silent_after_ += later(*dice);
  }
  if (net.journal_.happens(net.weather_.slow, "slow: " + to_string())) slow_ = true;
}

void NetworkExchange::answer_with(int status, std::string body, transport::Headers headers) {
  network_->journal_.note([&] { return "<- " + std::to_string(status) + " to " + to_string(); });
  pieces_.emplace_back(ResponseHead{status, std::move(headers)});
  send(std::move(body));
  end_of_body();
}

void NetworkExchange::answer(apiserver::FrontendResponse response) {
  transport::Headers headers;
  for (auto& [name, value] : response.headers) headers.add(name, value);
  plan_body(response.watch != nullptr);
  if (!response.watch) return answer_with(response.status, std::move(response.body), headers);
  network_->journal_.note([&] { return "<- a watch to " + to_string(); });
  protobuf_ = headers.find("Content-Type").value_or("").find("protobuf") != std::string_view::npos;
  pieces_.emplace_back(ResponseHead{response.status, std::move(headers)});
  watch_ = std::move(response.watch);
  watch_->start([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->network_ != nullptr) self->network_->wake(self->id_);
  });
  schedule();
  pump();
}

// Bounded as a socket is: what the client does not take stays with the server.
void NetworkExchange::pump() {
  if (network_ == nullptr || !watch_ || ended_body_ || pieces_.size() > 8) return;
  for (;;) {
    std::string bytes;
    const auto state = watch_->next(bytes);
    frames_ += bytes;
    while (const std::size_t size = first_frame(frames_, protobuf_)) {
      std::string frame = frames_.substr(0, size);
      frames_.erase(0, size);
      const bool again = !network_->calm_ &&
                         network_->journal_.happens(network_->weather_.repeated, "an event again");
      if (again) {
        network_->truth_.repeated();
        send(frame);
      }
      send(std::move(frame));
    }
    if (state == apiserver::FrontendWatch::State::Data) continue;
    if (state == apiserver::FrontendWatch::State::End) end_of_body();
    return;
  }
}

void NetworkExchange::send(std::string bytes) {
  if (bytes.empty()) return;
  Network& net = *network_;
  // Frames may come together, as they do when a client is slower than its server.
  auto* last = pieces_.empty() ? nullptr : std::get_if<std::string>(&pieces_.back());
  if (!net.calm_ && last != nullptr && net.draws_.one_in(2)) {
    *last += bytes;
    return schedule();
  }
  // A frame may come in pieces, cut anywhere.
  if (!net.calm_ && bytes.size() > 1 && net.draws_.one_in(8)) {
    const std::size_t at = 1 + net.draws_.below(bytes.size() - 1);
    std::string rest = bytes.substr(at);
    bytes.resize(at);
    pieces_.emplace_back(std::move(bytes));
    pieces_.emplace_back(std::move(rest));
  } else {
    pieces_.emplace_back(std::move(bytes));
  }
  schedule();
}

void NetworkExchange::end_of_body() {
  if (std::exchange(ended_body_, true)) return;
  pieces_.emplace_back(Result<void>());
  schedule();
}

void NetworkExchange::schedule() {
  if (network_ == nullptr || scheduled_ || delivering_) return;
  if (!broken_ && (pieces_.empty() || paused_ || silent_)) return;
  scheduled_ = true;
  const Duration delay =
      broken_ ? Duration{}
      : slow_ ? Duration(std::chrono::milliseconds(500 + network_->draws_.below(6000)))
              : network_->delay();
  delivers_ = network_->scheduler_->submit_after(delay, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->deliver();
  });
}

void NetworkExchange::deliver() {
  scheduled_ = false;
  if (network_ == nullptr) return;
  if (broken_) return finish(*std::move(broken_));
  if (paused_ || silent_ || pieces_.empty()) return;
  Piece piece = std::move(pieces_.front());
  pieces_.pop_front();
  heard_ = network_->scheduler_->clock()->now();
  if (auto* end = std::get_if<Result<void>>(&piece)) return finish(std::move(*end));
  auto* bytes = std::get_if<std::string>(&piece);
  if (bytes != nullptr && silent_after_) {
    silent_ = bytes->size() >= *silent_after_;
    *silent_after_ -= std::min(*silent_after_, bytes->size());
    if (silent_) return network_->journal_.note([&] { return "silence on " + to_string(); });
  }
  const bool cut =
      cut_after_ && (bytes == nullptr ? *cut_after_ == 0 : bytes->size() >= *cut_after_);
  if (cut && bytes != nullptr) bytes->resize(*cut_after_);
  if (cut_after_ && bytes != nullptr) *cut_after_ -= std::min(*cut_after_, bytes->size());
  delivering_ = true;
  resumed_ = false;
  const auto handler = handler_;
  const Result<void> called = call_user_code("the response handler", [&] {
    if (bytes == nullptr) {
      if (cut) return;
      head_timeout_.cancel();
      handler->on_head(std::move(std::get<ResponseHead>(piece)));
    } else if (!bytes->empty()) {
      paused_ = handler->on_data(*bytes) == Flow::Pause && !resumed_;
    }
  });
  delivering_ = false;
  if (network_ == nullptr) return;
  if (!called) break_off(ErrorCode::Internal, called.error().message(), std::nullopt);
  if (cut) {
    network_->journal_.note([&] { return "cut " + to_string(); });
    reset();
  }
  pump();
  schedule();
}

void NetworkExchange::resume() {
  resumed_ = true;
  if (!paused_ || network_ == nullptr) return;
  paused_ = false;
  heard_ = network_->scheduler_->clock()->now();
  schedule();
}

void NetworkExchange::cancel() {
  break_off(ErrorCode::Cancelled, "the request was cancelled", std::nullopt);
}

void NetworkExchange::break_off(ErrorCode code, const std::string& text,
                                std::optional<ExchangeFailure> how) {
  if (network_ == nullptr || broken_) return;
  Error error = Error(code, text)
                    .with_context(request_.method + " " + transport::printable_url(request_.url));
  if (how) error = transport::with_exchange_failure(error, *how);
  broken_ = Result<void>(std::move(error));
  watch_.reset();  // its frontend may restart before this is delivered
  scheduled_ = false;
  schedule();
}

void NetworkExchange::finish(Result<void> result) {
  Network& net = *network_;
  net.journal_.note(
      [&] { return "end of " + to_string() + (result ? "" : ": " + result.error().message()); });
  const auto self = shared_from_this();  // beyond its place in the network
  const auto handler = std::exchange(handler_, nullptr);
  network_ = nullptr;
  static_cast<void>(
      call_user_code("the response handler", [&] { handler->on_end(std::move(result)); }));
  stop_callback_.reset();
  for (Timer* timer : {&timeout_, &head_timeout_, &silence_, &travels_, &delivers_})
    timer->cancel();
  watch_.reset();
  net.open_.erase(id_);
}

void NetworkExchange::close() {
  if (network_ == nullptr) return;
  finish(Error(ErrorCode::Cancelled, "the network has ended"));
}

}  // namespace kube::testing
