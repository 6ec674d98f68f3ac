// SPDX-License-Identifier: Apache-2.0
//
// The text of `kubecpp explain` from a server's OpenAPI documents, built-in resources and those of
// CustomResourceDefinitions alike, in kubectl's two forms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>
#include <kube/names/group_version.hpp>

namespace kubecpp {

/// A resource of a document, the field to explain, and how far.
struct DocumentRequest {
  kube::meta::GroupVersionResource resource{};
  std::string kind{};                 ///< For OpenAPI v2, which lists no resources.
  std::vector<std::string> fields{};  ///< Empty: the resource itself.
  bool recursive = false;
  int max_depth = 0;  ///< Levels of `recursive`; 0: all.
};

/// Returns the text from the OpenAPI v3 document of the resource's group version.
/// @par Errors   Config: the document does not have the resource; `field "x" does not exist` with
///   similar names.
kube::Result<std::string> explain_openapi_v3(const kube::json::Value& document,
                                             const DocumentRequest& request);

/// Returns the text from a server's OpenAPI v2 document: --output plaintext-openapiv2.
/// @par Errors   As explain_openapi_v3().
kube::Result<std::string> explain_openapi_v2(const kube::json::Value& document,
                                             const DocumentRequest& request);

/// Returns the value that "#/components/schemas/X" names; null when there is none.
const kube::json::Value* find_reference(const kube::json::Value& document,
                                        std::string_view reference);

/// Returns the error for a field that does not exist, with those of `known` that are similar.
kube::Error unknown_field(const std::string& name, const std::vector<std::string>& known);

}  // namespace kubecpp
