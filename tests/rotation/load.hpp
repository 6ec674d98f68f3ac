// SPDX-License-Identifier: Apache-2.0
//
// One kind under load: an informer whose handler writes down every event, and a thread that
// creates, changes and deletes objects by the same client.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include <kube/cache/shared_informer.hpp>
#include <kube/client/api.hpp>
#include <kube/client/client.hpp>
#include <kube/meta/errors.hpp>

namespace rotation {

/// What the writer knows to have happened, and what the handler was called for.
/// @par Thread safety   All functions may be called from any thread.
class Ledger {
 public:
  void wrote(const std::string& version) { add(written_, version); }
  void removed(const std::string& name) { add(removed_, name); }
  void failed(const kube::Error& error) {
    const std::lock_guard lock(mutex_);
    ++failures_[std::string(to_string(error.code()))];
  }
  void saw(const std::string& version) { see(seen_, version); }
  void saw_removal(const std::string& name, bool inferred) {
    see(seen_removals_, name);
    if (inferred) note("the deletion of " + name + " was inferred");
  }

  std::uint64_t events() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  std::size_t writes() const {
    const std::lock_guard lock(mutex_);
    return written_.size() + removed_.size();
  }
  /// Writes that were refused or got no response, by the code of their error; each was repeated.
  std::map<std::string, int> failures() const {
    const std::lock_guard lock(mutex_);
    return failures_;
  }
  /// Whether the handler was called for everything that was written.
  bool complete() const {
    const std::lock_guard lock(mutex_);
    return contains_all(seen_, written_) && contains_all(seen_removals_, removed_);
  }
  /// What must not happen: events that came twice, deletions that only a list could show.
  std::vector<std::string> mistakes() const {
    const std::lock_guard lock(mutex_);
    return mistakes_;
  }

 private:
  using Names = std::unordered_set<std::string>;

  void add(Names& names, const std::string& name) {
    const std::lock_guard lock(mutex_);
    names.insert(name);
  }
  void see(Names& names, const std::string& name) {
    const std::lock_guard lock(mutex_);
    ++events_;
    if (!names.insert(name).second) mistakes_.push_back("the event of " + name + " came twice");
  }
  void note(std::string mistake) {
    const std::lock_guard lock(mutex_);
    mistakes_.push_back(std::move(mistake));
  }
  static bool contains_all(const Names& all, const Names& some) {
    for (const std::string& name : some) {
      if (!all.contains(name)) return false;
    }
    return true;
  }

  mutable std::mutex mutex_;
  Names written_;
  Names removed_;
  Names seen_;
  Names seen_removals_;
  std::map<std::string, int> failures_;
  std::vector<std::string> mistakes_;
  std::uint64_t events_ = 0;
};

/// Waits for a moment, or until `stop` is requested.
inline void pause(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, time, [] { return false; });
}

template <class T>
class Load {
 public:
  /// `direct` reaches the server without credentials; `pace` is the time between two writes.
  Load(const kube::Client& client, const kube::Client& direct, std::chrono::milliseconds pace)
      : api_(client.api<T>("default")),
        direct_(direct.api<T>("default")),
        pace_(pace),
        // Lists are what is counted.
        informer_(client.rest(), {.namespace_ = "default", .watch_list = false}) {
    handler_ = informer_.add_event_handler(
        {.on_add = [this](const auto& object, bool) { this->saw(object); },
         .on_update = [this](const auto&, const auto& object) { this->saw(object); },
         .on_delete =
             [this](const auto& deleted) {
               ledger_.saw_removal(deleted.key.name, deleted.final_state_unknown);
             }});
  }

  bool start() {
    if (!informer_.start() || !informer_.wait_for_sync({})) return false;
    writer_ = std::jthread([this](const std::stop_token& stop) { write(stop); });
    return true;
  }
  void stop_writing() {
    writer_.request_stop();
    if (writer_.joinable()) writer_.join();
  }
  const Ledger& ledger() const { return ledger_; }
  std::string plural() const { return informer_.resource().plural; }

  /// Whether the cache has the server's objects, each in the server's version.
  bool equal() const {
    std::set<std::pair<std::string, std::string>> here;
    std::set<std::pair<std::string, std::string>> there;
    for (const auto& object : informer_.lister().list()) {
      here.emplace(object.name(), object.resource_version());
    }
    const auto list = direct_.list();
    if (!list) return false;
    for (const T& object : list->items) {
      there.emplace(object.metadata.name, object.metadata.resource_version);
    }
    return here == there;
  }
  std::size_t objects() const { return informer_.lister().list().size(); }

 private:
  static constexpr int kKept = 30;

  template <class Cached>
  void saw(const Cached& object) {
    const std::string_view version = object.resource_version();
    ledger_.saw(std::string(version));
  }

  void write(const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) {
      T object;
      object.metadata.name = "object-" + std::to_string(i);
      if (create(object, stop)) change(object, stop);
      if (i >= kKept) remove("object-" + std::to_string(i - kKept), stop);
    }
  }

  // Calls try_once() until it returns true; false when `stop` was requested.
  template <class Try>
  bool repeat(const std::stop_token& stop, const Try& try_once) {
    while (!stop.stop_requested()) {
      pause(pace_, stop);
      if (try_once()) return true;
    }
    return false;
  }
  // Notes what a write came to. False: it is to be repeated.
  bool done(kube::Result<T> result, T& object) {
    if (!result) {
      ledger_.failed(result.error());
      return false;
    }
    object = *std::move(result);
    ledger_.wrote(object.metadata.resource_version);
    return true;
  }
  // A write whose response was lost may have been carried out.
  bool create(T& object, const std::stop_token& stop) {
    return repeat(stop, [&] {
      kube::Result<T> created = api_.create(object);
      if (!created && kube::is_already_exists(created.error())) {
        created = api_.get(object.metadata.name);
      }
      return done(std::move(created), object);
    });
  }
  bool change(T& object, const std::stop_token& stop) {
    return repeat(stop, [&] {
      object.metadata.annotations["changed"] = "yes";
      kube::Result<T> updated = api_.update(object);
      if (!updated && kube::is_conflict(updated.error())) {
        updated = api_.get(object.metadata.name);
      }
      return done(std::move(updated), object);
    });
  }
  bool remove(const std::string& name, const std::stop_token& stop) {
    return repeat(stop, [&] {
      const auto deleted = api_.delete_(name);
      if (!deleted && !kube::is_not_found(deleted.error())) {
        ledger_.failed(deleted.error());
        return false;
      }
      ledger_.removed(name);
      return true;
    });
  }

  const kube::Api<T> api_;
  const kube::Api<T> direct_;
  const std::chrono::milliseconds pace_;
  Ledger ledger_;
  kube::SharedInformer<T> informer_;
  kube::HandlerRegistration handler_;
  std::jthread writer_;
};

}  // namespace rotation
