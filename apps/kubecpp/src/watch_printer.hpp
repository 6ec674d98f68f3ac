// SPDX-License-Identifier: Apache-2.0
//
// The lines of `kubecpp watch`.
#pragma once

#include <cstddef>

#include <string>

#include <kube/base/mutex.hpp>
#include <kube/cache/cached.hpp>
#include <kube/codec/unstructured.hpp>

#include "output.hpp"

namespace kubecpp {

enum class WatchOutput { Name, Json, Wide };

/// Prints events in order, and SYNCED once, between the last event of the initial state and the
/// first one after it.
///
/// @par Thread safety   All functions may be called from any thread.
class WatchPrinter {
 public:
  using Object = kube::Cached<kube::Unstructured>;

  WatchPrinter(Output& out, WatchOutput format, std::string kind)
      : out_(out), format_(format), kind_(std::move(kind)) {}

  void initial(const Object& object);
  void change(const char* type, const Object& object);
  /// Must be called when the whole initial state was printed. Returns its number of objects.
  std::size_t synced();

 private:
  void print_synced() KUBE_REQUIRES(mutex_);
  std::string line(const std::string& type, const Object& object) const;
  std::string details(const Object& object) const;

  Output& out_;
  const WatchOutput format_;
  const std::string kind_;
  kube::Mutex mutex_;
  std::size_t initial_ KUBE_GUARDED_BY(mutex_) = 0;
  bool synced_ KUBE_GUARDED_BY(mutex_) = false;
};

}  // namespace kubecpp
