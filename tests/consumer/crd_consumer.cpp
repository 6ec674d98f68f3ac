// SPDX-License-Identifier: Apache-2.0
//
// A stranger's program with types of its own CRD.
#include <acme/shop/v1.hpp>

#include <kube/codec/codec.hpp>
#include <kube/names/group_version.hpp>

#include <iostream>

int main() {
  const auto gizmo = kube::meta::from_json<acme::shop::v1::Gizmo>(
      R"({"apiVersion":"acme.io/v1","kind":"Gizmo","spec":{"workload":"apps/v1"}})");
  if (!gizmo || !gizmo->spec.workload) return 1;
  const auto version = kube::meta::parse_group_version(*gizmo->spec.workload);
  if (!version) return 1;
  std::cout << "group " << version->group << ", version " << version->version << '\n';
  return 0;
}
