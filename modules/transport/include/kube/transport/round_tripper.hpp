// SPDX-License-Identifier: Apache-2.0
//
// kube::transport::RoundTripper: the one door to the network. The real one is CurlTransport
// (<kube/transport/curl_transport.hpp>); tests script one (<kube/testing/scripted_transport.hpp>);
// authentication and logging are decorators of the same interface.
#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/transport/http.hpp>

namespace kube::transport {

enum class Flow {
  Continue,
  Pause,  ///< No more on_data() until Exchange::resume(); the peer is held back. The end waits too,
          ///< but for a cancel or a timeout.
};

/// Receives one response: on_head() once, on_data() any number of times, on_end() exactly once and
/// last (also alone, when no answer came). The calls come one at a time, in order, from the
/// transport's I/O thread: they must not block and must not throw.
class ResponseHandler {
 public:
  virtual ~ResponseHandler() = default;
  virtual void on_head(ResponseHead head) = 0;
  /// Decoded bytes of the body as they arrive. The view is valid during the call. The chunk is
  /// consumed whole whatever is returned.
  virtual Flow on_data(std::string_view chunk) = 0;
  /// Success: the body ended where HTTP says it ends, whatever the status code. Otherwise
  /// Unreachable, Credentials, Timeout or Cancelled; rarely InvalidArgument (a request that HTTP
  /// can't express), Config (a malformed proxy in the environment), Decode (a broken content
  /// coding) or Internal. Bytes delivered before stay valid.
  virtual void on_end(Result<void> result) = 0;
};

/// A request under way. May be dropped: the exchange goes on.
class Exchange {
 public:
  virtual ~Exchange() = default;
  /// Ends a Pause; may be called from any thread, at any time, any number of times.
  virtual void resume() = 0;
  /// Ends the exchange soon with Cancelled, if it has not ended. From any thread; does not block.
  virtual void cancel() = 0;
};

/// @par Thread safety   All functions may be called from any thread, handlers included.
class RoundTripper {
 public:
  virtual ~RoundTripper() = default;

  /// Starts the exchange and returns; everything else reaches the handler, errors too. The handler
  /// is kept until on_end() returned. A stop request ends the exchange with Cancelled.
  virtual std::shared_ptr<Exchange> start(HttpRequest request,
                                          std::shared_ptr<ResponseHandler> handler,
                                          std::stop_token stop) = 0;
};

/// Sends a request and collects the whole answer, up to `limit` bytes of body (Decode beyond it).
///
/// @par Blocks   Until the answer is complete; a stop request ends it with Cancelled. Must not be
///   called from a ResponseHandler.
Result<HttpResponse> round_trip(RoundTripper& transport, HttpRequest request, std::stop_token stop,
                                std::size_t limit = std::size_t{1} << 30);

}  // namespace kube::transport
