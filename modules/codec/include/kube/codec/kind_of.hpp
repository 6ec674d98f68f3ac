// SPDX-License-Identifier: Apache-2.0
//
// Reads the kind of an object from its bytes, in JSON or protobuf, before the object is decoded.
// Pure functions: any thread may call them.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/names/group_version.hpp>

namespace kube::meta {

/// Returns the type that an object names. `defaults` supply a missing kind, a missing apiVersion,
/// or a missing version of the same group; an object of another group without a version keeps its
/// group.
/// @par Errors   Decode for bytes that are neither a JSON object nor an envelope, an apiVersion or
///   kind that is not a string, an apiVersion that can't be parsed; `Object 'Kind' is missing in
///   ...`, `Object 'apiVersion' is missing in ...` when the defaults lack it too. The message does
///   not show the object, which may be a Secret.
/// @par Cost   One pass over JSON; the first bytes of an envelope.
Result<GroupVersionKind> kind_of(std::string_view bytes, const GroupVersionKind& defaults = {});

/// The bytes of an object, and its type.
struct UndecodedObject {
  GroupVersionKind kind{};
  std::string raw{};           ///< The JSON unchanged, or the protobuf message without envelope.
  std::string content_type{};  ///< "application/json" or "application/vnd.kubernetes.protobuf".
};
/// Copies an object undecoded, as client-go decodes into runtime.Unknown. Kind and version may be
/// missing.
/// @par Errors   As kind_of(), except that nothing needs to be present.
Result<UndecodedObject> read_undecoded(std::string_view bytes,
                                       const GroupVersionKind& defaults = {});

}  // namespace kube::meta
