// SPDX-License-Identifier: Apache-2.0
//
// Makes, shares, starts and stops the informers of a program.
#include <kube/cache/shared_informer_factory.hpp>

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "informer_name.hpp"
#include "option_fields.hpp"

#include <kube/base/caught.hpp>
#include <kube/base/join.hpp>
#include <kube/base/log.hpp>
#include <kube/base/mutex.hpp>

namespace kube {
namespace {

/// Returns the names of the options that differ.
std::vector<std::string> differences(const InformerOptions& made, const InformerOptions& asked) {
  std::vector<std::string> names;
  cache::for_each_option(made, asked, [&](const char* name, const auto& a, const auto& b) {
    if (a != b) names.emplace_back(name);
  });
  return names;
}

}  // namespace

SyncResult::operator bool() const {
  return std::all_of(synced.begin(), synced.end(), [](const auto& entry) { return entry.second; });
}

std::string SyncResult::unsynced() const {
  std::vector<std::string> missing;
  for (const auto& [name, is_synced] : synced) {
    if (!is_synced) missing.push_back(name);
  }
  std::sort(missing.begin(), missing.end());
  return join(missing, ", ");
}

Result<void> SyncResult::as_result() const {
  if (*this) return {};
  return Error(timed_out ? ErrorCode::Timeout : ErrorCode::Cancelled,
               "caches that have not synced: " + unsynced());
}

bool SharedInformerFactory::Key::operator==(const Key& other) const {
  return type == other.type && resource.plural == other.resource.plural &&
         resource.group == other.resource.group && resource.version == other.resource.version &&
         namespace_ == other.namespace_ && label_selector == other.label_selector &&
         field_selector == other.field_selector;
}

struct SharedInformerFactory::Impl {
  struct Entry {
    Entry(Key key_in, InformerOptions options_in, Handle handle_in)
        : key(std::move(key_in)),
          name(cache::informer_name(key.resource, key.namespace_, key.label_selector,
                                    key.field_selector)),
          options(std::move(options_in)),
          handle(std::move(handle_in)) {}
    const Key key;
    const std::string name;
    const InformerOptions options;
    const Handle handle;
    /// start_on_first_use: the first read has started it, without the factory.
    bool starts_itself() const {
      return options.start_on_first_use && handle.status().state != InformerState::NotStarted;
    }
    // Guarded by the factory's mutex.
    bool kept = false;        // until shutdown()
    std::size_t handles = 0;  // counted uses
    bool started = false;
    bool warned_of_start = false;
    std::set<std::string> warned{};  // options for which a caller requested another value

    std::optional<std::stop_callback<std::function<void()>>> stop_callback{};
  };

  /// Returns the informers that run or have run. Not kept: the last handle frees its informer.
  std::vector<std::weak_ptr<Entry>> started() const {
    std::vector<std::weak_ptr<Entry>> result;
    const MutexLock lock(mutex);
    for (const auto& entry : entries) {
      if (entry->started || entry->starts_itself()) result.push_back(entry);
    }
    return result;
  }

  /// Returns the informer for a key, used once more; null if one must be made.
  std::shared_ptr<Entry> find(const Key& key, Use how) {
    const MutexLock lock(mutex);
    std::shared_ptr<Entry>* at = place_of(key);
    if (at == nullptr || !is_good(**at)) return nullptr;
    count(**at, how);
    return *at;
  }
  /// Inserts the entry; returns it, or the one that was inserted meanwhile, used once more.
  std::shared_ptr<Entry> find_or_insert(const std::shared_ptr<Entry>& made, Use how) {
    std::shared_ptr<Entry> replaced;  // destroyed without the lock, as user code may be in it
    const MutexLock lock(mutex);
    std::shared_ptr<Entry>* at = place_of(made->key);
    if (at == nullptr) {
      entries.push_back(made);
    } else if (is_good(**at)) {
      count(**at, how);
      return *at;
    } else {
      replaced = std::exchange(*at, made);
    }
    count(*made, how);
    return made;
  }
  /// Ends a counted use; the last one stops the informer, which leaves the factory.
  void end_use(const std::shared_ptr<Entry>& entry) {
    {
      const MutexLock lock(mutex);
      if (--entry->handles > 0 || entry->kept) return;
      std::erase(entries, entry);
    }
    entry->handle.stop_and_wait();
  }
  /// Starts those that were not started, with the token.
  void start(const std::vector<std::shared_ptr<Entry>>& starting, const std::stop_token& stop,
             const std::shared_ptr<Logger>& logger);
  bool is_shut_down() const {
    const MutexLock lock(mutex);
    return shut_down;
  }
  bool contains(const std::shared_ptr<Entry>& entry) const {
    const MutexLock lock(mutex);
    return std::find(entries.begin(), entries.end(), entry) != entries.end();
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
  static void count(Entry& entry, Use how) {
    if (how == Use::Kept) {
      entry.kept = true;
    } else {
      ++entry.handles;
    }
  }
  bool is_good(const Entry& entry) const KUBE_REQUIRES(mutex) {
    return shut_down || !entry.handle.is_stopped();
  }

  mutable Mutex mutex;
  std::vector<std::shared_ptr<Entry>> entries KUBE_GUARDED_BY(mutex);
  bool shut_down KUBE_GUARDED_BY(mutex) = false;
  std::optional<std::stop_token> last_start KUBE_GUARDED_BY(mutex);
  std::map<const cache::CellType*, std::function<void(void*)>> configurations
      KUBE_GUARDED_BY(mutex);
  std::map<const cache::CellType*, std::function<void(InformerOptions&)>> option_configurations
      KUBE_GUARDED_BY(mutex);
};

SharedInformerFactory::SharedInformerFactory(RestClient client, InformerOptions defaults)
    : client_(std::move(client)), defaults_(std::move(defaults)), impl_(std::make_shared<Impl>()) {}

SharedInformerFactory::~SharedInformerFactory() {
  shutdown();
}

void SharedInformerFactory::set_configuration(const cache::CellType& type,
                                              std::function<void(void*)> function) {
  const MutexLock lock(impl_->mutex);
  impl_->configurations[&type].swap(function);  // the old one is destroyed after the lock
}

void SharedInformerFactory::call_configuration(const cache::CellType& type, void* informer) {
  std::function<void(void*)> function;
  {
    const MutexLock lock(impl_->mutex);
    const auto at = impl_->configurations.find(&type);
    if (at != impl_->configurations.end()) function = at->second;
  }
  if (function) function(informer);
}

void SharedInformerFactory::set_option_configuration(
    const cache::CellType& type, std::function<void(InformerOptions&)> function) {
  const MutexLock lock(impl_->mutex);
  impl_->option_configurations[&type].swap(function);  // the old one is destroyed after the lock
}

InformerOptions SharedInformerFactory::configured(const Key& key, InformerOptions options) {
  std::function<void(InformerOptions&)> function;
  {
    const MutexLock lock(impl_->mutex);
    const auto at = impl_->option_configurations.find(key.type);
    if (at != impl_->option_configurations.end()) function = at->second;
  }
  if (!function) return options;
  function(options);
  options.namespace_ = key.namespace_;
  options.label_selector = key.label_selector;
  options.field_selector = key.field_selector;
  return options;
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
      if (entry->started || shut_down || entry->options.start_on_first_use) continue;
      if (std::exchange(entry->warned_of_start, true)) continue;
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
std::pair<std::shared_ptr<void>, std::shared_ptr<void>> SharedInformerFactory::find_or_make(
    Key key, const InformerOptions& options, const std::function<Handle()>& make, bool insists,
    Use how) {
  const std::shared_ptr<Logger>& logger = client_.runtime().logger;
  std::shared_ptr<Impl::Entry> entry = impl_->find(key, how);
  std::shared_ptr<Impl::Entry> made;
  if (!entry) {
    made = std::make_shared<Impl::Entry>(std::move(key), options, make());
    entry = impl_->find_or_insert(made, how);
  }
  std::shared_ptr<void> counted;  // first of all, so that what throws below ends it
  if (how == Use::Counted) {
    counted = {entry.get(), [impl = impl_, entry](void*) { impl->end_use(entry); }};
  }
  if (made && impl_->is_shut_down()) entry->handle.stop();
  if (insists && entry != made) impl_->warn_of_ignored(*entry, options, logger);
  if (how == Use::Kept) {
    entry->handle.expect_start();
    return {entry->handle.informer, nullptr};
  }
  std::optional<std::stop_token> stop;
  {
    const MutexLock lock(impl_->mutex);
    // What a requested token would stop at once waits for the next start().
    if (impl_->last_start && !impl_->last_start->stop_requested()) stop = impl_->last_start;
    if (stop && (impl_->shut_down || std::exchange(entry->started, true))) stop.reset();
  }
  if (stop) {
    impl_->start({entry}, *stop, logger);
  } else {
    entry->handle.expect_start();
  }
  return {entry->handle.informer, std::move(counted)};
}

void SharedInformerFactory::start(std::stop_token stop) {
  std::vector<std::shared_ptr<Impl::Entry>> starting;
  bool is_shut_down = false;
  {
    const MutexLock lock(impl_->mutex);
    is_shut_down = impl_->shut_down;
    impl_->last_start = stop;
    for (const auto& entry : impl_->entries) {
      if (!is_shut_down && !std::exchange(entry->started, true)) starting.push_back(entry);
    }
  }
  const std::shared_ptr<Logger>& logger = client_.runtime().logger;
  if (is_shut_down) {
    KUBE_LOG(logger, LogLevel::Warning, "informer",
             "the factory was shut down; no informer is started");
  }
  impl_->start(starting, stop, logger);
}

void SharedInformerFactory::Impl::start(const std::vector<std::shared_ptr<Entry>>& starting,
                                        const std::stop_token& stop,
                                        const std::shared_ptr<Logger>& logger) {
  const auto start_one = [&](const std::shared_ptr<Entry>& entry) {
    // An informer that a user started is running already; a stopped one can't start. One whose last
    // handle was released meanwhile was meant to stop.
    const Result<void> started = entry->handle.start();
    if (!started && entry->handle.is_stopped() && contains(entry)) {
      KUBE_LOG(logger, LogLevel::Warning, "informer", "an informer of a factory does not start",
               {"informer", entry->name}, {"error", started.error().to_string()});
    }
    // Runs at once when stop was requested before.
    entry->stop_callback.emplace(stop, entry->handle.stop);
  };
  for (auto at = starting.begin(); at != starting.end(); ++at) {
    const std::exception_ptr thrown = caught([&] { start_one(*at); });
    if (!thrown) continue;
    {
      const MutexLock lock(mutex);  // the next start() starts the rest
      std::for_each(at, starting.end(), [](const auto& entry) { entry->started = false; });
    }
    std::rethrow_exception(thrown);
  }
}

SyncResult SharedInformerFactory::wait_for_cache_sync(std::stop_token stop) const {
  impl_->warn_of_not_started(client_.runtime().logger);
  SyncResult result;
  for (const auto& weak : impl_->started()) {
    const auto entry = weak.lock();
    if (entry) result.synced.emplace_back(entry->name, entry->handle.wait_for_sync(stop));
  }
  return result;
}

std::vector<std::pair<std::string, InformerStatus>> SharedInformerFactory::status() const {
  std::vector<std::shared_ptr<Impl::Entry>> entries;
  {
    const MutexLock lock(impl_->mutex);
    entries = impl_->entries;
  }
  std::vector<std::pair<std::string, InformerStatus>> result;
  result.reserve(entries.size());
  for (const auto& entry : entries) result.emplace_back(entry->name, entry->handle.status());
  return result;
}

bool SharedInformerFactory::is_shut_down() const {
  return impl_->is_shut_down();
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
