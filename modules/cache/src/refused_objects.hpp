// SPDX-License-Identifier: Apache-2.0
//
// Which objects an informer has refused, by key and with the reason.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <kube/base/error.hpp>
#include <kube/base/metrics.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/optional.hpp>
#include <kube/cache/detail/delta.hpp>
#include <kube/cache/informer_status.hpp>

namespace kube::cache {

/// So many are known by name, so that others can be named as those of the status leave.
inline constexpr std::size_t kKeptRefusedNames = 2000;

/// Those of an initial state (Replaced) count from its completion on, in place of all before.
///
/// @par Thread safety   count() and named() may be called from any thread, the others belong to the
///   informer's strand.
/// @par Cost   A hash for each refused object, and the names of kKeptRefusedNames.
class RefusedObjects {
 public:
  explicit RefusedObjects(metrics::Gauge gauge) : gauge_(std::move(gauge)) {}

  void list_begins();
  void add(std::string_view key, const Error& why, DeltaType type);
  /// The object is refused no more, or was deleted.
  void gone(std::string_view key, DeltaType type);
  void list_completed();

  /// What was refused and was not refused before: kMaxRefusedNames at a time, and with the last of
  /// them the number of those without a name.
  struct News {
    std::size_t count = 0;
    std::string keys{};       ///< "x/a, x/b and 3 more"
    Optional<Error> first{};  ///< Why the first of them was refused.
  };
  bool has_news() const { return news_.size() > 0; }
  News take_news();

  /// Returns all.
  std::size_t count() const { return count_.load(std::memory_order_relaxed); }
  /// Returns kMaxRefusedNames at most.
  std::vector<RefusedObject> named() const;

 private:
  /// Names at most kKeptRefusedNames keys, and counts all.
  struct Keys {
    std::map<std::string, Error, std::less<>> named{};
    std::unordered_set<std::size_t> hashes{};  ///< Of all keys.

    std::size_t size() const { return hashes.size(); }
    bool contains(std::string_view key) const;
    void add(std::string_view key, const Error& why);
    void add(const Keys& others);
    void remove(std::string_view key);
  };
  /// Changes what is refused by `change(refused_)`.
  template <class F>
  void change(F&& change);

  const metrics::Gauge gauge_;
  Keys arriving_;       ///< Of the initial state that arrives.
  Keys arriving_news_;  ///< Those of them that were not refused before.
  Keys news_;
  std::atomic<std::size_t> count_{0};
  mutable Mutex mutex_;
  Keys refused_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::cache
