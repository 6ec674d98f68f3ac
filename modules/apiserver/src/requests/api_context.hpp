// SPDX-License-Identifier: Apache-2.0
//
// What the handlers of requests use, and what they know about a request.
#pragma once

#include <atomic>
#include <memory>

#include <kube/apiserver/api_server.hpp>

#include "forms/event_frames.hpp"
#include "objects/object_service.hpp"
#include "requests/http_message.hpp"
#include "requests/openapi.hpp"
#include "requests/route.hpp"
#include "resources/resource_table.hpp"

namespace kube::apiserver {

/// Owned by the server; outlives all handlers.
struct ApiContext {
  const ApiServer::Options& options;
  Store& store;
  ResourceRegistry& registry;
  ObjectService& objects;
  Ids& ids;
  OpenApi& openapi;
  Executor& timers;
  std::shared_ptr<std::atomic<std::uint64_t>> events_sent;
  std::shared_ptr<std::atomic<std::size_t>> watchers;
  std::shared_ptr<EventFrames> frames;
};

/// A request for a resource that exists and has the verb.
struct ResourceRequest {
  const HttpRequest& http;
  const Route& route;
  const User& user;
  std::shared_ptr<const Resource> resource;
  const Subresource* subresource = nullptr;
  /// The time to wait for a revision is over: respond with the current state.
  bool last_attempt = false;

  ObjectKey key() const { return {route.namespace_, route.name}; }
};

}  // namespace kube::apiserver
