// SPDX-License-Identifier: Apache-2.0
#include "objects/object_errors.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <kube/api/types.hpp>
#include <kube/validation/object_meta_validation.hpp>

#include "kinds/fields.hpp"
#include "objects/pod_changes.hpp"
#include "validation/type_validation.hpp"

namespace kube::apiserver {
namespace {

// Whether the spec is checked: what is loaded is stored as it is, and the server's own writes
// change what they have to.
bool is_checked(const Write& write) {
  if (!write.resource.is_typed() || write.loaded || is_of_status(write.part)) return false;
  return write.before == nullptr || !is_whole(write.part);
}

// Drops what was found already: errors of metadata that may change are found twice.
void drop_known(const meta::FieldErrors& known, meta::FieldErrors& errors) {
  std::erase_if(errors, [&known](const meta::FieldError& error) {
    return std::ranges::any_of(known, [&](const meta::FieldError& each) {
      return each.type == error.type && each.field == error.field && each.detail == error.detail;
    });
  });
}

meta::FieldErrors fixed_spec_errors(const Write& write, const json::Value& object) {
  const Resource& resource = write.resource;
  // Most updates leave the spec as it is: nothing is copied for them.
  if (serving::same_member(object, *write.before, {"spec"})) return {};
  json::Value next = object;
  json::Value old = *write.before;
  resource.kind->level_specs(serving::spec_in(next), serving::spec_in(old), *write.before);
  return validate_spec_change(*resource.type, {next, &old, write.asked.emptied()},
                              resource.kind->fixed_spec);
}

// A status that is written by itself is checked by itself: its errors say what is wrong in it.
meta::FieldErrors custom_errors(const Write& write, const json::Value& object) {
  const serving::CustomSchema& schema = *write.resource.schema;
  if (write.before == nullptr || !is_of_status(write.part)) return schema.rules.validate(object);
  const json::Value* status = object.at_path({"status"});
  if (status == nullptr || schema.status == nullptr) return {};
  meta::FieldErrors errors = schema.status->validate(*status);
  const meta::FieldPath path("status");
  for (meta::FieldError& error : errors) {
    const bool below = !error.field.empty() && error.field != meta::FieldPath().to_string();
    error.field = (below ? path.child(error.field) : path).to_string();
  }
  return errors;
}

meta::FieldErrors type_errors(const Write& write, const meta::TypeDescriptor& type,
                              const WrittenObject& written) {
  return written.before != nullptr && write.part == Part::Main ? validate_type_change(type, written)
                                                               : validate_type(type, written);
}

meta::FieldErrors stored_type_errors(const Write& write, json::Value object) {
  const serving::Conversion& conversion = *write.resource.conversion;
  const meta::TypeDescriptor& type = *api::find_type(write.resource.stored_gvk);
  conversion.to_stored(object);
  if (write.before == nullptr) return type_errors(write, type, {object});
  json::Value before = *write.before;
  conversion.to_stored(before);
  return type_errors(write, type, {object, &before});
}

}  // namespace

meta::FieldErrors object_errors(const Write& write, const json::Value& object) {
  const Resource& resource = write.resource;
  const json::Value* before = write.before;
  const json::Value& metadata = *object.at_path({"metadata"});
  // The name of an existing object was checked at its creation, possibly through another version.
  const meta::ObjectMetaRules rules{
      before == nullptr ? resource.kind->name_rule : meta::NameRule::PathSegment,
      resource.namespaced};
  meta::FieldErrors errors = meta::validate_object_meta(metadata, rules);
  const auto of_metadata = static_cast<std::ptrdiff_t>(errors.size());
  const auto append = [&errors](meta::FieldErrors more) {
    std::ranges::move(more, std::back_inserter(errors));
  };
  if (before != nullptr) {
    meta::FieldErrors changes =
        meta::validate_object_meta_update(metadata, *before->at_path({"metadata"}));
    drop_known(errors, changes);
    append(std::move(changes));
  }
  if (resource.schema) append(custom_errors(write, object));
  if (is_checked(write)) {
    const bool converted =
        resource.conversion != nullptr && resource.conversion->validated_as_stored;
    append(converted ? stored_type_errors(write, object)
                     : type_errors(write, *resource.type, {object, before, write.asked.emptied()}));
  }
  if (before != nullptr && is_of_status(write.part) && resource.is_typed())
    append(validate_status(*resource.type, {.object = object,
                                            .before = *before,
                                            .approves = write.part == Part::Approval,
                                            .now = write.now}));
  const bool is_main = before != nullptr && write.part == Part::Main;
  if (is_main && resource.kind->validate_main != nullptr)
    append(resource.kind->validate_main(object, *before));
  if (before != nullptr) append(pod_change_errors(write, object));
  if (is_main && resource.kind->level_specs != nullptr) append(fixed_spec_errors(write, object));
  if (resource.kind->validate != nullptr)
    append(resource.kind->validate(object, before, write.asked.emptied()));
  if (before == nullptr && resource.kind->metadata_last && std::ssize(errors) > of_metadata)
    errors.erase(errors.begin(), errors.begin() + of_metadata);
  return errors;
}

}  // namespace kube::apiserver
