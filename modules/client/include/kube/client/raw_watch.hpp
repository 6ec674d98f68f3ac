// SPDX-License-Identifier: Apache-2.0
//
// kube::RawWatch: a watch from which a program pulls events, with the objects as bytes.
// WatchStream<T> decodes them.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/client/watch_splitter.hpp>

namespace kube {

struct RawWatchEvent {
  WatchEventType type = WatchEventType::Error;
  std::string object{};           ///< JSON or protobuf (encoding_of()); for Error, the Status.
  Optional<kube::Error> error{};  ///< Set for Error: the error of that Status.
};

/// An open watch. Events that arrive before next() takes them are buffered up to 1 MiB; then the
/// server has to wait.
///
/// @par Thread safety   next() by one thread at a time; stop() from any thread.
/// @par Stopping   stop(), the stop token of open(), or the destructor; none of them blocks.
class RawWatch {
 public:
  /// Sends the request and waits for the response to begin. Repeats it by its RetryPolicy: after
  /// 429 or 5xx with Retry-After, and when the connection breaks or times out before a response.
  /// When that happens after the last retry, too, returns a watch that has ended.
  /// @par Errors   As RestClient::send(); Server for a code other than 200; Decode for a
  ///   Content-Type that is neither JSON nor protobuf.
  /// @par Blocks   Until the response begins. A request on `stop` ends the wait (Cancelled), and
  ///   later the watch.
  static Result<RawWatch> open(const RestClient& client, const Request& request,
                               std::stop_token stop = {});

  RawWatch(RawWatch&&) noexcept;
  RawWatch& operator=(RawWatch&&) noexcept;
  ~RawWatch();

  /// Returns the next event; nullopt once the stream has ended. Servers end it every few minutes:
  /// watch again from the last resourceVersion. An event of type Error is the last one.
  /// @par Errors   Cancelled when `stop` or the token of open() is requested (after `stop` the
  ///   watch continues), Credentials when the connection failed in TLS.
  /// @par Blocks   Until there is an event or the stream ends.
  Optional<Result<RawWatchEvent>> next(std::stop_token stop = {});

  /// Call when an event can't be decoded. Ends the stream and returns the Error event for the user,
  /// as client-go makes it.
  RawWatchEvent give_up(const Error& decode_error);

  /// Ends the stream soon; events that were not taken are dropped. Idempotent.
  void stop();

  /// Why the stream ended, once next() has returned nullopt. Success for a regular end.
  /// @par Errors   Unreachable or Timeout: the connection broke.
  Result<void> end_reason() const;

 private:
  class State;
  RawWatch(std::shared_ptr<State> state, std::shared_ptr<transport::Exchange> exchange);
  std::shared_ptr<State> state_;
  std::shared_ptr<transport::Exchange> exchange_;
};

}  // namespace kube
