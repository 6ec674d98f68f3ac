// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/shared_informer_factory.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <kube/base/mutex.hpp>

namespace kube {
namespace {

std::string describe(const meta::ResourceInfo& resource, const std::string& namespace_,
                     const std::string& label_selector, const std::string& field_selector) {
  std::string text = resource.group_resource().to_string();
  if (!namespace_.empty()) text += " in " + namespace_;
  if (!label_selector.empty()) text += " with labels " + label_selector;
  if (!field_selector.empty()) text += " with fields " + field_selector;
  return text;
}

}  // namespace

SyncResult::operator bool() const {
  return std::all_of(synced.begin(), synced.end(), [](const auto& entry) { return entry.second; });
}

Result<void> SyncResult::as_result() const {
  std::vector<std::string> missing;
  for (const auto& [name, is_synced] : synced) {
    if (!is_synced) missing.push_back(name);
  }
  if (missing.empty()) return {};
  std::sort(missing.begin(), missing.end());
  std::string text = "caches that have not synced: ";
  for (std::size_t i = 0; i < missing.size(); ++i) text += (i == 0 ? "" : ", ") + missing[i];
  return Error(ErrorCode::Cancelled, text);
}

struct SharedInformerFactory::Impl {
  struct Entry {
    Entry(Key key_in, std::string name_in, Handle handle_in)
        : key(std::move(key_in)), name(std::move(name_in)), handle(std::move(handle_in)) {}
    Key key;
    std::string name;
    Handle handle;
    bool started = false;
    std::optional<std::stop_callback<std::function<void()>>> stop_callback{};
  };

  std::vector<std::shared_ptr<Entry>> started() const {
    std::vector<std::shared_ptr<Entry>> result;
    const MutexLock lock(mutex);
    for (const auto& entry : entries) {
      if (entry->started) result.push_back(entry);
    }
    return result;
  }

  mutable Mutex mutex;
  std::vector<std::shared_ptr<Entry>> entries KUBE_GUARDED_BY(mutex);
  bool shut_down KUBE_GUARDED_BY(mutex) = false;
};

SharedInformerFactory::SharedInformerFactory(RestClient client, InformerOptions defaults)
    : client_(std::move(client)), defaults_(std::move(defaults)), impl_(std::make_unique<Impl>()) {}

SharedInformerFactory::~SharedInformerFactory() {
  shutdown();
}

std::shared_ptr<void> SharedInformerFactory::find_or_make(Key key,
                                                          const std::function<Handle()>& make) {
  const MutexLock lock(impl_->mutex);
  for (const auto& entry : impl_->entries) {
    if (entry->key == key) return entry->handle.informer;
  }
  std::string name = describe(key.resource, key.namespace_, key.label_selector, key.field_selector);
  auto entry = std::make_shared<Impl::Entry>(std::move(key), std::move(name), make());
  impl_->entries.push_back(entry);
  return entry->handle.informer;
}

void SharedInformerFactory::start(std::stop_token stop) {
  std::vector<std::shared_ptr<Impl::Entry>> starting;
  {
    const MutexLock lock(impl_->mutex);
    if (impl_->shut_down) return;
    for (const auto& entry : impl_->entries) {
      if (!std::exchange(entry->started, true)) starting.push_back(entry);
    }
  }
  for (const auto& entry : starting) {
    // One that a user has started already runs; one that has been stopped can't.
    static_cast<void>(entry->handle.start());
    // Runs at once when stop was requested before.
    entry->stop_callback.emplace(stop, entry->handle.stop);
  }
}

SyncResult SharedInformerFactory::wait_for_cache_sync(std::stop_token stop) const {
  SyncResult result;
  for (const auto& entry : impl_->started()) {
    result.synced.emplace_back(entry->name, entry->handle.wait_for_sync(stop));
  }
  return result;
}

void SharedInformerFactory::shutdown() {
  std::vector<std::shared_ptr<Impl::Entry>> entries;
  {
    const MutexLock lock(impl_->mutex);
    impl_->shut_down = true;
    entries = impl_->entries;
  }
  for (const auto& entry : entries) entry->handle.stop();
  for (const auto& entry : entries) entry->handle.stop_and_wait();
}

}  // namespace kube
