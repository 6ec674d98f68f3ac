// SPDX-License-Identifier: Apache-2.0
//
// The cluster's OpenAPI v3 documents, which have the descriptions that `kubectl explain` prints,
// cut to what is served.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <kube/base/log.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/optional.hpp>
#include <kube/client/rest_client.hpp>

#include "reading/read_context.hpp"

namespace kube::cacheserver {

/// Asks the cluster when a client asks: for the index when it is older than kAskAgain, for a
/// document when the index says that it has changed. What the cluster does not have is this
/// server's own; what it does not send is what it sent before, else this server's own.
///
/// @par Thread safety   All functions may be called from any thread.
class ClusterOpenApi {
 public:
  static constexpr std::chrono::seconds kAskAgain{10};

  /// Without a client, all documents are this server's own. `patience`: for each response of the
  /// cluster.
  ClusterOpenApi(Optional<RestClient> cluster, Duration patience, serving::ReadContext& reads,
                 std::shared_ptr<Logger> logger)
      : cluster_(std::move(cluster)),
        patience_(patience),
        reads_(reads),
        logger_(std::move(logger)) {}

  /// Responds to a request for /openapi/v3 or for what is below it, or returns a response to wait
  /// for.
  serving::HttpResponse serve(const serving::HttpRequest& request, const serving::Route& route);

 private:
  using Table = std::shared_ptr<const serving::ResourceTable>;
  struct Question;
  /// What is known of a document.
  struct Entry {
    std::string hash{};  ///< In the cluster's index.
    /// The last that the cluster has sent, cut to a table; empty until a client asks for it.
    serving::OpenApiDocument cut{};
    std::string cut_of{};  ///< The cluster's hash of it.
    Table table{};
  };

  serving::HttpResponse ask(const std::string& path, const std::string& hash) const;
  /// Keeps what the cluster has responded.
  void take(Question& question, const Table& table);
  bool has_fresh_index() const;
  serving::HttpResponse index(const Table& table) const;
  /// Returns the hash of a document that is to be asked for again; empty when it is up to date.
  std::string changed(const std::string& path, const Table& table) const;
  std::optional<serving::OpenApiDocument> document(const std::string& path,
                                                   const Table& table) const;

  const Optional<RestClient> cluster_;
  const Duration patience_;
  serving::ReadContext& reads_;
  const std::shared_ptr<Logger> logger_;
  mutable Mutex mutex_;
  std::optional<TimePoint> asked_ KUBE_GUARDED_BY(mutex_);  ///< For the index, with any result.
  std::map<std::string, Entry> entries_ KUBE_GUARDED_BY(mutex_);  ///< By path: "apis/apps/v1".
};

}  // namespace kube::cacheserver
