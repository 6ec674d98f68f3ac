// SPDX-License-Identifier: Apache-2.0
//
// What the handlers of reads use, and what they know about a request.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include <kube/base/clock.hpp>
#include <kube/base/executor.hpp>
#include <kube/names/object_key.hpp>

#include "documents/ids.hpp"
#include "forms/event_frames.hpp"
#include "http/http_message.hpp"
#include "reading/openapi.hpp"
#include "reading/route.hpp"
#include "resources/resource_table.hpp"
#include "storage/store.hpp"

namespace kube::serving {

/// Where the objects of the served resources are.
///
/// @par Thread safety   All functions may be called from any thread.
class ObjectStores {
 public:
  virtual ~ObjectStores() = default;
  /// Returns the store of a resource's objects in a namespace; "" for those of all namespaces.
  /// @par Errors   Server: the response to the request.
  virtual Result<Store*> store_of(const Resource& resource, std::string_view namespace_) = 0;
};

struct ReadLimits {
  /// The time between the bookmarks of a watch that asked for them; varies by up to a quarter.
  Duration bookmark_period = std::chrono::seconds(60);
  /// A watch without timeoutSeconds ends after one to two times this.
  Duration min_watch_timeout = std::chrono::minutes(30);
  /// The maximum number of bytes gathered for one write to a watcher, plus one event.
  std::size_t watch_buffer_bytes = std::size_t{64} << 10U;
};

/// Owned by the server; outlives all handlers.
struct ReadContext {
  const ReadLimits& limits;
  const std::string& version;  ///< The gitVersion of /version.
  ResourceRegistry& registry;
  ObjectStores& stores;
  Ids& ids;
  OpenApi& openapi;
  Executor& timers;
  std::shared_ptr<std::atomic<std::uint64_t>> events_sent;
  std::shared_ptr<std::atomic<std::size_t>> watchers;
  std::shared_ptr<EventFrames> frames;
};

/// A read of a resource that exists and has the verb.
struct ReadRequest {
  const HttpRequest& http;
  const Route& route;
  std::shared_ptr<const Resource> resource;
  /// The time to wait for a revision is over: respond with the current state.
  bool last_attempt = false;

  ObjectKey key() const { return {route.namespace_, route.name}; }
};

}  // namespace kube::serving
