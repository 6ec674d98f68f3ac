// SPDX-License-Identifier: Apache-2.0
//
// Objects from JSON and YAML files, as `kubectl create -f` takes them.
#pragma once

#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/meta/unstructured.hpp>

namespace kubecpp {

/// An object and where it stands, for messages.
struct ManifestObject {
  kube::Unstructured object;
  std::string origin;  ///< "pods.yaml, document 3"
};

/// Reads a file, or every .json, .yaml and .yml file of a folder and those below it, in the order of
/// their names. Many documents a file; a List's items one by one. Errors name file, document and line.
kube::Result<std::vector<ManifestObject>> read_manifests(const std::string& file_or_folder);

}  // namespace kubecpp
