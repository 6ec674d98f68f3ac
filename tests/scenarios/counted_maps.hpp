// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/meta/errors.hpp>

namespace scenarios {

/// An informer of the config maps of a namespace, and what it has delivered.
class CountedMaps {
 public:
  CountedMaps(const kube::Client& client, const std::string& ns)
      : informer_(client.rest(), {.namespace_ = ns}),
        registration_(informer_.add_event_handler({.on_add = [this](const auto& map, bool) {
          const std::lock_guard lock(mutex_);
          ++added_[std::string(map.name())];
        }})) {
    informer_
        .set_watch_error_handler([this](const kube::Error& error) {
          const std::lock_guard lock(mutex_);
          if (kube::is_unauthorized(error)) ++refusals_;
        })
        .value();
    informer_.start().value();
  }

  /// How often the handler was called for each map.
  std::map<std::string, int> added() const {
    const std::lock_guard lock(mutex_);
    return added_;
  }
  /// Lists and watches that were answered by 401.
  int refusals() const {
    const std::lock_guard lock(mutex_);
    return refusals_;
  }
  bool has_synced() const { return registration_.has_synced(); }
  kube::InformerStatus status() const { return informer_.status(); }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, int> added_;
  int refusals_ = 0;
  kube::SharedInformer<kube::core::v1::ConfigMap> informer_;
  kube::HandlerRegistration registration_;
};

}  // namespace scenarios
