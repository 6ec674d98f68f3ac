// SPDX-License-Identifier: Apache-2.0
//
// The merge that is used to apply and to combine strategic patches.
#pragma once

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

#include "patch_type.hpp"

namespace kube::meta::detail {

enum class MergeMode {
  Apply,    ///< Merges a patch into a document: the result has neither directives nor nulls.
  Serve,    ///< The same as API servers do it: what is added as a whole keeps the directives in it,
            ///< and what is replaced or is a new item of a list keeps nulls too.
  Combine,  ///< Merges a patch into a patch: the result keeps directives and nulls.
};

Result<json::Object> strategic_merge(json::Object original, const json::Object& patch,
                                     const PatchType& type, MergeMode mode);

}  // namespace kube::meta::detail
