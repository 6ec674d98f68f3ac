// SPDX-License-Identifier: Apache-2.0
//
// What the clients of a rest::Config share, of types that only they know.
#pragma once

#include <functional>
#include <memory>

namespace kube::rest::detail {

/// The objects that clients of a Config and its copies share. It keeps none of them alive: an
/// object lives as long as the clients that hold it.
/// @par Thread safety   A value; all functions may be called from any thread.
class SharedByClients {
 public:
  SharedByClients();
  // A move would leave the other Config without them.
  SharedByClients(const SharedByClients&) = default;
  SharedByClients& operator=(const SharedByClients&) = default;
  ~SharedByClients() = default;

  /// Returns the object that `fits`, else the one that `make` makes. Both run with a lock held.
  std::shared_ptr<void> find_or_make(const std::function<bool(const void*)>& fits,
                                     const std::function<std::shared_ptr<void>()>& make) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kube::rest::detail
