// SPDX-License-Identifier: Apache-2.0
//
// Queues the chunks of a response for a reader.
#include <kube/transport/body_queue.hpp>

#include <utility>

#include <kube/transport/no_waiting.hpp>

namespace kube::transport {

void BodyQueue::begin(ResponseHead head) {
  {
    const MutexLock lock(mutex_);
    head_ = std::move(head);
  }
  changed_.notify_all();
}

Flow BodyQueue::put(std::vector<std::string> pieces) {
  Flow flow = Flow::Continue;
  {
    const MutexLock lock(mutex_);
    if (end_ || stopped_) return Flow::Pause;
    for (std::string& piece : pieces) {
      buffered_ += piece.size();
      pieces_.push_back(std::move(piece));
    }
    if (buffered_ > kMaxBufferedBytes) {
      paused_ = true;
      flow = Flow::Pause;
    }
  }
  changed_.notify_all();
  return flow;
}

void BodyQueue::end(Result<void> result) {
  {
    const MutexLock lock(mutex_);
    if (!end_) end_ = std::move(result);
  }
  changed_.notify_all();
}

std::optional<Result<ResponseHead>> BodyQueue::wait_for_head(std::stop_token stop) {
  if (const auto allowed = may_wait(); !allowed) return Result<ResponseHead>(allowed.error());
  MutexLock lock(mutex_);
  clock_->wait_until(lock, changed_, TimePoint::max(), std::move(stop),
                     [this]() KUBE_REQUIRES(mutex_) { return head_ || end_; });
  if (head_) return Result<ResponseHead>(*head_);
  if (!end_) return std::nullopt;
  if (!*end_) return Result<ResponseHead>(end_->error());
  return Result<ResponseHead>(Error(ErrorCode::Unreachable, "the response ended before it began"));
}

Result<BodyQueue::Taken> BodyQueue::take(std::stop_token stop) {
  if (const auto allowed = may_wait(); !allowed) return allowed.error();
  MutexLock lock(mutex_);
  clock_->wait_until(lock, changed_, TimePoint::max(), std::move(stop),
                     [this]()
                         KUBE_REQUIRES(mutex_) { return stopped_ || !pieces_.empty() || end_; });
  Taken taken;
  if (stopped_) {
    taken.end.emplace();
  } else if (!pieces_.empty()) {
    taken.piece = std::move(pieces_.front());
    pieces_.pop_front();
    buffered_ -= taken.piece->size();
    if (paused_ && !end_ && buffered_ <= kMaxBufferedBytes / 2) {
      paused_ = false;
      taken.resume = true;
    }
  } else if (end_) {
    taken.end = *end_;
    stopped_ = true;
  }
  return taken;
}

void BodyQueue::stop() {
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    pieces_.clear();
    buffered_ = 0;
  }
  changed_.notify_all();
}

Result<void> BodyQueue::end_reason() const {
  const MutexLock lock(mutex_);
  return end_ ? *end_ : Result<void>();
}

}  // namespace kube::transport
