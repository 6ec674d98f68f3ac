// SPDX-License-Identifier: Apache-2.0
//
// The pieces of an answer between the transport, which brings them when they arrive, and a reader,
// who takes them when it likes.
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

namespace kube {

/// @par Thread safety   All functions may be called from any thread.
class BodyQueue {
 public:
  /// More than this that nobody has taken, and the server has to wait.
  static constexpr std::size_t kMaxBuffered = std::size_t{1} << 20;

  explicit BodyQueue(std::shared_ptr<Clock> clock) : clock_(std::move(clock)) {}

  // The transport's side.

  void begin(transport::ResponseHead head);
  /// Nothing is taken in after an end or stop(): then the transport pauses until it is cancelled.
  transport::Flow put(std::vector<std::string> pieces);
  /// The first end counts.
  void end(Result<void> result);

  // The reader's side.

  /// The head, or why there is none; nothing when `stop` came first.
  std::optional<Result<transport::ResponseHead>> wait_for_head(std::stop_token stop);

  struct Taken {
    std::optional<std::string> piece{};  ///< The next one ...
    std::optional<Result<void>> end{};   ///< ... or the end, once; neither: the caller's stop.
    bool resume = false;                 ///< The exchange may go on.
  };
  Taken take(std::stop_token stop);

  /// Nothing more is handed out: take() says that all is over.
  void stop();

  /// How it ended; success while it has not.
  Result<void> end_reason() const;

 private:
  const std::shared_ptr<Clock> clock_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::optional<transport::ResponseHead> head_ KUBE_GUARDED_BY(mutex_);
  std::deque<std::string> pieces_ KUBE_GUARDED_BY(mutex_);
  std::size_t buffered_ KUBE_GUARDED_BY(mutex_) = 0;  // bytes in pieces_
  bool paused_ KUBE_GUARDED_BY(mutex_) = false;
  std::optional<Result<void>> end_ KUBE_GUARDED_BY(mutex_);
  bool stopped_ KUBE_GUARDED_BY(mutex_) = false;  // the reader is through
};

}  // namespace kube
