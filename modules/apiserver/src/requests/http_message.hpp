// SPDX-License-Identifier: Apache-2.0
//
// Requests and responses as handlers see them: no sockets, no framing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kube::apiserver {

class WatchSession;

struct HttpRequest {
  std::string method{};  ///< "GET", ...
  std::string target{};  ///< Path and query, as sent.
  std::string accept{};
  std::string content_type{};
  std::string authorization{};
  std::string user_agent{};
  std::string if_none_match{};
  std::string audit_id{};
  std::string body{};
  std::string host{};
  std::string origin{};
  std::string fetch_site{};  ///< Sec-Fetch-Site, which browsers send.
};

/// A body that is produced while it is sent.
class BodySource {
 public:
  virtual ~BodySource() = default;
  /// Appends about `size` bytes more; returns false after the last ones.
  virtual bool next(std::size_t size, std::string& out) = 0;
};

struct HttpResponse {
  int status = 200;
  std::string content_type{};
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};

  /// At most one of them is set; then `body` is empty.
  std::unique_ptr<BodySource> stream{};
  std::shared_ptr<WatchSession> watch{};
  /// When set, there is no response yet: call again when the store has this revision, or when the
  /// time to wait is over.
  std::optional<std::uint64_t> await_revision{};
};

}  // namespace kube::apiserver
