// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/unstructured.hpp>

#include <utility>

#include <kube/codec/nested.hpp>

namespace kube {

namespace {

json::Array array_at(const json::Value& content, NestedPath path) {
  const json::Value* value = content.at_path(path);
  const json::Array* list = value != nullptr ? value->if_array() : nullptr;
  return list != nullptr ? *list : json::Array{};
}

labels::Set set_at(const json::Value& content, NestedPath path) {
  // A map with a value of another type counts as empty, as in client-go.
  return nested_string_map(content, path).value_or(Optional<StringMap>()).value_or(labels::Set{});
}

/// Sets the field, or removes it where `present` is false.
void put(json::Value& content, NestedPath path, bool present, json::Value value) {
  if (present) {
    content.ensure_path(path) = std::move(value);
  } else {
    remove_nested_field(content, path);
  }
}

json::Value as_json(const labels::Set& set) {
  json::Object object;
  for (const auto& [key, value] : set) object.append(key, value);
  return object;
}

}  // namespace

std::string_view Unstructured::api_version() const& {
  return content.string_at({"apiVersion"});
}
std::string_view Unstructured::kind() const& {
  return content.string_at({"kind"});
}

meta::GroupVersionKind Unstructured::gvk() const {
  return meta::from_api_version_and_kind(api_version(), kind());
}

void Unstructured::set_gvk(const meta::GroupVersionKind& gvk) {
  set_api_version(gvk.api_version());
  set_kind(gvk.kind);
}

void Unstructured::set_api_version(std::string_view version) {
  content.ensure_path({"apiVersion"}) = version;
}
void Unstructured::set_kind(std::string_view kind) {
  content.ensure_path({"kind"}) = kind;
}

std::string_view Unstructured::name() const& {
  return content.string_at({"metadata", "name"});
}
std::string_view Unstructured::namespace_() const& {
  return content.string_at({"metadata", "namespace"});
}
std::string_view Unstructured::uid() const& {
  return content.string_at({"metadata", "uid"});
}
std::string_view Unstructured::resource_version() const& {
  return content.string_at({"metadata", "resourceVersion"});
}
std::string_view Unstructured::generate_name() const& {
  return content.string_at({"metadata", "generateName"});
}
std::string_view Unstructured::self_link() const& {
  return content.string_at({"metadata", "selfLink"});
}
std::int64_t Unstructured::generation() const {
  return content.int_at({"metadata", "generation"}).value_or(0);
}
std::string_view Unstructured::creation_timestamp() const& {
  return content.string_at({"metadata", "creationTimestamp"});
}
std::string_view Unstructured::deletion_timestamp() const& {
  return content.string_at({"metadata", "deletionTimestamp"});
}
std::optional<std::int64_t> Unstructured::deletion_grace_period_seconds() const {
  return content.int_at({"metadata", "deletionGracePeriodSeconds"});
}

ObjectKey Unstructured::key() const {
  return {std::string(namespace_()), std::string(name())};
}

void Unstructured::set_name(std::string_view name) {
  put(content, {"metadata", "name"}, !name.empty(), name);
}
void Unstructured::set_namespace(std::string_view name) {
  put(content, {"metadata", "namespace"}, !name.empty(), name);
}
void Unstructured::set_uid(std::string_view uid) {
  put(content, {"metadata", "uid"}, !uid.empty(), uid);
}
void Unstructured::set_resource_version(std::string_view version) {
  put(content, {"metadata", "resourceVersion"}, !version.empty(), version);
}
void Unstructured::set_generate_name(std::string_view prefix) {
  put(content, {"metadata", "generateName"}, !prefix.empty(), prefix);
}
void Unstructured::set_self_link(std::string_view link) {
  put(content, {"metadata", "selfLink"}, !link.empty(), link);
}
void Unstructured::set_generation(std::int64_t generation) {
  put(content, {"metadata", "generation"}, generation != 0, generation);
}
void Unstructured::set_creation_timestamp(std::string_view time) {
  put(content, {"metadata", "creationTimestamp"}, !time.empty(), time);
}
void Unstructured::set_deletion_timestamp(std::string_view time) {
  put(content, {"metadata", "deletionTimestamp"}, !time.empty(), time);
}
void Unstructured::set_deletion_grace_period_seconds(std::optional<std::int64_t> seconds) {
  put(content, {"metadata", "deletionGracePeriodSeconds"}, seconds.has_value(),
      seconds.value_or(0));
}

labels::Set Unstructured::labels() const {
  return set_at(content, {"metadata", "labels"});
}
labels::Set Unstructured::annotations() const {
  return set_at(content, {"metadata", "annotations"});
}
void Unstructured::set_labels(const labels::Set& labels) {
  put(content, {"metadata", "labels"}, !labels.empty(), as_json(labels));
}
void Unstructured::set_annotations(const labels::Set& annotations) {
  put(content, {"metadata", "annotations"}, !annotations.empty(), as_json(annotations));
}
void Unstructured::set_label(std::string_view key, std::string_view value) {
  content.ensure_path({"metadata", "labels", key}) = value;
}
void Unstructured::set_annotation(std::string_view key, std::string_view value) {
  content.ensure_path({"metadata", "annotations", key}) = value;
}

bool Unstructured::is_being_deleted() const {
  const json::Value* time = content.at_path({"metadata", "deletionTimestamp"});
  return time != nullptr && !time->is_null();
}

std::vector<std::string> Unstructured::finalizers() const {
  return nested_string_slice(content, {"metadata", "finalizers"})
      .value_or(Optional<std::vector<std::string>>())
      .value_or(std::vector<std::string>{});
}
void Unstructured::set_finalizers(const std::vector<std::string>& finalizers) {
  put(content, {"metadata", "finalizers"}, !finalizers.empty(),
      json::Array(finalizers.begin(), finalizers.end()));
}
json::Array Unstructured::owner_references() const {
  return array_at(content, {"metadata", "ownerReferences"});
}
void Unstructured::set_owner_references(json::Array references) {
  const bool present = !references.empty();
  put(content, {"metadata", "ownerReferences"}, present, std::move(references));
}
json::Array Unstructured::managed_fields() const {
  return array_at(content, {"metadata", "managedFields"});
}
void Unstructured::set_managed_fields(json::Array entries) {
  const bool present = !entries.empty();
  put(content, {"metadata", "managedFields"}, present, std::move(entries));
}

Result<void> Unstructured::set(json::Value::Path path, json::Value value) {
  return set_nested_field(content, std::move(value), path);
}

bool Unstructured::is_list() const {
  const json::Value* items = content.at_path({"items"});
  return items != nullptr && items->is_array();
}

std::string_view Unstructured::continue_() const& {
  return content.string_at({"metadata", "continue"});
}

std::optional<std::int64_t> Unstructured::remaining_item_count() const {
  return content.int_at({"metadata", "remainingItemCount"});
}

Result<std::vector<Unstructured>> Unstructured::items() const {
  std::string_view item_kind = kind();
  if (item_kind.ends_with("List")) item_kind.remove_suffix(4);
  std::vector<Unstructured> objects;
  auto visited = each_list_item(content, [&](const json::Value& item) -> Result<void> {
    Unstructured& object = objects.emplace_back(item);
    if (object.kind().empty() && !item_kind.empty()) object.set_kind(item_kind);
    if (object.api_version().empty() && !api_version().empty()) {
      object.set_api_version(api_version());
    }
    return {};
  });
  if (!visited) return visited.error();
  return objects;
}

void reset_object_meta_for_status(Unstructured& object, const Unstructured& existing) {
  for (const std::string_view name : {"deletionTimestamp", "generation", "selfLink", "labels",
                                      "annotations", "finalizers", "ownerReferences"}) {
    const json::Value* value = existing.content.at_path({"metadata", name});
    const bool present = value != nullptr && !value->is_null();
    put(object.content, {"metadata", name}, present, present ? *value : json::Value());
  }
}

Result<void> each_list_item(const json::Value& list,
                            const std::function<Result<void>(const json::Value& item)>& visit) {
  const json::Value* items = list.at_path({"items"});
  const json::Array* array = items != nullptr ? items->if_array() : nullptr;
  if (array == nullptr) {
    return Error(ErrorCode::Decode,
                 "content is not a list: items is " +
                     (items == nullptr ? std::string("missing") : std::string(items->type_name())));
  }
  for (std::size_t i = 0; i < array->size(); ++i) {
    const json::Value& item = (*array)[i];
    if (!item.is_object()) {
      return Error(ErrorCode::Decode, "items[" + std::to_string(i) +
                                          "]: expected an object, but found " +
                                          std::string(item.type_name()));
    }
    if (auto visited = visit(item); !visited) return visited;
  }
  return {};
}

Result<Unstructured> unstructured_from_json(std::string_view text) {
  Result<json::Value> value = json::parse(text);
  if (!value) return value.error();
  if (!value->is_object()) {
    return Error(ErrorCode::Decode,
                 "expected an API object, but found " + std::string(value->type_name()));
  }
  Unstructured object(*std::move(value));
  // The text is not shown, because it can be a Secret.
  if (object.kind().empty()) return Error(ErrorCode::Decode, "Object 'Kind' is missing");
  return object;
}

}  // namespace kube
