// SPDX-License-Identifier: Apache-2.0
//
// Requests as they are read from a socket: Boost's parser, with limits that it does not have, and
// the checks of a head that come before any other.
#pragma once

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstddef>
#include <optional>
#include <string_view>

#include "http/http_message.hpp"

namespace kube::serving {

/// The request line and the fields of a request together, as in Go's server.
inline constexpr std::size_t kMaxHead = std::size_t{1} << 20U;

/// The maximum of bytes that are read but not parsed. The trailer fields of a body and the line
/// before a chunk must fit.
inline constexpr std::size_t kMaxUnreadBody = std::size_t{64} << 10U;

/// Fails with http::error::header_limit for
/// - names and values of fields that Boost could not hold: it keeps lengths in 16 bits, and a
///   longer one would throw in the middle of reading;
/// - more chunk extensions than a client needs.
/// The trailer fields of a body are read and dropped. They are not fields of the request (RFC 9110,
/// 6.5.1): they must not authenticate a user or change what is accepted.
class RequestParser final
    : public boost::beast::http::request_parser<boost::beast::http::string_body> {
 public:
  /// Maximum bytes of a field's name, and of its value.
  static constexpr std::size_t kMaxField = 65'533;
  /// Maximum bytes of all extensions of a body's chunks together.
  static constexpr std::size_t kMaxExtensions = std::size_t{16} << 10U;

  RequestParser();

 private:
  void on_field_impl(boost::beast::http::field field, boost::beast::string_view name,
                     boost::beast::string_view value, boost::beast::error_code& error) override;
  void on_chunk_header_impl(std::uint64_t size, boost::beast::string_view extensions,
                            boost::beast::error_code& error) override;

  std::size_t extensions_ = 0;
};

/// Whether the buffer has the empty line that ends a head.
bool has_whole_head(const boost::beast::flat_buffer& buffer);

/// Limits a buffer to what a head or a body may need.
void bound_for_head(boost::beast::flat_buffer& buffer);
void bound_for_body(boost::beast::flat_buffer& buffer);

/// A response of one line.
struct Refusal {
  int status;
  std::string_view text;
};

/// Returns an error when a head is wrong about where its message ends or which host it is for.
std::optional<Refusal> refuse_head(const boost::beast::http::request_header<>& head);
/// The response to a request that can't be read; empty when its connection broke.
std::optional<Refusal> refuse_unreadable(const boost::beast::error_code& error);
/// Whether the client waits for a "100 Continue" before it sends the body.
bool expects_continue(const boost::beast::http::request_header<>& head);

/// Returns the request as handlers see it.
/// @pre The parser is done. It is empty afterwards.
HttpRequest take_request(RequestParser& parser);

}  // namespace kube::serving
