// SPDX-License-Identifier: Apache-2.0
//
// Whole files in memory, up to a bound: what somebody names may be a device or a pipe without an
// end. And which files of a folder hold objects.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include <kube/base/result.hpp>

namespace kube {

/// What read_file() takes unless told: a dump of tens of thousands of objects, and far above the
/// 3 MiB that API servers take in a request.
inline constexpr std::size_t kMaxFileSize = std::size_t{256} << 20U;
/// For what is small: credentials, kubeconfigs.
inline constexpr std::size_t kMaxSmallFileSize = std::size_t{16} << 20U;

/// @param most   Bytes, a multiple of a MiB.
/// @par Errors   Config, "path: reason": the operating system's reason, or that the file holds more
///   than `most`.
/// @par Blocks   Until the file's end: on a pipe for as long as others hold it open.
/// @par Thread safety   From any thread.
Result<std::string> read_file(const std::string& path, std::size_t most = kMaxFileSize);
/// The same for what may be a pipe: asked to stop, it returns, with Cancelled, even while nobody
/// writes to the pipe or has opened it.
Result<std::string> read_file(const std::string& path, std::size_t most, std::stop_token stop);
/// From an open descriptor, which stays open; `name` is what errors call it.
Result<std::string> read_file(int descriptor, const std::string& name,
                              std::size_t most = kMaxFileSize);
Result<std::string> read_file(int descriptor, const std::string& name, std::size_t most,
                              std::stop_token stop);

/// Each with the folder's path in front, by name.
struct ManifestFiles {
  std::vector<std::string> files{};
  /// What is named like one and is no regular file, such as a pipe: to read it may take for ever.
  std::vector<std::string> skipped{};
};

/// The .json, .yaml and .yml files of a folder; not those of folders in it. A link counts as what
/// it leads to; one that leads nowhere is among the files, for the error of reading it.
/// @par Errors   Config, "folder: reason".
/// @par Thread safety   From any thread.
Result<ManifestFiles> manifest_files(const std::string& folder);

}  // namespace kube
