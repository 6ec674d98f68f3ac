// SPDX-License-Identifier: Apache-2.0
//
// kube::apiserver::Frontend: one of the API servers of a cluster, without sockets and threads.
//
// All frontends of an ApiServer write to its store, as API servers write to one etcd. Each serves
// watches, and reads that name a resourceVersion, from a watch cache of its own, which is as old as
// its owner lets it be:
//
//   Frontend frontend(server);
//   frontend.handle({.method = "GET", .target = "/api/v1/pods"},
//                   [](const FrontendResponse& response) { std::cout << response.body; });
//   frontend.follow(1);  // the watch cache learns of one more write
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <kube/apiserver/api_server.hpp>

namespace kube::apiserver {

/// A request without its connection.
struct FrontendRequest {
  std::string method = "GET";
  std::string target{};  ///< Path and query.
  std::string accept{};
  std::string content_type{};
  std::string authorization{};
  std::string user_agent{};
  std::string body{};
};

/// The body of a watch. Its destructor ends it, before its frontend's restart() or destructor.
/// @par Thread safety   None: the thread that owns the frontend.
class FrontendWatch {
 public:
  enum class State {
    Data,  ///< `out` has bytes; call again.
    Idle,  ///< Nothing to send; call again after a wake.
    End,   ///< The body ends after the bytes in `out`.
  };
  virtual ~FrontendWatch() = default;
  /// Starts its timers. `wake` is called when next() may have bytes, never inside of next().
  virtual void start(std::function<void()> wake) = 0;
  /// Appends the next bytes.
  virtual State next(std::string& out) = 0;
};

struct FrontendResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};
  std::shared_ptr<FrontendWatch> watch{};  ///< When set, `body` is empty.
};

/// @par Thread safety   None: one thread at a time, which is also the one that runs the executor.
class Frontend {
 public:
  /// Its watch cache has all writes so far.
  /// @pre The server does not listen (ApiServer::Options::listens), and outlives this.
  explicit Frontend(ApiServer& server);
  ~Frontend();
  Frontend(const Frontend&) = delete;
  Frontend& operator=(const Frontend&) = delete;

  /// Handles a request. `done` is called once: inside of this call, or later by the executor when
  /// the request waits for a resourceVersion; never when the frontend is destroyed before.
  void handle(FrontendRequest request, std::function<void(FrontendResponse)> done);

  /// Returns the number of writes that the watch cache does not have.
  std::size_t behind() const;
  /// Has the watch cache learn of the next writes, at most `count`.
  void follow(std::size_t count);
  /// Returns the resourceVersion that the watch cache has reached.
  std::uint64_t resource_version() const;

  /// Begins again with a watch cache that lacks the last `behind` writes, and knows no history: a
  /// watch from before gets a 410.
  /// @pre The watches and requests of this frontend have ended.
  void restart(std::size_t behind);

  /// Returns the writes to the server's store since its start, oldest first, without the first
  /// `from`.
  std::vector<StoreWrite> writes(std::size_t from = 0) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube::apiserver
