// SPDX-License-Identifier: Apache-2.0
//
// What a cache holds is shared by everybody and const: whoever wants to change an object copies it.
#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/cached.hpp>

using kube::Cached;
using kube::core::v1::Pod;

// The holder itself is not const: that changes nothing.
Pod changed(Cached<Pod> pod) {
#ifndef WRONG
  Pod next = *pod;
  next.metadata.labels["a"] = "b";
  next.spec.node_name = "";
  pod = Cached<Pod>();  // another object to hold
  return next;
#else
#if WRONG == 1
  pod->metadata.labels["a"] = "b";
#elif WRONG == 2
  pod->spec.node_name = "";
#elif WRONG == 3
  Pod& alias = *pod;
  alias.spec.node_name = "";
#endif
  return *pod;
#endif
}
