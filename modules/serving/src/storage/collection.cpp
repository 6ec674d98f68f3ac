// SPDX-License-Identifier: Apache-2.0
//
// The objects of one resource: reads of the present and of past states, by index where there is
// one.
#include "storage/store.hpp"

#include <algorithm>
#include <utility>

namespace kube::serving {
namespace {

// Keys of a namespace lie in [ns + "/", ns + "0"): '0' follows '/'.
std::string range_begin(const Scope& scope) {
  return scope.namespace_.empty() ? std::string{} : scope.namespace_ + "/";
}

bool in_scope(const Scope& scope, std::string_view key) {
  return scope.namespace_.empty() ||
         (key.size() > scope.namespace_.size() && key.starts_with(scope.namespace_) &&
          key[scope.namespace_.size()] == '/');
}

const std::pair<const std::string, ObjectPtr>& entry_of(
    const std::pair<const std::string, ObjectPtr>& entry) {
  return entry;
}
const std::pair<const std::string, ObjectPtr>& entry_of(const ValueIndex::Entry* entry) {
  return *entry;
}

/// Appends at most `limit` objects (0: all) of a scope, from two ranges in order of key: of those
/// in both, the one of `undone`; null is none. Returns whether there are more.
template <class Stored, class Undone>
bool merge(Stored stored, Stored stored_end, Undone undone, Undone undone_end, const Scope& scope,
           std::size_t limit, std::vector<ObjectPtr>& out) {
  while (true) {
    const bool has_stored = stored != stored_end && in_scope(scope, entry_of(*stored).first);
    const bool has_undone = undone != undone_end;
    if (!has_stored && !has_undone) return false;
    const ObjectPtr* next = nullptr;
    if (has_undone && (!has_stored || undone->first <= entry_of(*stored).first)) {
      if (has_stored && undone->first == entry_of(*stored).first) ++stored;
      next = &undone->second;
      ++undone;
      if (!*next) continue;  // made after that revision
    } else {
      next = &entry_of(*stored).second;
      ++stored;
    }
    if (limit != 0 && out.size() == limit) return true;
    out.push_back(*next);
  }
}

}  // namespace

ObjectPtr Collection::get(std::string_view key) const {
  const MutexLock lock(mutex_);
  const auto at = objects_.find(key);
  return at == objects_.end() ? nullptr : at->second;
}

Snapshot Collection::snapshot(const Scope& scope) const {
  Snapshot out;
  Page all;
  all.count_remaining = false;
  page(scope, all, out);
  return out;
}

SharedSnapshot Collection::shared_snapshot(const Scope& scope) {
  // The maximum number of namespaces; clients that list more of them share less.
  constexpr std::size_t kMax = 64;
  const MutexLock lock(mutex_);
  SharedSnapshot out{revision_.load(std::memory_order_acquire), nullptr};
  if (shared_.size() > kMax) shared_.clear();
  auto& kept = shared_[scope.namespace_];
  out.objects = kept.lock();
  if (out.objects) return out;
  auto objects = std::make_shared<std::vector<ObjectPtr>>();
  if (scope.namespace_.empty()) objects->reserve(objects_.size());
  for (auto at = objects_.lower_bound(range_begin(scope));
       at != objects_.end() && in_scope(scope, at->first); ++at) {
    objects->push_back(at->second);
  }
  out.objects = std::move(objects);
  kept = out.objects;
  return out;
}

HeldStatePtr Collection::hold(std::uint64_t revision, SharedObjects objects) {
  const MutexLock lock(mutex_);
  const bool is_lost = revision < log_.dropped();
  return held_->hold(revision, is_lost ? nullptr : std::move(objects));
}

// Returns the state at a revision of the keys that changed after it; null for keys that did not
// exist.
Collection::Overlay Collection::undo(const Scope& scope, std::uint64_t to) const {
  Overlay overlay;
  log_.for_each_newest_first(to, [&](const Event& event) {
    std::string key = event.object->key();
    if (in_scope(scope, key)) overlay[std::move(key)] = event.previous;
  });
  return overlay;
}

std::size_t Collection::count(const Scope& scope, const Overlay& overlay) const {
  std::size_t size = objects_.size();
  if (!scope.namespace_.empty()) {
    const auto at = per_namespace_.find(scope.namespace_);
    size = at == per_namespace_.end() ? 0 : at->second;
  }
  for (const auto& [key, then] : overlay) {
    const bool now = objects_.contains(key);
    if (then && !now) ++size;
    if (!then && now) --size;
  }
  return size;
}

ReadError Collection::page(const Scope& scope, const Page& page, Snapshot& out) const {
  const MutexLock lock(mutex_);
  const std::uint64_t now = revision_.load(std::memory_order_acquire);
  Overlay overlay;
  out.revision = now;
  if (page.at && *page.at != now) {
    if (*page.at > now) return ReadError::TooNew;
    if (*page.at < log_.compacted()) return ReadError::Expired;
    overlay = undo(scope, *page.at);
    out.revision = *page.at;
  }
  const std::string start = std::max(range_begin(scope), page.start);
  bool more = false;
  if (const auto* selected = indexes_.narrowest(page.only)) {
    more = merge(selected->lower_bound(std::string_view(start)), selected->end(),
                 overlay.lower_bound(start), overlay.end(), scope, page.limit, out.objects);
  } else {
    if (page.limit == 0 && scope.namespace_.empty()) out.objects.reserve(objects_.size());
    more = merge(objects_.lower_bound(start), objects_.end(), overlay.lower_bound(start),
                 overlay.end(), scope, page.limit, out.objects);
  }
  // Exact on a first page; later pages have the number in their token.
  if (more) {
    const std::size_t total = page.count_remaining ? count(scope, overlay) : 0;
    out.remaining = std::max<std::size_t>(total > page.limit ? total - page.limit : 0, 1);
  }
  return ReadError::None;
}

bool Collection::select(const Scope& scope, const std::vector<Equality>& equalities,
                        Snapshot& out) const {
  // A list of many objects is better shared with others.
  constexpr std::size_t kFew = 64;
  constexpr std::size_t kPart = 4;
  const MutexLock lock(mutex_);
  const auto* selected = indexes_.narrowest(equalities);
  if (selected == nullptr) return false;
  if (selected->size() > std::max(kFew, objects_.size() / kPart)) return false;
  out.revision = revision_.load(std::memory_order_acquire);
  const Overlay none;
  merge(selected->lower_bound(std::string_view(range_begin(scope))), selected->end(), none.begin(),
        none.end(), scope, 0, out.objects);
  return true;
}

void Collection::make_indexes(const std::vector<Equality>& equalities) {
  // A list of fewer objects costs as much as looking for an index.
  constexpr std::size_t kWorthIt = 256;
  for (const Equality& each : equalities) {
    {
      const MutexLock lock(mutex_);
      if (objects_.size() < kWorthIt || indexes_.has(each.of) || !indexes_.is_wanted(each.of)) {
        continue;
      }
    }
    make_index(each);
  }
}

// The values are read without the lock; under it, those of objects that came in the meantime.
void Collection::make_index(const Equality& equality) {
  const SharedObjects objects = shared_snapshot({}).objects;
  std::unordered_map<const StoredObject*, std::optional<std::string>> values;
  values.reserve(objects->size());
  for (const ObjectPtr& each : *objects) values.emplace(each.get(), equality.read(*each));
  ValueIndex index(equality.read);
  const MutexLock lock(mutex_);
  if (indexes_.has(equality.of)) return;
  for (const auto& entry : objects_) {
    const auto known = values.find(entry.second.get());
    known == values.end() ? index.add(entry) : index.add(entry, known->second);
  }
  indexes_.add(equality.of, std::move(index));
}

std::size_t Collection::indexes() const {
  const MutexLock lock(mutex_);
  return indexes_.size();
}

// Events of other namespaces do not wake a reader, so that its position stays behind while it
// waits, and the history drops what is above it. Under the mutex, no event in its scope is above
// its position
//   - up to the store's revision, as long as it is in waiting_: it enters when no event is above
//     its position, and whoever appends one in its scope takes it out before the mutex is free;
//   - then up to missed_nothing_until: the revision before that event, or, when something else
//     has taken it out, the store's revision of that moment.
// So it needs none of these events, whether they are dropped or not; it has missed one only when
// the history has dropped what is above that. A position ahead of the store stays.
ReadError Collection::read(std::uint64_t after, std::size_t max, const WakerPtr& waker, Events& out,
                           std::uint64_t epoch, const Scope& scope) {
  const MutexLock lock(mutex_);
  if (waker) {
    const auto waiting = waiting_.find(scope.namespace_);
    const bool still_waits = waiting != waiting_.end() && waiting->second.contains(waker);
    after = std::max(after, still_waits ? revision() : waker->missed_nothing_until);
  }
  if (after < log_.dropped() || epoch != epoch_.load(std::memory_order_relaxed)) {
    out.oldest = log_.compacted();
    return ReadError::Expired;
  }
  log_.read(after, max, out.events);
  out.revision = std::max(after, revision_.load(std::memory_order_acquire));
  if (out.events.empty() && waker) waiting_[scope.namespace_].insert(waker);
  return ReadError::None;
}

void Collection::forget(const WakerPtr& waker, const Scope& scope) {
  const MutexLock lock(mutex_);
  const auto at = waiting_.find(scope.namespace_);
  if (at == waiting_.end()) return;
  at->second.erase(waker);
  if (at->second.empty()) waiting_.erase(at);
}

Wakers Collection::take_waiting(const std::string& namespace_, std::uint64_t revision) {
  Wakers out;
  const auto take = [&](const std::string& of) KUBE_REQUIRES(mutex_) {
    const auto at = waiting_.find(of);
    if (at == waiting_.end()) return;
    for (const WakerPtr& each : at->second) {
      each->missed_nothing_until = revision - 1;
      out.push_back(each);
    }
    waiting_.erase(at);
  };
  take("");
  if (!namespace_.empty()) take(namespace_);
  return out;
}

Wakers Collection::take_waiting() {
  Wakers out;
  for (const auto& [namespace_, waiting] : waiting_) {
    for (const WakerPtr& each : waiting) {
      each->missed_nothing_until = revision();
      out.push_back(each);
    }
  }
  waiting_.clear();
  return out;
}

ReadError Collection::check_start(std::uint64_t from, std::uint64_t& oldest) const {
  const MutexLock lock(mutex_);
  oldest = std::max(log_.compacted(), served_since_);
  const bool was_left = from > revision() && from <= left_;
  return from < oldest || was_left ? ReadError::Expired : ReadError::None;
}

void Collection::begin_watches(std::uint64_t revision) {
  const MutexLock lock(mutex_);
  served_since_ = revision;
}

std::size_t Collection::size() const {
  const MutexLock lock(mutex_);
  return objects_.size();
}

std::size_t Collection::size(std::string_view namespace_) const {
  const MutexLock lock(mutex_);
  const auto at = per_namespace_.find(std::string(namespace_));
  return at == per_namespace_.end() ? 0 : at->second;
}

std::size_t Collection::history_size() const {
  const MutexLock lock(mutex_);
  return log_.size();
}

std::size_t Collection::history_bytes() const {
  const MutexLock lock(mutex_);
  return log_.bytes();
}

HeldStates::Released Collection::place(Map::iterator at, std::string key, const EventPtr& event) {
  const std::string& namespace_ = event->object->namespace_;
  if (event->type == EventType::Deleted) {
    indexes_.on_removing(*at);
    objects_.erase(at);
    if (--per_namespace_[namespace_] == 0) per_namespace_.erase(namespace_);
  } else if (at != objects_.end()) {
    at->second = event->object;
    indexes_.on_replaced(*at, *event->previous);
  } else {
    ++per_namespace_[namespace_];
    indexes_.on_added(*objects_.emplace(std::move(key), event->object).first);
  }
  log_.append(event);
  shared_.clear();
  return held_->release_below(log_.dropped());
}

void Collection::compact(std::uint64_t revision) {
  HeldStates::Released released;  // destroyed after the lock
  const MutexLock lock(mutex_);
  log_.compact(revision);
  released = held_->release_below(log_.dropped());
}

}  // namespace kube::serving
