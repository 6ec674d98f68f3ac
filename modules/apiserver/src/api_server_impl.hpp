// SPDX-License-Identifier: Apache-2.0
//
// The parts of a server.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <kube/apiserver/api_server.hpp>
#include <kube/base/executor.hpp>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"
#include "http/gated_executor.hpp"
#include "http/http_server.hpp"
#include "http/io_threads.hpp"
#include "objects/definition_controller.hpp"
#include "objects/graceful_deletions.hpp"
#include "objects/namespace_finalizer.hpp"
#include "objects/reference_conditions.hpp"
#include "objects/volume_protection.hpp"
#include "requests/api_context.hpp"
#include "requests/api_handler.hpp"
#include "requests/loader.hpp"

namespace kube::apiserver {

/// All objects are in one store.
class OneStore final : public ObjectStores {
 public:
  explicit OneStore(Store& store) : store_(store) {}
  Result<Store*> store_of(const Resource&, std::string_view) override { return &store_; }

 private:
  Store& store_;
};

/// A write, as watch caches follow it.
struct Commit {
  std::string collection{};
  EventPtr event{};
};
StoreWrite write_of(const Commit& commit);

struct ApiServer::Impl {
  explicit Impl(Options given);
  Result<void> start(ApiServer& server);
  void stop();

  std::shared_ptr<const Resource> find(const meta::GroupVersionResource& resource) const {
    return registry.table()->find(resource.group, resource.version, resource.resource);
  }

  // In the order of construction; each uses the ones above it.
  const Options options;
  Ids ids;
  IoThreads io;
  GatedExecutor timers;
  /// What the server does on its own, one thing at a time: a sweep that another one has overtaken
  /// would remove new objects instead of the old ones.
  Strand controllers;
  Store store;
  ResourceRegistry registry;
  ObjectService objects;
  NamespaceFinalizer namespaces;
  GracefulDeletions pods;
  VolumeProtection volumes;
  DefinitionController definitions;
  ReferenceConditions references;
  Loader loader;
  std::shared_ptr<std::atomic<std::uint64_t>> events_sent =
      std::make_shared<std::atomic<std::uint64_t>>(0);
  std::shared_ptr<std::atomic<std::size_t>> watchers =
      std::make_shared<std::atomic<std::size_t>>(0);
  std::shared_ptr<EventFrames> frames = std::make_shared<EventFrames>();
  OpenApi openapi;
  ReadLimits limits;
  OneStore one_store;
  ApiContext context;
  ApiHandler handler;
  std::unique_ptr<HttpServer> http;
  std::string url;
  /// All writes, for frontends; empty when it listens.
  std::vector<Commit> commits;
  Mutex stop_mutex;
  bool stopped KUBE_GUARDED_BY(stop_mutex) = false;
};

}  // namespace kube::apiserver
