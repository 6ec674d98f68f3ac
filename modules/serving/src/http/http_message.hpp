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

#include <kube/base/executor.hpp>

#include "http/waker.hpp"

namespace kube::serving {

struct HttpRequest {
  std::string method{};  ///< "GET", ...
  std::string target{};  ///< Path and query, as sent.
  std::string accept{};
  std::string content_type{};
  std::string authorization{};
  /// Cluster-Authorization: for a cluster that the request is passed on to.
  std::string cluster_authorization{};
  std::string user_agent{};
  std::string if_none_match{};
  std::string audit_id{};
  std::string body{};
  std::string host{};
  std::string origin{};
  std::string fetch_site{};  ///< Sec-Fetch-Site, which browsers send.
  /// The header fields Impersonate-User, -Uid, -Group and -Extra-..., as sent and in their order.
  std::vector<std::pair<std::string, std::string>> impersonation{};
  /// After a response that waited: AwaitedRevision::state.
  std::shared_ptr<RevisionSource> awaited{};
};

/// Bytes that are sent from where they lie, and what keeps them there; null for constants.
struct Slice {
  std::string_view bytes{};
  std::shared_ptr<const void> owner{};
};

/// A text, and bytes of others that come in it at some offsets, in ascending order.
struct Body {
  struct Insert {
    std::size_t at;  ///< In `text`.
    Slice slice;
  };
  std::string text{};
  std::vector<Insert> inserts{};

  Body() = default;
  Body(std::string whole) : text(std::move(whole)) {}  // implicit on purpose
  void insert(Slice slice) {
    inserted_ += slice.bytes.size();
    inserts.push_back({text.size(), std::move(slice)});
  }
  std::size_t size() const { return text.size() + inserted_; }
  /// Keeps the memory of the text.
  void clear() {
    text.clear();
    inserts.clear();
    inserted_ = 0;
  }
  /// Copies all into the text.
  void flatten();

 private:
  std::size_t inserted_ = 0;
};

/// A body that is produced while it is sent.
class BodySource {
 public:
  enum class State {
    More,  ///< Call again when the bytes are sent.
    End,   ///< These were the last bytes.
    Lost,  ///< The rest can't be had: the client must see that the body is not whole.
  };

  virtual ~BodySource() = default;
  /// Appends about `size` bytes more.
  virtual State next(std::size_t size, Body& out) = 0;
};

/// A body without an end, of bytes that come when something happens.
///
/// @par Thread safety   attach(), pump() and the destructor: one thread at a time. end() and
///   ending(): any thread.
class WatchSource {
 public:
  enum class State {
    Data,  ///< `out` has bytes; call again when they are sent.
    Idle,  ///< Nothing to send; call again after a wake.
    End,   ///< The body ends after the bytes in `out`.
  };

  virtual ~WatchSource() = default;
  /// Starts the timers; `wake` is called, on any thread, when pump() may have new bytes.
  virtual void attach(Executor& timers, std::function<void()> wake) = 0;
  /// @pre `out` is empty.
  virtual State pump(std::vector<Slice>& out) = 0;
  /// Sends a bookmark, if the client has asked for them, after all events so far.
  virtual void bookmark() = 0;
  /// Ends the body cleanly at the next pump().
  virtual void end() = 0;
  virtual bool ending() const = 0;
};

/// A revision to wait for.
struct AwaitedRevision {
  RevisionSource* source = nullptr;
  std::uint64_t revision = 0;
  /// HttpRequest::awaited of the next call.
  std::shared_ptr<RevisionSource> state{};
  std::optional<Duration> timeout{};  ///< Empty: that of the server.
  /// It is under way: the server's stop waits for it. A revision may never come.
  bool is_work = false;
};

struct HttpResponse {
  int status = 200;
  std::string content_type{};
  std::vector<std::pair<std::string, std::string>> headers{};
  Body body{};

  /// At most one of them is set; then `body` is empty.
  std::unique_ptr<BodySource> stream{};
  std::shared_ptr<WatchSource> watch{};
  /// When set, there is no response yet: call again when the source has this revision, or when the
  /// time to wait is over.
  std::optional<AwaitedRevision> await_revision{};
};

HttpResponse text_response(int status, std::string text);

}  // namespace kube::serving
