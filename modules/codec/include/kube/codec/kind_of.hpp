// SPDX-License-Identifier: Apache-2.0
//
// Of which kind an object is, from its bytes in JSON or protobuf, before anything is decoded.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/names/group_version.hpp>

namespace kube::meta {

/// What an object says of its type, with gaps filled from `defaults`: its kind, its whole group and
/// version, or the version of the same group. An object of another group keeps that without a
/// version.
/// @par Errors   Decode: neither JSON object nor envelope, apiVersion or kind that are no text, an
///   apiVersion that can't be parsed; `Object 'Kind' is missing in ...`, `Object 'apiVersion' is
///   missing in ...` for what the defaults don't fill. The object itself is not shown: it may be a
///   Secret.
/// @par Cost   One pass over JSON; an envelope's few first bytes.
Result<GroupVersionKind> kind_of(std::string_view bytes, const GroupVersionKind& defaults = {});

/// An object that stays as it is, and what it is.
struct UndecodedObject {
  GroupVersionKind kind{};
  std::string raw{};           ///< JSON as it came; of protobuf the bare message.
  std::string content_type{};  ///< "application/json" or "application/vnd.kubernetes.protobuf".
};
/// client-go's decoding into runtime.Unknown. Kind and version may be missing.
/// @par Errors   As kind_of(), but for what is missing.
Result<UndecodedObject> read_undecoded(std::string_view bytes,
                                       const GroupVersionKind& defaults = {});

}  // namespace kube::meta
