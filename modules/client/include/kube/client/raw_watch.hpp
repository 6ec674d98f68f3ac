// SPDX-License-Identifier: Apache-2.0
//
// A watch, pulled event by event, with the objects still as bytes. WatchStream<T> decodes them.
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
  std::string object{};  ///< JSON or protobuf (encoding_of()); of Error, too, when it was sent.
  Optional<kube::Error> error{};  ///< Of Error: what the Status says.
};

/// An open watch. What arrives faster than it is taken is buffered up to a bound, then the server
/// is held back.
///
/// @par Thread safety   next() by one thread at a time; stop() by any.
/// @par Stopping   stop(), the stop token given to open(), or the destructor; none of them blocks.
class RawWatch {
 public:
  /// Sends the request and waits for the answer to begin. Repeats it as client-go does: after 429
  /// or 5xx with Retry-After, and when the connection breaks or times out before an answer; when
  /// that goes on for Request::max_retries, the result is a watch that has ended.
  /// @par Errors   Those of RestClient::send(); Server for an answer other than 200; Decode for one
  ///   that is neither JSON nor protobuf.
  /// @par Blocks   Until the answer begins. `stop` ends it, and later the watch.
  static Result<RawWatch> open(const RestClient& client, const Request& request,
                               std::stop_token stop);

  RawWatch(RawWatch&&) noexcept;
  RawWatch& operator=(RawWatch&&) noexcept;
  ~RawWatch();

  /// The next event; nothing once the stream has ended, which servers do every few minutes: watch
  /// again from the last resourceVersion seen. An event of type Error is the last one.
  ///
  /// An Error instead of an event: Cancelled when `stop` or the token given to open() fired (in the
  /// first case the watch goes on), Credentials when the connection failed in TLS.
  /// @par Blocks   Until there is an event or the end.
  Optional<Result<RawWatchEvent>> next(std::stop_token stop);

  /// The receiver could not make sense of an event: ends the stream, and is the Error event to hand
  /// out, as client-go makes it.
  RawWatchEvent give_up(const Error& decode_error);

  /// Ends the stream soon; events not taken yet are dropped. Idempotent.
  void stop();

  /// Why the stream ended, once next() has returned nothing: success for a regular end, else what
  /// broke it (Unreachable, Timeout).
  Result<void> end_reason() const;

 private:
  class State;
  RawWatch(std::shared_ptr<State> state, std::shared_ptr<transport::Exchange> exchange);
  std::shared_ptr<State> state_;
  std::shared_ptr<transport::Exchange> exchange_;
};

}  // namespace kube
