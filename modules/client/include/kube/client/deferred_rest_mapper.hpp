// SPDX-License-Identifier: Apache-2.0
//
// kube::DeferredRestMapper: a RestMapper that reads discovery when it is first needed, and again
// when it does not know something (docs/reference/clients-and-config.md ch. 14). Client::mapper()
// is the one that all clients of a configuration share.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/base/runtime.hpp>
#include <kube/client/cached_discovery.hpp>
#include <kube/client/rest_mapper.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

/// It keeps up with a server whose resources change:
/// - What a caller does not find is asked for again: the discovery is invalidated and read again,
///   at most once in kAskAgain, whatever is missing. So a resource that is new is found, and names
///   that do not exist cost two requests each ten seconds. A read that failed counts: its error is
///   that of the misses until then.
/// - A resource that has gone, by not_served(), is asked for again when anything is looked up next,
///   within the same bound.
/// - What was read is read again when something is looked up after kMaxAge. One caller reads; the
///   others go on with what is known.
///
/// While a newer answer can't be had, what was known is used.
///
/// @par Thread safety   All functions may be called from any thread; callers share one read.
/// @par Errors   As RestMapper's function of the same name, and
///   Discovery::server_groups_and_resources().
/// @par Blocks   While discovery is read, or until `stop` is requested (Cancelled).
class DeferredRestMapper {
 public:
  /// `warn` receives the warnings of RestMapper::resolve(), on the caller's thread. `clock`
  /// measures kAskAgain and kMaxAge.
  explicit DeferredRestMapper(std::shared_ptr<CachedDiscovery> discovery,
                              RestMapper::Warn warn = nullptr,
                              std::shared_ptr<Clock> clock = real_clock());
  ~DeferredRestMapper();
  DeferredRestMapper(const DeferredRestMapper&) = delete;
  DeferredRestMapper& operator=(const DeferredRestMapper&) = delete;

  static constexpr std::chrono::seconds kAskAgain{10};
  static constexpr std::chrono::minutes kMaxAge{10};

  /// @par Errors   Those of the class.
  Result<meta::ResourceInfo> resolve(std::string_view text, std::stop_token stop = {}) const;
  Result<meta::ResourceInfo> mapping(const meta::GroupKind& kind, std::string_view version,
                                     std::stop_token stop = {}) const;
  /// `api_version` is "apps/v1" or "v1"; InvalidArgument for another form, and for an empty name.
  Result<meta::ResourceInfo> resource(std::string_view api_version, std::string_view name,
                                      std::stop_token stop = {}) const;
  /// Returns the resources in a category; none for an unknown one, and when discovery fails.
  std::vector<meta::ResourceInfo> in_category(std::string_view category,
                                              std::stop_token stop = {}) const;

  /// Returns the mapper of what discovery says now; it does not change later.
  /// @par Errors   As Discovery::server_groups_and_resources().
  Result<std::shared_ptr<const RestMapper>> current(std::stop_token stop = {}) const;

  /// Notes that the server has no such resource any more: it responded with 404 to a request for
  /// the collection. Does nothing for a resource that is not known. Never blocks. RestClient calls
  /// it for the mapper that it shares.
  void not_served(const meta::GroupVersionResource& resource) const;

  /// The next look-up of what is not known asks the server, whatever the bound says. For callers
  /// that know that something is new: a definition that they have applied. What is known stays.
  void refresh() const;
  /// Forgets what was read and invalidates the discovery (client-go's Reset): the next call, of all
  /// threads, waits for the server.
  void reset() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kube
