// SPDX-License-Identifier: Apache-2.0
//
// kube::DeferredRestMapper: a RestMapper that reads discovery when it is first needed, and again
// when it does not know something (docs/reference/clients-and-config.md ch. 14).
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

/// What a caller does not find is asked for once more: if the discovery is not fresh, because it
/// comes from an older file, it is invalidated and read again. So a resource that is new is found,
/// and one that does not exist costs one request more, not one each time.
///
/// @par Thread safety   All functions may be called from any thread; callers share one read.
/// @par Errors   As RestMapper's function of the same name, and
///   Discovery::server_groups_and_resources().
/// @par Blocks   While discovery is read, or until `stop` is requested (Cancelled).
class DeferredRestMapper {
 public:
  /// `warn` receives the warnings of RestMapper::resolve(), on the caller's thread. `clock`
  /// measures kRememberMiss.
  explicit DeferredRestMapper(std::shared_ptr<CachedDiscovery> discovery,
                              RestMapper::Warn warn = nullptr,
                              std::shared_ptr<Clock> clock = real_clock());
  ~DeferredRestMapper();
  DeferredRestMapper(const DeferredRestMapper&) = delete;
  DeferredRestMapper& operator=(const DeferredRestMapper&) = delete;

  /// @par Errors   Those of the class.
  Result<meta::ResourceInfo> resolve(std::string_view text, std::stop_token stop = {}) const;
  Result<meta::ResourceInfo> mapping(const meta::GroupKind& kind, std::string_view version,
                                     std::stop_token stop = {}) const;
  /// mapping() of an object that is about to be written: a kind that is not known is asked for once
  /// more even if the discovery is fresh, because its definition may have been created a moment
  /// ago. A kind that was not there then is not asked for again within kRememberMiss, unless a
  /// CustomResourceDefinition or an APIService is mapped here in between, which may add it, or
  /// reset() is called.
  Result<meta::ResourceInfo> mapping_of_new(const meta::GroupVersionKind& kind,
                                            std::stop_token stop = {}) const;
  static constexpr std::chrono::seconds kRememberMiss{10};
  /// Returns the resources in a category; none for an unknown one, and when discovery fails.
  std::vector<meta::ResourceInfo> in_category(std::string_view category,
                                              std::stop_token stop = {}) const;

  /// Returns the mapper of what discovery says now; it does not change later.
  /// @par Errors   As Discovery::server_groups_and_resources().
  Result<std::shared_ptr<const RestMapper>> current(std::stop_token stop = {}) const;

  /// Forgets what was read and invalidates the discovery: the next call asks the server. For
  /// callers that know that something has changed, a definition that they have applied.
  void reset() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kube
