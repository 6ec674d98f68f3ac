// SPDX-License-Identifier: Apache-2.0
//
// References to objects, as events and owners of other objects have them (client-go's
// tools/reference). Pure functions: any thread may call them.
//
//   event.involved_object = object_reference(pod);
//   event.involved_object = object_reference(pod, "spec.containers{main}");
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include <kube/api/core/v1/object_reference.hpp>
#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

/// Returns a reference to an object: its kind and apiVersion, and of its metadata namespace, name,
/// uid and resourceVersion. A type without metadata has kind and apiVersion only, a list its
/// resourceVersion too. `field_path` names a part of the object.
template <Described T>
requires(!std::same_as<T, core::v1::ObjectReference>) core::v1::ObjectReference
    object_reference(const T& object, std::string_view field_path = {}) {
  const meta::TypeDescriptor& type = T::descriptor();
  core::v1::ObjectReference reference{
      .kind = std::string(type.kind),
      .api_version =
          meta::GroupVersion{std::string(type.group), std::string(type.version)}.to_string(),
      .field_path = std::string(field_path)};
  if constexpr (requires { object.metadata.name; }) {
    reference.namespace_ = object.metadata.namespace_;
    reference.name = object.metadata.name;
    reference.uid = object.metadata.uid;
    reference.resource_version = object.metadata.resource_version;
  } else if constexpr (requires { object.metadata.resource_version; }) {
    reference.resource_version = object.metadata.resource_version;
  }
  return reference;
}

/// Returns the reference itself, with the field path if that is not empty.
core::v1::ObjectReference object_reference(core::v1::ObjectReference reference,
                                           std::string_view field_path = {});

/// The same for an object whose type is known at run time only. An object that names neither kind
/// nor apiVersion takes those of `resource`, and only then.
/// @par Errors   InvalidArgument: the object is null ("can't reference a nil object"), or it names
///   neither and `resource` is not given ("scheme is required to look up gvk").
Result<core::v1::ObjectReference> object_reference(const Unstructured& object,
                                                   std::string_view field_path = {});
Result<core::v1::ObjectReference> object_reference(const Unstructured& object,
                                                   const meta::ResourceInfo& resource,
                                                   std::string_view field_path = {});

}  // namespace kube
