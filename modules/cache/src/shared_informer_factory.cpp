// SPDX-License-Identifier: Apache-2.0
//
// Makes, shares, starts and stops the informers of a program.
#include <kube/cache/shared_informer_factory.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <kube/base/join.hpp>
#include <kube/base/log.hpp>
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

/// Returns the names of the options that differ. Namespace and selectors are not compared, because
/// informers that differ in them are different informers.
std::vector<std::string> differences(const InformerOptions& made, const InformerOptions& asked) {
  std::vector<std::string> names;
  const auto compare = [&](const char* name, const auto& a, const auto& b) {
    if (a != b) names.emplace_back(name);
  };
  compare("protobuf", made.protobuf, asked.protobuf);
  compare("resync_period", made.resync_period, asked.resync_period);
  compare("storage", made.storage, asked.storage);
  compare("page_size", made.page_size, asked.page_size);
  compare("max_list_bytes", made.max_list_bytes, asked.max_list_bytes);
  compare("watch_idle_timeout", made.watch_idle_timeout, asked.watch_idle_timeout);
  compare("watch_list", made.watch_list, asked.watch_list);
  return names;
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
  return Error(ErrorCode::Cancelled, "caches that have not synced: " + join(missing, ", "));
}

struct SharedInformerFactory::Impl {
  struct Entry {
    Entry(Key key_in, InformerOptions options_in, Handle handle_in)
        : key(std::move(key_in)),
          name(describe(key.resource, key.namespace_, key.label_selector, key.field_selector)),
          options(std::move(options_in)),
          handle(std::move(handle_in)) {}
    const Key key;
    const std::string name;
    const InformerOptions options;
    const Handle handle;
    // Guarded by the factory's mutex.
    bool started = false;
    bool warned_of_start = false;
    std::set<std::string> warned{};  // options for which a caller requested another value

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

  /// Returns the informer for a key; null if one must be made.
  std::shared_ptr<Entry> find(const Key& key) {
    const MutexLock lock(mutex);
    std::shared_ptr<Entry>* at = place_of(key);
    return at != nullptr && is_good(**at) ? *at : nullptr;
  }
  /// Inserts the entry; returns it, or the one that was inserted meanwhile.
  std::shared_ptr<Entry> find_or_insert(const std::shared_ptr<Entry>& made) {
    std::shared_ptr<Entry> replaced;  // destroyed without the lock, as user code may be in it
    const MutexLock lock(mutex);
    std::shared_ptr<Entry>* at = place_of(made->key);
    if (at == nullptr) {
      entries.push_back(made);
    } else if (is_good(**at)) {
      return *at;
    } else {
      replaced = std::exchange(*at, made);
    }
    return made;
  }
  bool is_shut_down() const {
    const MutexLock lock(mutex);
    return shut_down;
  }
  /// Warns once for each informer.
  void warn_of_not_started(const std::shared_ptr<Logger>& logger);
  /// Warns once for each option of an informer.
  void warn_of_ignored(Entry& entry, const InformerOptions& asked,
                       const std::shared_ptr<Logger>& logger);

  std::shared_ptr<Entry>* place_of(const Key& key) KUBE_REQUIRES(mutex) {
    const auto at = std::find_if(entries.begin(), entries.end(),
                                 [&](const auto& entry) { return entry->key == key; });
    return at == entries.end() ? nullptr : &*at;
  }
  bool is_good(const Entry& entry) const KUBE_REQUIRES(mutex) {
    return shut_down || !entry.handle.is_stopped();
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

void SharedInformerFactory::Impl::warn_of_ignored(Entry& entry, const InformerOptions& asked,
                                                  const std::shared_ptr<Logger>& logger) {
  std::vector<std::string> names = differences(entry.options, asked);
  {
    const MutexLock lock(mutex);
    std::erase_if(names, [&](const auto& name) { return !entry.warned.insert(name).second; });
  }
  for (const std::string& name : names) {
    KUBE_LOG(logger, LogLevel::Warning, "informer",
             "option ignored: the informer exists with another value", {"informer", entry.name},
             {"option", name});
  }
}

void SharedInformerFactory::Impl::warn_of_not_started(const std::shared_ptr<Logger>& logger) {
  std::vector<std::string> names;
  {
    const MutexLock lock(mutex);
    for (const auto& entry : entries) {
      if (entry->started || shut_down || std::exchange(entry->warned_of_start, true)) continue;
      names.push_back(entry->name);
    }
  }
  for (const std::string& name : names) {
    KUBE_LOG(logger, LogLevel::Warning, "informer",
             "not started: call start() of the factory after requesting the informer",
             {"informer", name});
  }
}

// An informer is made without the lock, as it requests its series from the program's metrics
// provider; when two threads make the same one, the first to get here wins.
std::shared_ptr<void> SharedInformerFactory::find_or_make(Key key, const InformerOptions& options,
                                                          const std::function<Handle()>& make,
                                                          bool insists) {
  std::shared_ptr<Impl::Entry> entry = impl_->find(key);
  std::shared_ptr<Impl::Entry> made;
  if (!entry) {
    made = std::make_shared<Impl::Entry>(std::move(key), options, make());
    entry = impl_->find_or_insert(made);
    if (impl_->is_shut_down()) entry->handle.stop();
  }
  if (insists && entry != made) {
    impl_->warn_of_ignored(*entry, options, client_.runtime().logger);
  }
  return entry->handle.informer;
}

void SharedInformerFactory::start(std::stop_token stop) {
  std::vector<std::shared_ptr<Impl::Entry>> starting;
  bool is_shut_down = false;
  {
    const MutexLock lock(impl_->mutex);
    is_shut_down = impl_->shut_down;
    for (const auto& entry : impl_->entries) {
      if (!is_shut_down && !std::exchange(entry->started, true)) starting.push_back(entry);
    }
  }
  const std::shared_ptr<Logger>& logger = client_.runtime().logger;
  if (is_shut_down) {
    KUBE_LOG(logger, LogLevel::Warning, "informer",
             "the factory was shut down; no informer is started");
  }
  for (const auto& entry : starting) {
    // An informer that a user started is running already; a stopped one can't start.
    const Result<void> started = entry->handle.start();
    if (!started && entry->handle.is_stopped()) {
      KUBE_LOG(logger, LogLevel::Warning, "informer", "an informer of a factory does not start",
               {"informer", entry->name}, {"error", started.error().to_string()});
    }
    // Runs at once when stop was requested before.
    entry->stop_callback.emplace(stop, entry->handle.stop);
  }
}

SyncResult SharedInformerFactory::wait_for_cache_sync(std::stop_token stop) const {
  impl_->warn_of_not_started(client_.runtime().logger);
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
