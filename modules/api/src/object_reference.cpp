// SPDX-License-Identifier: Apache-2.0
#include <kube/api/object_reference.hpp>

#include <utility>

namespace kube {
namespace {

Result<core::v1::ObjectReference> reference_to(const Unstructured& object,
                                               const meta::ResourceInfo* resource,
                                               std::string_view field_path) {
  if (object.content.is_null())
    return Error(ErrorCode::InvalidArgument, "can't reference a nil object");
  core::v1::ObjectReference reference{.kind = std::string(object.kind()),
                                      .api_version = std::string(object.api_version()),
                                      .resource_version = std::string(object.resource_version()),
                                      .field_path = std::string(field_path)};
  if (reference.kind.empty() && reference.api_version.empty()) {
    if (resource == nullptr)
      return Error(ErrorCode::InvalidArgument, "scheme is required to look up gvk");
    reference.kind = resource->kind;
    reference.api_version = resource->gvk().group_version().to_string();
  }
  if (object.is_list()) return reference;
  reference.namespace_ = object.namespace_();
  reference.name = object.name();
  reference.uid = object.uid();
  return reference;
}

}  // namespace

core::v1::ObjectReference object_reference(core::v1::ObjectReference reference,
                                           std::string_view field_path) {
  if (!field_path.empty()) reference.field_path = field_path;
  return reference;
}

Result<core::v1::ObjectReference> object_reference(const Unstructured& object,
                                                   std::string_view field_path) {
  return reference_to(object, nullptr, field_path);
}

Result<core::v1::ObjectReference> object_reference(const Unstructured& object,
                                                   const meta::ResourceInfo& resource,
                                                   std::string_view field_path) {
  return reference_to(object, &resource, field_path);
}

}  // namespace kube
