// SPDX-License-Identifier: Apache-2.0
//
// What kubectl apply says around an error, and its warnings.
#pragma once

#include <optional>
#include <string>

#include <kube/base/result.hpp>
#include <kube/patch/patch.hpp>

#include "selection.hpp"

namespace kubecpp {

/// What was being done with the object, which is from a file. The patch of a Secret is masked.
std::string doing_read(const SelectedObject& object);
std::string doing_create(const SelectedObject& object);
std::string doing_patch(const SelectedObject& object, const std::optional<kube::Patch>& patch);

/// Returns the error of a server-side apply: for a conflict with what users can do about it.
kube::Error server_side_error(const kube::Error& error);

/// Returns the warning about an object that was not created by an apply.
std::string missing_annotation(const SelectedObject& object);

}  // namespace kubecpp
