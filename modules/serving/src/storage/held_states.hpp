// SPDX-License-Identifier: Apache-2.0
//
// The states of a collection that readers are being sent piece by piece.
//
// An object of a state that was replaced since is also in the history, as what its event replaced.
// A reader that keeps a state only as long as the history reaches back to it therefore costs no
// object of its own, however slowly it reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <kube/base/mutex.hpp>

#include "storage/stored_object.hpp"

namespace kube::serving {

using SharedObjects = std::shared_ptr<const std::vector<ObjectPtr>>;

class HeldState;
using HeldStatePtr = std::shared_ptr<HeldState>;

/// @par Thread safety   All functions may be called from any thread.
class HeldStates : public std::enable_shared_from_this<HeldStates> {
 public:
  /// Objects that are to be destroyed without a lock.
  using Released = std::vector<SharedObjects>;

  /// Keeps objects for a reader; null is a state that is lost already.
  HeldStatePtr hold(std::uint64_t revision, SharedObjects objects);
  /// Takes the objects of all states below a revision.
  [[nodiscard]] Released release_below(std::uint64_t revision);
  /// The history begins again after a revision. States of the time before are kept once more, as
  /// states of this revision: readers that are nearly done need not begin again.
  [[nodiscard]] Released restart(std::uint64_t revision);

  /// The number of states that are kept.
  std::size_t size() const;

 private:
  friend class HeldState;
  using Places = std::multimap<std::uint64_t, HeldState*>;

  mutable Mutex mutex_;
  Places places_ KUBE_GUARDED_BY(mutex_);
};

/// A state that is kept for one reader, as long as this object and the history let it.
///
/// @par Thread safety   All functions may be called from any thread.
class HeldState {
 public:
  HeldState(std::shared_ptr<HeldStates> all, SharedObjects objects)
      : all_(std::move(all)), objects_(std::move(objects)) {}
  ~HeldState();
  HeldState(const HeldState&) = delete;
  HeldState& operator=(const HeldState&) = delete;

  /// Null when the state is lost. To be kept for one piece only.
  SharedObjects objects() const;

 private:
  friend class HeldStates;

  const std::shared_ptr<HeldStates> all_;
  // The mutex of all_ guards these.
  SharedObjects objects_;
  HeldStates::Places::iterator place_{};  ///< While there are objects.
  bool was_before_restart_ = false;
};

}  // namespace kube::serving
