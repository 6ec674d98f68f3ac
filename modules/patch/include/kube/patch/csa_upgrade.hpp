// SPDX-License-Identifier: Apache-2.0
//
// Moves the ownership of fields from client-side apply (kubectl apply, updates) to server-side
// apply (client-go's util/csaupgrade). Without it, fields that a manager removes from what it
// applies stay in the object, because they are still owned by its former updates.
//
//   auto patch = meta::upgrade_managed_fields_patch(object, {"kubectl-client-side-apply"}, "me");
//   if (!patch) return patch.error();
//   if (!patch->is_null()) use(api.patch("web", Patch::json(*patch)));
//
// Pure functions: any thread may call them. Objects are JSON with metadata.managedFields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/json/value.hpp>

namespace kube::meta {

/// Returns copies of those entries of managedFields, null or an array, that have this operation
/// ("Apply" or "Update") and own all the fields of `fields`, a FieldsV1 object:
/// `{"f:spec":{"f:replicas":{}}}`. Entries whose fields can't be read are ignored.
/// @par Errors   Decode when `fields` is not a set of fields.
Result<json::Array> find_field_owners(const json::Value& managed_fields, std::string_view operation,
                                      const json::Value& fields);
template <class M, class F>
requires AnyText<M, F> Result<json::Array> find_field_owners(const M& managed_fields,
                                                             std::string_view operation,
                                                             const F& fields)
= delete;  // json::parse() them first.

/// Gives the fields of the updates of the managers `csa_managers` to the Apply entry of
/// `ssa_manager`. Without such an entry, the first update of one of them becomes it; otherwise the
/// fields of their update of its apiVersion are added to it. The other updates of these managers
/// are removed. Only entries of `subresource` take part. An object without managedFields, or
/// without such updates, does not change.
/// @par Errors   Decode when the fields of an entry that takes part can't be read; the object is
///   then unchanged.
Result<void> upgrade_managed_fields(json::Value& object,
                                    const std::vector<std::string>& csa_managers,
                                    std::string_view ssa_manager,
                                    std::string_view subresource = {});

/// Returns the JSON patch (operations, for Patch::json()) that makes the same change on a server,
/// if the object has not changed since; null when there is nothing to do. A server refuses it with
/// Conflict when the object has another resourceVersion.
/// @par Errors   As upgrade_managed_fields().
Result<json::Value> upgrade_managed_fields_patch(const json::Value& object,
                                                 const std::vector<std::string>& csa_managers,
                                                 std::string_view ssa_manager,
                                                 std::string_view subresource = {});
template <AnyText T>
Result<json::Value> upgrade_managed_fields_patch(
    const T& text, const std::vector<std::string>& csa_managers, std::string_view ssa_manager,
    std::string_view subresource = {}) = delete;  // json::parse() it first.

}  // namespace kube::meta
