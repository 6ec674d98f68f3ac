// SPDX-License-Identifier: Apache-2.0
#include "mirror.hpp"

#include <algorithm>
#include <charconv>

namespace kube::simulated {

using core::v1::ConfigMap;

namespace {

constexpr const char* kLegal = "a handler sees a history that could have happened";

}  // namespace

ResourceEventHandler<ConfigMap> Mirror::handler() {
  ResourceEventHandler<ConfigMap> out;
  out.on_add = [this](const Cached<ConfigMap>& object, bool) {
    put(object, "");
    rest_a_while();
  };
  out.on_update = [this](const Cached<ConfigMap>& before, const Cached<ConfigMap>& after) {
    put(after, std::string(before.resource_version()));
    rest_a_while();
  };
  out.on_delete = [this](const DeletedObject<ConfigMap>& deleted) {
    remove(deleted.object);
    rest_a_while();
  };
  return out;
}

// `before`: the version that an update has as the old one; "" for an add.
void Mirror::put(const Cached<ConfigMap>& object, const std::string& before) {
  const std::string key(object.key());
  const std::string version(object.resource_version());
  sim_.note("mirror: " + key + "@" + version + (before.empty() ? "" : " from " + before));
  const std::lock_guard lock(mutex_);
  std::string& known = versions_[key];
  if (known != before) {
    sim_.fail(kLegal, key + "@" + version + " follows \"" + before +
                          "\", and what came last is \"" + known + "\"");
  }
  std::uint64_t& newest = newest_[key];
  const std::uint64_t number = version_number(version);
  if (number < newest) {
    sim_.fail(kLegal, key + "@" + version + " comes after " + std::to_string(newest));
  }
  newest = number;
  known = version;
}

// A deletion that comes twice is reported twice (CTL-14).
void Mirror::remove(const Cached<ConfigMap>& object) {
  const std::string key(object.key());
  sim_.note("mirror: " + key + " is deleted");
  const std::lock_guard lock(mutex_);
  versions_.erase(key);
  std::uint64_t& newest = newest_[key];
  const std::uint64_t number = version_number(object.resource_version());
  if (number < newest) sim_.fail(kLegal, key + " is deleted after " + std::to_string(newest));
  newest = std::max(newest, number);
}

void Mirror::rest_a_while() const {
  if (!slow_ || !sim_.one_in(3)) return;
  sim_.clock()->sleep_for(std::chrono::milliseconds(sim_.draw(4000)), {});
}

std::string Mirror::differs() const {
  return cache_differs(sim_, namespace_, [this](const ObjectKey& key) {
    const std::lock_guard lock(mutex_);
    const auto known = versions_.find(key.to_string());
    return known == versions_.end() ? std::string() : known->second;
  });
}

std::vector<ObjectKey> changed_keys() {
  std::vector<ObjectKey> out;
  for (const char* const namespace_ : {"default", "kube-public"}) {
    for (int i = 0; i < 6; ++i) out.push_back({namespace_, "object-" + std::to_string(i)});
  }
  return out;
}

std::string server_version(Simulation& sim, const ObjectKey& key) {
  const auto object = sim.server().get(config_maps().gvr(), key);
  return object ? std::string(object->resource_version()) : std::string();
}

std::string cache_differs(Simulation& sim, const std::string& namespace_,
                          const std::function<std::string(const ObjectKey&)>& find) {
  for (const ObjectKey& key : changed_keys()) {
    const bool in_scope = namespace_.empty() || key.namespace_ == namespace_;
    const std::string expected = in_scope ? server_version(sim, key) : std::string();
    const std::string found = find(key);
    if (found == expected) continue;
    return key.to_string() + " is \"" + found + "\", the server's \"" + expected + "\"";
  }
  return {};
}

std::uint64_t version_number(std::string_view version) {
  std::uint64_t out = 0;
  std::from_chars(version.data(), version.data() + version.size(), out);
  return out;
}

}  // namespace kube::simulated
