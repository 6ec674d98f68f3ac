// SPDX-License-Identifier: Apache-2.0
//
// What the ways of computing a patch share.
#pragma once

#include <kube/patch/patch.hpp>

namespace kube::meta::detail {

/// The error of the first precondition that does not hold.
Result<void> check_preconditions(const json::Value& patch,
                                 const std::vector<PatchPrecondition>& preconditions);

/// An InvalidArgument error.
Error invalid_patch(std::string what);

Error patch_conflict(const json::Value& patch, const json::Value& changed);

/// "[name image]": what an error shows of an object, whose values can be secret.
std::string member_names(const json::Value& object);

/// The document as an object; null counts as an empty one.
Result<json::Object> document_object(const json::Value& document);

}  // namespace kube::meta::detail
