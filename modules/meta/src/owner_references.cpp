// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/owner_references.hpp>

#include <kube/codec/converter.hpp>

namespace kube {

Optional<meta::OwnerReference> get_controller_of(const Unstructured& object) {
  for (const json::Value& reference : object.owner_references()) {
    const json::Value* controller = reference.at_path({"controller"});
    const bool* flag = controller != nullptr ? controller->if_bool() : nullptr;
    if (flag == nullptr || !*flag) continue;
    if (Result<meta::OwnerReference> typed = meta::from_value<meta::OwnerReference>(reference)) {
      return *std::move(typed);
    }
  }
  return std::nullopt;
}

meta::OwnerReference new_controller_ref(const Unstructured& owner,
                                        const meta::GroupVersionKind& kind) {
  return {.api_version = kind.api_version(),
          .kind = kind.kind,
          .name = std::string(owner.name()),
          .uid = std::string(owner.uid()),
          .controller = true,
          .block_owner_deletion = true};
}

}  // namespace kube
