// SPDX-License-Identifier: Apache-2.0
//
// The lines of `kubecpp watch`.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

#include <kube/cache/cached.hpp>
#include <kube/codec/unstructured.hpp>

#include "output.hpp"

namespace kubecpp {

enum class WatchOutput { Name, Json, Wide };

/// Prints events in the order in which they come, and SYNCED once, between the last event of the
/// initial state and the first one after it.
///
/// @par Thread safety   All functions may be called from any thread.
class WatchPrinter {
 public:
  using Object = kube::Cached<kube::Unstructured>;

  WatchPrinter(Output& out, WatchOutput format, std::string kind)
      : out_(out), format_(format), kind_(std::move(kind)) {}

  void initial(const Object& object);
  void change(const char* type, const Object& object);
  /// The whole initial state was printed. Returns how many objects it had.
  std::size_t synced();

 private:
  void print_synced();
  std::string line(const std::string& type, const Object& object) const;
  std::string details(const Object& object) const;

  Output& out_;
  const WatchOutput format_;
  const std::string kind_;
  std::mutex mutex_;
  std::size_t initial_ = 0;
  bool synced_ = false;
};

}  // namespace kubecpp
