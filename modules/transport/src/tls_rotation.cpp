// SPDX-License-Identifier: Apache-2.0
#include "tls_rotation.hpp"

#include <utility>

#include <sys/stat.h>

namespace kube::transport {
namespace {

bool same_time(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

template <class Source>
bool is_same_file(const Source& a, const Source& b) {
  return a.data.empty() && !a.file.empty() && a == b;
}

}  // namespace

bool TlsRotation::FileState::operator==(const FileState& other) const {
  return device == other.device && inode == other.inode && size == other.size &&
         same_time(modified, other.modified) && same_time(changed, other.changed);
}

// Follows links: the kubelet replaces the folder that they lead to.
template <class Source>
TlsRotation::FileState TlsRotation::state_of(const Source& source) {
  struct stat found {};
  if (!source.data.empty() || source.file.empty() || ::stat(source.file.c_str(), &found) != 0) {
    return {};
  }
  return {.device = found.st_dev,
          .inode = found.st_ino,
          .size = found.st_size,
          .modified = found.st_mtim,
          .changed = found.st_ctim};
}

TlsRotation::FileStates TlsRotation::states_of(const TlsConfig& config) {
  return {state_of(config.ca), state_of(config.certificate), state_of(config.key)};
}

Result<std::shared_ptr<TlsRotation>> TlsRotation::create(TlsConfig config,
                                                         std::shared_ptr<Logger> logger) {
  const std::shared_ptr<TlsRotation> rotation(new TlsRotation(std::move(logger)));
  if (const Result<void> loaded = rotation->replace(std::move(config)); !loaded) {
    return loaded.error();
  }
  return rotation;
}

std::shared_ptr<const TlsMaterial> TlsRotation::current() const {
  const MutexLock lock(mutex_);
  return current_;
}

Result<void> TlsRotation::replace(TlsConfig config) {
  TlsMaterial::Kept kept;
  {
    const MutexLock lock(mutex_);
    // Taken before the files are read: a change in between is then seen by the next check.
    const FileStates files = states_of(config);
    if (current_ && config.insecure_skip_verify == config_.insecure_skip_verify) {
      if (is_same_file(config.ca, config_.ca)) kept.ca = current_.get();
      if (is_same_file(config.certificate, config_.certificate) &&
          is_same_file(config.key, config_.key)) {
        kept.pair = current_.get();
      }
    }
    auto loaded = TlsMaterial::load(config, kept);
    if (!loaded) return loaded.error();
    // The states that have been reported are not reported again.
    if (files == files_) kept.problems.clear();
    config_ = std::move(config);
    files_ = files;
    if (!current_ || !current_->same_bytes(**loaded)) current_ = *std::move(loaded);
  }
  report(kept.problems);
  return {};
}

void TlsRotation::check_files() {
  TlsMaterial::Kept kept;
  {
    const MutexLock lock(mutex_);
    const FileStates files = states_of(config_);
    if (files == files_) return;
    files_ = files;
    kept.ca = kept.pair = current_.get();
    const auto loaded = TlsMaterial::load(config_, kept);
    if (loaded && !current_->same_bytes(**loaded)) current_ = *loaded;
  }
  report(kept.problems);
}

void TlsRotation::report(const std::vector<Error>& problems) const {
  for (const Error& problem : problems) {
    KUBE_LOG(logger_, LogLevel::Warning, "transport",
             "TLS files that have changed can't be used; the last ones are still used",
             {"error", problem.message()});
  }
}

bool TlsRotation::has_files() const {
  const MutexLock lock(mutex_);
  return !config_.ca.file.empty() || !config_.certificate.file.empty() || !config_.key.file.empty();
}

}  // namespace kube::transport
