// SPDX-License-Identifier: Apache-2.0
//
// What the requests of an apply have in common.
#pragma once

#include <string>
#include <vector>

#include <kube/client/apply_manifest.hpp>

namespace kube::detail {

inline std::vector<std::string> dry_run_of(const ApplyManifestOptions& options) {
  if (options.dry_run) return {"All"};
  return {};
}

inline PatchOptions patch_options_of(const ApplyManifestOptions& options) {
  return {.dry_run = dry_run_of(options),
          .field_manager = options.field_manager,
          .field_validation = options.field_validation};
}

inline Result<Unstructured> apply_by_server(const Api<Unstructured>& api, std::string_view name,
                                            const json::Value& document,
                                            const ApplyManifestOptions& options,
                                            const std::stop_token& stop, bool* created = nullptr) {
  PatchOptions how = patch_options_of(options);
  how.force = options.force;
  return decoded<Unstructured>(
      api.raw().patch(name, "", Patch::apply(document), how, stop, created),
      {api.raw(), "patch", name});
}

}  // namespace kube::detail
