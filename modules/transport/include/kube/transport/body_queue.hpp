// SPDX-License-Identifier: Apache-2.0
//
// kube::transport::BodyQueue: a queue of the chunks of a response between the transport, which adds
// them as they arrive, and a reader, which takes them when it is ready.
// Shared between modules: not promised to users.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/result.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::transport {

/// @par Thread safety   All functions may be called from any thread.
class BodyQueue {
 public:
  /// The transport pauses when more bytes than this are queued.
  static constexpr std::size_t kMaxBufferedBytes = std::size_t{1} << 20;

  explicit BodyQueue(std::shared_ptr<Clock> clock) : clock_(std::move(clock)) {}

  // Called by the transport.

  void begin(ResponseHead head);
  /// After an end or stop() nothing is queued, and the transport pauses until it is cancelled.
  Flow put(std::vector<std::string> pieces);
  /// Only the first call has an effect.
  void end(Result<void> result);

  // Called by the reader.

  /// Returns the head; nullopt when `stop` is requested first.
  /// @par Errors   Those of may_wait(). The end of the exchange; Unreachable when it ended
  ///   well, but without a head.
  std::optional<Result<ResponseHead>> wait_for_head(std::stop_token stop);

  struct Taken {
    std::optional<std::string> piece{};  ///< The next chunk ...
    std::optional<Result<void>>
        end{};            ///< ... or the end, once. Neither when `stop` was requested.
    bool resume = false;  ///< The exchange may be resumed.
  };
  /// @par Errors   Those of may_wait(); nothing is taken then.
  Result<Taken> take(std::stop_token stop);

  /// After this, take() returns only the end.
  void stop();

  /// Returns how the response ended; success before its end.
  /// @par Errors   Those of the exchange.
  Result<void> end_reason() const;

 private:
  const std::shared_ptr<Clock> clock_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::optional<ResponseHead> head_ KUBE_GUARDED_BY(mutex_);
  std::deque<std::string> pieces_ KUBE_GUARDED_BY(mutex_);
  std::size_t buffered_ KUBE_GUARDED_BY(mutex_) = 0;  // bytes in pieces_
  bool paused_ KUBE_GUARDED_BY(mutex_) = false;
  std::optional<Result<void>> end_ KUBE_GUARDED_BY(mutex_);
  bool stopped_ KUBE_GUARDED_BY(mutex_) = false;  // the reader has stopped
};

}  // namespace kube::transport
