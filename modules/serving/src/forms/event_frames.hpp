// SPDX-License-Identifier: Apache-2.0
//
// The bytes of watch events. One frame of a big event serves all watches that show it in the same
// form, as long as one of them still has to send it: a thousand watchers that do not read cost one
// copy.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include <kube/base/mutex.hpp>

#include "forms/encoding.hpp"

namespace kube::serving {

/// One event or several of them, encoded.
using FramePtr = std::shared_ptr<const std::string>;

/// @par Thread safety   All functions may be called from any thread.
class EventFrames : public std::enable_shared_from_this<EventFrames> {
 public:
  /// What a frame shows. A revision belongs to one write, so it also identifies the object.
  struct Key {
    std::uint64_t revision;
    EventType type;
    std::shared_ptr<const Resource> resource;
    EncodingPtr encoding;
    bool operator==(const Key&) const = default;
  };

  /// Returns the existing frame, or a new one that `encode` fills without a lock held.
  FramePtr share(const Key& key, const std::function<void(std::string&)>& encode);
  /// Returns a frame for one watch only.
  FramePtr own(std::string bytes);

  /// What a watch sends from where it lies: the bytes before and now.
  void count_borrowed(std::size_t before, std::size_t now) {
    if (before != now) bytes_.fetch_add(now - before, std::memory_order_relaxed);
  }

  /// The bytes of all existing frames, each counted once, and those that watches borrow, counted
  /// for each watch.
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  // Sharded, so that a watch does not wait for all watches that encode.
  struct Shard {
    Mutex mutex;
    std::unordered_map<Key, std::weak_ptr<const std::string>, Hash> frames KUBE_GUARDED_BY(mutex);
  };

  Shard& shard_of(const Key& key) { return shards_[key.revision % shards_.size()]; }
  FramePtr count(std::string bytes, std::function<void()> on_gone);

  std::array<Shard, 16> shards_;
  std::atomic<std::size_t> bytes_{0};
};

}  // namespace kube::serving
