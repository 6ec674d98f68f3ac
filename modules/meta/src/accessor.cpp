// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/accessor.hpp>

#include <kube/codec/converter.hpp>

namespace kube::meta {
namespace {

const FieldDescriptor* metadata_of(const TypeDescriptor& type) {
  for (const FieldDescriptor& field : type.fields) {
    if (field.json == "metadata" && field.message == &ObjectMeta::descriptor() &&
        field.cardinality == Cardinality::Plain) {
      return &field;
    }
  }
  return nullptr;
}

Error no_object() {
  return Error(ErrorCode::InvalidArgument, "object does not implement the Object interfaces");
}

}  // namespace

Result<const ObjectMeta*> accessor(const void* object, const TypeDescriptor& type) {
  const FieldDescriptor* field = metadata_of(type);
  if (field == nullptr) return no_object();
  return reinterpret_cast<const ObjectMeta*>(static_cast<const char*>(object) + field->offset);
}
Result<ObjectMeta*> accessor(void* object, const TypeDescriptor& type) {
  const FieldDescriptor* field = metadata_of(type);
  if (field == nullptr) return no_object();
  return reinterpret_cast<ObjectMeta*>(static_cast<char*>(object) + field->offset);
}

Result<PartialObjectMetadata> as_partial_object_metadata(const Unstructured& object) {
  const json::Value* metadata = object.content.at_path({"metadata"});
  if (metadata == nullptr || !metadata->is_object()) return no_object();
  auto read = from_value<ObjectMeta>(*metadata);
  if (!read) return read.error();
  return PartialObjectMetadata{.metadata = *std::move(read)};
}

std::size_t list_length(const json::Value& list) {
  const json::Value* items = list.at_path({"items"});
  const json::Array* array = items != nullptr ? items->if_array() : nullptr;
  return array != nullptr ? array->size() : 0;
}

Result<void> set_list_items(Unstructured& list, std::vector<Unstructured> items) {
  std::string kind(list.kind());
  const bool any = kind == "List" || kind.empty();
  if (kind.ends_with("List")) kind.resize(kind.size() - 4);
  for (std::size_t i = 0; i < items.size() && !any; ++i) {
    const std::string_view found = items[i].kind();
    const std::string_view version = items[i].api_version();
    if ((found == kind || found.empty()) && (version == list.api_version() || version.empty()))
      continue;
    return Error(ErrorCode::InvalidArgument,
                 "item[" + std::to_string(i) + "]: can't assign or convert " +
                     (found == kind ? std::string(version) + ", Kind=" : std::string()) +
                     std::string(found) + " into " +
                     (found == kind ? std::string(list.api_version()) + ", Kind=" : std::string()) +
                     kind);
  }
  json::Array contents;
  contents.reserve(items.size());
  for (Unstructured& item : items) contents.push_back(std::move(item.content));
  list.content.ensure_path({"items"}) = std::move(contents);
  return {};
}

}  // namespace kube::meta
