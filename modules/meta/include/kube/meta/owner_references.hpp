// SPDX-License-Identifier: Apache-2.0
//
// Who owns an object. Works on Unstructured and on every generated kind.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <kube/json/value.hpp>
#include <kube/meta/group_version.hpp>
#include <kube/meta/unstructured.hpp>

namespace kube {

/// The owner reference that has controller = true, the first if there are several; copied.
std::optional<json::Value> get_controller_of(const Unstructured& object);

/// Whether the controller is the object with that uid; names don't count.
bool is_controlled_by(const Unstructured& object, std::string_view owner_uid);

/// A reference to `owner`, with controller and blockOwnerDeletion true. The kind is given because
/// objects of lists and typed clients may not carry theirs.
json::Value new_controller_ref(const Unstructured& owner, const meta::GroupVersionKind& kind);

/// The same for generated kinds; the reference is the element type of metadata.owner_references.
template <class T>
requires requires(const T& t) {
  t.metadata.owner_references;
}
auto get_controller_of(const T& object) {
  const auto& references = object.metadata.owner_references;
  using Reference = typename std::remove_cvref_t<decltype(references)>::value_type;
  const auto found = std::find_if(references.begin(), references.end(),
                                  [](const Reference& r) { return r.controller.value_or(false); });
  return found == references.end() ? std::optional<Reference>() : std::optional<Reference>(*found);
}

template <class T>
requires requires(const T& t) {
  t.metadata.owner_references;
}
bool is_controlled_by(const T& object, std::string_view owner_uid) {
  const auto controller = get_controller_of(object);
  return controller && controller->uid == owner_uid;
}

}  // namespace kube
