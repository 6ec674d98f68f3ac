// SPDX-License-Identifier: Apache-2.0
//
// What a cache holds is shared by everybody and const, and a Lister hands out no copies of it:
// whoever wants to change an object copies it.
#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/lister.hpp>

using kube::Cached;
using kube::Lister;
using kube::core::v1::Pod;

// The holder itself is not const: that changes nothing.
Pod changed(Cached<Pod> pod) {
  pod->metadata.labels["a"] = "b";  // wrong: const
  pod->metadata.generation = 2;     // wrong: const
  Pod& alias = *pod;                // wrong: const
  Pod next = *pod;
  next.metadata.labels["a"] = "b";
  next.spec.node_name = "";
  pod = Cached<Pod>();  // another object to hold
  return next;
}

void visit(const Lister<Pod>& lister) {
  auto found = lister.get("web", "front-0");
  if (!found) return;
  (*found)->metadata.labels["a"] = "b";  // wrong: const
  for (auto& pod : lister.in_namespace("web").list()) {
    pod->metadata.finalizers.clear();  // wrong: const
  }
  Pod next = **found;
  next.metadata.labels["a"] = "b";
  for (const auto& pod : lister.list()) next.metadata.finalizers = pod->metadata.finalizers;
}
