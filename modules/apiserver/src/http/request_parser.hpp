// SPDX-License-Identifier: Apache-2.0
//
// Requests as they are read from a socket: Boost's parser, with bounds on what it leaves open, and
// what of a head is refused before anybody looks at what the request wants.
#pragma once

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstddef>
#include <optional>
#include <string_view>

#include "requests/http_message.hpp"

namespace kube::apiserver {

/// The line and the fields of a request together, as Go's server allows.
inline constexpr std::size_t kMaxHead = std::size_t{1} << 20U;

/// Bytes that are read but not understood yet; what a request may make them wait for is bounded by
/// this. Fields behind a body must fit, as must the line in front of a chunk.
inline constexpr std::size_t kMaxUnreadBody = std::size_t{64} << 10U;

/// What is refused with http::error::header_limit:
/// - names and values of fields that Boost could not hold: it keeps lengths in 16 bits, and a
///   longer one would be an exception in the middle of reading;
/// - more chunk extensions than anybody needs.
/// The fields behind a body are read and forgotten. They are no fields of the request (RFC 9110,
/// 6.5.1): nobody may log in, or change what is accepted, by what comes behind the body.
class RequestParser final
    : public boost::beast::http::request_parser<boost::beast::http::string_body> {
 public:
  /// Bytes of a field's name, and of its value.
  static constexpr std::size_t kMaxField = 65'533;
  /// Bytes of all extensions of a body's chunks together.
  static constexpr std::size_t kMaxExtensions = std::size_t{16} << 10U;

  RequestParser();

 private:
  void on_field_impl(boost::beast::http::field field, boost::beast::string_view name,
                     boost::beast::string_view value, boost::beast::error_code& error) override;
  void on_chunk_header_impl(std::uint64_t size, boost::beast::string_view extensions,
                            boost::beast::error_code& error) override;

  std::size_t extensions_ = 0;
};

/// Whether there is a line behind the last field in it.
bool has_whole_head(const boost::beast::flat_buffer& buffer);

/// Makes a buffer hold what a head or a body may need, and no more.
void bound_for_head(boost::beast::flat_buffer& buffer);
void bound_for_body(boost::beast::flat_buffer& buffer);

/// An answer of one line.
struct Refusal {
  int status;
  std::string_view text;
};

/// What is wrong with how a head says where its message ends and whom it is for.
std::optional<Refusal> refuse_head(const boost::beast::http::request_header<>& head);
/// The answer to a request that can't be read; nothing when its connection broke.
std::optional<Refusal> refuse_unreadable(const boost::beast::error_code& error);
/// Whether the client waits for a "100 Continue" before it sends the body.
bool expects_continue(const boost::beast::http::request_header<>& head);

/// The request as handlers see it.
/// @pre The parser is done. It is empty afterwards.
HttpRequest take_request(RequestParser& parser);

}  // namespace kube::apiserver
