// SPDX-License-Identifier: Apache-2.0
//
// The objects of the files of -f, unchanged.
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

/// Reads all objects of all files, those of lists one by one. A folder means its .json, .yaml and
/// .yml files; an entry with such a name that is not a regular file is skipped, with a warning on
/// standard error.
/// @par Errors   Config or Decode, naming file and document; Config, in kubectl's words, for
///   folders without such files; Cancelled when asked to stop.
/// @par Blocks   On a pipe and on standard input until the end, or until asked to stop.
kube::Result<std::vector<Manifest>> read_manifests(const std::vector<std::string>& paths,
                                                   const std::stop_token& stop);

}  // namespace kubecpp
