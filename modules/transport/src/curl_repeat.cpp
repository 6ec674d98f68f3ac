// SPDX-License-Identifier: Apache-2.0
//
// Which requests are sent a second time. curl repeats a request when the connection that it reused
// turns out to be dead, or when an HTTP/2 server has refused the stream. Only the second is right
// for a write: before the first, the server may have carried it out.
#include <cerrno>
#include <charconv>
#include <optional>
#include <utility>

#include <kube/transport/url.hpp>

#include "curl_error.hpp"
#include "curl_exchange.hpp"
#include "refusal.hpp"

namespace kube::transport {
namespace {

// As often as curl does. A server that refuses each time is overloaded.
constexpr int kResent = 5;

// Returns the number after `label`.
// by text: for on_info()
std::optional<std::uint32_t> number_after(std::string_view line, std::string_view label) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = line.substr(at + label.size());
  std::uint32_t number = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (code != std::errc() || end == digits.data()) return std::nullopt;
  return number;
}

// The status with which a proxy has responded to CONNECT; 0 without one.
long status_of_proxy(CURL* easy) {
  long status = 0;
  if (easy != nullptr) curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &status);
  return status;
}

// The replies of RFC 1928; libcurl has their numbers alone. "" for failures that it explains.
std::string words_for(CURLproxycode why) {
  switch (why) {
    case CURLPX_NO_AUTH:
    case CURLPX_USER_REJECTED:
      return "the SOCKS proxy wants another user and password than those in its URL, if any";
    case CURLPX_REPLY_NOT_ALLOWED:
      return "the rules of the SOCKS proxy do not allow this connection";
    case CURLPX_REPLY_NETWORK_UNREACHABLE:
      return "the SOCKS proxy can't reach the network of the server";
    case CURLPX_REPLY_HOST_UNREACHABLE:
      return "the SOCKS proxy can't reach the server, or does not know its name";
    case CURLPX_REPLY_CONNECTION_REFUSED:
      return "the server refused the connection of the SOCKS proxy";
    case CURLPX_REPLY_TTL_EXPIRED:
      return "the SOCKS proxy can't reach the server in time";
    case CURLPX_REPLY_GENERAL_SERVER_FAILURE:
      return "the SOCKS proxy has failed";
    case CURLPX_REPLY_COMMAND_NOT_SUPPORTED:
    case CURLPX_REPLY_ADDRESS_TYPE_NOT_SUPPORTED:
      return "the SOCKS proxy does not support such connections";
    default:
      return {};
  }
}

}  // namespace

// Those that Go's transport repeats.
bool CurlExchange::is_read() const {
  const std::string& method = request_.method;
  return request_.body.empty() && !upgrades_ &&
         (method == "GET" || method == "HEAD" || method == "OPTIONS");
}

bool CurlExchange::may_be_repeated_by_curl() const {
  const bool incomplete = !request_.body.empty() && uploaded_ == 0;
  return is_read() || incomplete;
}

ExchangeFailure CurlExchange::how_far(CURLcode code) const {
  if (attempts_ > 0) {
    if (code == CURLE_WEIRD_SERVER_REPLY || code == CURLE_UNSUPPORTED_PROTOCOL) {
      return ExchangeFailure::BadResponse;
    }
    const bool unsent = !request_.body.empty() && uploaded_ == 0;
    return unsent ? ExchangeFailure::LostBeforeRequest : ExchangeFailure::LostAfterRequest;
  }
  const bool connected = code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR ||
                         code == CURLE_GOT_NOTHING || code == CURLE_SSL_CONNECT_ERROR;
  const bool refused = status_of_proxy(easy_) >= 300 || has_garbled_proxy();
  return connected && !refused ? ExchangeFailure::LostBeforeRequest : ExchangeFailure::NoConnection;
}

// Before a request is sent, only a proxy has sent header lines.
bool CurlExchange::has_garbled_proxy() const {
  long bytes = 0;
  if (easy_ != nullptr) curl_easy_getinfo(easy_, CURLINFO_HEADER_SIZE, &bytes);
  return attempts_ == 0 && bytes > 0 && status_of_proxy(easy_) == 0;
}

std::string CurlExchange::refusal_of_proxy(CURLcode code) const {
  if (attempts_ > 0 || easy_ == nullptr) return {};
  constexpr int kAuthenticationRequired = 407;
  const long status = status_of_proxy(easy_);
  if (status == kAuthenticationRequired) {
    return "the proxy wants a user and a password (status 407); expected them in its URL, as in "
           "http://user:password@proxy:3128";
  }
  if (status >= 300) {
    return "the proxy does not connect to the server: it responded with status " +
           std::to_string(status);
  }
  if (has_garbled_proxy()) return "the response of the proxy to CONNECT is not HTTP";
  if (code != CURLE_PROXY) return {};
  CURLproxycode why = CURLPX_OK;
  curl_easy_getinfo(easy_, CURLINFO_PROXY_ERROR, &why);
  return words_for(why);
}

std::string CurlExchange::refused_by(CURLcode code) const {
  if (code != CURLE_COULDNT_CONNECT || !proxy_url_.empty() ||
      !shared_->settings.options.unix_socket.empty()) {
    return {};
  }
  long os_error = 0;
  curl_easy_getinfo(easy_, CURLINFO_OS_ERRNO, &os_error);
  if (os_error != ECONNREFUSED) return {};
  const Result<Url> url = parse_url(request_.url);
  return url ? url->authority : std::string();
}

// Returns the error with what it went through, and with how far the request had come.
Error CurlExchange::lost(const Error& cause, CURLcode code) const {
  const std::string& socket = shared_->settings.options.unix_socket;
  std::string text = proxy_url_.empty() ? "" : "through the proxy " + proxy_url_ + ": ";
  if (!socket.empty()) text = "through the unix socket " + socket + ": ";
  const std::string refusal = refusal_of_proxy(code);
  text += refusal.empty() ? cause.message() : refusal;
  // Whatever the code, a request that was sent may have been carried out; not one whose handshake
  // was refused, which TLS 1.3 clients learn after they have sent it.
  const bool refused = cause.code() == ErrorCode::Credentials;
  const ExchangeFailure how = refused ? ExchangeFailure::NoConnection : how_far(code);
  return with_exchange_failure(error(cause.code(), std::move(text)),
                               exchange_failure(cause).value_or(how), refused_by(code));
}

int CurlExchange::request_callback(void* self, char* /*peer*/, char* local, int /*peer_port*/,
                                   int local_port) {
  auto& exchange = *static_cast<CurlExchange*>(self);
  if (exchange.attempts_ > 0 && !exchange.may_be_repeated_by_curl()) {
    exchange.given_back_ = true;
    return CURL_PREREQFUNC_ABORT;
  }
  ++exchange.attempts_;
  exchange.shakes_hands_ = false;
  exchange.loop_->dialing.erase(&exchange);
  exchange.dials_.clear();
  exchange.refused_ = false;
  exchange.stream_ = 0;
  exchange.on_request_sent(local, local_port);
  return CURL_PREREQFUNC_OK;
}

int CurlExchange::opened_callback(void* self, curl_socket_t socket, curlsocktype /*purpose*/) {
  auto& exchange = *static_cast<CurlExchange*>(self);
  if (exchange.attempts_ > 0 && !exchange.may_be_repeated_by_curl()) {
    exchange.given_back_ = true;
    return CURL_SOCKOPT_ERROR;
  }
  exchange.on_opened(socket);
  return CURL_SOCKOPT_OK;
}

int CurlExchange::info_callback(CURL* /*easy*/, curl_infotype type, char* data, std::size_t size,
                                void* self) {
  if (type == CURLINFO_TEXT) static_cast<CurlExchange*>(self)->on_info({data, size});
  return 0;
}

// libcurl reports the stream of a request, and a GOAWAY, only in the text of its log. Where another
// version writes another text, a refusal is an error as before: such a request is not sent again.
// by text: there is no other sign
void CurlExchange::on_info(std::string_view line) {
  if (line.starts_with("REFUSED_STREAM")) refused_ = true;
  if (line.starts_with("Using Stream ID")) stream_ = number_after(line, "ID: ").value_or(0);
  if (line.find("GOAWAY, error=") == std::string_view::npos || !connection()) return;
  if (const auto last = number_after(line, "last_stream=")) connection()->last_stream = last;
}

// A server that refuses a request at its head, without a look at its body, sends the response and
// then resets the stream without an error (RFC 9113, 8.1), as Go's does. libcurl 7.88 loses the
// body of such a response, often without an error, when it has not sent the request to its end: the
// caller learns that the request was refused, and not why. By HTTP/1.1 nothing is lost, so the
// request is sent once more that way, as long as curl has not taken its body to the end: a server
// that has only a part of it has not carried it out. Not where the head says when to ask again.
bool CurlExchange::may_lose_body() const {
  constexpr int kRequestTimeout = 408;
  constexpr int kTooManyRequests = 429;
  const int status = head_.status();
  return head_.http2() && tls_ != nullptr && !by_http1_ && uploaded_ < request_.body.size() &&
         status >= 400 && status < 500 && status != kRequestTimeout && status != kTooManyRequests;
}

bool CurlExchange::is_to_be_resent(CURLcode code, CURLM* multi) {
  if (withheld_ && !by_http1_ && !failure_ && !cancel_requested_) {
    by_http1_ = uploaded_ < request_.body.size() &&
                withheld_->headers.find("Content-Length").value_or("") != "0";
    if (by_http1_) return true;
  }
  if (code == CURLE_OK) return false;
  if (failure_ || cancel_requested_ || upgrades_ || attempts_ == 0 || head_.complete()) {
    return false;
  }
  const bool above = connection() && connection()->last_stream && stream_ != 0 &&
                     stream_ > *connection()->last_stream;
  // curl repeats a read that was refused, but not one above the last stream.
  if (may_be_repeated_by_curl()) return above && !refused_ && ++resent_ == 1;
  if (!refused_ && !above && given_back_) {
    curl_multi_remove_handle(multi, easy_);
    refused_ = remembers_refusal(easy_);
  }
  if (!refused_ && !above) return false;
  if (++resent_ <= kResent) return true;
  failure_ = with_exchange_failure(
      error(ErrorCode::Unreachable, "the server refused the HTTP/2 stream " +
                                        std::to_string(resent_) +
                                        " times; the request was not carried out"),
      ExchangeFailure::LostBeforeRequest);
  return false;
}

void CurlExchange::start_again() {
  begun_ = refused_ = given_back_ = shakes_hands_ = false;
  attempts_ = 0;
  stream_ = 0;
  connects_ = 0;
  uploaded_ = 0;
  head_ = {};
  header_bytes_ = 0;
  decoder_.reset();
  error_text_[0] = '\0';
  host_header_.clear();
  proxy_url_.clear();
}

}  // namespace kube::transport
