// SPDX-License-Identifier: Apache-2.0
#include "cluster_openapi.hpp"

#include <algorithm>
#include <utility>

#include <kube/client/openapi.hpp>
#include <kube/json/writer.hpp>

#include "awaited_response.hpp"
#include "documents/digest.hpp"
#include "openapi_cut.hpp"
#include "reading/discovery.hpp"
#include "reading/plain_handlers.hpp"

namespace kube::cacheserver {

using serving::HttpResponse;
using serving::OpenApiDocument;
using serving::ResourceTable;

namespace {

constexpr std::string_view kOpenApiPath = "/openapi/v3";

/// Returns the hash that ends a URL of the index; a URL without one is its own.
std::string hash_of(std::string_view url) {
  constexpr std::string_view kHash = "?hash=";
  const std::size_t at = url.find(kHash);
  return std::string(at == std::string_view::npos ? url : url.substr(at + kHash.size()));
}

/// Changes with the cluster's document and with what is served of it.
std::string cut_hash(const std::string& hash, const meta::GroupVersion& version,
                     const ResourceTable& table) {
  const auto served = serving::resource_list(table, version.group, version.version);
  return serving::sha256_hex(hash + "\n" + json::dump(served.value_or(nullptr)));
}

}  // namespace

struct ClusterOpenApi::Question final : serving::RevisionSource {
  std::string path{};  ///< Empty: the index.
  std::string hash{};
  std::shared_ptr<AwaitedResponse> response = std::make_shared<AwaitedResponse>();

  void when_reached(std::uint64_t revision, const serving::WakerPtr& waker) override {
    response->when_reached(revision, waker);
  }
  void forget(const serving::WakerPtr& waker) override { response->forget(waker); }
};

HttpResponse ClusterOpenApi::serve(const serving::HttpRequest& request,
                                   const serving::Route& route) {
  const Table table = reads_.registry.table();
  const std::string path = route.path.substr(std::min(kOpenApiPath.size() + 1, route.path.size()));
  const auto answered = std::static_pointer_cast<Question>(request.awaited);
  if (answered) take(*answered, table);
  if (cluster_ && !answered && !has_fresh_index()) return ask("", "");
  if (path.empty()) return index(table);
  if (!answered || answered->path.empty()) {
    if (const std::string hash = changed(path, table); !hash.empty()) return ask(path, hash);
  }
  const auto found = document(path, table);
  return found ? serving::openapi_response(request, route, *found) : serving::page_not_found();
}

HttpResponse ClusterOpenApi::ask(const std::string& path, const std::string& hash) const {
  const auto question = std::make_shared<Question>();
  question->path = path;
  question->hash = hash;
  Request request;
  request.verb = "get";
  request.path = std::string(kOpenApiPath) + (path.empty() ? "" : "/" + path);
  if (!hash.empty()) request.query.emplace_back("hash", hash);
  request.head_timeout = request.idle_timeout =
      std::chrono::duration_cast<std::chrono::milliseconds>(patience_);
  cluster_->start(request, question->response);
  HttpResponse later;
  later.await_revision = serving::AwaitedRevision{question.get(), 0, question, patience_};
  return later;
}

void ClusterOpenApi::take(Question& question, const Table& table) {
  const auto response = question.response->take();
  auto parsed = response ? json::parse(response->body.text) : response.error();
  const bool is_known = parsed && parsed->is_object();
  if (!is_known) {
    KUBE_LOG(logger_, LogLevel::Warning, "cacheserver",
             "an OpenAPI document of the cluster can't be read",
             {"path", std::string(kOpenApiPath) + "/" + question.path},
             {"error", parsed ? "expected a JSON object" : parsed.error().message()});
  }
  if (question.path.empty()) {
    std::map<std::string, std::string> hashes;
    if (is_known) {
      if (const json::Value* paths = parsed->at_path({"paths"}); paths && paths->is_object()) {
        for (const auto& [path, entry] : *paths->if_object()) {
          hashes[path] = hash_of(entry.string_at({"serverRelativeURL"}));
        }
      }
    }
    const MutexLock lock(mutex_);
    asked_ = reads_.timers.clock()->now();
    if (!is_known) return;
    std::erase_if(entries_, [&](const auto& each) { return !hashes.contains(each.first); });
    for (auto& [path, hash] : hashes) entries_[path].hash = std::move(hash);
    return;
  }
  const auto version = group_version_of_openapi_path(question.path);
  if (!is_known || !version) return;
  OpenApiDocument cut{question.path, json::dump(cut_openapi(*parsed, *table)) + "\n",
                      cut_hash(question.hash, *version, *table)};
  const MutexLock lock(mutex_);
  const auto found = entries_.find(question.path);
  if (found == entries_.end()) return;
  found->second.cut = std::move(cut);
  found->second.cut_of = question.hash;
  found->second.table = table;
}

bool ClusterOpenApi::has_fresh_index() const {
  const TimePoint now = reads_.timers.clock()->now();
  const MutexLock lock(mutex_);
  return asked_ && now - *asked_ < kAskAgain;
}

HttpResponse ClusterOpenApi::index(const Table& table) const {
  std::map<std::string, std::string> hashes;
  {
    const MutexLock lock(mutex_);
    for (const auto& [path, entry] : entries_) hashes[path] = entry.hash;
  }
  json::Object paths;
  for (const serving::ServedGroup& group : table->groups()) {
    for (const serving::ServedVersion& each : group.versions) {
      const meta::GroupVersion version{group.name, each.version};
      const std::string path = openapi_path_of(version);
      const auto known = hashes.find(path);
      const std::string hash = known != hashes.end() ? cut_hash(known->second, version, *table)
                                                     : reads_.openapi.of(table)->find(path)->hash;
      paths.append(path, json::Object{{"serverRelativeURL",
                                       std::string(kOpenApiPath) + "/" + path + "?hash=" + hash}});
    }
  }
  HttpResponse response;
  response.content_type = "application/json";
  response.body = json::dump(json::Object{{"paths", std::move(paths)}}) + "\n";
  return response;
}

std::string ClusterOpenApi::changed(const std::string& path, const Table& table) const {
  const auto version = group_version_of_openapi_path(path);
  if (!version || table->find_version(version->group, version->version) == nullptr) return {};
  const MutexLock lock(mutex_);
  const auto found = entries_.find(path);
  if (found == entries_.end()) return {};
  const Entry& entry = found->second;
  return entry.cut_of == entry.hash && entry.table == table ? std::string() : entry.hash;
}

std::optional<OpenApiDocument> ClusterOpenApi::document(const std::string& path,
                                                        const Table& table) const {
  {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(path);
    if (found != entries_.end() && found->second.table == table) return found->second.cut;
  }
  const auto own = reads_.openapi.of(table);
  const OpenApiDocument* document = own->find(path);
  if (document == nullptr) return std::nullopt;
  return *document;
}

}  // namespace kube::cacheserver
