// SPDX-License-Identifier: Apache-2.0
//
// Sets curl's options for one request. The rest of CurlExchange is in curl_exchange.cpp.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <kube/base/ascii.hpp>

#include "curl_exchange.hpp"

namespace kube::transport {
namespace {

struct CurlFree {
  void operator()(char* text) const { curl_free(text); }
};

std::string url_part(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, CurlFree> owner(text);
  return text;
}

// Whether the text is a token of RFC 9110, as methods and header names must be.
bool is_token(std::string_view text) {
  static constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return ascii::is_alnum(c) || kMarks.find(c) != std::string_view::npos;
  });
}

bool is_header_value(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

std::string without_brackets(std::string_view host) {
  if (host.size() > 2 && host.front() == '[') return std::string(host.substr(1, host.size() - 2));
  return std::string(host);
}

// Appends to the list; leaves it unchanged when memory runs out, which curl then reports.
template <class List>
void append(List& list, const std::string& line) {
  if (curl_slist* longer = curl_slist_append(list.get(), line.c_str())) {
    (void)list.release();
    list.reset(longer);
  }
}

long in_seconds(std::chrono::milliseconds time) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(time);
  return static_cast<long>(std::max<std::chrono::seconds::rep>(seconds.count(), 1));
}

// curl's keep-alive tries nine times, at least a minute apart, before it gives up a dead peer. Ours
// notices after one and a half periods, as client-go's HTTP/2 pings do (30 s and 15 s), whether the
// connection is idle or waits for the acknowledgment of sent data.
void keep_alive(curl_socket_t socket, std::chrono::milliseconds period) {
  if (period.count() <= 0) return;
  constexpr int kProbes = 3;
  const int interval = static_cast<int>(in_seconds(period / (2 * kProbes)));
  const auto unacknowledged = static_cast<unsigned>((period + period / 2).count());
  // No effect on a unix socket.
  (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &kProbes, sizeof kProbes);
  (void)setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &unacknowledged, sizeof unacknowledged);
}

// libcurl before 8.0 starts HTTP/2 a second time on such a connection, which breaks it
// (curl issue 10634).
bool reuses_prior_knowledge_connections() {
  return curl_version_info(CURLVERSION_NOW)->version_num >= 0x080000;
}

}  // namespace

Result<void> CurlExchange::prepare(CURL* easy, LoopState& loop) {
  loop_ = &loop;
  bool https = false;
  if (Result<void> url = set_url(easy, https); !url) return url;
  if (!is_token(request_.method)) {
    return error(ErrorCode::InvalidArgument, "the method is not an HTTP token");
  }
  if (request_.method == "HEAD" && !request_.body.empty()) {
    return error(ErrorCode::InvalidArgument, "a HEAD request has no body");
  }
  if (upgrades_ && (!request_.body.empty() || !is_token(request_.upgrade))) {
    return error(ErrorCode::InvalidArgument,
                 "expected the name of a protocol to switch to, and no body");
  }
  set_connection_options(easy, https);
  set_method_and_body(easy);
  if (Result<void> headers = set_headers(easy); !headers) return headers;

  easy_ = easy;
  curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text_);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, header_callback);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body_callback);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, request_callback);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, this);
  if (https) {
    curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
    curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, info_callback);
    curl_easy_setopt(easy, CURLOPT_DEBUGDATA, this);
  }
  return {};
}

Result<void> CurlExchange::set_url(CURL* easy, bool& https) {
  url_.reset(curl_url());
  // The server interprets the path, including dots. A user would hide which host the URL names.
  const CURLUcode parsed = curl_url_set(url_.get(), CURLUPART_URL, request_.url.c_str(),
                                        CURLU_PATH_AS_IS | CURLU_DISALLOW_USER);
  if (parsed == CURLUE_USER_NOT_ALLOWED) {
    return error(ErrorCode::InvalidArgument,
                 "expected a URL like https://host:port/path, without a user or password");
  }
  const std::string scheme = url_part(url_.get(), CURLUPART_SCHEME);
  https = scheme == "https";
  if (https) tls_ = shared_->settings.tls->current();
  if (parsed != CURLUE_OK || (!https && scheme != "http")) {
    return error(ErrorCode::InvalidArgument, "expected a URL like https://host:port/path");
  }
  const std::string host = url_part(url_.get(), CURLUPART_HOST);
  const std::string port = url_part(url_.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);

  std::uint16_t port_number = 0;
  std::from_chars(port.data(), port.data() + port.size(), port_number);
  if (Result<void> proxy = set_proxy(easy, https, without_brackets(host), port_number); !proxy) {
    return proxy;
  }

  // curl takes the name to request and to verify from the URL. So the URL gets that name, and the
  // connection and the Host header keep the real one.
  const std::string name = https ? tls_->server_name() : std::string();
  if (!name.empty() && !ascii::equal_ignoring_case(name, host)) {
    const std::string explicit_port = url_part(url_.get(), CURLUPART_PORT);
    host_header_ = explicit_port.empty() ? host : host + ":" + explicit_port;
    const std::string url_host = name.find(':') == std::string::npos ? name : "[" + name + "]";
    if (curl_url_set(url_.get(), CURLUPART_HOST, url_host.c_str(), 0) != CURLUE_OK) {
      return error(ErrorCode::InvalidArgument, "the TLS server name is not a host name: " + name);
    }
    append(connect_to_, "::" + host + ":" + port);
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, connect_to_.get());
  }
  curl_easy_setopt(easy, CURLOPT_CURLU, url_.get());
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  return {};
}

// curl's messages quote the URL of a proxy that it can't use, so the password must not be in it.
Result<void> CurlExchange::set_proxy(CURL* easy, bool https, const std::string& host,
                                     std::uint16_t port) {
  const CurlSettings& settings = shared_->settings;
  const bool direct = !settings.options.unix_socket.empty();
  const Result<const Proxy*> proxy =
      direct ? Result<const Proxy*>(nullptr) : settings.proxy.proxy_for(https, host, port);
  if (!proxy) return error(proxy.error().code(), proxy.error().message());
  // This overrides the environment.
  if (*proxy != nullptr) proxy_url_ = (*proxy)->url;
  if (through_tls_proxy()) tls_ = settings.tls->current();
  curl_easy_setopt(easy, CURLOPT_PROXY, proxy_url_.c_str());
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
  if (*proxy != nullptr && (*proxy)->has_credentials) {
    curl_easy_setopt(easy, CURLOPT_PROXYUSERNAME, (*proxy)->user.c_str());
    curl_easy_setopt(easy, CURLOPT_PROXYPASSWORD, (*proxy)->password.reveal().c_str());
  }
  return {};
}

void CurlExchange::set_connection_options(CURL* easy, bool https) {
  const CurlTransport::Options& options = shared_->settings.options;
  const auto milliseconds = [](std::chrono::milliseconds time) {
    return static_cast<long>(std::max<std::chrono::milliseconds::rep>(time.count(), 1));
  };
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(options.connect_timeout));
  // Without it, giving up on a slow name server would block every other exchange.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, static_cast<long>(options.receive_buffer_bytes));
  curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
  if (options.keep_alive.count() > 0) {
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, in_seconds(options.keep_alive));
  }
  curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, opened_callback);
  curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, this);
  // The connection outlives the exchange, so the callback's argument must outlive both.
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, closed_callback);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, loop_);
  if (!options.unix_socket.empty()) {
    curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, options.unix_socket.c_str());
  }

  long version = CURL_HTTP_VERSION_1_1;
  if (https && options.http2 && !upgrades_ && !by_http1_) version = CURL_HTTP_VERSION_2TLS;
  if (!https && options.http2_prior_knowledge && !upgrades_) {
    version = CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
    if (!reuses_prior_knowledge_connections()) {
      curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
      curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    }
  }
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, version);
  // Wait for a connection that is being made instead of opening one for each request.
  curl_easy_setopt(easy, CURLOPT_PIPEWAIT, version == CURL_HTTP_VERSION_1_1 ? 0L : 1L);
  if (!tls_) return;
  tls_->apply(easy);
  alert_ = std::make_shared<TlsAlert>();
  note_alerts(easy, &alert_);
}

void CurlExchange::on_opened(curl_socket_t socket) {
  opened_socket_ = socket;
  auto connection = loop_->connections.opened(socket, tls_, shared_->now());
  loop_->newest_connection_answers = false;
  keep_alive(socket, shared_->settings.options.keep_alive);
  if (!tls_ || !proxy_url_.empty()) return;
  dials_.push_back(std::move(connection));
  loop_->dialing.insert(this);
}

int CurlExchange::closed_callback(void* loop, curl_socket_t socket) {
  auto& state = *static_cast<LoopState*>(loop);
  state.connections.closed(socket);
  state.newest_connection_answers = false;  // the newest may have been closed
  state.connection_closed = true;
  return ::close(socket);
}

void CurlExchange::set_method_and_body(CURL* easy) {
  const std::string& method = request_.method;
  const bool sends_length = method == "POST" || method == "PUT" || method == "PATCH";
  if (upgrades_) {
    set_upgrade(easy);
    return;
  }
  if (method == "HEAD") {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    return;
  }
  if (!request_.body.empty()) {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request_.body.size()));
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, upload_callback);
    curl_easy_setopt(easy, CURLOPT_READDATA, this);
    curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, rewind_callback);
    curl_easy_setopt(easy, CURLOPT_SEEKDATA, this);
  } else if (sends_length) {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, 0L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, "");
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
}

Result<void> CurlExchange::set_headers(CURL* easy) {
  for (const Headers::Field& field : request_.headers) {
    if (!is_token(field.first)) {
      return error(ErrorCode::InvalidArgument, "a header's name is not an HTTP token");
    }
    if (!is_header_value(field.second)) {
      return error(ErrorCode::InvalidArgument,
                   "the value of header " + field.first + " contains a line break");
    }
    // curl's way to express an empty value; "Name:" would remove a header of its own.
    append(header_list_,
           field.second.empty() ? field.first + ";" : field.first + ": " + field.second);
  }
  // Only the caller's headers are sent.
  for (const char* own : {"Accept", "Content-Type", "Expect"}) {
    if (!request_.headers.find(own)) append(header_list_, std::string(own) + ":");
  }
  if (upgrades_) {
    append(header_list_, "Connection: Upgrade");
    append(header_list_, "Upgrade: " + request_.upgrade);
    append(header_list_, "Transfer-Encoding:");  // removes curl's: the bytes of write() are raw
  }
  if (!host_header_.empty() && !request_.headers.find("Host")) {
    append(header_list_, "Host: " + host_header_);
  }
  // As Go does: a caller that names codings itself receives the bytes undecoded.
  decodes_ = shared_->settings.options.compression && request_.method != "HEAD" && !upgrades_ &&
             !request_.headers.find("Accept-Encoding");
  if (decodes_) append(header_list_, "Accept-Encoding: gzip");
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, header_list_.get());
  return {};
}

}  // namespace kube::transport
