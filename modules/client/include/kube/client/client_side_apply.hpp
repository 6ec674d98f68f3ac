// SPDX-License-Identifier: Apache-2.0
//
// kubectl's client-side apply: the change of an object is computed here, from what was applied last
// (an annotation of the object), what is applied now and what the server has.
//
//   auto live = api.get("web");
//   if (!live) return live.error();
//   auto patch = client_side_patch(with_last_applied(manifest), *live);
//   if (!patch) return patch.error();
//   if (!is_empty(*patch)) use(api.patch("web", *patch, {.field_manager = "me"}));
//
// apply_object() with ApplyMode::ClientSide does all of it.
#pragma once

#include <optional>
#include <stop_token>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/client/apply_manifest.hpp>
#include <kube/patch/patch.hpp>

namespace kube {

/// The annotation that holds what client-side apply has applied last, as JSON.
inline constexpr std::string_view kLastAppliedAnnotation =
    "kubectl.kubernetes.io/last-applied-configuration";

/// Returns the object with its own JSON, as kubectl writes it, in the annotation.
/// @par Thread safety   Any thread may call it.
Unstructured with_last_applied(Unstructured object);

/// Returns whether the object has the annotation.
/// @par Thread safety   Any thread may call it.
bool has_last_applied(const Unstructured& object);

/// Returns the patch that turns `live` into what `wanted` says: it adds and changes what `wanted`
/// has, and removes what the annotation of `live` has and `wanted` lacks. When `wanted` has no
/// annotation, that of `live` stays. It is a strategic merge patch for built-in kinds, a merge
/// patch for others. Without `overwrite`, a field that was changed on the server and differs from
/// `wanted` is a conflict.
/// @par Errors   Decode for an annotation that is not JSON; InvalidArgument for objects that their
///   type does not allow, for another kind or name, and for a conflict (meta::is_patch_conflict()).
/// @par Thread safety   Any thread may call it.
Result<Patch> client_side_patch(const Unstructured& wanted, const Unstructured& live,
                                bool overwrite = true);

/// Returns whether the patch changes nothing: {}.
/// @par Thread safety   Any thread may call it.
bool is_empty(const Patch& patch);

/// Returns the object with the patch, as client_side_patch() computed it for the same object,
/// applied here: without defaults and checks of the server.
/// @par Errors   InvalidArgument for a patch of another type of patch or object.
/// @par Thread safety   Any thread may call it.
Result<Unstructured> patched_here(const Patch& patch, const Unstructured& live);

/// Creates the object, when `live` is null, or patches it, as kubectl apply does: with the
/// annotation, and for a conflict with a new patch of the new state, at most five times.
/// ApplyManifestOptions::force and migrate are not used. When `sent` is not null, it receives the
/// last patch, for messages.
/// @par Errors   Those of client_side_patch(), Api::create() and Api::patch(); Cancelled.
/// @par Blocks   For a request, and for a conflict for at most eleven and four seconds.
/// @par Thread safety   As Api.
Result<AppliedObject> apply_client_side(const Api<Unstructured>& api, const Unstructured& object,
                                        const Unstructured* live,
                                        const ApplyManifestOptions& options,
                                        std::stop_token stop = {},
                                        std::optional<Patch>* sent = nullptr);

}  // namespace kube
