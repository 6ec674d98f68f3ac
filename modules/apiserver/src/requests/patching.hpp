// SPDX-License-Identifier: Apache-2.0
//
// The patch formats: reading a patch, and applying it to a document.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

#include "names/serving_names.hpp"
#include "resources/resource.hpp"

namespace kube::apiserver {

enum class PatchFormat { Json, Merge, StrategicMerge };

/// Fails with a 415 for a type that the resource does not accept.
Result<PatchFormat> patch_format(std::string_view content_type, const Resource& resource);

/// Returns the patch in a body; fails with a 400 when it is no JSON.
Result<json::Value> read_patch(const std::string& body);

/// Returns the problems that strict reading reports in a valid patch: `duplicate field "data.a"`,
/// `json patch unknown field "[0].foo"`.
std::vector<std::string> patch_problems(PatchFormat format, std::string_view body);

/// Returns the patched document; fails with a 400 for a patch of another form, with a 413 for too
/// many operations, with a 422 when a JSON patch does not fit the document.
///
/// Strategic merge takes merge keys from the type's descriptor. A kind without a descriptor gets a
/// merge patch: its lists are replaced, directives in the patch are dropped.
Result<json::Value> apply_patch(PatchFormat format, const json::Value& document,
                                const json::Value& patch, const meta::GroupVersionKind& gvk);

}  // namespace kube::apiserver
