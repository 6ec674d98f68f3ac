// SPDX-License-Identifier: Apache-2.0
#include "state_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>

#include "warning_printer.hpp"

namespace kubecpp {

using kube::Error;
using kube::ErrorCode;
using kube::Result;

namespace {

Error wrong_folder(const std::string& path, std::string_view expected) {
  return {ErrorCode::Config, "--state-dir \"" + path + "\": expected " + std::string(expected)};
}

Error wrong_folder(const std::string& path, std::string_view expected, int reason) {
  return wrong_folder(path, std::string(expected) + ": " + std::generic_category().message(reason));
}

}  // namespace

Result<StateFolder> StateFolder::open(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return wrong_folder(path, "a folder that exists or can be made", errno);
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return wrong_folder(path, "a folder", errno);
  if (!S_ISDIR(status.st_mode)) return wrong_folder(path, "a folder", ENOTDIR);
  // The lock may be there from a time when the folder could be written to.
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    return wrong_folder(path, "a folder that this user can write to", errno);
  }
  const std::string name = path + "/lock";
  StateFolder out(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (out.lock_ < 0) return wrong_folder(path, "a folder that this user can write to", errno);
  // Some file systems have no locks; then nothing is known of other processes.
  if (::flock(out.lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return wrong_folder(path, "a folder that no other process uses, found one that holds its lock");
  }
  if ((status.st_mode & S_IWOTH) != 0) {
    WarningPrinter().handle_warning_header(
        kMiscellaneousWarning, "",
        "other users can write to the folder \"" + path + "\" and remove the saved caches");
  }
  return out;
}

StateFolder::~StateFolder() {
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace kubecpp
