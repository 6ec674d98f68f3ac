// SPDX-License-Identifier: Apache-2.0
//
// The file in which an informer keeps its state (InformerOptions::state_dir;
// docs/decisions/0033-a-saved-state-waits-for-the-server.md). Numbers are of 4 or 8
// bytes, the lowest first; texts have their length in front:
//
//   "kubestat"  format (4)  identity  resourceVersion  time in ns since 1970 (8)  objects (8)
//   for each object: encoding (4)  key of its own, if it has one  namespace  name  uid
//                    resourceVersion  body
//   CRC-32 of all that (4)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reflector_states.hpp"

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/cache/detail/informer_core.hpp>
#include <kube/config/config.hpp>

namespace kube::cache {

/// @par Thread safety   A value.
struct StateFile {
  std::string path{};  ///< Empty: none.
  /// What has to be the same for a state to be used: lines "what: value".
  std::string identity{};

  /// `options.state_dir` may be empty.
  static StateFile of(const InformerOptions& options, const meta::ResourceInfo& resource,
                      const InformerType& type);
  /// Adds the server to the identity: its URL, and the CA that tells one cluster at a URL from the
  /// next.
  void set_server(const rest::Config& config);

  /// Replaces the file in one step; it is on the disk when this returns. A part of one that a crash
  /// left is the file `path` + ".new", which the next write replaces.
  /// @par Errors   Config, "path: reason"; the old file stays.
  Result<void> write(const SavedState& state, WallTime now) const;

  /// Returns empty when there is no file. Makes the folder.
  /// @par Errors   Config, "path: reason": the file is damaged, of something else, of a newer
  ///   format, or of another user.
  Result<std::optional<SavedState>> read(const CellType& type, WallTime now) const;
};

}  // namespace kube::cache
