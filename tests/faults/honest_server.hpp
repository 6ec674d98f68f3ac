// SPDX-License-Identifier: Apache-2.0
//
// An API server of pods that does what Kubernetes' does: what faulty ones do where they are not
// faulty, and what they become in the end.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "connection.hpp"

namespace faults {

/// What a server holds: pods, by "namespace/name" and version, and the version of it all. The last
/// pod is added as soon as somebody watches, so that a watch has something to tell.
struct World {
  struct Pod {
    std::string key;
    std::string version;
  };
  std::vector<Pod> pods;
  long version = 0;  ///< Before the last pod, which has the next one.

  /// What a client should hold once it watches: "shop/cart@1001", sorted.
  std::vector<std::string> view() const;
};

/// While the server misbehaves, and afterwards.
const World& old_world();
const World& new_world();

class HonestServer {
 public:
  explicit HonestServer(const World& world) : world_(world) {}
  bool answer(Connection& connection, const Call& call);

  /// The list's body; the answers of a faulty server start from it.
  std::string list_body() const;

 private:
  bool list(Connection& connection, const Call& call);
  bool watch(Connection& connection, const Call& call);
  bool other(Connection& connection, const Call& call);
  std::size_t visible() const { return world_.pods.size() - (watched_ ? 0 : 1); }
  long version() const { return world_.version + (watched_ ? 1 : 0); }

  const World& world_;
  std::atomic<bool> watched_{false};
};

}  // namespace faults
