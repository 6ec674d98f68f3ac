// SPDX-License-Identifier: Apache-2.0
//
// kube::CachedDiscovery: what a server serves, remembered in memory or in the files that kubectl
// keeps in ~/.kube/cache: kubectl reads ours, and we read kubectl's
// (docs/reference/clients-and-config.md 13.3 and 13.4).
//
//   auto discovery =
//       DiskCachedDiscovery::create(config, client.runtime(), {.root = "/home/me/.kube/cache"});
//   if (!discovery) return discovery.error();
//   const DeferredRestMapper mapper(*discovery);
//   auto pods = mapper.resolve("po", stop);
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include <kube/base/result.hpp>
#include <kube/base/runtime.hpp>
#include <kube/client/discovery.hpp>
#include <kube/config/config.hpp>

namespace kube {

/// A Discovery that remembers.
/// @par Thread safety   All functions may be called from any thread.
class CachedDiscovery : public Discovery {
 public:
  /// Whether the server said all that was returned to this object, since it was made or since the
  /// last invalidate(). What is not fresh may be out of date: a caller that misses something calls
  /// invalidate() and asks again.
  virtual bool fresh() const = 0;
  /// Forgets everything: the next call asks the server.
  virtual void invalidate() = 0;

  CachedDiscovery* as_cached() final { return this; }
};

/// Remembers in memory. The first call asks for the groups and all resources; calls in other
/// threads wait for it, until their own stop is requested. Group versions that failed are
/// remembered as well: an error that may pass (no connection, 429, 5xx) is tried again on each
/// access, others stay until invalidate(). An empty list of groups is not remembered.
/// @par Thread safety   All functions may be called from any thread.
/// @par Errors   Those of Discovery. Of server_resources_for_group_version() also NotFound, "not
///   found", for a group version that the server did not list, and "received empty response for:
///   g/v".
class MemoryCachedDiscovery final : public CachedDiscovery {
 public:
  /// `clock` is for waiting; null: the real one.
  explicit MemoryCachedDiscovery(std::shared_ptr<Discovery> delegate,
                                 std::shared_ptr<Clock> clock = nullptr);
  ~MemoryCachedDiscovery() override;

  Result<ApiResourceList> server_resources_for_group_version(
      const meta::GroupVersion& version, std::stop_token stop = {}) const override;
  Result<GroupsAndResources> groups_and_maybe_resources(std::stop_token stop = {}) const override;
  Result<ServerVersion> server_version(std::stop_token stop = {}) const override;
  Result<std::shared_ptr<const json::Value>> openapi_v2(std::stop_token stop = {}) const override;
  /// Returns the same client until invalidate().
  std::shared_ptr<const OpenApi> openapi_v3() const override;

  /// False before the first success.
  bool fresh() const override;
  /// Also invalidates a delegate that remembers.
  void invalidate() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct DiscoveryCacheOptions {
  /// The folder of all caches, such as ~/.kube/cache: see default_cache_root().
  std::string root{};
  /// How long a file is valid after it was written, as kubectl's. When it is over, the server is
  /// asked whether the documents have changed.
  std::chrono::nanoseconds ttl = std::chrono::hours(6);
};

/// Returns $KUBECACHEDIR, else $HOME/.kube/cache, as kubectl does; "" when neither is set.
/// @par Thread safety   Any thread may call it that does not run beside setenv().
std::string default_cache_root();
/// Returns kubectl's folder for a server, below its folder of discovery caches: the host without
/// its scheme, with "_" for what is not a letter, a digit, "_", "(", ")", "." or "/".
/// @par Thread safety   Any thread may call it.
std::string discovery_folder(const std::string& root, const std::string& host);

/// Remembers in files, in front of a MemoryCachedDiscovery: <folder>/servergroups.json, and
/// <folder>/<group>/<version>/serverresources.json for each group version. Several processes may
/// use a folder at once: a file is written in one step. A file that is missing, too old, broken or
/// not what it should be, even a folder, is a miss: the server is asked, and what it says takes its
/// place. Empty lists and errors are not written; a file that can't be written is logged, and is no
/// error. Files have mode 0660 and folders 0750, as kubectl's, so that either program can replace
/// them.
///
/// Group versions that failed are named by the object that has asked the server, and not by those
/// that read its files.
///
/// It does not remember the version of the server. The OpenAPI documents are remembered in memory,
/// and on disk when it is made by create().
/// @par Thread safety   All functions may be called from any thread.
/// @par Errors   Those of MemoryCachedDiscovery.
class DiskCachedDiscovery final : public CachedDiscovery {
 public:
  /// Makes a client of its own for discovery, whose responses are kept in `root`/http, too
  /// (transport::HttpCache): what is out of date by `ttl` is requested by its ETag.
  /// @par Errors   As RestClient::create().
  static Result<std::shared_ptr<DiskCachedDiscovery>> create(
      const rest::Config& config, const Runtime& runtime, const DiscoveryCacheOptions& options,
      std::shared_ptr<transport::RoundTripper> transport = nullptr);

  /// `folder` is that of one server (discovery_folder()). The runtime's clock, by default the
  /// system's, says how old files are.
  DiskCachedDiscovery(std::shared_ptr<Discovery> delegate, std::string folder,
                      std::chrono::nanoseconds ttl, Runtime runtime = {});
  ~DiskCachedDiscovery() override;

  Result<ApiResourceList> server_resources_for_group_version(
      const meta::GroupVersion& version, std::stop_token stop = {}) const override;
  std::vector<Result<ApiResourceList>> server_resources_for_group_versions(
      const std::vector<meta::GroupVersion>& versions, std::stop_token stop = {}) const override;
  /// The groups alone, always.
  Result<GroupsAndResources> groups_and_maybe_resources(std::stop_token stop = {}) const override;
  Result<ServerVersion> server_version(std::stop_token stop = {}) const override;
  Result<std::shared_ptr<const json::Value>> openapi_v2(std::stop_token stop = {}) const override;
  /// Returns the same client until invalidate().
  std::shared_ptr<const OpenApi> openapi_v3() const override;

  /// False once a file of another process was read.
  bool fresh() const override;
  /// Files that exist are not read any more, nor removed: what the server says replaces them.
  void invalidate() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kube
