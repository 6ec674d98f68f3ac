// SPDX-License-Identifier: Apache-2.0
#include "type_descriptors.hpp"

namespace kube::apiserver {

const meta::TypeDescriptor* find_type(const meta::GroupVersionKind&) {
  return nullptr;
}

}  // namespace kube::apiserver
