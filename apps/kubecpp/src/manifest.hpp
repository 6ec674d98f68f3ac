// SPDX-License-Identifier: Apache-2.0
//
// The objects of the files of -f, unchanged.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/names/labels.hpp>

namespace kubecpp {

struct Manifest {
  std::string file{};  ///< "pods.yaml", or kubectl's word for standard input: "STDIN".
  kube::Unstructured object{};
};

/// Reads all objects of all files and URLs, those of lists one by one; may return none. A path that
/// does not exist is read as a pattern of the shell. A folder means its .json, .yaml and .yml
/// files, with `recursive` also those of its folders; an entry with such a name that is not a
/// regular file is skipped, with a warning on standard error.
/// @par Errors   Config or Decode, naming file and document; Config, in kubectl's words, for paths
///   that do not exist and folders without such files; those of read_url(); Cancelled when asked
///   to stop.
/// @par Blocks   On a pipe and on standard input until the end, for URLs as read_url(), or until
///   asked to stop.
kube::Result<std::vector<Manifest>> read_manifests(const std::vector<std::string>& paths,
                                                   const std::stop_token& stop,
                                                   bool recursive = false);

/// Parses the label selector of objects in files.
/// @par Errors   InvalidArgument, in kubectl's words, for a malformed one.
kube::Result<kube::labels::Selector> selector_of(const std::string& label_selector);

/// Removes the objects whose labels the selector does not match.
/// @par Errors   Those of selector_of().
kube::Result<void> keep_matching(const std::string& label_selector,
                                 std::vector<Manifest>& manifests);

}  // namespace kubecpp
