// SPDX-License-Identifier: Apache-2.0
//
// What strategic merge knows about a position in a document: its type, and how its fields merge.
#pragma once

#include <string_view>

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>

namespace kube::meta::detail {

/// The type of a position. Only a message has known fields.
struct PatchType {
  const TypeDescriptor* message = nullptr;
  std::string_view what{};  ///< For errors when it is not a message: "map", "list", "scalar".
};

struct PatchField {
  PatchType type{};  ///< The type of the object, or of the list's elements.
  std::string_view merge_key{};
  bool merge = false;  ///< Lists are merged, not replaced.
  bool retain_keys = false;
  bool replace = false;  ///< An object is replaced, not merged.
};

/// Returns the field that holds an object. Fails with InvalidArgument if the type lacks it.
Result<PatchField> find_object_field(const PatchType& type, std::string_view key);

/// Returns the field that holds a list. Fails with InvalidArgument also if it is not a list.
Result<PatchField> find_list_field(const PatchType& type, std::string_view key);

}  // namespace kube::meta::detail
