// SPDX-License-Identifier: Apache-2.0
//
// What kubectl apply --server-side does after the server has applied an object that was applied by
// the client before: without it, fields that are left out of the manifest later would stay, because
// the former updates still own them.
//
//   auto applied = api.patch("web", Patch::apply(document), {.field_manager = "kubectl"});
//   if (!applied) return applied.error();
//   std::vector<std::string> warnings;
//   *applied =
//       migrate_to_server_side(api, document, *applied, {.field_manager = "kubectl"}, warnings);
//
// apply_object() does it with ApplyManifestOptions::migrate.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/text_argument.hpp>
#include <kube/client/apply_manifest.hpp>
#include <kube/json/value.hpp>

namespace kube {

/// The field managers of kubectl apply, without and with --server-side.
inline constexpr std::string_view kClientSideManager = "kubectl-client-side-apply";
inline constexpr std::string_view kServerSideManager = "kubectl";

/// Gives the fields of those managers whose updates own the annotation of client-side apply to
/// ApplyManifestOptions::field_manager, and applies the document again. For kServerSideManager the
/// annotation is kept, owned by "kubectl-last-applied": API servers update it then, so that the
/// object can be applied by the client again. Returns the object in its last state: `applied` when
/// there is nothing to do. What fails is not an error, because the object is applied; `warnings`
/// receives it, in kubectl's words, and the next apply tries again.
/// @par Blocks   For no request when there is nothing to do; otherwise for at most twelve.
/// @par Thread safety   As Api.
Unstructured migrate_to_server_side(const Api<Unstructured>& api, const json::Value& document,
                                    Unstructured applied, const ApplyManifestOptions& options,
                                    std::vector<std::string>& warnings, std::stop_token stop = {});
template <AnyText T>
Unstructured migrate_to_server_side(const Api<Unstructured>& api, const T& text,
                                    Unstructured applied, const ApplyManifestOptions& options,
                                    std::vector<std::string>& warnings,
                                    std::stop_token stop = {}) = delete;  // json::parse() it first.

}  // namespace kube
