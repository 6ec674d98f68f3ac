// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/owner_references.hpp>

namespace kube {

std::optional<json::Value> get_controller_of(const Unstructured& object) {
  for (const json::Value& reference : object.owner_references()) {
    const json::Value* controller = reference.at_path({"controller"});
    const bool* flag = controller != nullptr ? controller->if_bool() : nullptr;
    if (flag != nullptr && *flag) return reference;
  }
  return std::nullopt;
}

bool is_controlled_by(const Unstructured& object, std::string_view owner_uid) {
  const std::optional<json::Value> controller = get_controller_of(object);
  const json::Value* uid = controller ? controller->at_path({"uid"}) : nullptr;
  return uid != nullptr && uid->is_string() && uid->string_or_empty() == owner_uid;
}

json::Value new_controller_ref(const Unstructured& owner, const meta::GroupVersionKind& kind) {
  return json::Object{{"apiVersion", kind.api_version()},
                      {"kind", kind.kind},
                      {"name", owner.name()},
                      {"uid", owner.uid()},
                      {"controller", true},
                      {"blockOwnerDeletion", true}};
}

}  // namespace kube
