// SPDX-License-Identifier: Apache-2.0
//
// Checks and errors of the functions that compute patches.
#pragma once

#include <kube/patch/patch.hpp>

namespace kube::meta::detail {

/// Returns the patch; fails with the error of the first precondition that rejects it.
Result<json::Value> checked(json::Value patch, const std::vector<PatchPrecondition>& preconditions);

Error invalid_patch(std::string what);

Error patch_conflict(const json::Value& patch, const json::Value& changed);

/// Returns the names of an object's members for a message, "[name image]": values can be secret.
std::string member_names(const json::Value& object);

/// Returns the document as an object; null counts as an empty one.
Result<json::Object> document_object(const json::Value& document);

}  // namespace kube::meta::detail
