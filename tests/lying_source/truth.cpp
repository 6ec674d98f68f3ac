// SPDX-License-Identifier: Apache-2.0
#include "truth.hpp"

#include <utility>

namespace kube::lying {
namespace {

constexpr const char* kNamespaces[] = {"x", "y"};
// Some that are unusual and allowed.
const std::string kNames[] = {
    "0", "1", "2", "3", "4", "system:node:a", "Shop_1.abc", "~", std::string(253, 'n')};
constexpr const char* kApps[] = {"a", "b"};
constexpr const char* kNodes[] = {"", "n1", "n2"};

}  // namespace

Truth::Truth(Draw& draw) : version_(draw.one_in(4) ? 9'007'199'254'740'993 : 1 + draw.below(2000)) {
  for (std::uint64_t i = draw.below(3); i > 0; --i) {
    TrueObject steady;
    steady.namespace_ = draw.of(kNamespaces);
    steady.name = "steady-" + std::to_string(i);
    steady.uid = "uid-steady-" + std::to_string(i);
    steady.version = version_++;
    steady.app = draw.of(kApps);
    steady.node = draw.of(kNodes);
    steady.steady = true;
    objects_.emplace(steady.key(), steady);
  }
  first_ = objects_;
  for (std::uint64_t i = draw.below(10); i > 0; --i) change_something(draw);
}

const Truth::Change& Truth::record(std::optional<TrueObject> before,
                                   std::optional<TrueObject> after) {
  if (after) {
    objects_[after->key()] = *after;
  } else {
    objects_.erase(before->key());
  }
  history_.push_back({version_, std::move(before), std::move(after)});
  return history_.back();
}

const Truth::Change& Truth::change_something(Draw& draw) {
  TrueObject object;
  object.namespace_ = draw.of(kNamespaces);
  object.name = draw.of(kNames);
  const auto found = objects_.find(object.key());
  version_ += 1 + draw.below(2);  // others write, too
  if (found == objects_.end()) {
    object.uid = "uid-" + std::to_string(++uids_);
    object.version = version_;
    object.app = draw.of(kApps);
    object.node = draw.of(kNodes);
    return record(std::nullopt, std::move(object));
  }
  const TrueObject before = found->second;
  TrueObject after = before;
  after.version = version_;
  if (draw.one_in(3)) {
    record(before, std::nullopt);
    // A deletion is an event with the object as it was, at a version of its own.
    history_.back().before->version = version_;
    return history_.back();
  }
  after.app = draw.of(kApps);
  after.node = draw.of(kNodes);
  return record(before, std::move(after));
}

std::vector<Truth::Change> Truth::write_everything() {
  std::vector<Change> changes;
  for (auto& [key, object] : objects_) {
    const TrueObject before = object;
    TrueObject after = before;
    after.version = ++version_;
    changes.push_back(record(before, std::move(after)));
  }
  return changes;
}

TrueObjects Truth::at(std::uint64_t version) const {
  if (version >= version_) return objects_;
  TrueObjects objects = first_;
  for (const Change& change : history_) {
    if (change.version > version) break;
    if (change.after) {
      objects[change.after->key()] = *change.after;
    } else {
      objects.erase(change.before->key());
    }
  }
  return objects;
}

}  // namespace kube::lying
