// SPDX-License-Identifier: Apache-2.0
//
// kube::OpenApi: the OpenAPI v3 documents of a server, one for each group version
// (docs/reference/clients-and-config.md ch. 13). Discovery::openapi_v3() returns one.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/json/value.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

/// Returns the path of a group version in the index: "api/v1", "apis/apps/v1".
/// @par Thread safety   Any thread may call it.
std::string openapi_path_of(const meta::GroupVersion& version);
/// The inverse of openapi_path_of().
/// @par Errors   InvalidArgument for another path: "apis/apps", "version".
/// @par Thread safety   Any thread may call it.
Result<meta::GroupVersion> group_version_of_openapi_path(std::string_view path);

/// The document of one path of the index. Each form of it is requested once and kept.
/// @par Thread safety   All functions may be called from any thread.
class OpenApiDocument {
 public:
  OpenApiDocument(RestClient client, std::string server_relative_url);
  ~OpenApiDocument();
  OpenApiDocument(const OpenApiDocument&) = delete;
  OpenApiDocument& operator=(const OpenApiDocument&) = delete;

  /// "/openapi/v3/apis/apps/v1?hash=...": the hash changes with the content, so that caches may
  /// keep the document for ever.
  const std::string& server_relative_url() const& { return url_; }
  std::string server_relative_url() const&& { return url_; }

  /// Returns the document in a media type: "application/json", or
  /// "application/com.github.proto-openapi.spec.v3@v1.0+protobuf". Callers share it.
  /// @par Errors   As RestClient::send(); InvalidArgument for a URL outside of the client's base
  ///   path.
  /// @par Blocks   Until the response is complete or `stop` is requested.
  Result<std::shared_ptr<const std::string>> schema(std::string_view content_type,
                                                    std::stop_token stop = {}) const;

 private:
  struct State;
  RestClient client_;
  std::string url_;
  std::unique_ptr<State> state_;
};

/// The index of the documents, which is requested once and kept, as the documents are.
///
/// @par Thread safety   All functions may be called from any thread.
/// @par Errors   As RestClient::send(), and Decode for an index that is not one.
/// @par Blocks   Until the response is complete or `stop` is requested.
class OpenApi {
 public:
  explicit OpenApi(RestClient client);
  ~OpenApi();
  OpenApi(const OpenApi&) = delete;
  OpenApi& operator=(const OpenApi&) = delete;

  using Documents = std::map<std::string, std::shared_ptr<const OpenApiDocument>, std::less<>>;
  /// Returns the documents by path: "apis/apps/v1", "version".
  /// @par Errors   Those of the class.
  Result<std::shared_ptr<const Documents>> paths(std::stop_token stop = {}) const;

  /// Returns the group versions that have a document, in the order of their text.
  /// @par Errors   Those of the class.
  Result<std::vector<meta::GroupVersion>> group_versions(std::stop_token stop = {}) const;
  /// Returns the document of a group version.
  /// @par Errors   InvalidArgument, "GroupVersion (g/v) not found as OpenAPI V3 path"; those of the
  ///   class.
  Result<json::Value> spec_of(const meta::GroupVersion& version, std::stop_token stop = {}) const;

 private:
  struct State;
  RestClient client_;
  std::unique_ptr<State> state_;
};

}  // namespace kube
