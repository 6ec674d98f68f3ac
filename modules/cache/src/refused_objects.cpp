// SPDX-License-Identifier: Apache-2.0
#include "refused_objects.hpp"

#include <algorithm>
#include <utility>

namespace kube::cache {
namespace {

std::size_t hash_of_key(std::string_view key) {
  return std::hash<std::string_view>()(key);
}

}  // namespace

bool RefusedObjects::Keys::contains(std::string_view key) const {
  return hashes.contains(hash_of_key(key));
}

void RefusedObjects::Keys::add(std::string_view key, const Error& why) {
  hashes.insert(hash_of_key(key));
  const auto known = named.find(key);
  if (known != named.end()) {
    known->second = why;
  } else if (named.size() < kKeptRefusedNames) {
    named.emplace(key, why);
  }
}

void RefusedObjects::Keys::add(const Keys& others) {
  for (const auto& [key, why] : others.named) add(key, why);
  hashes.insert(others.hashes.begin(), others.hashes.end());
}

void RefusedObjects::Keys::remove(std::string_view key) {
  hashes.erase(hash_of_key(key));
  if (const auto known = named.find(key); known != named.end()) named.erase(known);
}

// A gauge is called with no lock held.
template <class F>
void RefusedObjects::change(F&& change) {
  std::size_t count = 0;
  {
    const MutexLock lock(mutex_);
    change(refused_);
    count = refused_.size();
  }
  if (count_.exchange(count, std::memory_order_relaxed) != count) {
    gauge_.set(static_cast<double>(count));
  }
}

void RefusedObjects::list_begins() {
  arriving_ = {};
  arriving_news_ = {};
}

void RefusedObjects::add(std::string_view key, const Error& why, DeltaType type) {
  const bool of_list = type == DeltaType::Replaced;
  if (of_list) arriving_.add(key, why);
  change([&](Keys& refused) {
    if (!refused.contains(key)) (of_list ? arriving_news_ : news_).add(key, why);
    if (!of_list) refused.add(key, why);
  });
}

void RefusedObjects::gone(std::string_view key, DeltaType type) {
  if (type == DeltaType::Replaced) {
    if (arriving_.size() == 0) return;
    arriving_.remove(key);
    arriving_news_.remove(key);
  } else if (count() > 0) {
    change([&](Keys& refused) { refused.remove(key); });
  }
}

void RefusedObjects::list_completed() {
  news_.add(std::exchange(arriving_news_, {}));
  change([&](Keys& refused) { refused = std::exchange(arriving_, {}); });
}

RefusedObjects::News RefusedObjects::take_news() {
  News news;
  while (!news_.named.empty() && news.count < kMaxRefusedNames) {
    const auto named = news_.named.begin();
    if (!news.first) news.first = named->second;
    if (news.count++ > 0) news.keys += ", ";
    news.keys += named->first;
    news_.remove(std::string(named->first));
  }
  if (news_.named.empty() && news_.size() > 0) {
    news.keys += " and " + std::to_string(news_.size()) + " more";
    news.count += std::exchange(news_, {}).size();
  }
  return news;
}

std::vector<RefusedObject> RefusedObjects::named() const {
  const MutexLock lock(mutex_);
  std::vector<RefusedObject> result;
  result.reserve(std::min(refused_.named.size(), kMaxRefusedNames));
  for (const auto& [key, why] : refused_.named) {
    if (result.size() == kMaxRefusedNames) break;
    result.push_back({key, why});
  }
  return result;
}

}  // namespace kube::cache
