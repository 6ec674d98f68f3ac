// SPDX-License-Identifier: Apache-2.0
//
// The course of an exchange: callbacks, back pressure, deadlines, end. curl_request.cpp sets curl's
// options.
#include "curl_exchange.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <openssl/ssl.h>

#include "curl_error.hpp"

namespace kube::transport {
namespace {

// libcurl before 8.1 stops reading the whole HTTP/2 connection when the bytes of one paused stream
// fill its buffer. Up to this many bytes of a paused stream are buffered here, so that a handler
// that pauses for a moment does not delay the others. HTTP/1.1 connections are not shared.
constexpr std::size_t kHeldOnSharedConnection = std::size_t{4} << 20;

// What is decoded at a time: as much as curl delivers of a body that is not compressed.
constexpr std::size_t kDecodedPart = CURL_MAX_WRITE_SIZE;

// An API server sends a few KB of headers and no trailers. libcurl's limits on heads, in bytes and
// in lines, differ between versions and so do their errors; ours is below them. It stores trailers
// without a limit. A line costs more than its bytes, as in HTTP/2 (RFC 9113, 6.5.2).
constexpr std::size_t kHeadersKiB = 128;
constexpr std::size_t kTrailersKiB = 64;
constexpr std::size_t kEachLine = 32;

}  // namespace

CurlExchange::CurlExchange(std::shared_ptr<CurlShared> shared, std::shared_ptr<CommandQueue> queue,
                           HttpRequest request, std::shared_ptr<ResponseHandler> handler)
    : shared_(std::move(shared)),
      queue_(std::move(queue)),
      upgrades_(!request.upgrade.empty()),
      request_(std::move(request)),
      handler_(std::move(handler)),
      deadlines_(shared_->now(), request_.timeout, request_.idle_timeout, request_.head_timeout) {}

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
  if (loop_ != nullptr) {
    loop_->upgraded.erase(this);
    loop_->dialing.erase(this);
  }
  dials_.clear();
  easy_ = nullptr;
  connection_ = {};
  tls_.reset();
  curl_paused_ = false;
  url_.reset();
  header_list_.reset();
  connect_to_.reset();
}

Error CurlExchange::error(ErrorCode code, std::string text) const {
  return Error(code, std::move(text)).with_context(printable_request(request_));
}

void CurlExchange::heard_now() {
  const SteadyTime now = shared_->now();
  loop_->progressed = true;
  deadlines_.heard(now);
  if (connection()) connection()->heard = now;
}

void CurlExchange::begun() {
  begun_ = unanswered_ = true;
  ++loop_->unanswered;
}

void CurlExchange::answered() {
  if (std::exchange(unanswered_, false)) --loop_->unanswered;
}

bool CurlExchange::on_header_line(std::string_view line) {
  loop_->progressed = true;
  if (!has_room_for(line)) return false;
  // Trailers have no reader and count as silence: they must not keep an exchange alive.
  if (head_.complete()) return true;
  heard_now();
  if (!head_.add_line(line)) return true;
  header_bytes_ = 0;
  answered();
  deadlines_.answered();
  if (upgrades_) {
    // curl waits for the bytes to send, and would do so even for a server that does not upgrade.
    upgraded_ = head_.status() == 101;
    if (upgraded_) {
      loop_->upgraded.insert(this);
      read_to_the_end();
    }
    queue_->post({Command::Verb::Write, shared_from_this()});
  }
  loop_->newest_connection_answers = true;
  if (head_.http2()) shared_->counters.http2_responses.fetch_add(1, std::memory_order_relaxed);
  ResponseHead head = head_.take();
  if (decodes_ && take_gzip_coding(head.headers)) decoder_.emplace();
  withheld_.reset();
  if (!may_lose_body()) return hand_out_head(std::move(head));
  withheld_ = std::move(head);
  return true;
}

bool CurlExchange::hand_out_head(ResponseHead head) {
  withheld_.reset();
  return guard([&] { handler_->on_head(std::move(head)); });
}

bool CurlExchange::has_room_for(std::string_view line) {
  const bool trails = head_.complete();
  const std::size_t limit = trails ? kTrailersKiB : kHeadersKiB;
  header_bytes_ += line.size() + kEachLine;
  if (header_bytes_ <= limit << 10) return true;
  failure_ = with_exchange_failure(
      error(ErrorCode::Unreachable, "the response has more than " + std::to_string(limit) +
                                        " KiB of " + (trails ? "trailers" : "headers")),
      ExchangeFailure::BadResponse);
  return false;
}

std::size_t CurlExchange::on_body(std::string_view bytes) {
  if (discarding_) return bytes.size();
  if (cancel_requested_) return CURL_WRITEFUNC_ERROR;
  heard_now();
  if (withheld_ && !hand_out_head(*std::move(withheld_))) return CURL_WRITEFUNC_ERROR;
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
  return failure_ || cancel_requested_ ? CURL_WRITEFUNC_ERROR : bytes.size();
}

void CurlExchange::deliver(std::string_view bytes) {
  if (decoder_) {
    decode(bytes);
  } else {
    hand_out(bytes);
  }
}

// A few bytes of gzip may be a GiB: after a Pause or a cancel the rest is not even decoded.
void CurlExchange::decode(std::string_view bytes) {
  std::array<char, kDecodedPart> room;
  for (;;) {
    const Result<std::string_view> decoded = decoder_->decode(bytes, room);
    if (!decoded) {
      failure_ = with_exchange_failure(error(decoded.error().code(), decoded.error().message()),
                                       ExchangeFailure::BadResponse);
      return;
    }
    if (!decoded->empty()) hand_out(*decoded);
    if (decoded->size() < room.size() || failure_ || cancel_requested_) return;
    if (paused_) {
      held_.emplace_front(bytes);
      held_bytes_ += bytes.size();
      return;
    }
  }
}

void CurlExchange::hand_out(std::string_view bytes) {
  shared_->counters.bytes_received.fetch_add(bytes.size(), std::memory_order_relaxed);
  deliveries_.fetch_add(1);
  guard([this, bytes] { paused_ = handler_->on_data(bytes) == Flow::Pause; });
}

bool CurlExchange::carry_out_resume() {
  resume_posted_.store(false);
  // It was called before the on_data() that paused: that Pause continues.
  if (!paused_ || resume_after_.load() < deliveries_.load()) return false;
  paused_ = false;
  deadlines_.heard(shared_->now());
  while (!held_.empty() && !paused_ && !failure_ && !cancel_requested_) {
    const std::string bytes = std::move(held_.front());
    held_.pop_front();
    held_bytes_ -= bytes.size();
    deliver(bytes);
  }
  if (cancel_requested_) return false;  // the command is on its way
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

ResponsePart CurlExchange::response_part() const {
  if (attempts_ == 0) return ResponsePart::None;
  return head_.complete() ? ResponsePart::Body : ResponsePart::Head;
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
  if (given_back_) {
    end_ = Result<void>(lost(curl_error(CURLE_SEND_FAIL_REWIND, {}, 0, response_part(), alert()),
                             CURLE_SEND_FAIL_REWIND));
    return !paused_;
  }
  // curl does not count the head of an upgrade as a reply.
  if (upgraded_ && code == CURLE_GOT_NOTHING) code = CURLE_OK;
  if (code == CURLE_OK && head_.complete()) {
    end_ = Result<void>();
  } else if (code == CURLE_OK) {
    // curl treats the end of the connection as the end of the head.
    end_ = Result<void>(lost(Error(ErrorCode::Unreachable,
                                   "the connection was closed in the middle of the response's "
                                   "head"),
                             CURLE_GOT_NOTHING));
  } else {
    long os_error = 0;
    if (code == CURLE_COULDNT_CONNECT) curl_easy_getinfo(easy_, CURLINFO_OS_ERRNO, &os_error);
    if (code == CURLE_SSL_CACERT_BADFILE && tls_ && tls_->trusts_nobody()) {
      end_ = Result<void>(error(ErrorCode::Credentials, "the CA file " + tls_->config().ca.file +
                                                            " is empty: no server is trusted"));
      return !paused_;
    }
    // curl names the host of the URL, which a unix socket does not have.
    const bool local = !shared_->settings.options.unix_socket.empty();
    const Error failed = local && code == CURLE_COULDNT_CONNECT
                             ? cant_connect(os_error)
                             : curl_error(code, error_text_, os_error, response_part(), alert());
    const bool given_up = connection() && !connection()->given_up.empty();
    end_ = Result<void>(lost(given_up ? Error(ErrorCode::Unreachable,
                                              "the connection was lost: " + connection()->given_up)
                                      : failed,
                             code));
  }
  return !paused_;
}

void CurlExchange::finish(Result<void> result) {
  held_.clear();
  if (withheld_ && !hand_out_head(*std::move(withheld_))) result = *failure_;
  if (result && decoder_ && !decoder_->is_complete()) {
    result = with_exchange_failure(
        error(ErrorCode::Unreachable, "the response ended in the middle of its gzip"),
        ExchangeFailure::LostAfterRequest);
  }
  try {
    handler_->on_end(std::move(result));
  } catch (...) {  // the exchange has ended: it can't be reported
  }
  handler_.reset();
  stop_callback_.reset();
  request_ = {};
}

std::optional<Error> CurlExchange::check_deadlines(SteadyTime now) {
  if (std::optional<Error> slow = check_handshake(now)) return slow;
  std::optional<std::string> passed = deadlines_.check(now, paused_);
  if (!passed) return std::nullopt;
  Error late = error(ErrorCode::Timeout, *std::move(passed));
  return attempts_ > 0 ? late : with_exchange_failure(late, ExchangeFailure::NoConnection);
}

void CurlExchange::on_request_sent(const char* local_ip, int local_port) {
  long connects = 0;
  curl_easy_getinfo(easy_, CURLINFO_NUM_CONNECTS, &connects);
  const bool opened = std::exchange(connects_, connects) < connects;
  if (opened) shared_->counters.connections.fetch_add(1, std::memory_order_relaxed);
  connection_ = ConnectionUse(loop_->connections.find(local_ip, local_port));
  if (auto noted = alert_of(tls_session())) alert_ = std::move(noted);  // another one has opened it
  if (connection() && !connection()->established) note_established();
}

ssl_st* CurlExchange::tls_session() const {
  const curl_tlssessioninfo* tls = nullptr;
  curl_easy_getinfo(easy_, CURLINFO_TLS_SSL_PTR, &tls);
  return tls != nullptr && tls->backend == CURLSSLBACKEND_OPENSSL
             ? static_cast<ssl_st*>(tls->internals)
             : nullptr;
}

void CurlExchange::note_established() {
  ssl_st* const session = tls_session();
  const unsigned char* protocol = nullptr;
  unsigned length = 0;
  if (session != nullptr) SSL_get0_alpn_selected(session, &protocol, &length);
  const bool http2 = std::string_view(reinterpret_cast<const char*>(protocol), length) == "h2" ||
                     (session == nullptr && shared_->settings.options.http2_prior_knowledge);
  loop_->connections.established(*connection(), http2);
  loop_->new_connection = true;
  // Inside of a proxy's TLS, the session's bytes are not those of the socket.
  if (http2 && session != nullptr && !through_tls_proxy()) connection()->pings_by = session;
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
  exchange.deadlines_.heard(exchange.shared_->now());
  return sent;
}

// Asked before curl repeats the request; libcurl 8 asks before it opens a connection for that.
int CurlExchange::rewind_callback(void* self, curl_off_t offset, int origin) {
  auto& exchange = *static_cast<CurlExchange*>(self);
  const bool nothing_sent = exchange.uploaded_ == 0 && offset == 0 && origin == SEEK_SET;
  if (!nothing_sent) exchange.given_back_ = true;
  return nothing_sent ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL;
}

}  // namespace kube::transport
