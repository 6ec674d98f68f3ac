// SPDX-License-Identifier: Apache-2.0
//
// Changes kubeconfig files as kubectl does: under its lock file, each entry in the file that it
// came from (docs/reference/clients-and-config.md 10.7).
//
// Files are replaced in one step, through symbolic links, and only the lines that differ change:
// comments, order and unknown fields stay. New files have the mode 0600, others keep their mode and
// their owner. A file whose owner can't be kept that way, or that is mounted by itself, is
// overwritten.
//
// Any thread may call these functions.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include <kube/config/kubeconfig_types.hpp>
#include <kube/config/loading_rules.hpp>

namespace kube::kubeconfig {

/// The lock of a kubeconfig file: the file "<path>.lock", which kubectl honours too. A process that
/// dies leaves it behind.
/// @par Thread safety   One thread at a time.
class FileLock {
 public:
  /// @par Errors   Config: another process, or another lock of this one, holds it; or the lock file
  ///   can't be made. Missing folders are made. Does not wait.
  static Result<FileLock> acquire(const std::string& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(std::string file) : file_(std::move(file)) {}
  std::string file_;
};

/// Reads the files of `rules`, has `change` change the configuration, and writes what differs: each
/// changed or removed entry in the file that it came from, new ones in the one of their origin or
/// in rules.default_file(). A changed current-context goes to the default file; one that is removed
/// is removed where it is set first. New paths below the folder of their file are written relative
/// to it. An explicit file that is_missing() is made.
///
/// The files are locked before they are read and until they are written, so that no change of
/// another process is lost. `change` is called once, under these locks.
/// @par Errors   Those of `change`, with which nothing is written; Config: a file can't be read,
///   locked or written; Cancelled. Files that were written before the failure stay so.
/// @par Blocks   As LoadingRules::load(), and while it writes files; not for a lock.
Result<void> modify(const LoadingRules& rules,
                    const std::function<Result<void>(Kubeconfig& config)>& change,
                    std::stop_token stop = {});

/// Writes a whole configuration, in place of what the file holds. Makes missing folders.
/// @par Errors   Config: the file can't be written.
/// @par Blocks   While it writes the file.
Result<void> write_kubeconfig_file(const std::string& path, const Kubeconfig& config);

/// Sets a field as `kubectl config set` does: "clusters.NAME.server", "users.NAME.token",
/// "contexts.NAME.namespace", "current-context", "preferences.colors"; NAME may have dots. Makes
/// the entry if it does not exist.
/// @param is_raw   Data of certificates and keys is given as it is; else it is base64.
/// @par Errors   InvalidArgument: there is no such field, it has another type, or is not a single
///   value. The message does not have the value.
Result<void> set(Kubeconfig& config, std::string_view property, std::string_view value,
                 bool is_raw = false);

/// Removes a field, a whole entry ("users.NAME") or all of a kind ("users").
/// @par Errors   InvalidArgument: there is no such field, or no such entry around it.
Result<void> unset(Kubeconfig& config, std::string_view property);

/// Renames a context, and the current context with it.
/// @par Errors   InvalidArgument: there is no context `from`, or there is one `to`.
Result<void> rename_context(Kubeconfig& config, const std::string& from, const std::string& to);

/// Chooses the current context.
/// @par Errors   InvalidArgument: `no context exists with the name: "x"`.
Result<void> use_context(Kubeconfig& config, const std::string& name);

}  // namespace kube::kubeconfig
