// SPDX-License-Identifier: Apache-2.0
//
// What a Result without a name holds goes with it: it is handed out by value, not by reference.
#include <string>
#include <vector>

#include <kube/api/core/v1/pod.hpp>
#include <kube/client/api.hpp>

using kube::Api;
using kube::Result;
using kube::core::v1::Pod;

std::size_t use(const Api<Pod>& pods) {
  std::size_t sum = 0;
#ifndef WRONG
  const auto& spec = pods.get("front-0").value().spec;  // lives as long as `spec`
  for (const Pod& pod : pods.list_all().value()) sum += pod.spec.containers.size();
  const kube::Error& error = pods.get("front-0").error();
  const Result<Pod> named = pods.get("front-0");
  return sum + spec.containers.size() + error.message().size() + named->metadata.name.size();
#elif WRONG == 1
  const auto& spec = pods.get("front-0")->spec;
  return spec.containers.size();
#elif WRONG == 2
  for (const Pod& pod : pods.list_all()->items) sum += pod.spec.containers.size();
  return sum;
#elif WRONG == 3
  const Pod* pod = &pods.get("front-0").value();
  return pod->spec.containers.size();
#elif WRONG == 4
  const Pod* pod = &*pods.get("front-0");
  return pod->spec.containers.size();
#elif WRONG == 5
  Pod& pod = pods.get("front-0").value();
  return pod.spec.containers.size();
#elif WRONG == 6
  const kube::Error* error = &pods.get("front-0").error();
  return error->message().size() + sum;
#endif
}
