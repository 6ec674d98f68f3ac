// SPDX-License-Identifier: Apache-2.0
//
// Keeps the notifications of a handler, one by one or merged.
#include "backlog.hpp"

#include <algorithm>
#include <utility>

namespace kube::cache {
namespace {

using Change = Notification::Type;

// Below this, cancelled notifications keep their places.
constexpr std::size_t kMinCancelled = 64;

bool is_add(const Notification& notification) {
  return notification.type == Change::Add || notification.type == Change::InitialAdd;
}

bool is_delete(const Notification& notification) {
  return notification.type == Change::Delete || notification.type == Change::DeleteUnknown;
}

// Whether it counts against max_pending. What the cache itself brings, at any speed, does not.
bool is_counted(const Notification& notification) {
  if (notification.type == Change::Update) return notification.old != notification.object;
  return notification.type != Change::InitialAdd && notification.type != Change::Synced;
}

bool is_cancelled(const Notification& notification) {
  return notification.type != Change::Synced && !notification.object;
}

}  // namespace

void Backlog::append(const Notification& notification, TimePoint since) {
  if (!is_counted(notification)) ++uncounted_;
  items_.push_back({notification, since});
}

bool Backlog::push(std::span<const Notification> notifications, TimePoint now,
                   std::vector<Notification>& released) {
  for (const Notification& each : notifications) {
    merges_ ? merge(each, now, released) : append(each, now);
  }
  if (merges_ || max_pending_ == 0 || items_.size() - uncounted_ <= max_pending_) return false;
  if (overflow_ == HandlerOverflow::Unregister) return true;
  merges_ = true;
  rebuild(released);
  return true;
}

void Backlog::merge(const Notification& notification, TimePoint since,
                    std::vector<Notification>& released) {
  if (notification.type == Change::Synced) {
    append(notification, since);
    return;
  }
  const auto [at, is_first] = last_.try_emplace(std::string(notification.object->key()), 0);
  if (!is_first) {
    Item& item = items_[static_cast<std::size_t>(at->second - first_)];
    Notification& last = item.notification;
    if (is_add(last) && is_delete(notification)) {
      last_.erase(at);
      merged_ += 2;
      cancel(item, released);
      return;
    }
    // Two deletions in a row: the observed one says more.
    if (is_delete(last) && last.type == Change::Delete && is_delete(notification)) {
      ++merged_;
      return;
    }
    // An add after a deletion is another object, in most cases.
    if (!is_delete(last) || is_delete(notification)) {
      ++merged_;
      if (is_delete(notification)) {
        released.push_back({last.type, {}, std::move(last.old)});
        last.type = notification.type;
      }
      released.push_back({last.type, std::exchange(last.object, notification.object), {}});
      return;
    }
  }
  at->second = first_ + static_cast<std::int64_t>(items_.size());
  append(notification, since);
}

void Backlog::cancel(Item& item, std::vector<Notification>& released) {
  item.notification.type = Change::Add;
  released.push_back({Change::Add, std::move(item.notification.object), {}});
  ++cancelled_;
  drop_cancelled_front();
  if (cancelled_ > kMinCancelled && cancelled_ > items_.size() / 2) rebuild(released);
}

void Backlog::drop_cancelled_front() {
  while (!items_.empty() && is_cancelled(items_.front().notification)) {
    items_.pop_front();
    ++first_;
    --cancelled_;
  }
}

void Backlog::rebuild(std::vector<Notification>& released) {
  std::deque<Item> items;
  items.swap(items_);
  last_.clear();
  first_ = 0;
  cancelled_ = 0;
  for (Item& item : items) {
    if (is_cancelled(item.notification)) continue;
    merge(item.notification, item.since, released);
    released.push_back(std::move(item.notification));  // it may be the last owner of its objects
  }
}

void Backlog::take(std::size_t count, std::vector<Item>& out) {
  out.reserve(std::min(count, items_.size()));
  while (!items_.empty() && out.size() < count) {
    Item& item = items_.front();
    if (merges_ && item.notification.object) {
      const auto at = last_.find(std::string(item.notification.object->key()));
      if (at != last_.end() && at->second == first_) last_.erase(at);
    }
    if (!merges_ && !is_counted(item.notification)) --uncounted_;
    out.push_back(std::move(item));
    items_.pop_front();
    ++first_;
    if (cancelled_ > 0) drop_cancelled_front();
  }
  if (!items_.empty()) return;
  merges_ = delivery_ == HandlerDelivery::LatestState;
  uncounted_ = 0;
}

// Nothing is merged into these: a later notification of the object may wait already.
void Backlog::put_back(std::span<Item> items) {
  for (auto item = items.rbegin(); item != items.rend(); ++item) {
    --first_;
    if (!is_counted(item->notification)) ++uncounted_;
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
