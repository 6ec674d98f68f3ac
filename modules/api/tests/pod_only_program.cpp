// SPDX-License-Identifier: Apache-2.0
//
// A program of one kind. symbols_test.cmake looks at what else is linked into it: nothing.
#include <iostream>

#include <kube/api/core/v1/pod.hpp>
#include <kube/codec/codec.hpp>

int main() {
  kube::core::v1::Pod pod;
  pod.spec.containers.push_back({.name = "main", .image = "nginx"});
  std::cout << kube::meta::to_json(pod) << "\n";
  return 0;
}
