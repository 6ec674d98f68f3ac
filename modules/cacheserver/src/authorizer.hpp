// SPDX-License-Identifier: Apache-2.0
//
// Decides what the callers of a cache server may read, and ends the watches of those that may no
// longer.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/mutex.hpp>
#include <kube/base/result.hpp>

#include "http/http_message.hpp"
#include "open_watches.hpp"
#include "reading/route.hpp"
#include "rules.hpp"
#include "served_resources.hpp"

namespace kube::cacheserver {

/// The rules of a file that another process may replace.
/// @par Thread safety   All functions may be called from any thread.
class Authorizer {
 public:
  /// Without a file, every caller may read all that is served. `logger` may be null.
  Authorizer(std::string file, const ServedResources& served, std::shared_ptr<Logger> logger)
      : file_(std::move(file)), served_(served), logger_(std::move(logger)) {}

  /// Reads the file, and ends the watches that its rules do not allow; returns whether the rules
  /// have changed. After an error the old ones stay.
  /// @par Errors   InvalidArgument: a file that can't be read, as Rules::parse(), and as
  ///   check_resources() unless nothing is served yet.
  Result<bool> read();
  /// @par Errors   InvalidArgument: a rule names a resource that is not served.
  Result<void> check_resources() const;

  /// @par Errors   Server: a 403 for a read of a resource that the caller may not read there.
  Result<void> check_read(const Caller& caller, const serving::Route& route) const;
  /// @par Errors   Server: a 403, unless the caller may read everything.
  Result<void> check_path(const Caller& caller, const std::string& path) const;
  /// As Rules::namespaces_of().
  std::vector<std::string> namespaces_of(const Caller& caller,
                                         const meta::GroupResource& resource) const;

  /// Ends a watch, now or later, when the caller may not read there any more.
  void follow(const Caller& caller, const serving::Route& route,
              const std::shared_ptr<serving::WatchSource>& watch);

 private:
  struct Reading {
    Caller caller;
    meta::GroupResource resource;
    std::string namespace_;
  };
  std::shared_ptr<const Rules> rules() const;

  const std::string file_;
  const ServedResources& served_;
  const std::shared_ptr<Logger> logger_;
  mutable Mutex mutex_;
  std::shared_ptr<const Rules> rules_ KUBE_GUARDED_BY(mutex_);  ///< Null: no file.
  OpenWatches<Reading> watches_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::cacheserver
