// SPDX-License-Identifier: Apache-2.0
#include "forms/event_frames.hpp"

#include <utility>

namespace kube::serving {

std::size_t EventFrames::Hash::operator()(const Key& key) const {
  std::size_t hash = std::hash<std::uint64_t>()(key.revision);
  for (const std::size_t part :
       {static_cast<std::size_t>(key.type), std::hash<const void*>()(key.resource.get()),
        std::hash<const void*>()(key.encoding.get())}) {
    hash = hash * 31 + part;
  }
  return hash;
}

FramePtr EventFrames::count(std::string bytes, std::function<void()> on_gone) {
  bytes.shrink_to_fit();
  const std::size_t size = bytes.capacity();
  bytes_.fetch_add(size, std::memory_order_relaxed);
  // Frames may outlive the server: its connections may still have to send them.
  return {new std::string(std::move(bytes)),
          [self = shared_from_this(), size, on_gone = std::move(on_gone)](const std::string* gone) {
            delete gone;
            self->bytes_.fetch_sub(size, std::memory_order_relaxed);
            if (on_gone) on_gone();
          }};
}

FramePtr EventFrames::own(std::string bytes) {
  return count(std::move(bytes), {});
}

FramePtr EventFrames::share(const Key& key, const std::function<void(std::string&)>& encode) {
  Shard& shard = shard_of(key);
  {
    const MutexLock lock(shard.mutex);
    const auto found = shard.frames.find(key);
    if (found != shard.frames.end()) {
      if (FramePtr frame = found->second.lock()) return frame;
    }
  }
  std::string bytes;
  encode(bytes);
  FramePtr made = count(std::move(bytes), [&shard, key] {
    const MutexLock lock(shard.mutex);
    const auto found = shard.frames.find(key);
    // Another one may have been stored since.
    if (found != shard.frames.end() && found->second.expired()) shard.frames.erase(found);
  });
  // Declared outside the lock: the destructor of a frame takes the lock.
  FramePtr first;
  {
    const MutexLock lock(shard.mutex);
    std::weak_ptr<const std::string>& place = shard.frames[key];
    first = place.lock();
    if (!first) place = made;
  }
  return first ? first : made;
}

}  // namespace kube::serving
