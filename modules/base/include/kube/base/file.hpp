// SPDX-License-Identifier: Apache-2.0
//
// Reads whole files, up to a bound: a path may name a device or a pipe without an end. Replaces
// files in one step. Lists the files of a folder that hold objects.
#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
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

/// Reads a regular file and reports when it was changed; never waits for a pipe.
/// @par Errors   Config, "path: reason", also for another kind of file.
/// @par Thread safety   Any thread may call it.
struct DatedFile {
  std::string text{};
  std::chrono::system_clock::time_point modified{};
};
Result<DatedFile> read_regular_file(const std::string& path,
                                    std::size_t max_bytes = kMaxSmallFileBytes);

struct ReplaceFileOptions {
  unsigned file_mode = 0600;    ///< Exactly: the process's umask does not apply.
  unsigned folder_mode = 0700;  ///< For folders of the path that do not exist; less the umask.
  /// Where the new content is written at first, on the same file system. Empty: the file's folder.
  std::string temporary_folder{};
  /// An existing file keeps its owner and its group. One that can't be replaced so, because this
  /// process may not give files away or the file is a mount of its own, is overwritten: not in one
  /// step.
  bool keep_owner = false;
};
/// Replaces or makes a file in one step: a reader, of another process too, sees the old content or
/// the new one, and of several writers one is the last. Folders of the path are made.
/// @par Errors   Config, "path: reason"; the old content is kept.
/// @par Thread safety   Any thread may call it.
Result<void> replace_file(const std::string& path, std::string_view text,
                          const ReplaceFileOptions& options = {});

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
