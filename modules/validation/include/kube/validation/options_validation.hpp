// SPDX-License-Identifier: Apache-2.0
//
// Which options contradict each other or have no meaning: what an API server answers with 422.
#pragma once

#include <kube/meta/options.hpp>
#include <kube/names/field_error.hpp>
#include <kube/patch/patch.hpp>

namespace kube {

/// Options of a list, or with `watch` of a watch.
meta::FieldErrors validate(const ListOptions& options, bool watch);
meta::FieldErrors validate(const CreateOptions& options);
meta::FieldErrors validate(const UpdateOptions& options);
meta::FieldErrors validate(const PatchOptions& options, Patch::Type type);
meta::FieldErrors validate(const DeleteOptions& options);

}  // namespace kube
