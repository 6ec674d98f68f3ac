// SPDX-License-Identifier: Apache-2.0
//
// What strategic merge knows about a place in a document: the type there, and how fields merge.
#pragma once

#include <string_view>

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>

namespace kube::meta::detail {

/// The type of a place. Only of a message are the fields known.
struct PatchType {
  const TypeDescriptor* message = nullptr;
  std::string_view what{};  ///< For errors when it is no message: "map", "list", "scalar".
};

struct PatchField {
  PatchType type{};  ///< Of the object, or of the list's elements.
  std::string_view merge_key{};
  bool merge = false;  ///< Lists: merged rather than replaced.
  bool retain_keys = false;
};

/// The field that holds an object. InvalidArgument for one that the type does not have.
Result<PatchField> find_object_field(const PatchType& type, std::string_view key);

/// The field that holds a list. InvalidArgument also for a field that is none.
Result<PatchField> find_list_field(const PatchType& type, std::string_view key);

}  // namespace kube::meta::detail
