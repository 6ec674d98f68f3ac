// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::Backlog: the deltas that a handler has not received yet, one by one or merged to the
// latest state of each object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/cache/detail/delta.hpp>
#include <kube/cache/informer_options.hpp>

namespace kube::cache {

/// A queue whose merging HandlerOptions::delivery documents, and whose bound max_pending and
/// overflow. The Bookmark at the end of the initial state keeps its place.
///
/// @par Thread safety   Not thread-safe: guarded by its listener. No function destroys an object,
///   which may be user code: what is replaced goes to `released`.
/// @par Cost   Constant for each delta; one hash look-up more while it merges.
class Backlog {
 public:
  struct Item {
    Delta delta;
    TimePoint since;  ///< When it, or the first one that was merged into it, was added.
  };

  explicit Backlog(const HandlerOptions& options)
      : delivery_(options.delivery),
        max_pending_(options.max_pending),
        overflow_(options.overflow),
        merges_(options.delivery == HandlerDelivery::LatestState) {}

  /// Returns whether its bound is exceeded: it merges from now on, or the handler is to be
  /// unregistered.
  bool push(std::span<const Delta> deltas, TimePoint now, std::vector<Delta>& released);
  /// Moves the first ones, at most `count`, to `out`, which is empty.
  void take(std::size_t count, std::vector<Item>& out);
  /// Returns what was taken last and not delivered to the front.
  void put_back(std::span<Item> items);
  /// Empties it; the caller destroys the result.
  std::deque<Item> clear();

  std::size_t size() const { return items_.size() - cancelled_; }
  bool empty() const { return size() == 0; }
  bool merges() const { return merges_; }
  /// When the first one was added; nullopt when it is empty.
  std::optional<TimePoint> oldest() const;
  /// The number of deltas that were merged into others, or cancelled out.
  std::uint64_t merged() const { return merged_; }

 private:
  void append(const Delta& delta, TimePoint since);
  void merge(const Delta& delta, TimePoint since, std::vector<Delta>& released);
  /// Merges what waits; also frees the places of cancelled ones.
  void rebuild(std::vector<Delta>& released);
  void cancel(Item& item, std::vector<Delta>& released);
  void drop_cancelled_front();

  HandlerDelivery delivery_;
  std::size_t max_pending_;
  HandlerOverflow overflow_;
  bool merges_;
  std::uint64_t merged_ = 0;
  /// Cancelled ones have no object and are no Bookmark; the first one is not cancelled.
  std::deque<Item> items_;
  std::size_t cancelled_ = 0;
  std::size_t uncounted_ = 0;  // by the bound, of items_; not kept while it merges
  // While it merges: the last delta of each object, by its place, which counts from first_.
  std::unordered_map<std::string, std::int64_t> last_;
  std::int64_t first_ = 0;
};

}  // namespace kube::cache
