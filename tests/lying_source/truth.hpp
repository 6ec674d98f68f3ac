// SPDX-License-Identifier: Apache-2.0
//
// The objects as they are, and how they came to be so: the whole history is kept and replayed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "draw.hpp"

namespace kube::lying {

struct TrueObject {
  std::string namespace_{};
  std::string name{};
  std::string uid{};
  std::uint64_t version = 0;
  std::string app{};    ///< Label "app".
  std::string node{};   ///< spec.nodeName
  bool steady = false;  ///< Was there first and never changes.

  std::string key() const { return namespace_ + '/' + name; }
  bool operator==(const TrueObject&) const = default;
};
using TrueObjects = std::map<std::string, TrueObject>;  ///< By "namespace/name".

/// What a client selects; empty selects everything.
struct Scope {
  std::string namespace_{};
  std::string app{};
  std::string node{};

  bool includes(const TrueObject& object) const {
    return (namespace_.empty() || namespace_ == object.namespace_) &&
           (app.empty() || app == object.app) && (node.empty() || node == object.node);
  }
  std::string label_selector() const { return app.empty() ? "" : "app=" + app; }
  std::string field_selector() const { return node.empty() ? "" : "spec.nodeName=" + node; }
};

class Truth {
 public:
  struct Change {
    std::uint64_t version = 0;
    std::optional<TrueObject> before{};
    std::optional<TrueObject> after{};
  };

  /// Some of the first objects are steady.
  explicit Truth(Draw& draw);

  /// Creates, changes or deletes something.
  const Change& change_something(Draw& draw);
  /// Writes each object once more, changed in its version alone.
  std::vector<Change> write_everything();
  /// The version moves on by something that nobody here sees.
  void pass_over() { ++version_; }

  const TrueObjects& now() const { return objects_; }
  TrueObjects at(std::uint64_t version) const;
  const std::vector<Change>& history() const { return history_; }
  std::uint64_t version() const { return version_; }

 private:
  const Change& record(std::optional<TrueObject> before, std::optional<TrueObject> after);

  std::uint64_t version_;
  std::uint64_t uids_ = 0;
  TrueObjects first_;  // what was there before the history
  TrueObjects objects_;
  std::vector<Change> history_;
};

}  // namespace kube::lying
