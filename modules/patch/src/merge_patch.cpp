// SPDX-License-Identifier: Apache-2.0
//
// Merge patches (RFC 7386).
#include <kube/patch/patch.hpp>

#include "patch_preconditions.hpp"

namespace kube::meta {

namespace {

void drop_nulls(json::Value& value) {
  if (json::Object* object = value.if_object()) {
    object->erase_if(
        [](const std::string&, const json::Value& member) { return member.is_null(); });
    for (auto& [name, member] : *object) drop_nulls(member);
  } else if (json::Array* list = value.if_array()) {
    for (json::Value& element : *list) drop_nulls(element);
  }
}

void merge_into(json::Value& target, const json::Value& patch, MergePatchRules rules) {
  const json::Object* changes = patch.if_object();
  if (changes == nullptr) {
    const bool was_object = target.is_object();
    target = patch;
    if (rules == MergePatchRules::ApiServer && !was_object) drop_nulls(target);
    return;
  }
  if (!target.is_object()) target = json::Object{};
  json::Object& object = *target.if_object();
  bool deletes = false;
  for (const auto& [name, change] : *changes) {
    if (change.is_null()) {
      deletes = true;
    } else {
      merge_into(object[name], change, rules);
    }
  }
  if (!deletes) return;
  object.erase_if([&](const std::string& name, const json::Value&) {
    const json::Value* change = changes->find(name);
    return change != nullptr && change->is_null();
  });
}

json::Object diff(const json::Object& from, const json::Object& to) {
  json::Object patch;
  for (const auto& [name, value] : to) {
    const json::Value* before = from.find(name);
    if (before == nullptr) {
      patch.append(name, value);
    } else if (before->is_object() && value.is_object()) {
      json::Object inner = diff(*before->if_object(), *value.if_object());
      if (!inner.empty()) patch.append(name, std::move(inner));
    } else if (!(*before == value)) {
      patch.append(name, value);
    }
  }
  for (const auto& [name, value] : from) {
    if (!to.contains(name)) patch.append(name, nullptr);
  }
  return patch;
}

/// Returns a merge patch without its deletions, or only those.
json::Object filter(const json::Object& patch, bool deletions) {
  json::Object out;
  for (const auto& [name, change] : patch) {
    const json::Object* object = change.if_object();
    if (object != nullptr && !object->empty()) {
      json::Object inner = filter(*object, deletions);
      if (!inner.empty()) out.append(name, std::move(inner));
    } else if (change.is_null() == deletions) {
      out.append(name, change);  // an empty object is a value
    }
  }
  return out;
}

/// Whether two patches set the same member to different values.
bool differ(const json::Value& a, const json::Value& b) {
  const json::Object* left = a.if_object();
  const json::Object* right = b.if_object();
  if (left == nullptr || right == nullptr) return !(a == b);
  for (const auto& [name, value] : *left) {
    const json::Value* other = right->find(name);
    if (other != nullptr && differ(value, *other)) return true;
  }
  return false;
}

}  // namespace

json::Value apply_merge_patch(const json::Value& document, const json::Value& patch,
                              MergePatchRules rules) {
  json::Value result = document;
  merge_into(result, patch, rules);
  return result;
}

json::Value create_merge_patch(const json::Value& from, const json::Value& to) {
  const json::Object* target = to.if_object();
  if (target == nullptr) return to;
  const json::Object* source = from.if_object();
  return diff(source != nullptr ? *source : json::Object{}, *target);
}

Result<json::Value> create_three_way_json_merge_patch(
    const json::Value& original, const json::Value& modified, const json::Value& current,
    const std::vector<PatchPrecondition>& preconditions) {
  const Result<json::Object> before = detail::document_object(original);
  if (!before) return before.error();
  const Result<json::Object> wanted = detail::document_object(modified);
  if (!wanted) return wanted.error();
  const Result<json::Object> live = detail::document_object(current);
  if (!live) return live.error();

  const json::Value additions = filter(diff(*live, *wanted), false);
  json::Value patch = filter(diff(*before, *wanted), true);
  if (differ(additions, patch)) return detail::patch_conflict(additions, patch);
  merge_into(patch, additions, MergePatchRules::Rfc7386);
  return detail::checked(std::move(patch), preconditions);
}

}  // namespace kube::meta
