// SPDX-License-Identifier: Apache-2.0
//
// Checks options that are invalid or contradict each other: an API server responds to them with a
// 422. Pure functions: any thread may call them.
#pragma once

#include <kube/meta/options.hpp>
#include <kube/names/field_error.hpp>
#include <kube/patch/patch.hpp>

namespace kube {

/// Checks the options of a list, or of a watch if `watch` is true.
meta::FieldErrors validate(const ListOptions& options, bool watch);
meta::FieldErrors validate(const CreateOptions& options);
meta::FieldErrors validate(const UpdateOptions& options);
meta::FieldErrors validate(const PatchOptions& options, Patch::Type type);
meta::FieldErrors validate(const DeleteOptions& options);

}  // namespace kube
