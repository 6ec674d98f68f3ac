// SPDX-License-Identifier: Apache-2.0
//
// kube::transport::RoundTripper: the interface to the network. CurlTransport implements it
// (<kube/transport/curl_transport.hpp>), and ScriptedTransport for tests
// (<kube/testing/scripted_transport.hpp>); authentication and logging are decorators of it.
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
  Pause,  ///< No on_data() and no on_end() until Exchange::resume(), a cancel or a timeout; flow
          ///< control stops the peer.
};

/// Receives one response: on_head() once, on_data() any number of times, on_end() exactly once and
/// last, also when no response arrived. The functions must not block. An exception from one ends
/// the exchange with Internal.
/// @par Thread safety   The calls come from the transport's I/O thread, one at a time and in order.
class ResponseHandler {
 public:
  virtual ~ResponseHandler() = default;
  virtual void on_head(ResponseHead head) = 0;
  /// Decoded bytes of the body as they arrive; the view is valid during the call. The whole chunk
  /// is consumed, whatever is returned.
  virtual Flow on_data(std::string_view chunk) = 0;
  /// The end of the exchange. Success: the body is complete, whatever the status code. Bytes that
  /// were delivered before an error are valid.
  /// @par Errors   Unreachable, Credentials, Timeout or Cancelled; rarely InvalidArgument (HTTP
  ///   can't express the request), Config (a malformed proxy of the environment), Decode (a broken
  ///   content coding) or Internal.
  virtual void on_end(Result<void> result) = 0;
};

/// A running exchange, which continues when this is destroyed.
/// @par Thread safety   All functions may be called from any thread, any number of times.
class Exchange {
 public:
  virtual ~Exchange() = default;
  /// Ends a Pause. Does not block.
  virtual void resume() = 0;
  /// Ends the exchange soon with Cancelled, if it has not ended. Does not block.
  virtual void cancel() = 0;
};

/// Starts exchanges.
/// @par Thread safety   All functions may be called from any thread, handlers included.
class RoundTripper {
 public:
  virtual ~RoundTripper() = default;

  /// Starts an exchange; does not block. The handler receives the response and all errors, and is
  /// kept until on_end() has returned. A stop request ends the exchange with Cancelled.
  virtual std::shared_ptr<Exchange> start(HttpRequest request,
                                          std::shared_ptr<ResponseHandler> handler,
                                          std::stop_token stop) = 0;
};

}  // namespace kube::transport
