// SPDX-License-Identifier: Apache-2.0
//
// The objects of the files that -f names, as their writer wrote them.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/unstructured.hpp>

namespace kubecpp {

struct Manifest {
  std::string file{};  ///< "pods.yaml"
  kube::Unstructured object{};
};

/// All objects of all files, those of lists one by one. A folder stands for its .json, .yaml and
/// .yml files; what is named like one there and is no regular file is skipped, with a warning on
/// standard error.
/// @par Errors   Config or Decode, naming file and document; Config, in kubectl's words, for
///   folders without such files; Cancelled when asked to stop.
/// @par Blocks   On a pipe and on standard input until the end, or until asked to stop.
kube::Result<std::vector<Manifest>> read_manifests(const std::vector<std::string>& paths,
                                                   const std::stop_token& stop);

}  // namespace kubecpp
