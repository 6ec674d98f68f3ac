// SPDX-License-Identifier: Apache-2.0
//
// The course of an exchange: callbacks, back pressure, deadlines, end. curl_request.cpp sets curl's
// options.
#include "curl_exchange.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <kube/base/call_user_code.hpp>

#include "curl_error.hpp"

namespace kube::transport {
namespace {

// libcurl before 8.1 stops reading the whole HTTP/2 connection when the bytes of one paused stream
// fill its buffer. Up to this many bytes of a paused stream are buffered here, so that a handler
// that pauses for a moment does not delay the others. HTTP/1.1 connections are not shared.
constexpr std::size_t kHeldOnSharedConnection = std::size_t{4} << 20;

// An API server sends no trailers. libcurl limits heads, but stores trailers without a limit.
constexpr std::size_t kTrailersKiB = 64;

}  // namespace

CurlExchange::CurlExchange(std::shared_ptr<CurlShared> shared, std::shared_ptr<CommandQueue> queue,
                           HttpRequest request, std::shared_ptr<ResponseHandler> handler)
    : shared_(std::move(shared)),
      queue_(std::move(queue)),
      request_(std::move(request)),
      handler_(std::move(handler)),
      deadlines_(std::chrono::steady_clock::now(), request_.timeout, request_.idle_timeout,
                 request_.head_timeout) {}

void CurlExchange::listen(std::stop_token stop) {
  if (stop.stop_possible()) stop_callback_.emplace(std::move(stop), CancelOnStop{this});
}

void CurlExchange::cancel() {
  if (cancel_requested_.exchange(true)) return;
  // Null when the last owner was destroyed just before the stop callback.
  if (auto self = weak_from_this().lock()) {
    queue_->post({Command::Verb::Cancel, std::move(self)});
  }
}

void CurlExchange::resume() {
  // The value only increases: two threads may call this in any order.
  const std::uint64_t now = deliveries_.load();
  std::uint64_t before = resume_after_.load();
  while (before < now && !resume_after_.compare_exchange_weak(before, now)) {
  }
  if (!resume_posted_.exchange(true)) {
    queue_->post({Command::Verb::Resume, shared_from_this()});
  }
}

void CurlExchange::discard_kept() {
  if (!curl_paused_) return;
  discarding_ = true;
  curl_easy_pause(easy_, CURLPAUSE_CONT);
}

void CurlExchange::release() {
  answered();
  easy_ = nullptr;
  curl_paused_ = false;
  url_.reset();
  header_list_.reset();
  connect_to_.reset();
}

Error CurlExchange::error(ErrorCode code, std::string text) const {
  return Error(code, std::move(text)).with_context(printable_request(request_));
}

// Runs the handler; returns false when it threw, which ends the exchange.
template <class Call>
bool CurlExchange::guard(const Call& call) {
  const Result<void> called = call_user_code("the response handler", call);
  if (!called) failure_ = called.error().with_context(printable_request(request_));
  return called.has_value();
}

void CurlExchange::heard_now() {
  const SteadyTime now = std::chrono::steady_clock::now();
  loop_->progressed = true;
  deadlines_.heard(now);
  if (connection_) connection_->heard = now;
}

void CurlExchange::begun() {
  unanswered_ = true;
  ++loop_->unanswered;
}

void CurlExchange::answered() {
  if (std::exchange(unanswered_, false)) --loop_->unanswered;
}

bool CurlExchange::on_header_line(std::string_view line) {
  if (head_.complete()) return on_trailer_line(line);
  heard_now();
  if (!head_.add_line(line)) return true;
  answered();
  deadlines_.answered();
  loop_->newest_connection_answers = true;
  if (head_.http2()) shared_->counters.http2_responses.fetch_add(1, std::memory_order_relaxed);
  return guard([this] { handler_->on_head(head_.take(decodes_)); });
}

// Trailers have no reader and count as silence: they must not keep an exchange alive.
bool CurlExchange::on_trailer_line(std::string_view line) {
  loop_->progressed = true;
  trailer_bytes_ += line.size();
  if (trailer_bytes_ <= kTrailersKiB << 10) return true;
  failure_ = error(ErrorCode::Unreachable, "the response has more than " +
                                               std::to_string(kTrailersKiB) + " KiB of trailers");
  return false;
}

std::size_t CurlExchange::on_body(std::string_view bytes) {
  if (discarding_) return bytes.size();
  // A few bytes of gzip may be a GiB: the rest of the bytes is not even decoded.
  if (cancel_requested_) return CURL_WRITEFUNC_ERROR;
  heard_now();
  if (paused_) {
    const std::size_t limit = head_.http2() ? kHeldOnSharedConnection : 0;
    if (held_bytes_ + bytes.size() > limit) {
      curl_paused_ = true;
      return CURL_WRITEFUNC_PAUSE;  // curl passes the same bytes again after carry_out_resume().
    }
    held_.emplace_back(bytes);
    held_bytes_ += bytes.size();
    return bytes.size();
  }
  deliver(bytes);
  return failure_ ? CURL_WRITEFUNC_ERROR : bytes.size();
}

void CurlExchange::deliver(std::string_view bytes) {
  shared_->counters.bytes_received.fetch_add(bytes.size(), std::memory_order_relaxed);
  deliveries_.fetch_add(1);
  guard([this, bytes] { paused_ = handler_->on_data(bytes) == Flow::Pause; });
}

bool CurlExchange::carry_out_resume() {
  resume_posted_.store(false);
  // It was called before the on_data() that paused: that Pause continues.
  if (!paused_ || resume_after_.load() < deliveries_.load()) return false;
  paused_ = false;
  deadlines_.heard(std::chrono::steady_clock::now());
  while (!held_.empty() && !paused_ && !failure_) {
    const std::string bytes = std::move(held_.front());
    held_.pop_front();
    held_bytes_ -= bytes.size();
    deliver(bytes);
  }
  if (failure_) {
    end_ = Result<void>(*failure_);
    return true;
  }
  if (paused_) return false;
  if (curl_paused_) {
    curl_paused_ = false;
    // curl delivers what it has kept before this returns; that may pause again.
    const CURLcode code = curl_easy_pause(easy_, CURLPAUSE_CONT);
    if (code != CURLE_OK && !end_) return transfer_done(code);
  }
  return end_.has_value();
}

bool CurlExchange::transfer_done(CURLcode code) {
  if (failure_) {
    end_ = Result<void>(*failure_);
    return true;
  }
  if (code == CURLE_WRITE_ERROR && cancel_requested_) {
    end_ = Result<void>(error(ErrorCode::Cancelled, "the request was cancelled"));
    return true;
  }
  if (code == CURLE_OK && head_.complete()) {
    end_ = Result<void>();
  } else if (code == CURLE_OK) {
    // curl treats the end of the connection as the end of the head.
    end_ = Result<void>(error(ErrorCode::Unreachable,
                              "the connection was closed in the middle of the response's head"));
  } else {
    long os_error = 0;
    if (code == CURLE_COULDNT_CONNECT) curl_easy_getinfo(easy_, CURLINFO_OS_ERRNO, &os_error);
    const Error failed = curl_error(code, error_text_, os_error);
    const std::string through = proxy_url_.empty() ? "" : "through the proxy " + proxy_url_ + ": ";
    end_ = Result<void>(error(failed.code(), through + failed.message()));
  }
  return !paused_;
}

void CurlExchange::finish(Result<void> result) {
  held_.clear();
  try {
    handler_->on_end(std::move(result));
  } catch (...) {  // the exchange has ended: it can't be reported
  }
  handler_.reset();
  stop_callback_.reset();
  request_ = {};
}

std::optional<Error> CurlExchange::check_deadlines(SteadyTime now) {
  std::optional<std::string> passed = deadlines_.check(now, paused_);
  if (!passed) return std::nullopt;
  return error(ErrorCode::Timeout, *std::move(passed));
}

void CurlExchange::on_request_sent(const char* local_ip, int local_port) {
  long connects = 0;
  curl_easy_getinfo(easy_, CURLINFO_NUM_CONNECTS, &connects);
  const bool opened = std::exchange(connects_, connects) < connects;
  if (opened) shared_->counters.connections.fetch_add(1, std::memory_order_relaxed);
  connection_ = loop_->connections.find(local_ip, local_port);
}

std::size_t CurlExchange::header_callback(char* data, std::size_t size, std::size_t count,
                                          void* self) {
  const std::string_view line(data, size * count);
  return static_cast<CurlExchange*>(self)->on_header_line(line) ? line.size() : 0;
}

std::size_t CurlExchange::body_callback(char* data, std::size_t size, std::size_t count,
                                        void* self) {
  return static_cast<CurlExchange*>(self)->on_body(std::string_view(data, size * count));
}

std::size_t CurlExchange::upload_callback(char* data, std::size_t size, std::size_t count,
                                          void* self) {
  auto& exchange = *static_cast<CurlExchange*>(self);
  const std::size_t sent =
      std::min(size * count, exchange.request_.body.size() - exchange.uploaded_);
  std::memcpy(data, exchange.request_.body.data() + exchange.uploaded_, sent);
  exchange.uploaded_ += sent;
  exchange.deadlines_.heard(std::chrono::steady_clock::now());
  return sent;
}

// curl repeats a request on a new connection when the one it reused turns out to be dead. It must
// not repeat one whose body has been read: the server may have acted on it.
int CurlExchange::rewind_callback(void* self, curl_off_t offset, int origin) {
  const auto& exchange = *static_cast<CurlExchange*>(self);
  const bool nothing_sent = exchange.uploaded_ == 0 && offset == 0 && origin == SEEK_SET;
  return nothing_sent ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL;
}

int CurlExchange::request_callback(void* self, char* /*peer*/, char* local, int /*peer_port*/,
                                   int local_port) {
  static_cast<CurlExchange*>(self)->on_request_sent(local, local_port);
  return CURL_PREREQFUNC_OK;
}

}  // namespace kube::transport
