// SPDX-License-Identifier: Apache-2.0
//
// Remembers what a server serves in the files that kubectl reads and writes.
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/dns_names.hpp>
#include <kube/base/file.hpp>
#include <kube/base/mutex.hpp>
#include <kube/client/cached_discovery.hpp>
#include <kube/config/transport_for.hpp>
#include <kube/transport/http_cache.hpp>

#include "discovery_documents.hpp"

namespace kube {
namespace {

constexpr unsigned kFileMode = 0660;
constexpr unsigned kFolderMode = 0750;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

std::string default_cache_root() {
  std::string root = variable("KUBECACHEDIR");
  if (!root.empty()) return root;
  const std::string home = variable("HOME");
  return home.empty() ? std::string() : (std::filesystem::path(home) / ".kube" / "cache").string();
}

std::string discovery_folder(const std::string& root, const std::string& host) {
  std::string name = host;
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (const std::size_t at = name.find(scheme); at != name.npos) name.erase(at, scheme.size());
  }
  for (char& c : name) {
    const bool kept =
        ascii::is_alnum(c) || std::string_view("_(/.)").find(c) != std::string_view::npos;
    if (!kept) c = '_';
  }
  return (std::filesystem::path(root) / "discovery" / name).string();
}

struct DiskCachedDiscovery::State {
  std::shared_ptr<Discovery> delegate;
  std::filesystem::path folder;
  std::chrono::nanoseconds ttl{};
  Runtime runtime;
  std::shared_ptr<Clock> clock;

  Mutex mutex;
  std::set<std::string> own_files KUBE_GUARDED_BY(mutex);
  bool invalidated KUBE_GUARDED_BY(mutex) = false;
  bool fresh KUBE_GUARDED_BY(mutex) = true;
  // What the server said with the groups, and no file has.
  std::map<meta::GroupVersion, Error> failed KUBE_GUARDED_BY(mutex);
  std::shared_ptr<const OpenApi> openapi_v3 KUBE_GUARDED_BY(mutex);

  std::optional<json::Value> read(const std::string& path);
  void used(const std::string& path);
  void write(const std::string& path, const json::Value& document);
};

// Returns the document of a file that may be used; what is wrong with it does not matter.
std::optional<json::Value> DiskCachedDiscovery::State::read(const std::string& path) {
  {
    const MutexLock lock(mutex);
    if (invalidated && !own_files.contains(path)) return std::nullopt;
  }
  const auto file = read_regular_file(path);
  if (!file) return std::nullopt;
  if (clock->wall_now() > deadline_after(WallTime(file->modified), ttl)) return std::nullopt;
  auto document = json::parse(file->text);
  return document ? std::optional(*std::move(document)) : std::nullopt;
}

void DiskCachedDiscovery::State::used(const std::string& path) {
  const MutexLock lock(mutex);
  fresh = fresh && own_files.contains(path);
}

void DiskCachedDiscovery::State::write(const std::string& path, const json::Value& document) {
  // No file replaces a folder. One that has something in it may be a user's.
  std::error_code ignored;
  if (std::filesystem::symlink_status(path, ignored).type() ==
      std::filesystem::file_type::directory)
    std::filesystem::remove(path, ignored);
  const auto written = replace_file(path, json::dump(document) + "\n",
                                    {.file_mode = kFileMode, .folder_mode = kFolderMode});
  if (!written) {
    KUBE_LOG(runtime.logger, LogLevel::Debug, "discovery", "a response could not be kept",
             {"error", written.error().to_string()});
    return;
  }
  const MutexLock lock(mutex);
  own_files.insert(path);
}

Result<std::shared_ptr<DiskCachedDiscovery>> DiskCachedDiscovery::create(
    const rest::Config& config, const Runtime& runtime, const DiscoveryCacheOptions& options,
    std::shared_ptr<transport::RoundTripper> transport) {
  // The cache is in front of what adds the credentials, so that it keeps none of them, and so that
  // transport_for() may do whatever a credential needs.
  auto connected = rest::transport_for(config, runtime, std::move(transport));
  if (!connected) return connected.error();
  auto cache = std::make_shared<transport::HttpCache>(
      *std::move(connected), transport::HttpCache::Options{
                                 .folder = (std::filesystem::path(options.root) / "http").string(),
                                 .logger = runtime.logger});
  auto live = DiscoveryClient::create(rest::anonymous(config), runtime, std::move(cache));
  if (!live) return live.error();
  return std::make_shared<DiskCachedDiscovery>(
      std::make_shared<MemoryCachedDiscovery>(std::make_shared<DiscoveryClient>(*std::move(live)),
                                              runtime.clock()),
      discovery_folder(options.root, config.host), options.ttl, runtime);
}

DiskCachedDiscovery::DiskCachedDiscovery(std::shared_ptr<Discovery> delegate, std::string folder,
                                         std::chrono::nanoseconds ttl, Runtime runtime)
    : state_(std::make_unique<State>()) {
  state_->delegate = std::move(delegate);
  state_->folder = std::move(folder);
  state_->ttl = ttl;
  state_->clock = runtime.executor ? runtime.clock() : real_clock();
  state_->runtime = std::move(runtime);
}
DiskCachedDiscovery::~DiskCachedDiscovery() = default;

Result<ApiResourceList> DiskCachedDiscovery::server_resources_for_group_version(
    const meta::GroupVersion& version, std::stop_token stop) const {
  return std::move(server_resources_for_group_versions({version}, std::move(stop)).front());
}

// Those that are not in the cache are asked for together.
std::vector<Result<ApiResourceList>> DiskCachedDiscovery::server_resources_for_group_versions(
    const std::vector<meta::GroupVersion>& versions, std::stop_token stop) const {
  // Empty for names that are none of Kubernetes', which could lead out of the folder.
  const auto path_of_list = [&](const meta::GroupVersion& version) {
    const bool has_names =
        (version.group.empty() || dns1123_subdomain_problems(version.group).empty()) &&
        dns1123_label_problems(version.version).empty();
    if (!has_names) return std::string();
    return (state_->folder / version.group / version.version / "serverresources.json").string();
  };
  std::vector<std::optional<ApiResourceList>> stored;
  std::vector<meta::GroupVersion> missing;
  for (const meta::GroupVersion& version : versions) {
    const std::string path = path_of_list(version);
    stored.emplace_back();
    if (const auto document = path.empty() ? std::nullopt : state_->read(path)) {
      if (auto list = read_stored_resource_list(*document, version)) {
        state_->used(path);
        stored.back() = *std::move(list);
      }
    }
    if (!stored.back()) missing.push_back(version);
  }
  auto live = missing.size() == 1
                  ? std::vector<Result<ApiResourceList>>{state_->delegate
                                                             ->server_resources_for_group_version(
                                                                 missing.front(), stop)}
                  : state_->delegate->server_resources_for_group_versions(missing, stop);
  std::vector<Result<ApiResourceList>> lists;
  lists.reserve(versions.size());
  for (auto next = live.begin(); auto& found : stored) {
    if (found) {
      lists.emplace_back(*std::move(found));
      continue;
    }
    Result<ApiResourceList> list = std::move(*next++);
    const meta::GroupVersion& version = versions[lists.size()];
    const std::string path = path_of_list(version);
    if (list && !list->resources.empty() && !path.empty())
      state_->write(path, write_api_resource_list(*list));
    lists.push_back(std::move(list));
  }
  return lists;
}

Result<GroupsAndResources> DiskCachedDiscovery::groups_and_maybe_resources(
    std::stop_token stop) const {
  const std::string path = (state_->folder / "servergroups.json").string();
  GroupsAndResources all;
  if (const auto document = state_->read(path)) {
    if (auto groups = read_stored_group_list(*document)) {
      state_->used(path);
      all.found.groups = *std::move(groups);
      const MutexLock lock(state_->mutex);
      all.found.failed = state_->failed;
      return all;
    }
  }
  auto live = state_->delegate->groups_and_maybe_resources(std::move(stop));
  if (!live) return live.error();
  all.found.groups = std::move(live->found.groups);
  all.found.failed = std::move(live->found.failed);
  if (!all.found.groups.empty()) state_->write(path, write_api_group_list(all.found.groups));
  const MutexLock lock(state_->mutex);
  state_->failed = all.found.failed;
  return all;
}

Result<ServerVersion> DiskCachedDiscovery::server_version(std::stop_token stop) const {
  return state_->delegate->server_version(std::move(stop));
}

Result<std::shared_ptr<const json::Value>> DiskCachedDiscovery::openapi_v2(
    std::stop_token stop) const {
  return state_->delegate->openapi_v2(std::move(stop));
}

std::shared_ptr<const OpenApi> DiskCachedDiscovery::openapi_v3() const {
  const MutexLock lock(state_->mutex);
  if (!state_->openapi_v3) state_->openapi_v3 = state_->delegate->openapi_v3();
  return state_->openapi_v3;
}

bool DiskCachedDiscovery::fresh() const {
  const MutexLock lock(state_->mutex);
  return state_->fresh;
}

void DiskCachedDiscovery::invalidate() {
  if (CachedDiscovery* const caching = state_->delegate->as_cached()) caching->invalidate();
  const MutexLock lock(state_->mutex);
  state_->own_files.clear();
  state_->failed.clear();
  state_->openapi_v3.reset();
  state_->fresh = true;
  state_->invalidated = true;
}

}  // namespace kube
