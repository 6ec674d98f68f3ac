// SPDX-License-Identifier: Apache-2.0
//
// OpenAPI v3 documents: as much as clients need to see which kinds there are, what fields they have
// and how they may be written. Fields are described for kinds with a generated type and, by their
// definitions, for custom resources; other kinds are named only.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/mutex.hpp>

#include "resources/resource_table.hpp"

namespace kube::apiserver {

/// The document of one group and version, as it is sent.
struct OpenApiDocument {
  std::string path{};  ///< "api/v1" or "apis/apps/v1"
  std::string body{};
  std::string hash{};
};

/// The documents of one table.
struct OpenApiDocuments {
  std::vector<OpenApiDocument> documents{};
  std::string index{};

  const OpenApiDocument* find(std::string_view path) const;
};

/// The document of /openapi/v2, in its two forms.
struct OpenApiV2 {
  std::string json{};
  std::string protobuf{};
  std::string hash{};
};

/// Makes the documents when they are first asked for, and again when the table has changed.
///
/// @par Thread safety   All functions may be called from any thread.
class OpenApi {
 public:
  std::shared_ptr<const OpenApiDocuments> of(const std::shared_ptr<const ResourceTable>& table);
  std::shared_ptr<const OpenApiV2> v2_of(const std::shared_ptr<const ResourceTable>& table);

 private:
  Mutex mutex_;
  std::shared_ptr<const ResourceTable> table_ KUBE_GUARDED_BY(mutex_);
  std::shared_ptr<const OpenApiDocuments> documents_ KUBE_GUARDED_BY(mutex_);
  std::shared_ptr<const ResourceTable> v2_table_ KUBE_GUARDED_BY(mutex_);
  std::shared_ptr<const OpenApiV2> v2_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::apiserver
