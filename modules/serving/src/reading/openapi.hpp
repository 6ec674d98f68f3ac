// SPDX-License-Identifier: Apache-2.0
//
// OpenAPI v3 documents, with what clients need: the kinds, their fields and how they may be
// written. Kinds with a generated type and custom resources have fields; of other kinds only the
// name is shown.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/mutex.hpp>

#include "resources/resource_table.hpp"

namespace kube::serving {

/// The document of one group and version.
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

/// The document of /openapi/v2, in both forms.
struct OpenApiV2 {
  std::string json{};
  std::string protobuf{};
  std::string hash{};
};

/// Makes the documents on first use, and again when the table has changed.
///
/// @par Thread safety   All functions may be called from any thread.
class OpenApi {
 public:
  std::shared_ptr<const OpenApiDocuments> of(const std::shared_ptr<const ResourceTable>& table);
  std::shared_ptr<const OpenApiV2> v2_of(const std::shared_ptr<const ResourceTable>& table);

 private:
  /// The value for the latest table.
  template <class T>
  class Latest {
   public:
    std::shared_ptr<const T> of(const std::shared_ptr<const ResourceTable>& table,
                                T (*make)(const ResourceTable&)) {
      {
        const MutexLock lock(mutex_);
        if (table_ == table) return value_;
      }
      auto value = std::make_shared<const T>(make(*table));
      const MutexLock lock(mutex_);
      table_ = table;
      value_ = value;
      return value;
    }

   private:
    Mutex mutex_;
    std::shared_ptr<const ResourceTable> table_ KUBE_GUARDED_BY(mutex_);
    std::shared_ptr<const T> value_ KUBE_GUARDED_BY(mutex_);
  };
  Latest<OpenApiDocuments> v3_;
  Latest<OpenApiV2> v2_;
};

}  // namespace kube::serving
