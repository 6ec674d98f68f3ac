// SPDX-License-Identifier: Apache-2.0
//
// Owner references, for every generated kind and for Unstructured. Pure functions: any thread may
// call them.
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

/// Returns a copy of the first owner reference with controller = true.
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
/// The same; skips invalid references.
Optional<meta::OwnerReference> get_controller_of(const Unstructured& object);

/// Whether the object with that uid is the controller; names are not compared.
template <class T>
bool is_controlled_by(const T& object, std::string_view owner_uid) {
  const Optional<meta::OwnerReference> controller = get_controller_of(object);
  return controller && controller->uid == owner_uid;
}

/// Returns a reference to `owner`, with controller and blockOwnerDeletion true.
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
/// The same. The kind is an argument because items of lists may not have it.
meta::OwnerReference new_controller_ref(const Unstructured& owner,
                                        const meta::GroupVersionKind& kind);

}  // namespace kube
