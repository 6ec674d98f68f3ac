// SPDX-License-Identifier: Apache-2.0
#include "cell_feed.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "reading/query.hpp"
#include "storage/borrowed_object.hpp"

namespace kube::cacheserver {

using serving::EventType;
using serving::ObjectPtr;

namespace {

std::string not_a_number(std::string_view version) {
  return "its resourceVersion is not a number: \"" + std::string(version.substr(0, 64)) + "\"";
}

}  // namespace

std::string CellFeed::problem() const {
  const MutexLock lock(mutex_);
  if (problem_.empty() && !broken_.empty()) return broken_.begin()->second;
  if (problem_.empty() && unversioned_) {
    return "its state has changed, and its version, " + std::to_string(store_.revision()) +
           ", has not";
  }
  return problem_;
}

bool CellFeed::is_unversioned() const {
  const MutexLock lock(mutex_);
  return unversioned_;
}

void CellFeed::set_unversioned(bool unversioned) {
  const MutexLock lock(mutex_);
  unversioned_ = unversioned;
}

void CellFeed::set_problem(std::string problem) {
  const MutexLock lock(mutex_);
  problem_ = std::move(problem);
}

Result<ObjectPtr> CellFeed::make(const cache::CellRef& cell) {
  auto out = std::make_shared<CellObject>();
  out->cell = cell;
  out->namespace_ = cell->namespace_();
  out->name = cell->name();
  const auto read = cell->encoding() == cache::Encoding::Protobuf
                        ? serving::borrow_message(cell->body(), *resource_, *out)
                        : serving::borrow_json(cell->body(), *resource_, *out);
  if (!read) return read.error().with_context("object " + std::string(cell->key()));
  if (*read) {
    unread_labels_.fetch_add(1, std::memory_order_relaxed);
    KUBE_LOG(logger_, LogLevel::Warning, "cacheserver",
             "labels can't be read: label selectors see none", {"resource", resource_->plural},
             {"key", std::string(cell->key())}, {"error", (*read)->to_string()});
  }
  return ObjectPtr(std::move(out));
}

Result<ObjectPtr> CellFeed::find_or_make(const cache::CellRef& cell) {
  ObjectPtr known = collection_.get(cell->key());
  if (known && static_cast<const CellObject&>(*known).cell == cell) return known;
  return make(cell);
}

void CellFeed::on_replaced(std::vector<cache::CellRef> objects, std::string_view version,
                           bool changed) {
  const auto inside = gate_.enter();
  if (!inside) return;
  replace(objects, version, changed);
  listed_since_missing_ = true;
  find_missing();
}

void CellFeed::replace(const std::vector<cache::CellRef>& objects, std::string_view version,
                       bool changed) {
  removed_ = nullptr;
  const auto revision = serving::parse_revision(version);
  if (!revision) {
    set_problem(not_a_number(version));
    return end_watches();
  }
  if (!changed && problem().empty() && *revision >= store_.revision()) {
    return store_.advance(collection_, *revision);
  }
  std::vector<ObjectPtr> made;
  made.reserve(objects.size());
  std::map<std::string, std::string> broken;
  for (const cache::CellRef& cell : objects) {
    if (auto object = find_or_make(cell)) {
      made.push_back(*std::move(object));
    } else {
      broken.emplace(cell->key(), log_broken(object.error()));
    }
  }
  // A read must not find the new objects without the problem, or the former ones without the former
  // problem.
  const bool is_whole = broken.empty();
  if (!is_whole) set_broken(std::move(broken));
  restart(std::move(made), *revision);
  if (is_whole) set_broken({});
  set_problem({});
}

void CellFeed::on_stored(const cache::CellRef& object) {
  change(EventType::Modified, object);
}

// The version of a removal whose final state was refused comes with the next call. Until then the
// state before is served.
void CellFeed::on_removed(const cache::CellRef& object, bool final_state_unknown) {
  const auto inside = gate_.enter();
  if (!inside) return;
  ObjectPtr known = final_state_unknown ? collection_.get(object->key()) : nullptr;
  if (!known) return change(EventType::Deleted, object);
  remove_without_version();
  removed_ = std::move(known);
}

void CellFeed::remove_without_version() {
  if (const ObjectPtr removed = std::exchange(removed_, nullptr)) {
    restart_with(removed->key(), nullptr, 0);
  }
}

void CellFeed::on_progress(std::string_view version) {
  const auto inside = gate_.enter();
  if (!inside) return;
  const auto revision = serving::parse_revision(version);
  if (!revision) return remove_without_version();
  if (const ObjectPtr removed = std::exchange(removed_, nullptr)) {
    if (is_unversioned() || !store_.follow(collection_, EventType::Deleted, removed, *revision)) {
      restart_with(removed->key(), nullptr, *revision);
    }
    return mend(removed->key());
  }
  if (!is_unversioned()) return store_.advance(collection_, *revision);
  if (*revision != store_.revision()) restart(collection_.snapshot({}).objects, *revision);
}

void CellFeed::on_condition(InformerCondition condition) {
  const auto inside = gate_.enter();
  if (!inside) return;
  condition_ = condition;
  if (condition == InformerCondition::Missing) listed_since_missing_ = false;
  find_missing();
}

// The objects from before are not those of a resource that has come back, so that a list has to
// come; and a watch, because a list alone does not change the condition.
void CellFeed::find_missing() {
  const bool missing = condition_ == InformerCondition::Missing || !listed_since_missing_;
  if (missing_.exchange(missing, std::memory_order_acq_rel) == missing) return;
  if (on_missing_) on_missing_();
  if (missing) end_watches();
}

void CellFeed::change(EventType type, const cache::CellRef& cell) {
  const auto inside = gate_.enter();
  if (!inside) return;
  remove_without_version();
  const std::string key(cell->key());
  const auto object = make(cell);
  if (!object) return change_without_version(type, key, object.error());
  if (is_unversioned() || !store_.follow(collection_, type, *object)) {
    restart_with(key, type == EventType::Deleted ? nullptr : *object, (*object)->revision);
  }
  mend(key);
}

void CellFeed::change_without_version(EventType type, const std::string& key, const Error& error) {
  const std::string why = log_broken(error);
  if (type == EventType::Deleted) {
    restart_with(key, nullptr, 0);
    return mend(key);
  }
  {
    const MutexLock lock(mutex_);
    broken_.insert_or_assign(key, why);
  }
  end_watches();
}

void CellFeed::restart_with(const std::string& key, const ObjectPtr& object,
                            std::uint64_t revision) {
  std::vector<ObjectPtr> objects = collection_.snapshot({}).objects;
  std::erase_if(objects, [&](const ObjectPtr& each) { return each->key() == key; });
  if (object) objects.push_back(object);
  // A removal may have the version of the object's last state, which is not that of the cluster.
  restart(std::move(objects), object ? revision : std::max(revision, store_.revision()));
}

// Two states of one version look the same to a reader that comes back with it: the later one is
// served when the version has moved on. It goes back when the cluster's etcd is restored: then it
// is served as the informer has it, and a reader that comes back with a higher version gets a 410.
void CellFeed::restart(std::vector<ObjectPtr> objects, std::uint64_t revision) {
  const std::uint64_t before = store_.revision();
  const bool has_moved = revision != before;
  if (revision < before) {
    KUBE_LOG(logger_, LogLevel::Warning, "cacheserver",
             "the cluster's version has gone back: its watches begin again",
             {"resource", resource_->plural}, {"from", std::to_string(before)},
             {"to", std::to_string(revision)});
  }
  if (!has_moved) set_unversioned(true);
  store_.restart(collection_, std::move(objects), revision);
  if (has_moved) set_unversioned(false);
}

void CellFeed::end_watches() {
  store_.restart(collection_, collection_.snapshot({}).objects, store_.revision());
}

void CellFeed::mend(const std::string& key) {
  const MutexLock lock(mutex_);
  broken_.erase(key);
}

void CellFeed::set_broken(std::map<std::string, std::string> broken) {
  const MutexLock lock(mutex_);
  broken_ = std::move(broken);
}

std::string CellFeed::log_broken(const Error& error) const {
  std::string why = error.to_string();
  KUBE_LOG(logger_, LogLevel::Error, "cacheserver", "an object can't be served",
           {"resource", resource_->plural}, {"error", why});
  return why;
}

}  // namespace kube::cacheserver
