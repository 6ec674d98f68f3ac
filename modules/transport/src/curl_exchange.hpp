// SPDX-License-Identifier: Apache-2.0
//
// One request and its response on a curl handle: curl's options, its callbacks, which call the
// handler, and back pressure.
//
// Invariants:
// 1. The handler is called only on the I/O thread, and on_end() once, in finish().
// 2. No exception passes through curl: a handler's is kept and becomes the exchange's error.
// 3. While the handler has paused, its bytes wait in this order: held_, then inside curl, then in
//    the socket. The end of the body waits with them; a cancel or a timeout does not.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>

#include <kube/base/call_user_code.hpp>
#include <kube/transport/curl_transport.hpp>
#include <kube/transport/exchange_failure.hpp>

#include "command_queue.hpp"
#include "connection_table.hpp"
#include "curl_error.hpp"
#include "deadlines.hpp"
#include "gzip_decoder.hpp"
#include "outgoing_bytes.hpp"
#include "proxy.hpp"
#include "response_head_parser.hpp"
#include "tls_rotation.hpp"

namespace kube::transport {

/// Fixed for the transport's life.
struct CurlSettings {
  CurlTransport::Options options;
  std::shared_ptr<TlsRotation> tls;
  ProxyRules proxy;
};

struct CurlCounters {
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> connections{0};
  std::atomic<std::uint64_t> http2_responses{0};
  std::atomic<std::uint64_t> bytes_received{0};
};

/// The settings of all exchanges of a transport.
struct CurlShared {
  explicit CurlShared(CurlSettings fixed) : settings(std::move(fixed)) {}
  SteadyTime now() const { return settings.options.clock->now(); }
  const CurlSettings settings;
  CurlCounters counters;
};

class CurlExchange final : public Exchange, public std::enable_shared_from_this<CurlExchange> {
 public:
  /// The state that the exchange shares with the loop while curl's callbacks run.
  struct LoopState {
    ConnectionTable connections{};
    bool progressed = false;  ///< Something arrived since the loop last checked.
    /// The transfers without a response so far, and whether any had a response since a connection
    /// was last opened or closed.
    std::size_t unanswered = 0;
    bool newest_connection_answers = false;
    /// Those whose peer has switched protocols, until their transfer ends.
    std::set<CurlExchange*> upgraded{};
    bool connection_closed = false;     ///< Since the loop last looked.
    bool new_connection = false;        ///< One was established since the loop last looked.
    std::set<CurlExchange*> dialing{};  ///< Those whose TLS handshake is bounded and to come.
  };

  CurlExchange(std::shared_ptr<CurlShared> shared, std::shared_ptr<CommandQueue> queue,
               HttpRequest request, std::shared_ptr<ResponseHandler> handler);

  // Called from any thread.
  void resume() override;
  void cancel() override;
  void write(std::string bytes) override;
  /// Connects the exchange to a stop token; call it before the exchange is posted.
  void listen(std::stop_token stop);
  bool cancel_requested() const { return cancel_requested_.load(); }

  // Called only on the I/O thread.

  /// Sets every option of a fresh handle; InvalidArgument for a request that HTTP can't express.
  Result<void> prepare(CURL* easy, LoopState& loop);
  CURL* easy() const { return easy_; }
  /// Called before the handle is removed from the loop: drops the bytes that curl keeps for a
  /// paused handler. libcurl 7.88 leaks them otherwise, or delivers them to the next exchange.
  void discard_kept();
  /// Called when the handle no longer needs the data of prepare().
  void release();

  void begun();
  bool given_to_curl() const { return begun_; }
  /// Called when curl has ended the transfer, before transfer_done(): whether the request is to be
  /// sent again, since the server certainly has not processed it. Removes the handle from `multi`
  /// if it has to find out.
  bool is_to_be_resent(CURLcode code, CURLM* multi);
  /// Called after release(): makes the exchange as it was before prepare().
  void start_again();
  /// Called when curl has ended the transfer. The result is kept while the handler has paused.
  /// Returns true when finish() is to be called with end_result().
  bool transfer_done(CURLcode code);
  Result<void> end_result() const { return *end_; }
  /// Carries out a resume(). Returns true as transfer_done() does.
  bool carry_out_resume();
  /// Carries out a write(): curl asks for bytes again.
  void carry_out_write();
  /// For an upgraded exchange, over TLS: all that a peer has sent before it reset the connection is
  /// read. libcurl fails at the first write that fails, and drops what it has not read by then: a
  /// command that does not take all its input would have no output.
  void read_to_the_end();
  /// For an upgraded exchange: the socket that tells when the peer has ended; CURL_SOCKET_BAD while
  /// the handler has paused.
  curl_socket_t peer_socket() const;
  /// For an upgraded exchange: ends the sending when the peer has ended. libcurl does not: it waits
  /// for the rest of the upload.
  void check_peer();
  /// Calls on_end() and drops the handler and all other objects of the caller.
  void finish(Result<void> result);

  /// Returns when check_deadlines() must run; time_point::max() for never.
  SteadyTime next_deadline() const { return std::min(deadlines_.next(), handshake_end_); }
  /// Whether the TCP connection for this exchange has been made and the TLS handshake may begin.
  bool has_dialed() const;
  /// Begins the time for the handshake, which changes next_deadline().
  void begin_handshake(SteadyTime now);
  /// Returns the timeout that has passed; otherwise std::nullopt, with a new next_deadline().
  std::optional<Error> check_deadlines(SteadyTime now);

  /// Returns the limit on the response's head, until it has arrived.
  std::optional<std::chrono::milliseconds> head_timeout() const { return deadlines_.head(); }

  /// Whether this exchange stops reading from its connection, which HTTP/2 shares.
  bool blocks_shared_connection() const { return curl_paused_ && head_.http2(); }
  const std::shared_ptr<ConnectionHealth>& connection() const { return connection_.get(); }
  /// Whether the exchange is to be resumed on a connection with this material: see
  /// HttpRequest::is_watch.
  bool must_leave_for(const std::shared_ptr<const TlsMaterial>& current) const {
    return request_.is_watch && tls_ != nullptr && tls_ != current;
  }

  /// Returns an error with the method and the URL, without secrets.
  Error error(ErrorCode code, std::string text) const;
  std::string description() const { return printable_request(request_); }

 private:
  struct CancelOnStop {
    CurlExchange* exchange;
    void operator()() const { exchange->cancel(); }
  };

  static std::size_t header_callback(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t body_callback(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t upload_callback(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t upgraded_callback(char* data, std::size_t size, std::size_t count, void* self);
  static int rewind_callback(void* self, curl_off_t offset, int origin);
  static int info_callback(CURL* easy, curl_infotype type, char* data, std::size_t size,
                           void* self);
  static int request_callback(void* self, char* peer, char* local, int peer_port, int local_port);
  static int opened_callback(void* self, curl_socket_t socket, curlsocktype purpose);
  static int closed_callback(void* loop, curl_socket_t socket);

  Result<void> set_url(CURL* easy, bool& https);
  Result<void> set_proxy(CURL* easy, bool https, const std::string& host, std::uint16_t port);
  void set_connection_options(CURL* easy, bool https);
  Result<void> set_headers(CURL* easy);
  bool through_tls_proxy() const { return proxy_url_.starts_with("https://"); }
  void set_method_and_body(CURL* easy);
  void set_upgrade(CURL* easy);

  void answered();
  bool on_header_line(std::string_view line);
  bool has_room_for(std::string_view line);
  std::size_t on_body(std::string_view bytes);
  void deliver(std::string_view bytes);
  void decode(std::string_view bytes);
  void hand_out(std::string_view bytes);
  void on_request_sent(const char* local_ip, int local_port);
  void on_opened(curl_socket_t socket);
  std::optional<Error> check_handshake(SteadyTime now);
  void on_info(std::string_view line);
  bool is_read() const;
  bool may_be_repeated_by_curl() const;
  bool may_lose_body() const;
  bool hand_out_head(ResponseHead head);
  ResponsePart response_part() const;
  ExchangeFailure how_far(CURLcode code) const;
  /// Returns the error of a transfer that curl ended with `code`.
  Error lost(const Error& cause, CURLcode code) const;
  bool has_garbled_proxy() const;
  std::string refusal_of_proxy(CURLcode code) const;  // in words; "" when no proxy has refused
  TlsAlert alert() const { return alert_ ? *alert_ : TlsAlert(); }
  std::string refused_by(CURLcode code) const;  // the server's host; "" for other failures
  void note_established();
  /// The session of the connection; null without TLS.
  ssl_st* tls_session() const;
  void heard_now();
  template <class Call>
  bool guard(const Call& call);

  const std::shared_ptr<CurlShared> shared_;
  const std::shared_ptr<CommandQueue> queue_;
  const bool upgrades_;  // the request wants another protocol

  // Used by any thread.
  std::atomic<bool> cancel_requested_{false};
  // Counts on_data() calls, so that a resume() ends the Pause of its own call and not that of a
  // later one.
  std::atomic<std::uint64_t> deliveries_{0};
  std::atomic<std::uint64_t> resume_after_{0};
  std::atomic<bool> resume_posted_{false};
  OutgoingBytes outgoing_;

  // Set before the exchange is posted; then used only on the I/O thread.
  HttpRequest request_;
  std::shared_ptr<ResponseHandler> handler_;
  std::optional<std::stop_callback<CancelOnStop>> stop_callback_;

  // Used only on the I/O thread.
  struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };
  struct FreeUrl {
    void operator()(CURLU* url) const { curl_url_cleanup(url); }
  };
  CURL* easy_ = nullptr;
  LoopState* loop_ = nullptr;
  bool begun_ = false;
  bool unanswered_ = false;  // counted in loop_->unanswered
  std::unique_ptr<CURLU, FreeUrl> url_;
  std::unique_ptr<curl_slist, FreeList> header_list_;
  std::unique_ptr<curl_slist, FreeList> connect_to_;
  std::string proxy_url_;    // Without password; empty for a direct connection.
  std::string host_header_;  // Set when it differs from the URL given to curl.
  char error_text_[CURL_ERROR_SIZE] = {};
  bool decodes_ = false;  // Compression was offered here, not by the caller.
  std::size_t uploaded_ = 0;

  ResponseHeadParser head_;
  std::optional<GzipDecoder> decoder_;
  std::optional<ResponseHead> withheld_;  // of a response whose body curl may lose, until it comes
  bool by_http1_ = false;                 // sent again, because it was lost
  std::size_t header_bytes_ = 0;          // of the head, or of the trailers after it
  std::optional<Error> failure_;          // Our own error: the handler threw, or too many headers.
  bool paused_ = false;
  bool curl_paused_ = false;
  bool discarding_ = false;
  bool upgraded_ = false;                          // the peer has switched protocols
  bool peer_ended_ = false;                        // and has closed
  curl_socket_t opened_socket_ = CURL_SOCKET_BAD;  // the newest socket of an upgrade
  std::deque<std::string> held_;                   // as they came, which may be compressed
  std::size_t held_bytes_ = 0;
  std::optional<Result<void>> end_;

  std::shared_ptr<const TlsMaterial> tls_;  // Null without TLS to the server and to the proxy.
  std::shared_ptr<TlsAlert> alert_;         // Of the connection; null like tls_.
  ConnectionUse connection_;
  int attempts_ = 0;          // How often curl has begun to send the request.
  bool given_back_ = false;   // curl wanted to send it again, and was not allowed to.
  bool refused_ = false;      // curl has said that the server refused the stream.
  std::uint32_t stream_ = 0;  // The HTTP/2 stream.
  int resent_ = 0;            // How often it was sent again after a refusal.
  long connects_ = 0;         // Connections opened for this request; more than one after a retry.
  // The connections that curl has opened for this attempt; those of several addresses at once.
  std::vector<std::shared_ptr<ConnectionHealth>> dials_;
  bool shakes_hands_ = false;  // Until the request is sent, on the connection it dialed.
  SteadyTime handshake_end_ = SteadyTime::max();
  Deadlines deadlines_;
};

// Runs the handler; returns false when it threw, which ends the exchange.
template <class Call>
bool CurlExchange::guard(const Call& call) {
  const Result<void> called = call_user_code("the response handler", call);
  if (!called) failure_ = called.error().with_context(printable_request(request_));
  return called.has_value();
}

}  // namespace kube::transport
