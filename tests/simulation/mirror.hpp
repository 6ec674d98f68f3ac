// SPDX-License-Identifier: Apache-2.0
//
// What a handler was told, for handlers that Simulation::observe() knows nothing of: merged
// notifications, objects that lack fields, informers of several namespaces.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios.hpp"

namespace kube::simulated {

/// @par Thread safety   All functions may be called from any thread; handlers may run at the same
///   time.
class Mirror {
 public:
  /// `scope`: the namespace of the informer; empty: all. `slow`: some calls take up to four
  /// seconds.
  Mirror(Simulation& sim, std::string scope, bool slow)
      : sim_(sim), namespace_(std::move(scope)), slow_(slow) {}

  /// The mirror outlives it.
  ResourceEventHandler<core::v1::ConfigMap> handler();
  /// Returns in what the handler's view differs from the server's objects, or "".
  std::string differs() const;

 private:
  void put(const Cached<core::v1::ConfigMap>& object, const std::string& before);
  void remove(const Cached<core::v1::ConfigMap>& object);
  void rest_a_while() const;

  Simulation& sim_;
  const std::string namespace_;
  const bool slow_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> versions_{};  ///< By key.
  std::map<std::string, std::uint64_t> newest_{};  ///< The same, also of what is gone.
};

/// Returns the keys that change_object() changes.
std::vector<ObjectKey> changed_keys();
/// Returns the resourceVersion of an object at the server; "" when there is none.
std::string server_version(Simulation& sim, const ObjectKey& key);
/// Returns in what a cache differs from the server's objects, or "". `find`: the version that it
/// has of a key; "" for none.
std::string cache_differs(Simulation& sim, const std::string& namespace_,
                          const std::function<std::string(const ObjectKey&)>& find);
std::uint64_t version_number(std::string_view version);

}  // namespace kube::simulated
