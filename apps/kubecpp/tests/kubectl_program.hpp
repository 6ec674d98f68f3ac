// SPDX-License-Identifier: Apache-2.0
//
// kubectl, for tests that run it beside kubecpp.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace kubecpp {

/// Returns the file of kubectl; "" where there is none.
inline std::string kubectl_program() {
  const auto existing = [](const std::string& path) {
    return std::filesystem::exists(path) ? path : std::string();
  };
  if (const char* file = std::getenv("TEST_ASSET_KUBECTL")) return existing(file);
  if (const char* assets = std::getenv("KUBEBUILDER_ASSETS"))
    return existing(std::string(assets) + "/kubectl");
  return existing(CLUSTER_KUBECTL);
}

}  // namespace kubecpp
