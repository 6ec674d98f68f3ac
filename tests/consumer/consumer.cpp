// SPDX-License-Identifier: Apache-2.0
//
// A stranger's program: it is built outside the tree, against the installed package.
#include <kube/base/result.hpp>
#include <kube/names/group_version.hpp>

#include <iostream>

int main() {
  const kube::Result<kube::meta::GroupVersion> version = kube::meta::parse_group_version("apps/v1");
  if (!version) {
    std::cerr << version.error().message() << '\n';
    return 1;
  }
  std::cout << "group " << version->group << ", version " << version->version << '\n';
  return 0;
}
