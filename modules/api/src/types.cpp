// SPDX-License-Identifier: Apache-2.0
#include <kube/api/types.hpp>

#include <map>
#include <span>

// Defined beside the descriptors by kube-gen.
#define KUBE_DECLARE_KINDS(package)                                \
  namespace package::descriptors {                                 \
  extern const std::span<const meta::TypeDescriptor* const> kinds; \
  }

namespace kube {
KUBE_DECLARE_KINDS(apps::v1)
KUBE_DECLARE_KINDS(batch::v1)
KUBE_DECLARE_KINDS(coordination::v1)
KUBE_DECLARE_KINDS(core::v1)
KUBE_DECLARE_KINDS(meta)
KUBE_DECLARE_KINDS(scheduling::v1alpha3)
}  // namespace kube

namespace kube::api {

const meta::TypeDescriptor* find_type(const meta::GroupVersionKind& gvk) {
  static const std::map<meta::GroupVersionKind, const meta::TypeDescriptor*> types = [] {
    std::map<meta::GroupVersionKind, const meta::TypeDescriptor*> all;
    for (const auto kinds : {apps::v1::descriptors::kinds, batch::v1::descriptors::kinds,
                             coordination::v1::descriptors::kinds, core::v1::descriptors::kinds,
                             meta::descriptors::kinds, scheduling::v1alpha3::descriptors::kinds}) {
      for (const meta::TypeDescriptor* type : kinds) {
        all.emplace(meta::GroupVersionKind{std::string(type->group), std::string(type->version),
                                           std::string(type->kind)},
                    type);
      }
    }
    return all;
  }();
  const auto found = types.find(gvk);
  return found == types.end() ? nullptr : found->second;
}

}  // namespace kube::api
