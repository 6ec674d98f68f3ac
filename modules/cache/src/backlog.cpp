// SPDX-License-Identifier: Apache-2.0
//
// Keeps the deltas of a handler, one by one or merged.
#include "backlog.hpp"

#include <algorithm>
#include <utility>

namespace kube::cache {
namespace {

// Below this, cancelled deltas keep their places.
constexpr std::size_t kMinCancelled = 64;

// Whether it counts against max_pending. What the cache itself brings, at any speed, does not.
bool is_counted(const Delta& delta) {
  if (delta.type == DeltaType::Added) return !delta.is_initial;
  return delta.type != DeltaType::Bookmark && !delta.changes_nothing();
}

bool is_cancelled(const Delta& delta) {
  return delta.type != DeltaType::Bookmark && !delta.cell;
}

}  // namespace

void Backlog::append(const Delta& delta, TimePoint since) {
  if (!is_counted(delta)) ++uncounted_;
  items_.push_back({delta, since});
}

bool Backlog::push(std::span<const Delta> deltas, TimePoint now, std::vector<Delta>& released) {
  for (const Delta& each : deltas) {
    merges_ ? merge(each, now, released) : append(each, now);
  }
  if (merges_ || max_pending_ == 0 || items_.size() - uncounted_ <= max_pending_) return false;
  if (overflow_ == HandlerOverflow::Unregister) return true;
  merges_ = true;
  rebuild(released);
  return true;
}

void Backlog::merge(const Delta& delta, TimePoint since, std::vector<Delta>& released) {
  if (delta.type == DeltaType::Bookmark) {
    append(delta, since);
    return;
  }
  const auto [at, is_first] = last_.try_emplace(std::string(delta.cell->key()), 0);
  if (!is_first) {
    Item& item = items_[static_cast<std::size_t>(at->second - first_)];
    Delta& last = item.delta;
    const bool deletes = delta.type == DeltaType::Deleted;
    const bool deleted = last.type == DeltaType::Deleted;
    if (last.type == DeltaType::Added && deletes) {
      last_.erase(at);
      merged_ += 2;
      cancel(item, released);
      return;
    }
    // Two deletions in a row: the observed one says more.
    if (deleted && !last.final_state_unknown && deletes) {
      ++merged_;
      return;
    }
    // An add after a deletion is another object, in most cases.
    if (!deleted || deletes) {
      ++merged_;
      if (deletes) {
        released.push_back({.old = std::move(last.old)});
        last.type = delta.type;
        last.final_state_unknown = delta.final_state_unknown;
      }
      released.push_back({.cell = std::exchange(last.cell, delta.cell)});
      return;
    }
  }
  at->second = first_ + static_cast<std::int64_t>(items_.size());
  append(delta, since);
}

void Backlog::cancel(Item& item, std::vector<Delta>& released) {
  released.push_back({.cell = std::move(item.delta.cell), .old = std::move(item.delta.old)});
  ++cancelled_;
  drop_cancelled_front();
  if (cancelled_ > kMinCancelled && cancelled_ > items_.size() / 2) rebuild(released);
}

void Backlog::drop_cancelled_front() {
  while (!items_.empty() && is_cancelled(items_.front().delta)) {
    items_.pop_front();
    ++first_;
    --cancelled_;
  }
}

void Backlog::rebuild(std::vector<Delta>& released) {
  std::deque<Item> items;
  items.swap(items_);
  last_.clear();
  first_ = 0;
  cancelled_ = 0;
  for (Item& item : items) {
    if (is_cancelled(item.delta)) continue;
    merge(item.delta, item.since, released);
    released.push_back(std::move(item.delta));  // it may be the last owner of its objects
  }
}

void Backlog::take(std::size_t count, std::vector<Item>& out) {
  out.reserve(std::min(count, items_.size()));
  while (!items_.empty() && out.size() < count) {
    Item& item = items_.front();
    if (merges_ && item.delta.cell) {
      const auto at = last_.find(std::string(item.delta.cell->key()));
      if (at != last_.end() && at->second == first_) last_.erase(at);
    }
    if (!merges_ && !is_counted(item.delta)) --uncounted_;
    out.push_back(std::move(item));
    items_.pop_front();
    ++first_;
    if (cancelled_ > 0) drop_cancelled_front();
  }
  if (!items_.empty()) return;
  merges_ = delivery_ == HandlerDelivery::LatestState;
  uncounted_ = 0;
}

// Nothing is merged into these: a later delta of the object may wait already.
void Backlog::put_back(std::span<Item> items) {
  for (auto item = items.rbegin(); item != items.rend(); ++item) {
    --first_;
    if (!is_counted(item->delta)) ++uncounted_;
    items_.push_front(std::move(*item));
  }
}

std::deque<Backlog::Item> Backlog::clear() {
  last_.clear();
  cancelled_ = 0;
  uncounted_ = 0;
  merges_ = delivery_ == HandlerDelivery::LatestState;
  return std::exchange(items_, {});
}

std::optional<TimePoint> Backlog::oldest() const {
  if (items_.empty()) return std::nullopt;
  return items_.front().since;
}

}  // namespace kube::cache
