// SPDX-License-Identifier: Apache-2.0
//
// The random parts of objects: uids, generated names, spread of timers. The same seed gives the
// same sequence.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include <kube/base/backoff.hpp>
#include <kube/base/mutex.hpp>

namespace kube::serving {

/// @par Thread safety   All functions may be called from any thread.
class Ids {
 public:
  explicit Ids(std::optional<std::uint64_t> seed);

  /// A random UUID, version 4.
  std::string uid();
  /// Uniform in [0, 1).
  double fraction();
  RandomSource source() {
    return [this] { return fraction(); };
  }

 private:
  Mutex mutex_;
  std::mt19937_64 engine_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::serving
