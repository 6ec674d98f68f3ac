// SPDX-License-Identifier: Apache-2.0
//
// Reads whole files, up to a bound: a path may name a device or a pipe without an end. Lists the
// files of a folder that hold objects.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include <kube/base/result.hpp>

namespace kube {

/// The default maximum of read_file(): enough for a dump of tens of thousands of objects; API
/// servers accept 3 MiB in a request.
inline constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20U;
/// For small files: credentials, kubeconfigs.
inline constexpr std::size_t kMaxSmallFileBytes = std::size_t{16} << 20U;

/// Reads a file to its end.
/// @param max_bytes   A multiple of a MiB.
/// @par Errors   Config, "path: reason": the operating system's reason, or that the file holds more
///   than `max_bytes`. With a `stop`: Cancelled when it is requested.
/// @par Blocks   Until the file's end, on a pipe while others hold it open; with a `stop` until it
///   is requested, even while no process has opened the pipe for writing.
/// @par Thread safety   Any thread may call it.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes = kMaxFileBytes);
Result<std::string> read_file(const std::string& path, std::size_t max_bytes, std::stop_token stop);
/// Reads from an open descriptor, which stays open; `name` is its name in errors.
Result<std::string> read_file(int descriptor, const std::string& name,
                              std::size_t max_bytes = kMaxFileBytes);
Result<std::string> read_file(int descriptor, const std::string& name, std::size_t max_bytes,
                              std::stop_token stop);

/// Paths that begin with the folder's, sorted by name.
struct ManifestFiles {
  std::vector<std::string> files{};
  /// Named like manifests, but not regular files: reading a pipe may never end.
  std::vector<std::string> skipped{};
};

/// Lists the .json, .yaml and .yml files of a folder, without those of its subfolders. Links are
/// followed; a dangling one is among the files, so that reading it reports the error.
/// @par Errors   Config, "folder: reason".
/// @par Thread safety   Any thread may call it.
Result<ManifestFiles> manifest_files(const std::string& folder);

}  // namespace kube
