// SPDX-License-Identifier: Apache-2.0
//
// HTTP/1.1 on sockets: accepts connections, reads requests within limits, sends responses, streams
// and watches. A watch is a stream that is asked for text; no other part of Kubernetes is known
// here.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <kube/apiserver/api_server.hpp>

#include "documents/ids.hpp"
#include "http/io_threads.hpp"
#include "requests/http_message.hpp"
#include "storage/waker.hpp"

namespace kube::apiserver {

/// @par Thread safety   All functions may be called from any thread; stop() not from a handler.
class HttpServer {
 public:
  /// What the server calls its owner for. Called on the I/O threads; handle() never throws.
  struct Callbacks {
    std::function<HttpResponse(const HttpRequest&, bool last_attempt)> handle;
    std::function<void(std::uint64_t revision, const WakerPtr&)> when_reached;
    std::function<void(const WakerPtr&)> forget;
  };

  /// `options`, `io`, `timers` and `ids` must outlive the server.
  static Result<std::unique_ptr<HttpServer>> listen(const ApiServer::Options& options,
                                                    IoThreads& io, Executor& timers, Ids& ids,
                                                    Callbacks callbacks);
  ~HttpServer();

  std::uint16_t port() const;
  /// "127.0.0.1:34567"
  std::string address() const;

  std::size_t connections() const;
  /// The connections that wait for a request.
  std::size_t idle() const;
  std::uint64_t requests() const;

  void drop_connections();
  void end_watches();
  /// Stops accepting, ends watches, waits for responses in progress, then closes the remaining
  /// connections. Idempotent.
  void stop();

  struct Impl;

 private:
  explicit HttpServer(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace kube::apiserver
