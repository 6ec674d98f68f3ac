// SPDX-License-Identifier: Apache-2.0
#include "http/request_parser.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <boost/beast/core/string.hpp>

namespace kube::serving {

namespace beast = boost::beast;
namespace http = boost::beast::http;

namespace {

constexpr Refusal kBadRequest{400, "Bad Request"};

std::string copy(beast::string_view text) {
  return {text.data(), text.size()};
}

// Whether a body has a coding that is not supported. As in Go's server, that is anything but a
// single "chunked": requests are smuggled through two readers that see a body end at different
// places.
bool has_foreign_coding(const http::request_header<>& head) {
  return head.count(http::field::transfer_encoding) > 1 ||
         !beast::iequals(head[http::field::transfer_encoding], "chunked");
}

}  // namespace

RequestParser::RequestParser() {
  header_limit(kMaxHead);
  // The real limit is set when the head is known, so that the response is a Kubernetes Status.
  body_limit(std::numeric_limits<std::uint64_t>::max());
}

void RequestParser::on_field_impl(http::field field, beast::string_view name,
                                  beast::string_view value, beast::error_code& error) {
  if (name.size() > kMaxField || value.size() > kMaxField) {
    error = http::error::header_limit;
    return;
  }
  if (!is_header_done()) get().insert(field, name, value);
}

void RequestParser::on_chunk_header_impl(std::uint64_t, beast::string_view extensions,
                                         beast::error_code& error) {
  extensions_ += extensions.size();
  if (extensions_ > kMaxExtensions) error = http::error::header_limit;
}

void bound_for_head(beast::flat_buffer& buffer) {
  // More than a head may have, so that the parser refuses one that is too long.
  buffer.max_size(kMaxHead + kMaxUnreadBody);
}

bool has_whole_head(const beast::flat_buffer& buffer) {
  const auto bytes = buffer.cdata();
  std::string_view text(static_cast<const char*>(bytes.data()), bytes.size());
  // Empty lines before a request do not end it.
  text.remove_prefix(std::min(text.find_first_not_of("\r\n"), text.size()));
  return text.find("\r\n\r\n") != std::string_view::npos;
}

void bound_for_body(beast::flat_buffer& buffer) {
  // Bytes that arrived with the head are already in the buffer.
  buffer.max_size(std::max(buffer.size(), kMaxUnreadBody));
}

std::optional<Refusal> refuse_head(const http::request_header<>& head) {
  const bool is_old = head.version() < 11;
  // Host: RFC 9112, 3.2.
  const auto hosts = head.count(http::field::host);
  if (hosts > 1) return Refusal{400, "Bad Request: too many Host headers"};
  if (hosts == 0 && !is_old && head.method() != http::verb::connect) {
    return Refusal{400, "Bad Request: missing required Host header"};
  }
  // These headers are read once, to see which page sent the request: of two, the second might name
  // another page.
  if (head.count(http::field::origin) > 1)
    return Refusal{400, "Bad Request: too many Origin headers"};
  if (head.count("Sec-Fetch-Site") > 1)
    return Refusal{400, "Bad Request: too many Sec-Fetch-Site headers"};
  if (head.count(http::field::transfer_encoding) != 0) {
    // HTTP/1.0 has no chunks: a proxy has not understood the body (RFC 9112, 6.1).
    if (is_old) return Refusal{400, "Bad Request: Transfer-Encoding in HTTP/1.0"};
    if (has_foreign_coding(head)) return Refusal{501, "Unsupported transfer encoding"};
  }
  if (!is_old && head.count(http::field::expect) != 0 && !expects_continue(head)) {
    return Refusal{417, "Expectation Failed"};
  }
  return std::nullopt;
}

std::optional<Refusal> refuse_unreadable(const beast::error_code& error) {
  if (error == http::error::header_limit) return Refusal{431, "Request Header Fields Too Large"};
  if (error == http::error::buffer_overflow) {
    return Refusal{431, "Request Header Fields Too Large: between the chunks or in the trailer"};
  }
  const bool is_malformed =
      error.category() == http::make_error_code(http::error::bad_method).category() &&
      error != http::error::end_of_stream && error != http::error::partial_message;
  return is_malformed ? std::optional(kBadRequest) : std::nullopt;
}

bool expects_continue(const http::request_header<>& head) {
  return head.version() >= 11 && beast::iequals(head[http::field::expect], "100-continue");
}

HttpRequest take_request(RequestParser& parser) {
  auto message = parser.release();
  HttpRequest out;
  out.method = copy(message.method_string());
  out.target = copy(message.target());
  out.accept = copy(message[http::field::accept]);
  out.content_type = copy(message[http::field::content_type]);
  out.authorization = copy(message[http::field::authorization]);
  out.cluster_authorization = copy(message["Cluster-Authorization"]);
  out.user_agent = copy(message[http::field::user_agent]);
  out.if_none_match = copy(message[http::field::if_none_match]);
  out.audit_id = copy(message["Audit-ID"]).substr(0, 64);
  out.host = copy(message[http::field::host]);
  out.origin = copy(message[http::field::origin]);
  out.fetch_site = copy(message["Sec-Fetch-Site"]);
  for (const auto& field : message) {
    const beast::string_view prefix("impersonate-");
    if (!beast::iequals(field.name_string().substr(0, prefix.size()), prefix)) continue;
    out.impersonation.emplace_back(copy(field.name_string()), copy(field.value()));
  }
  out.body = std::move(message.body());
  return out;
}

}  // namespace kube::serving
