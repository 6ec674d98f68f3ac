// SPDX-License-Identifier: Apache-2.0
//
// The TLS material in use, and its replacement: when its files change, or when the caller has other
// material.
#pragma once

#include <array>
#include <ctime>
#include <memory>
#include <vector>

#include <sys/types.h>

#include <kube/base/log.hpp>
#include <kube/base/mutex.hpp>

#include "tls_material.hpp"

namespace kube::transport {

/// @par Thread safety   All functions may be called from any thread.
class TlsRotation {
 public:
  /// @par Errors   Those of TlsMaterial::load().
  static Result<std::shared_ptr<TlsRotation>> create(TlsConfig config,
                                                     std::shared_ptr<Logger> logger);

  std::shared_ptr<const TlsMaterial> current() const KUBE_EXCLUDES(mutex_);

  /// Uses other settings from now on. The bytes that are in use stay when the new ones are equal.
  /// Files that the settings in use name, too, are treated as check_files() does.
  /// @par Errors   Those of TlsMaterial::load(); nothing has changed then.
  Result<void> replace(TlsConfig config) KUBE_EXCLUDES(mutex_);

  /// Reads the files again if one of them has changed, else costs a stat() for each. Material that
  /// can't be used, such as a file that is only half written, or an empty CA file, leaves the old
  /// one in use until the files change again, and is reported to the logger. The CA and the client
  /// certificate with its key are looked at apart.
  void check_files() KUBE_EXCLUDES(mutex_);
  bool has_files() const KUBE_EXCLUDES(mutex_);

 private:
  struct FileState {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = -1;
    timespec modified{};
    timespec changed{};
    bool operator==(const FileState& other) const;
  };
  using FileStates = std::array<FileState, 3>;

  explicit TlsRotation(std::shared_ptr<Logger> logger) : logger_(std::move(logger)) {}
  void report(const std::vector<Error>& problems) const KUBE_EXCLUDES(mutex_);
  template <class Source>
  static FileState state_of(const Source& source);
  static FileStates states_of(const TlsConfig& config);

  const std::shared_ptr<Logger> logger_;
  mutable Mutex mutex_;
  TlsConfig config_ KUBE_GUARDED_BY(mutex_);  // As the caller gave it.
  FileStates files_ KUBE_GUARDED_BY(mutex_);  // Before the files were last read.
  std::shared_ptr<const TlsMaterial> current_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::transport
