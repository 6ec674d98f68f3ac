// SPDX-License-Identifier: Apache-2.0
//
// Who owns an object. Works on every generated kind and on Unstructured.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <kube/base/optional.hpp>
#include <kube/codec/object.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/meta/owner_reference.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

/// The owner reference that has controller = true, the first if there are several; copied.
template <class T>
requires requires(const T& t) {
  t.metadata.owner_references;
}
Optional<meta::OwnerReference> get_controller_of(const T& object) {
  const auto& references = object.metadata.owner_references;
  const auto found = std::find_if(references.begin(), references.end(),
                                  [](const auto& r) { return r.controller.value_or(false); });
  if (found == references.end()) return std::nullopt;
  return *found;
}
/// References of a wrong shape are passed over.
Optional<meta::OwnerReference> get_controller_of(const Unstructured& object);

/// Whether the controller is the object with that uid; names don't count.
template <class T>
bool is_controlled_by(const T& object, std::string_view owner_uid) {
  const Optional<meta::OwnerReference> controller = get_controller_of(object);
  return controller && controller->uid == owner_uid;
}

/// A reference to `owner`, with controller and blockOwnerDeletion true.
template <Described T>
meta::OwnerReference new_controller_ref(const T& owner) {
  const meta::TypeDescriptor& type = T::descriptor();
  return {.api_version =
              meta::GroupVersion{std::string(type.group), std::string(type.version)}.to_string(),
          .kind = std::string(type.kind),
          .name = owner.metadata.name,
          .uid = owner.metadata.uid,
          .controller = true,
          .block_owner_deletion = true};
}
/// The kind is given because objects of lists may not carry theirs.
meta::OwnerReference new_controller_ref(const Unstructured& owner,
                                        const meta::GroupVersionKind& kind);

}  // namespace kube
