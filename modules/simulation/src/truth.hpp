// SPDX-License-Identifier: Apache-2.0
//
// What the server has and had.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <kube/apiserver/frontend.hpp>
#include <kube/names/object_key.hpp>

namespace kube::testing {

class Stage;

/// Returns the parts of "namespace/name", or "name".
ObjectKey object_key_of(const std::string& key);

/// What servers do to an informer that the rules have to allow for.
struct Lies {
  bool repeats = false;        ///< Events come twice.
  bool goes_back = false;      ///< Older states of objects come after newer ones.
  bool other_content = false;  ///< Objects have fields that the server's do not have.
  bool leaves_out = false;     ///< Events are missing.
  bool ends_too_soon = false;  ///< The initial state is said to be whole when it is not.

  bool any() const { return repeats || goes_back || other_content || leaves_out || ends_too_soon; }
};

/// @par Thread safety   None: the thread that has the baton, or the lock of the rules.
class Truth {
 public:
  struct State {
    std::string uid{};
    std::uint64_t version = 0;
  };
  struct Resource {
    std::map<std::string, State> objects{};                   ///< By key.
    std::map<std::string, std::uint64_t> newest{};            ///< The last write of each key.
    std::map<std::uint64_t, apiserver::StoreWrite> writes{};  ///< By version.
  };

  void follow(const Stage& stage);
  const Resource& of(const std::string& resource) const;

  /// An event of a watch came twice.
  void repeated() { lies_.repeats = true; }
  void set_lies(const Lies& lies) { lies_ = lies; }
  const Lies& lies() const { return lies_; }

  /// A watch cache begins again with the state of a version.
  void restarted(std::uint64_t version) { restarts_.push_back(version); }
  std::size_t restarts() const { return restarts_.size(); }
  /// Returns the oldest version at which a watch cache has begun since then; `version` if that is
  /// older.
  std::uint64_t oldest_since(std::size_t restart, std::uint64_t version) const;

 private:
  std::map<std::string, Resource> resources_;
  std::size_t position_ = 0;
  std::vector<std::uint64_t> restarts_;
  Lies lies_;
};

}  // namespace kube::testing
