// SPDX-License-Identifier: Apache-2.0
//
// One watch: a position in a collection's history, selectors, and the text of the next events.
//
// It has no queue. The connection asks for the next events when the client has accepted the last
// ones. A slow client therefore costs only the events being sent to it, of which big ones are
// shared; when history has moved past its position, or past the state of its initial events, it
// gets a 410.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kube/base/executor.hpp>

#include "forms/encoding.hpp"
#include "forms/event_frames.hpp"
#include "http/http_message.hpp"
#include "resources/resource_table.hpp"
#include "storage/selection.hpp"
#include "storage/store.hpp"

namespace kube::serving {

/// @par Thread safety   attach(), pump() and the destructor: one thread at a time. bookmark(),
/// end()
///   and the timers: any thread.
class WatchSession final : public WatchSource, public std::enable_shared_from_this<WatchSession> {
 public:
  struct Start {
    std::shared_ptr<const Resource> resource{};
    Collection* collection = nullptr;
    Scope scope{};
    Selection selection{};
    EncodingPtr encoding{};
    std::shared_ptr<EventFrames> frames{};
    /// Only events above this revision are sent.
    std::uint64_t from = 0;
    /// Collection::epoch(), read before `from` was checked.
    std::uint64_t epoch = 0;
    /// Begin with the current state: ADDED for every object.
    bool initial_events = false;
    /// Send a bookmark that marks the end of the initial events.
    bool initial_end_marker = false;
    bool bookmarks = false;
    Duration bookmark_period{};
    Duration bookmark_delay{};  ///< Before the first one; then the period.
    Duration timeout{};
    std::size_t buffer = 64U << 10U;  ///< pump() adds no more events above this size.
    std::shared_ptr<std::atomic<std::uint64_t>> events_sent{};
    std::shared_ptr<std::atomic<std::size_t>> watchers{};  ///< Counts this watch while it exists.
    /// Unless it is Same, the watch ends: after the events so far when the resource is Gone. It is
    /// asked about each part of the events, and again by Store::wake_watches(). Unset: always Same.
    std::function<Presence()> presence{};
    /// When set, the watch sends only this ERROR event.
    std::optional<json::Value> error{};
  };
  explicit WatchSession(Start start);
  ~WatchSession() override;
  WatchSession(const WatchSession&) = delete;
  WatchSession& operator=(const WatchSession&) = delete;

  std::string_view content_type() const { return start_.encoding->watch_content_type(); }

  void attach(Executor& timers, std::function<void()> wake) override;
  State pump(std::vector<Slice>& out) override;
  void bookmark() override;
  void end() override;
  bool ending() const override { return ending_.load(); }

 private:
  void arm_bookmark(Executor& timers, Duration delay);
  /// The events collected for one write.
  class Batch;
  State fill(Batch& batch);
  void send(EventType type, const ObjectPtr& shared, std::uint64_t revision, Batch& batch);
  void send_bookmark(bool initial_end, Batch& batch);
  State append_initial(Batch& batch);
  State finish_expired(Batch& batch, std::uint64_t oldest);
  void append_events(const std::vector<EventPtr>& events, Batch& batch);
  void append_event(const Event& event, Batch& batch);
  bool in_scope(const StoredObject& object) const;
  State finish_with(const json::Value& status, Batch& batch);

  Start start_;
  bool first_ = true;  // nothing has been sent
  std::uint64_t position_;
  const std::uint64_t epoch_;
  HeldStatePtr initial_;  ///< Until the initial events are sent.
  std::size_t initial_at_ = 0;
  std::size_t borrowed_bytes_ = 0;  ///< Of the last pump().
  bool finished_ = false;
  WakerPtr waker_;
  std::atomic<bool> ending_{false};
  std::atomic<bool> bookmark_due_{false};
  Timer deadline_;
  Timer last_bookmark_;
  // Its own callback replaces it, on the executor's thread.
  Mutex timer_mutex_;
  Timer bookmark_timer_ KUBE_GUARDED_BY(timer_mutex_);
};

}  // namespace kube::serving
