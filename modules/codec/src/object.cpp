// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/object.hpp>

namespace kube::meta {

ResourceInfo resource_of(const TypeDescriptor& type) {
  return {std::string(type.group),  std::string(type.version),  std::string(type.kind),
          std::string(type.plural), std::string(type.singular), type.namespaced};
}

}  // namespace kube::meta
