// SPDX-License-Identifier: Apache-2.0
//
// A Lister hands out what the cache holds, not copies of it: none of it can be changed.
#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/lister.hpp>

using kube::Lister;
using kube::core::v1::Pod;

void visit(const Lister<Pod>& lister) {
  auto found = lister.get("web", "front-0");
  if (!found) return;
#if defined(WRONG) && WRONG == 1
  (*found)->metadata.labels["a"] = "b";
#elif defined(WRONG) && WRONG == 2
  for (auto& pod : lister.in_namespace("web").list()) pod->metadata.finalizers.clear();
#else
  Pod next = **found;
  next.metadata.labels["a"] = "b";
  for (const auto& pod : lister.list()) next.metadata.finalizers = pod->metadata.finalizers;
#endif
}
