// SPDX-License-Identifier: Apache-2.0
//
// create, update and patch of objects.
#pragma once

#include "names/serving_names.hpp"
#include "requests/api_context.hpp"

namespace kube::apiserver {

/// The input of a write with a document in the body, in the order in which it is checked.
struct WriteInput {
  EncodingPtr encoding;
  PatchOptions options;
  json::Value document;
  std::vector<std::string> emptied;  ///< Paths of its empty lists and maps.
};
/// `warnings` gets what the body is warned of, whether it is refused or not.
Result<WriteInput> read_input(ApiContext& api, const ResourceRequest& request, WriteKind kind,
                              std::vector<std::string>& warnings);

Result<HttpResponse> create_object(ApiContext& api, const ResourceRequest& request);
/// `part` is the part that the path names.
Result<HttpResponse> update_object(ApiContext& api, const ResourceRequest& request, Part part);
Result<HttpResponse> patch_object(ApiContext& api, const ResourceRequest& request, Part part);

/// Checks that the document of a PUT or a patch is the object that the path names; fails with a 400
/// otherwise. Sets an empty namespace.
Result<void> match_path(const ResourceRequest& request, json::Value& document);

}  // namespace kube::apiserver
