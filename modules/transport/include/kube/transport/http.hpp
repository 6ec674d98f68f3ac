// SPDX-License-Identifier: Apache-2.0
//
// The values of an HTTP exchange: requests, responses and their headers.
#pragma once

#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kube::transport {

/// Header fields in order; names are compared without regard to case.
/// @par Thread safety   A value.
class Headers {
 public:
  using Field = std::pair<std::string, std::string>;
  using value_type = Field;
  using const_iterator = std::vector<Field>::const_iterator;
  Headers() = default;
  Headers(std::initializer_list<Field> fields) : fields_(fields) {}

  void add(std::string name, std::string value);
  /// Replaces every field of that name.
  void set(std::string_view name, std::string value);
  void remove(std::string_view name);
  /// Returns the first field of that name.
  std::optional<std::string_view> find(std::string_view name) const&;
  std::optional<std::string_view> find(std::string_view name) const&& = delete;  // Name it first.

  const_iterator begin() const& { return fields_.begin(); }
  const_iterator end() const& { return fields_.end(); }
  const_iterator begin() const&& = delete;  // Give the Headers a name first.
  const_iterator end() const&& = delete;    // Give the Headers a name first.
  std::size_t size() const { return fields_.size(); }
  bool empty() const { return fields_.empty(); }

 private:
  std::vector<Field> fields_;
};

struct HttpRequest {
  std::string method = "GET";
  std::string url{};  ///< Absolute: http://host:port/path?query or https://...
  Headers headers{};
  std::string body{};
  /// The protocol to switch to, such as "websocket"; empty: none. The request, without a body, is
  /// sent with HTTP/1.1 on a connection of its own. When the server agrees, the head has the status
  /// 101, the handler gets what the peer sends as it arrives, and Exchange::write() sends. Else the
  /// response is one like any other.
  std::string upgrade{};
  /// The response lasts, and the caller continues where it was cut off. A transport may give it
  /// another connection; it ends with connection_retired() (<kube/transport/
  /// connection_retired.hpp>) when certificates have changed, while others end first.
  bool is_watch = false;

  /// The maximum time of the whole exchange, body included; then it fails with ErrorCode::Timeout.
  /// Unset: no bound, as for watches.
  std::optional<std::chrono::milliseconds> timeout{};
  /// The maximum time without a byte of the head or the body; then the exchange fails with
  /// ErrorCode::Timeout. It does not run while the handler has paused; trailers and chunk
  /// extensions count as silence. Unset: no bound.
  std::optional<std::chrono::milliseconds> idle_timeout{};
  /// The maximum time until the head of the response has arrived; then the exchange fails with
  /// ErrorCode::Timeout. For streams, which have no other bound. A connection that was silent for
  /// that long is not used again. Unset: no bound.
  std::optional<std::chrono::milliseconds> head_timeout{};
};

struct ResponseHead {
  int status = 0;
  Headers headers{};
};

/// Returns "GET https://host/path", for messages (printable_url()). Any thread may call it.
std::string printable_request(const HttpRequest& request);

/// A whole response, for short exchanges.
struct HttpResponse {
  int status = 0;
  Headers headers{};
  std::string body{};
};

}  // namespace kube::transport
