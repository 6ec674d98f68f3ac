// SPDX-License-Identifier: Apache-2.0
//
// Turns the bytes of a list or a watch, which arrive on the transport's I/O thread, into objects on
// the reflector's strand: splits them there, hands them over in batches, and pauses while too many
// wait. A batch wakes a thread, so it has what came while an earlier one waited; and what nobody
// sees before the end of a list, or of a streamed initial state, comes in large ones.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "object_parts.hpp"

#include <kube/base/call_user_code.hpp>
#include <kube/base/caught.hpp>
#include <kube/base/executor.hpp>
#include <kube/base/mutex.hpp>
#include <kube/cache/detail/cell.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::cache {

/// The times at which a server last sent a byte, and up to which its bytes are processed.
/// @par Thread safety   seen() and arrived(): the I/O thread. processed(): the strand. Others: any.
class ProofOfLife {
 public:
  void seen(TimePoint now) { store(last_, now); }
  /// Objects that were sent at this time have been posted to the strand.
  void arrived(TimePoint then) {
    if (waiting_.load(std::memory_order_acquire) == 0) store(processed_, then);
    waiting_.fetch_add(1, std::memory_order_release);
  }
  /// They could not be posted.
  void lost() { waiting_.fetch_sub(1, std::memory_order_release); }
  /// They are in the cache.
  void processed(TimePoint then) {
    store(processed_, then);
    waiting_.fetch_sub(1, std::memory_order_release);
  }

  /// Returns when the server last sent a byte; TimePoint::min() before the first one.
  TimePoint last() const { return load(last_); }
  /// Returns the time of which the cache is: last(), or less while objects wait for the strand.
  TimePoint in_cache() const {
    return waiting_.load(std::memory_order_acquire) == 0 ? last() : load(processed_);
  }

 private:
  using Time = std::atomic<Duration::rep>;
  static void store(Time& time, TimePoint value) {
    time.store(value.time_since_epoch().count(), std::memory_order_relaxed);
  }
  static TimePoint load(const Time& time) {
    return TimePoint(Duration(time.load(std::memory_order_relaxed)));
  }

  Time last_{TimePoint::min().time_since_epoch().count()};
  Time processed_{TimePoint::min().time_since_epoch().count()};
  std::atomic<std::int64_t> waiting_{0};  // batches
};

/// Receives one response. `Decoder` turns its bytes into items and its end into a summary.
template <class Decoder>
class DecodedStream final : public transport::ResponseHandler,
                            public std::enable_shared_from_this<DecodedStream<Decoder>> {
 public:
  using Summary = decltype(std::declval<Decoder&>().finish());
  /// Called on the strand: `opened` first, any number of `items`, `ended` last.
  struct Receiver {
    std::function<void()> opened;
    std::function<void(std::vector<Arrived>)> items;
    std::function<void(Summary)> ended;
    /// Nobody sees the items before the end of the body, or before the one that is_initial.
    bool is_whole = true;
  };

  /// `what`: the request, "list pods in namespace x", for errors about the bytes of its response.
  /// The rest of the arguments makes the decoder: its type, its policy and, after the callback, its
  /// changes of objects.
  template <class... Changes>
  DecodedStream(Strand strand, std::shared_ptr<ProofOfLife> life, Receiver receiver,
                std::string what, const CellType& type, StoragePolicy policy, Changes&&... changes)
      : strand_(std::move(strand)),
        life_(std::move(life)),
        receiver_(std::move(receiver)),
        what_(std::move(what)),
        type_(type),
        decoder_(
            type, policy, [this](Arrived item) { collect(std::move(item)); },
            std::forward<Changes>(changes)...),
        is_whole_(receiver_.is_whole) {}

  /// Call it once the request has been sent.
  void attach(std::shared_ptr<transport::Exchange> exchange) {
    bool resume = false;
    {
      const MutexLock lock(mutex_);
      if (!ended_) exchange_ = exchange;
      resume = std::exchange(resume_when_attached_, false);
    }
    if (resume) exchange->resume();
  }
  /// Drops the rest of the response.
  void cancel() {
    std::shared_ptr<transport::Exchange> exchange;
    {
      const MutexLock lock(mutex_);
      exchange = std::exchange(exchange_, nullptr);
    }
    if (!exchange) return;
    // An exchange that throws is considered to have ended.
    static_cast<void>(caught([&] { exchange->cancel(); }));
  }

  void on_head(transport::ResponseHead head) override {
    life_->seen(strand_.clock()->now());
    const auto encoding = encoding_of_stream(head.headers);
    if (!encoding) {
      broken_ = true;
      post_end(encoding.error().with_context(what_));
      return;
    }
    if (auto ok = check_encoding(type_, encoding->value_or(Encoding::Json)); !ok) {
      broken_ = true;
      post_end(ok.error().with_context(what_));
      return;
    }
    if (*encoding) decoder_.begin(**encoding);
    strand_.submit([self = this->shared_from_this()] { self->receiver_.opened(); });
  }

  transport::Flow on_data(std::string_view chunk) override {
    life_->seen(strand_.clock()->now());
    if (broken_) return transport::Flow::Continue;
    auto fed = decoder_.feed(chunk);
    // Growing batches: bounds and refusals are noticed early, too.
    if (fed && is_whole_ && batch_bytes_ < std::min(kWholeBatch, posted_bytes_ / 4)) {
      return transport::Flow::Continue;
    }
    const transport::Flow flow = post_batch();
    if (fed) return flow;
    broken_ = true;
    post_end(fed.error().with_context(what_));
    return transport::Flow::Continue;  // drops the bytes
  }

  void on_end(Result<void> result) override {
    {
      const MutexLock lock(mutex_);
      ended_ = true;
      exchange_.reset();
    }
    if (broken_) return;
    post_batch();
    if (!result) {
      post_end(result.error());  // the request is in the error already
      return;
    }
    Summary summary = decoder_.finish();
    if (!summary) summary = summary.error().with_context(what_);
    post_end(std::move(summary));
  }

 private:
  // The maximum of bytes that were posted but not taken.
  static constexpr std::size_t kPauseAbove = std::size_t{4} << 20;
  static constexpr std::size_t kResumeBelow = std::size_t{1} << 20;
  static constexpr std::size_t kWholeBatch = std::size_t{512} << 10;

  void collect(Arrived item) {
    if (batch_.empty()) batch_.reserve(last_batch_);
    batch_bytes_ += cost(item);
    if (item.delta.is_initial) is_whole_ = false;
    batch_.push_back(std::move(item));
  }
  static std::size_t cost(const Arrived& item) {
    return sizeof(item) + (item.delta.cell ? item.delta.cell->memory() : 0);
  }

  transport::Flow post_batch() {
    if (batch_.empty()) return transport::Flow::Continue;
    last_batch_ = batch_.size();
    posted_bytes_ += batch_bytes_;
    bool pause = false;
    {
      const MutexLock lock(mutex_);
      in_flight_ += batch_bytes_;
      waiting_bytes_ += std::exchange(batch_bytes_, 0);
      pause = in_flight_ > kPauseAbove;
      paused_ = pause;
      arrived_ = life_->last();
      if (!waiting_.empty()) {  // its task takes these, too
        // All of them or, without memory, none.
        waiting_.insert(waiting_.end(), std::move_iterator(batch_.begin()),
                        std::move_iterator(batch_.end()));
        batch_.clear();
        return pause ? transport::Flow::Pause : transport::Flow::Continue;
      }
      waiting_.swap(batch_);
    }
    life_->arrived(life_->last());
    const auto submit = [this] {
      strand_.submit([self = this->shared_from_this()] { self->hand_over(); });
    };
    if (const std::exception_ptr no_memory = caught(submit)) {
      life_->lost();  // with the exchange, which ends
      std::rethrow_exception(no_memory);
    }
    return pause ? transport::Flow::Pause : transport::Flow::Continue;
  }

  void hand_over() {
    std::vector<Arrived> items;
    std::size_t bytes = 0;
    TimePoint arrived;
    {
      const MutexLock lock(mutex_);
      items.swap(waiting_);
      bytes = std::exchange(waiting_bytes_, 0);
      arrived = arrived_;
    }
    receiver_.items(std::move(items));
    life_->processed(arrived);
    taken(bytes);
  }

  void post_end(Summary summary) {
    strand_.submit([self = this->shared_from_this(), summary = std::move(summary)]() mutable {
      self->receiver_.ended(std::move(summary));
    });
  }

  void taken(std::size_t bytes) {
    std::shared_ptr<transport::Exchange> resumed;
    {
      const MutexLock lock(mutex_);
      in_flight_ -= bytes;
      if (!paused_ || in_flight_ > kResumeBelow) return;
      paused_ = false;
      resumed = exchange_;
      resume_when_attached_ = exchange_ == nullptr;
    }
    if (!resumed) return;
    const Result<void> done = call_user_code("the source", [&] { resumed->resume(); });
    if (!done) receiver_.ended(done.error().with_context(what_));
  }

  Strand strand_;
  const std::shared_ptr<ProofOfLife> life_;
  const Receiver receiver_;
  const std::string what_;
  const CellType& type_;

  // Used only on the I/O thread.
  Decoder decoder_;
  std::vector<Arrived> batch_;
  std::size_t batch_bytes_ = 0;
  std::size_t posted_bytes_ = 0;
  std::size_t last_batch_ = 0;  // items, what the next one is likely to have
  bool is_whole_;
  bool broken_ = false;

  Mutex mutex_;
  std::shared_ptr<transport::Exchange> exchange_ KUBE_GUARDED_BY(mutex_);
  // What a task of the strand will take; it was posted when this was empty.
  std::vector<Arrived> waiting_ KUBE_GUARDED_BY(mutex_);
  std::size_t waiting_bytes_ KUBE_GUARDED_BY(mutex_) = 0;
  TimePoint arrived_ KUBE_GUARDED_BY(mutex_){};  // the last of them
  std::size_t in_flight_ KUBE_GUARDED_BY(mutex_) = 0;
  bool paused_ KUBE_GUARDED_BY(mutex_) = false;
  bool resume_when_attached_ KUBE_GUARDED_BY(mutex_) = false;
  bool ended_ KUBE_GUARDED_BY(mutex_) = false;
};

}  // namespace kube::cache
