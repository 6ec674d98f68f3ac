// SPDX-License-Identifier: Apache-2.0
//
// kube::transport::RoundTripper: the interface to the network. CurlTransport implements it
// (<kube/transport/curl_transport.hpp>), and ScriptedTransport for tests
// (<kube/testing/scripted_transport.hpp>); authentication and logging are decorators of it.
#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <kube/base/result.hpp>
#include <kube/transport/http.hpp>

namespace kube::transport {

enum class Flow {
  Continue,
  Pause,  ///< No on_data() and no on_end() until Exchange::resume(), a cancel or a timeout; flow
          ///< control stops the peer.
};

/// Receives one response: on_head() once, on_data() any number of times, on_end() exactly once and
/// last, also when no response arrived. The functions must not block: what waits for a response
/// there fails with InvalidArgument, at once and before it sends anything, since the thread that
/// waited would be the one that receives. An exception from one ends the exchange with Internal.
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
  /// All bytes of Exchange::write() were passed to the network; more may be written.
  virtual void on_written() {}
};

/// Passes everything on to another handler: a base for those that change some of it.
/// @par Thread safety   As ResponseHandler.
class ForwardingHandler : public ResponseHandler {
 public:
  void on_head(ResponseHead head) override { inner_->on_head(std::move(head)); }
  Flow on_data(std::string_view chunk) override { return inner_->on_data(chunk); }
  void on_end(Result<void> result) override { inner_->on_end(std::move(result)); }
  void on_written() override { inner_->on_written(); }

 protected:
  explicit ForwardingHandler(std::shared_ptr<ResponseHandler> inner) : inner_(std::move(inner)) {}
  const std::shared_ptr<ResponseHandler> inner_;
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
  /// Sends bytes to the peer of a connection that was upgraded (HttpRequest::upgrade); bytes that
  /// are written before the head has arrived are sent after it. Does not block: the bytes wait in
  /// memory until ResponseHandler::on_written(), which paces the writer. Has no effect after the
  /// end, and on other exchanges.
  virtual void write(std::string bytes) { const std::string dropped = std::move(bytes); }
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
