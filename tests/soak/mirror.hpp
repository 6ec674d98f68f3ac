// SPDX-License-Identifier: Apache-2.0
//
// What the handler of one informer was called for: the history of each object has to be one that
// the server can have had, and what is left has to be what the server has.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <kube/cache/shared_informer.hpp>
#include <kube/client/client.hpp>

namespace soak {

using Versions = std::map<std::string, std::string>;  // by "namespace/name"

/// @par Thread safety   All functions may be called from any thread.
class Mirror {
 public:
  void added(const std::string& key, const std::string& version) {
    const std::lock_guard lock(mutex_);
    ++events_;
    if (!objects_.emplace(key, version).second) note(key + " was added twice");
  }
  void updated(const std::string& key, const std::string& before, const std::string& version) {
    const std::lock_guard lock(mutex_);
    ++events_;
    const auto found = objects_.find(key);
    if (found == objects_.end()) return note(key + " was updated and never added");
    if (found->second != before) note(key + " was updated from a state that was never delivered");
    if (number(version) < number(before))
      note(key + " went back from " + before + " to " + version);
    found->second = version;
  }
  void deleted(const std::string& key, bool inferred) {
    const std::lock_guard lock(mutex_);
    ++events_;
    inferred_ += inferred ? 1 : 0;
    if (objects_.erase(key) == 0) note(key + " was deleted and never added");
  }

  Versions objects() const {
    const std::lock_guard lock(mutex_);
    return objects_;
  }
  std::vector<std::string> mistakes() const {
    const std::lock_guard lock(mutex_);
    return mistakes_;
  }
  std::uint64_t events() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  std::uint64_t inferred_deletions() const {
    const std::lock_guard lock(mutex_);
    return inferred_;
  }

 private:
  static std::uint64_t number(const std::string& version) {
    return std::strtoull(version.c_str(), nullptr, 10);
  }
  void note(std::string mistake) {
    if (mistakes_.size() < 20) mistakes_.push_back(std::move(mistake));
  }

  mutable std::mutex mutex_;
  Versions objects_;
  std::vector<std::string> mistakes_;
  std::uint64_t events_ = 0;
  std::uint64_t inferred_ = 0;
};

/// An informer of any type with a mirror.
class Watched {
 public:
  virtual ~Watched() = default;
  virtual bool start() = 0;
  virtual Versions cache() const = 0;
  virtual kube::InformerStatus status() const = 0;
  virtual std::string name() const = 0;
  const Mirror& mirror() const { return mirror_; }

 protected:
  Mirror mirror_;
};

template <class T>
class WatchedType final : public Watched {
 public:
  /// `name` is for lines of the report.
  WatchedType(std::string name, const kube::Client& client,
              const kube::meta::ResourceInfo& resource)
      : name_(std::move(name)), informer_(client.rest(), resource) {
    handler_ = informer_.add_event_handler(
        {.on_add = [this](const kube::Cached<T>& object,
                          bool) { mirror_.added(key_of(object), version_of(object)); },
         .on_update =
             [this](const kube::Cached<T>& before, const kube::Cached<T>& object) {
               mirror_.updated(key_of(object), version_of(before), version_of(object));
             },
         .on_delete =
             [this](const kube::DeletedObject<T>& deleted) {
               mirror_.deleted(key_of(deleted.object), deleted.final_state_unknown);
             }});
  }

  bool start() override { return informer_.start().has_value(); }
  Versions cache() const override {
    Versions objects;
    for (const auto& object : informer_.lister().list()) {
      objects.emplace(key_of(object), version_of(object));
    }
    return objects;
  }
  kube::InformerStatus status() const override { return informer_.status(); }
  std::string name() const override { return name_; }

 private:
  static std::string key_of(const kube::Cached<T>& object) { return std::string(object.key()); }
  static std::string version_of(const kube::Cached<T>& object) {
    return std::string(object.resource_version());
  }

  const std::string name_;
  kube::SharedInformer<T> informer_;
  kube::HandlerRegistration handler_;
};

}  // namespace soak
