// SPDX-License-Identifier: Apache-2.0
//
// What the embedded server reads from a socket: how the bytes of a request are cut doesn't matter,
// what is not understood yet stays within its bound, and every request has a route or an error.
//
// Input: the length of the pieces (one byte), the bytes of a connection.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/buffer.hpp>

#include "http/request_parser.hpp"
#include "reading/route.hpp"
#include "reading/site_check.hpp"

namespace {

using namespace kube::serving;
namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr std::size_t kBodyLimit = 4096;

void expect(bool holds, int line = __builtin_LINE()) {
  if (holds) return;
  std::fprintf(stderr, "line %d: does not hold\n", line);
  std::abort();
}

// A connection without its socket: reads as Connection does, piece after piece.
class Reader {
 public:
  explicit Reader(std::string_view bytes, std::size_t piece) : left_(bytes), piece_(piece) {}

  /// One line for each request, and one for why there are no more.
  std::vector<std::string> run() {
    while (read_request()) {
    }
    return std::move(seen_);
  }

 private:
  bool read_request() {
    RequestParser parser;
    bound_for_head(buffer_);
    parser.eager(false);
    if (const auto error = read(parser, [&] { return parser.is_header_done(); })) {
      return end(error);
    }
    if (const auto refusal = refuse_head(parser.get())) return refuse(*refusal);
    if (parser.content_length().value_or(0) > kBodyLimit) return say("413");
    parser.body_limit(kBodyLimit);
    bound_for_body(buffer_);
    parser.eager(true);
    if (const auto error = read(parser, [&] { return parser.is_done(); })) return end(error);
    const bool more = parser.get().keep_alive();
    look_at(take_request(parser));
    return more;
  }

  template <class Done>
  boost::beast::error_code read(RequestParser& parser, const Done& done) {
    boost::beast::error_code error = http::error::need_more;
    while (!done()) {
      if (buffer_.size() != 0) {
        buffer_.consume(parser.put(buffer_.data(), error));
        if (error && error != http::error::need_more) return error;
        if (!error) continue;
      }
      if (left_.empty()) return http::error::partial_message;
      if (buffer_.size() == buffer_.max_size()) return http::error::buffer_overflow;
      const std::size_t size = std::min(piece_, left_.size());
      asio::buffer_copy(buffer_.prepare(size), asio::buffer(left_.data(), size));
      buffer_.commit(size);
      left_.remove_prefix(size);
    }
    return {};
  }

  bool end(const boost::beast::error_code& error) {
    const auto refusal = refuse_unreadable(error);
    return refusal ? refuse(*refusal) : say("closed");
  }
  bool refuse(const Refusal& refusal) {
    expect(refusal.status >= 400 && refusal.status < 600 && !refusal.text.empty());
    return say(std::to_string(refusal.status));
  }
  bool say(std::string text) {
    seen_.push_back(std::move(text));
    return false;
  }

  void look_at(const HttpRequest& request) {
    expect(request.body.size() <= kBodyLimit && request.audit_id.size() <= 64);
    expect(!request.method.empty() && !request.target.empty());
    const auto route = parse_route(request.method, request.target);
    if (route) {
      expect(route->path.starts_with('/'));
      (void)read_list_options(route->query, true).has_value();
      (void)read_write_options(route->query, WriteKind::Patch).has_value();
      (void)read_delete_options(route->query, {}).has_value();
      (void)wants_pretty(route->query);
    } else {
      expect(!route.error().message().empty());
    }
    const auto foreign = refuse_foreign_site(request, {"api.example.com"});
    expect(!refuse_foreign_site(request, {"*"}));
    seen_.push_back(request.method + ' ' + request.target + ' ' + request.host + ' ' +
                    request.authorization + (foreign ? " foreign " : " own ") + request.body);
  }

  std::string_view left_;
  const std::size_t piece_;
  boost::beast::flat_buffer buffer_;
  std::vector<std::string> seen_;
};

// What is wrong with a head of which the end has not come is seen sooner or later, depending on the
// pieces: until then it is not whole.
bool same(std::vector<std::string> a, std::vector<std::string> b) {
  const auto unfinished = [](const std::vector<std::string>& seen) {
    return !seen.empty() && seen.back() == "closed";
  };
  if (a.size() == b.size() && (unfinished(a) || unfinished(b))) {
    a.pop_back();
    b.pop_back();
  }
  return a == b;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto whole = Reader(bytes, std::max<std::size_t>(bytes.size(), 1)).run();
  const auto pieces = Reader(bytes, std::size_t{1} + data[0] % 64).run();
  if (same(whole, pieces)) return 0;
  for (const std::string& text : whole) std::fprintf(stderr, "whole: %s\n", text.c_str());
  for (const std::string& text : pieces) std::fprintf(stderr, "in pieces: %s\n", text.c_str());
  std::abort();
}
