// SPDX-License-Identifier: Apache-2.0
//
// Keeps a store in step with an informer's.
//
// Readers have to end up with the informer's objects. An object whose labels can't be read is
// therefore served as it is; only selectors see no labels of it. One whose resourceVersion is not a
// number has no place in the order of events: watches end, and the resource is refused, by the name
// of the object, until an event or a list brings another state of it. A change that does not move
// the version on, such as a removal without one, ends watches, too; the resource is refused until
// the version moves on, so that a reader who comes back with it is not taken for one that has seen
// the change.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/gate.hpp>
#include <kube/base/log.hpp>
#include <kube/base/mutex.hpp>
#include <kube/cache/store_observer.hpp>

#include "storage/store.hpp"

namespace kube::cacheserver {

/// An object whose bytes are those of a cell.
struct CellObject final : serving::StoredObject {
  cache::CellRef cell{};
};

/// @par Thread safety   The informer's calls: one at a time. The others: any thread.
class CellFeed final : public cache::StoreObserver {
 public:
  /// `logger` may be null. `on_missing` is called when is_missing() has changed.
  CellFeed(std::shared_ptr<const serving::Resource> resource, serving::Store::Options options,
           std::shared_ptr<Logger> logger, std::function<void()> on_missing = {})
      : resource_(std::move(resource)),
        logger_(std::move(logger)),
        on_missing_(std::move(on_missing)),
        store_(std::move(options)),
        collection_(store_.collection(resource_->storage)) {}

  serving::Store& store() { return store_; }
  const serving::Collection& collection() const { return collection_; }
  /// Follows the informer no longer.
  /// @par Blocks   Until a running call of the informer has returned.
  void close() { gate_.close_and_wait(); }
  /// Empty when the store has the informer's state; else why it has none that can be served.
  std::string problem() const;
  /// Whether the cluster says that it has no such resource.
  bool is_missing() const { return missing_.load(std::memory_order_acquire); }
  /// The number of states of objects whose labels could not be read, since the start.
  std::uint64_t unread_labels() const { return unread_labels_.load(std::memory_order_relaxed); }

  void on_replaced(std::vector<cache::CellRef> objects, std::string_view version,
                   bool changed) override;
  void on_stored(const cache::CellRef& object) override;
  void on_removed(const cache::CellRef& object, bool final_state_unknown) override;
  void on_progress(std::string_view version) override;
  void on_condition(InformerCondition condition) override;

 private:
  Result<serving::ObjectPtr> make(const cache::CellRef& cell);
  /// The object of the store if it is of this cell, else a new one.
  Result<serving::ObjectPtr> find_or_make(const cache::CellRef& cell);
  void replace(const std::vector<cache::CellRef>& objects, std::string_view version, bool changed);
  void change(serving::EventType type, const cache::CellRef& cell);
  /// For a removal whose version has not come.
  void remove_without_version();
  void change_without_version(serving::EventType type, const std::string& key, const Error& error);
  /// For a change whose version does not follow: all watches have to begin again. Null: removed.
  void restart_with(const std::string& key, const serving::ObjectPtr& object,
                    std::uint64_t revision);
  void restart(std::vector<serving::ObjectPtr> objects, std::uint64_t revision);
  bool is_unversioned() const;
  void set_unversioned(bool unversioned);
  void end_watches();
  void set_problem(std::string problem);
  /// Decides whether is_missing().
  void find_missing();
  void set_broken(std::map<std::string, std::string> broken);
  /// The object of a key has a state that can be served, or is gone.
  void mend(const std::string& key);
  /// Returns the error as text.
  std::string log_broken(const Error& error) const;

  const std::shared_ptr<const serving::Resource> resource_;
  const std::shared_ptr<Logger> logger_;
  const std::function<void()> on_missing_;
  serving::Store store_;
  serving::Collection& collection_;
  Gate gate_;
  serving::ObjectPtr removed_{};  ///< By the informer; its version comes with the next call.
  InformerCondition condition_ = InformerCondition::Unknown;
  bool listed_since_missing_ = true;
  std::atomic<std::uint64_t> unread_labels_{0};
  std::atomic<bool> missing_{false};
  mutable Mutex mutex_;
  /// By key: objects whose state can't be served, and why.
  std::map<std::string, std::string> broken_ KUBE_GUARDED_BY(mutex_);
  /// The state has changed since its version was served.
  bool unversioned_ KUBE_GUARDED_BY(mutex_) = false;
  std::string problem_ KUBE_GUARDED_BY(mutex_) = "it has not synced yet";
};

}  // namespace kube::cacheserver
