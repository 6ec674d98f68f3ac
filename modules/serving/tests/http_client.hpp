// SPDX-License-Identifier: Apache-2.0
//
// A small HTTP/1.1 client for tests: blocking, with a deadline on every read, and with access to
// the raw bytes for malformed requests.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/json/value.hpp>
#include <kube/testing/eventually.hpp>

namespace kube::serving::test {

using kube::testing::kPatience;
using Headers = std::vector<std::pair<std::string, std::string>>;

struct Answer {
  int status = 0;
  /// Names in lower case; values of one name joined with ", ".
  std::map<std::string, std::string> headers{};
  std::string body{};
  bool complete = false;  ///< Ended as its head announced.

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
  /// Null when the body is not JSON.
  json::Value json() const;
  /// The text or number at a path of members, as text; "" when absent.
  std::string at(std::initializer_list<std::string_view> path) const;
};

/// The text or number at a path, as text; "" when absent.
std::string text_at_path(const json::Value& value, std::initializer_list<std::string_view> path);

/// A connection. Reads that take longer than kPatience throw.
class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  Answer send(std::string_view method, std::string_view target, std::string_view body = {},
              const Headers& headers = {});

  void write(std::string_view bytes);
  Answer read_answer();
  /// The head only; the body is read by read_chunk().
  Answer read_head();
  /// The next chunk of a chunked body; empty after the last one, or when the connection broke (then
  /// broken() is true).
  std::optional<std::string> read_chunk();
  /// Waits until the other side has closed; false when bytes arrived or the time is over.
  bool closed_by_peer();
  bool broken() const { return broken_; }
  /// Makes this client slow: a small receive buffer.
  void shrink_receive_buffer();
  void shut_down();
  /// Closes the sending side; the client still receives.
  void finish_writing();

 private:
  bool fill();
  std::string read_line();
  std::string read_exactly(std::size_t size);

  int socket_ = -1;
  std::string buffer_;
  bool broken_ = false;
};

/// Whether nobody listens on a port of this machine (any more).
bool refuses_connections(std::uint16_t port);

/// A watch that is read event by event.
class WatchClient {
 public:
  WatchClient(std::uint16_t port, std::string_view target, const Headers& headers = {},
              bool slow = false);

  const Answer& head() const { return head_; }
  /// The next event; empty when the stream has ended. Throws when none arrives in time.
  std::optional<json::Value> next();
  /// Type and name of the next event, such as "ADDED a"; "END" or "BROKEN" when there is none.
  std::string next_text();
  /// Whether the stream ended with its last chunk, between two documents.
  bool ended_cleanly() const { return ended_ && !client_.broken() && buffer_.empty(); }
  HttpClient& client() { return client_; }

 private:
  HttpClient client_;
  Answer head_;
  std::string buffer_;
  bool ended_ = false;
};

}  // namespace kube::serving::test
