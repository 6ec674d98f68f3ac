// SPDX-License-Identifier: Apache-2.0
//
// kube::testing::ScriptedTransport: a RoundTripper whose server is the test. No socket, no thread
// of its own, no sleep: the test takes each request and says what comes back, byte for byte, and
// when.
//
// Two ways to answer, which mix freely:
//
//   // 1. One request after the other, for code that runs in another thread or on an executor.
//   auto transport = std::make_shared<ScriptedTransport>();
//   std::jthread user([&](std::stop_token stop) {
//     auto pods = round_trip(*transport, {.url = "http://server/api/v1/pods"}, stop);
//     EXPECT_FALSE(pods);
//   });
//   ScriptedCall call = transport->await_request().value();
//   EXPECT_EQ(call.path(), "/api/v1/pods");
//   call.head(200).data(R"({"items":[)").reset();  // cut off in the middle of the list
//
//   // 2. Rules, for code that just needs a server; they run inside start().
//   transport->once("GET", "/api/v1/pods", [](ScriptedCall c) { c.refuse(); });
//   transport->on("GET", "/api/v1/pods", [&](ScriptedCall c) { c.respond(200, pod_list); });
//   transport->on("GET", "/api/v1/*", [&](ScriptedCall c) { c.respond(404, not_found); });
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/executor.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::testing {

/// The server's end of one exchange. A cheap handle: copies share the exchange; dropping all of
/// them leaves it open for ever (as a silent server does) until cancelled.
///
/// The answering functions queue what the server sends and return; it reaches the handler in order,
/// and waits while the handler has paused. After the exchange ended, they do nothing, as for a
/// server that writes to a closed connection.
/// @par Thread safety   All functions may be called from any thread, handlers included.
class ScriptedCall {
 public:
  const transport::HttpRequest& request() const&;
  transport::HttpRequest request() const&& { return request(); }
  /// The URL's path, still percent-encoded, without query.
  std::string path() const;
  /// The decoded value of a query parameter; nullopt without it, "" for "?watch".
  std::optional<std::string> query(std::string_view name) const;

  /// Status line and headers. At most once; data() and end() without it send head(200) first.
  ScriptedCall& head(int status = 200,
                     transport::Headers headers = {{"Content-Type", "application/json"}});
  /// One chunk, which the handler gets in one call.
  ScriptedCall& data(std::string bytes);
  /// The bytes in chunks of `piece` bytes (at least 1; 1 splits everywhere).
  ScriptedCall& data_in_pieces(std::string_view bytes, std::size_t piece = 1);
  /// The regular end of the body.
  void end();
  /// head(), data() if there is a body, end().
  void respond(int status, std::string body = {},
               transport::Headers headers = {{"Content-Type", "application/json"}});

  /// Ends with this error, wherever the answer stands.
  void fail(Error error);
  /// Ends with Unreachable: nobody listens.
  void refuse();
  /// Ends with Unreachable: the connection was reset.
  void reset();
  /// Ends with Unreachable: the peer closed before the body was complete.
  void truncate();

  /// The handler returned Flow::Pause and nobody has called resume() yet.
  bool paused() const;
  /// The client gave up: Exchange::cancel() or its stop token. Its handler may not know yet.
  bool cancelled() const;
  /// on_end() has returned.
  bool ended() const;
  /// Bytes of data() that have not reached the handler yet.
  std::size_t undelivered() const;

  /// @par Blocks   Until cancelled() or ended() respectively, `stop`, or 30 s of real time, so that
  ///   a broken test fails instead of hanging. False in the last two cases. On a thread that has to
  ///   run the executor itself (SeededExecutor) use the executor's run_until() instead.
  bool await_cancelled(std::stop_token stop = {}) const;
  bool await_ended(std::stop_token stop = {}) const;

 private:
  friend class ScriptedTransport;
  class Exchange;
  explicit ScriptedCall(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
  std::shared_ptr<Exchange> exchange_;
};

/// A transport that does what the test says.
///
/// Where handlers run:
/// - Without an executor: at once, in the thread whose call makes it possible. That is mostly the
///   test, in ScriptedCall's functions; but rules answer inside start(), and resume() and cancel()
///   deliver what they release before they return. Code that holds a lock over one of these and
///   takes it in its handler needs an executor (or, better, to let go of the lock).
/// - With an executor: each delivery is one task of it, never inside a call. It must run one task
///   at a time: SeededExecutor (every interleaving of the answers from a seed) or a Strand.
/// Either way handlers are called one at a time over the whole transport, as CurlTransport does.
///
/// HttpRequest::timeout and idle_timeout work with an executor, on its clock; without one nothing
/// times out by itself (use fail()). head_timeout is there to be looked at, and does nothing.
/// @par Thread safety   All functions may be called from any thread, handlers and rules included.
class ScriptedTransport final : public transport::RoundTripper {
 public:
  struct Options {
    std::shared_ptr<Executor> executor{};  ///< Empty: deliver at once, see above.
  };
  /// Answers one request; may also keep the call and answer later.
  using Rule = std::function<void(ScriptedCall call)>;

  ScriptedTransport();
  explicit ScriptedTransport(Options options);
  /// As stop().
  ~ScriptedTransport() override;
  /// Ends every exchange with Cancelled, without the executor, and forgets the rules; returns when
  /// no handler runs, but for one that called it. Later requests end with Cancelled inside start().
  /// What a handler holds may hold this transport; the test that made it ends that circle here.
  void stop();

  std::shared_ptr<transport::Exchange> start(transport::HttpRequest request,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) override;

  /// Answers every request of this method ("" for any) and path (exact, or a prefix that ends in
  /// '*'; without query). Newer rules go first.
  void on(std::string method, std::string path, Rule rule);
  /// Answers one request. Before all on() rules; several in the order in which they were added.
  void once(std::string method, std::string path, Rule rule);

  /// Down: every request is refused at once, rules or not. Exchanges under way go on.
  void set_down(bool down);
  /// Resets every exchange under way: the server died, or a proxy dropped its connections.
  void reset_all();

  /// The oldest request that no rule answered and nobody took; nullopt when there is none.
  std::optional<ScriptedCall> take_request();
  /// The oldest such request that matches, as in on().
  std::optional<ScriptedCall> take_request(std::string_view method, std::string_view path);
  /// @par Blocks   Until there is such a request, `stop` (Cancelled), or 30 s of real time
  ///   (Timeout), so that a broken test fails instead of hanging. Not on the thread that has to run
  ///   the executor: there, run_until() and take_request().
  Result<ScriptedCall> await_request(std::stop_token stop = {});
  Result<ScriptedCall> await_request(std::string_view method, std::string_view path,
                                     std::stop_token stop = {});

  /// Requests waiting for take_request().
  std::size_t waiting() const;
  /// Exchanges that have not ended.
  std::size_t open() const;
  /// Everything that was ever asked, in order.
  std::vector<transport::HttpRequest> requests() const;

 private:
  friend class ScriptedCall;
  struct Core;
  std::shared_ptr<Core> core_;
};

}  // namespace kube::testing
