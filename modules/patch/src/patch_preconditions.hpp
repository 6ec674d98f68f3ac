// SPDX-License-Identifier: Apache-2.0
//
// Checks and errors of the functions that compute patches.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/patch/patch.hpp>

namespace kube::meta::detail {

/// Returns the patch; fails with the error of the first precondition that rejects it.
Result<json::Value> checked(json::Value patch, const std::vector<PatchPrecondition>& preconditions);

inline constexpr std::string_view kUnknownDirective = "UnknownDirective";
inline constexpr std::string_view kWrongDirective = "WrongDirective";
inline constexpr std::string_view kListOfLists = "ListOfLists";

/// `reason`: one of these, or none.
Error invalid_patch(std::string what, std::string_view reason = {});
/// `of`: what the value of a directive is no valid form of.
Error wrong_directive(std::string_view of);

Error patch_conflict(const json::Value& patch, const json::Value& changed);

/// Returns the names of an object's members for a message, "[name image]": values can be secret.
std::string member_names(const json::Value& object);

/// Returns the document as an object; null counts as an empty one.
Result<json::Object> document_object(const json::Value& document);

}  // namespace kube::meta::detail
