// SPDX-License-Identifier: Apache-2.0
//
// kube::testing::ScriptedTransport: a RoundTripper whose server is the test. It has no socket, no
// thread and no sleep: the test takes each request and decides what is sent back, byte for byte,
// and when.
//
// A test can respond in two ways, and can mix them:
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
//   // 2. Rules, run inside start(): once() comes before on(); of several on() the newest counts.
//   transport->on("GET", "/api/v1/*", [&](ScriptedCall c) { c.respond(404, not_found); });
//   transport->on("GET", "/api/v1/pods", [&](ScriptedCall c) { c.respond(200, pod_list); });
//   transport->once("GET", "/api/v1/pods", [](ScriptedCall c) { c.refuse(); });
//
// With Options::otherwise it changes only a part of what another transport does, such as the real
// one to an embedded server:
//
//   auto transport =
//       std::make_shared<ScriptedTransport>(ScriptedTransport::Options{.otherwise = network});
//   transport->once("PUT", "/api/v1/*", [&](ScriptedCall c) { c.respond(409, conflict); });
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

/// The server's end of one exchange. A cheap handle: copies share the exchange. When all are
/// destroyed the exchange stays open until it is cancelled, as with a silent server.
///
/// The functions that respond queue what the server sends and return. The handler receives it in
/// order, unless it has paused. After the end of the exchange they do nothing.
/// @par Thread safety   All functions may be called from any thread, handlers included.
class ScriptedCall {
 public:
  const transport::HttpRequest& request() const&;
  transport::HttpRequest request() const&& { return request(); }
  /// Returns the URL's path, still percent-encoded, without query.
  std::string path() const;
  /// Returns the decoded value of a query parameter; std::nullopt without it, "" for "?watch".
  std::optional<std::string> query(std::string_view name) const;

  /// Sends status line and headers. At most once; data() and end() without it send head(200) first.
  ScriptedCall& head(int status = 200,
                     transport::Headers headers = {{"Content-Type", "application/json"}});
  /// Sends one chunk, which the handler receives in one call.
  ScriptedCall& data(std::string bytes);
  /// Sends the bytes in chunks of `piece` bytes (at least 1; 1 splits everywhere).
  ScriptedCall& data_in_pieces(std::string_view bytes, std::size_t piece = 1);
  /// Sends the regular end of the body.
  void end();
  /// Calls head(), data() if there is a body, and end().
  void respond(int status, std::string body = {},
               transport::Headers headers = {{"Content-Type", "application/json"}});

  /// Ends with this error, whatever part of the response was sent.
  void fail(Error error);
  /// Ends with Unreachable: the connection was refused.
  void refuse();
  /// Ends with Unreachable: the connection was reset.
  void reset();
  /// Ends with Unreachable: the peer closed before the body was complete.
  void truncate();
  /// Sends the request to ScriptedTransport::Options::otherwise, whose response is the response:
  /// for rules that look at a request, delay it or refuse some. Without that transport, and for a
  /// request that upgrades its connection, it ends with Internal.
  void pass_on();

  /// True after the handler returned Flow::Pause, until resume() is called.
  bool paused() const;
  /// True after Exchange::cancel() or a stop request. The handler may not have been called yet.
  bool cancelled() const;
  /// True when on_end() has returned.
  bool ended() const;
  /// Returns the number of bytes of data() that the handler has not received yet.
  std::size_t undelivered() const;

  /// Waits for cancelled() or ended(). Returns false when `stop` or the time limit ended the wait.
  /// On the thread that runs the executor (SeededExecutor), use its run_until() instead.
  /// @par Blocks   Until then, at most kPatience of real time, so that a broken test fails.
  bool await_cancelled(std::stop_token stop = {}) const;
  bool await_ended(std::stop_token stop = {}) const;

 private:
  friend class ScriptedTransport;
  class Exchange;
  class PassedResponse;
  explicit ScriptedCall(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
  std::shared_ptr<Exchange> exchange_;
};

/// A transport that responds as the test decides.
///
/// Where handlers run:
/// - Without an executor: on the thread whose call makes a delivery possible, inside that call.
///   That is usually the test in ScriptedCall's functions; rules respond inside start(), and
///   resume() and cancel() deliver what they release. Code that holds a lock during one of these
///   calls and takes it in its handler needs an executor (or, better, releases the lock).
/// - With an executor: each delivery is one task, never inside a call. The executor must run one
///   task at a time: SeededExecutor (every interleaving from a seed) or a Strand.
/// In both cases handlers are called one at a time over the whole transport, as by CurlTransport.
///
/// HttpRequest::timeout and idle_timeout work with an executor, by its clock; without one nothing
/// times out by itself (use fail()). head_timeout has no effect; tests may read it.
/// @par Thread safety   All functions may be called from any thread, handlers and rules included.
class ScriptedTransport final : public transport::RoundTripper {
 public:
  struct Options {
    std::shared_ptr<Executor> executor{};  ///< Empty: deliver inside calls, see above.
    /// Gets every request to which no rule responds; its responses are delivered as scripted ones
    /// are, and reset_all() and set_down() work on them. Empty: these requests wait for
    /// take_request().
    std::shared_ptr<transport::RoundTripper> otherwise{};
  };
  /// Responds to one request, at once or later: it may keep the call.
  using Rule = std::function<void(ScriptedCall call)>;

  ScriptedTransport();
  explicit ScriptedTransport(Options options);
  /// Calls stop().
  ~ScriptedTransport() override;
  /// Ends every exchange with Cancelled, without the executor, and removes the rules. Later
  /// requests end with Cancelled inside start(). A handler may own objects that hold this
  /// transport: the test breaks that cycle by this call.
  /// @par Blocks   Until no handler runs, except one that called it.
  void stop();

  std::shared_ptr<transport::Exchange> start(transport::HttpRequest request,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) override;

  /// Responds to every request with this method ("" for any) and path (exact, or a prefix that ends
  /// in '*'; without query). The newest matching rule is used.
  void on(std::string method, std::string path, Rule rule);
  /// Responds to one request, before all on() rules; several are used in their order.
  void once(std::string method, std::string path, Rule rule);

  /// While down, every request is refused at once, whatever the rules. Running exchanges continue.
  void set_down(bool down);
  /// Resets every running exchange, as when the server dies.
  void reset_all();

  /// Takes the oldest request to which no rule responded; std::nullopt when there is none.
  std::optional<ScriptedCall> take_request();
  /// Takes the oldest such request that matches, as in on().
  std::optional<ScriptedCall> take_request(std::string_view method, std::string_view path);
  /// Waits for such a request and takes it. On the thread that runs the executor, use run_until()
  /// and take_request() instead.
  /// @par Errors   Cancelled when `stop` is requested; Timeout after kPatience of real time, so
  ///   that a broken test fails instead of hanging.
  /// @par Blocks   Until then.
  Result<ScriptedCall> await_request(std::stop_token stop = {});
  Result<ScriptedCall> await_request(std::string_view method, std::string_view path,
                                     std::stop_token stop = {});

  /// Returns the number of requests that wait for take_request().
  std::size_t waiting() const;
  /// Returns the number of exchanges that have not ended.
  std::size_t open() const;
  /// Returns all requests so far, in order.
  std::vector<transport::HttpRequest> requests() const;

 private:
  friend class ScriptedCall;
  struct Core;
  std::shared_ptr<Core> core_;
};

}  // namespace kube::testing
