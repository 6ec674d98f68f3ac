// SPDX-License-Identifier: Apache-2.0
#include <kube/base/file.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

namespace kube {
namespace {

Error failed(const std::string& name, int reason) {
  return {ErrorCode::Config, name + ": " + std::generic_category().message(reason)};
}

// Called before each read(): waits for bytes or the end of the file.
using Await = std::function<Result<void>()>;

Result<std::string> read_all(int descriptor, const std::string& name, std::size_t max_bytes,
                             const Await& await) {
  std::string text;
  std::array<char, 65536> buffer{};
  for (;;) {
    if (await) {
      if (auto ready = await(); !ready) return ready.error();
    }
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count == 0) return text;
    if (count < 0) {
      // Another reader has taken the bytes.
      if (errno == EINTR || (await && errno == EAGAIN)) continue;
      return failed(name, errno);
    }
    if (static_cast<std::size_t>(count) > max_bytes - text.size()) {
      return Error(ErrorCode::Config, name + ": expected at most " +
                                          std::to_string(max_bytes >> 20U) + " MiB, found more");
    }
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

// Returns the reason of a failure, 0 for none.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

// Returns the reason of a failure, 0 for none.
int overwrite(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (file < 0) return errno;
  int reason = write_all(file, text);
  if (::close(file) != 0 && reason == 0) reason = errno;
  return reason;
}

// Makes the folders of a path that do not exist; another process may be doing the same.
Result<void> make_folders(const std::filesystem::path& path, unsigned mode) {
  std::filesystem::path folder;
  for (const std::filesystem::path& part : path) {
    folder /= part;
    if (::mkdir(folder.c_str(), mode) != 0 && errno != EEXIST && errno != EISDIR) {
      std::error_code unknown;
      // Of a folder that exists, the file system may be read-only.
      const int reason = errno;
      if (!std::filesystem::is_directory(folder, unknown)) return failed(folder.string(), reason);
    }
  }
  return {};
}

// Waits for a descriptor or for the token.
class StoppablePoll {
 public:
  StoppablePoll(int descriptor, const std::string& name, std::stop_token stop)
      : descriptor_(descriptor), name_(name), wake_(::eventfd(0, EFD_CLOEXEC)) {
    on_stop_.emplace(std::move(stop), Wake{wake_});
  }
  ~StoppablePoll() {
    on_stop_.reset();  // the callback may be writing
    ::close(wake_);
  }
  StoppablePoll(const StoppablePoll&) = delete;
  StoppablePoll& operator=(const StoppablePoll&) = delete;

  Result<void> wait() const {
    std::array<pollfd, 2> files = {pollfd{descriptor_, POLLIN, 0}, pollfd{wake_, POLLIN, 0}};
    while (::poll(files.data(), files.size(), -1) < 0) {
      if (errno != EINTR) return failed(name_, errno);
    }
    if (files[1].revents == 0) return {};
    return Error(ErrorCode::Cancelled, name_ + ": reading was stopped");
  }

 private:
  struct Wake {
    int file;
    void operator()() const {
      const std::uint64_t one = 1;
      [[maybe_unused]] const ssize_t written = ::write(file, &one, sizeof one);
    }
  };

  const int descriptor_;
  const std::string& name_;
  const int wake_;
  std::optional<std::stop_callback<Wake>> on_stop_;
};

}  // namespace

Result<std::string> read_file(int descriptor, const std::string& name, std::size_t max_bytes) {
  return read_all(descriptor, name, max_bytes, {});
}

Result<std::string> read_file(int descriptor, const std::string& name, std::size_t max_bytes,
                              std::stop_token stop) {
  const StoppablePoll poll(descriptor, name, std::move(stop));
  return read_all(descriptor, name, max_bytes, [&poll] { return poll.wait(); });
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failed(path, errno);
  auto text = read_file(file, path, max_bytes);
  ::close(file);
  return text;
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes,
                              std::stop_token stop) {
  // Without the flag, open() waits until a process opens the pipe for writing.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return failed(path, errno);
  auto text = read_file(file, path, max_bytes, std::move(stop));
  ::close(file);
  return text;
}

Result<DatedFile> read_regular_file(const std::string& path, std::size_t max_bytes) {
  // Without the flag, open() waits until a process opens a pipe for writing.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return failed(path, errno);
  struct stat status {};
  Result<std::string> text = Error(ErrorCode::Config, path + ": not a regular file");
  if (::fstat(file, &status) != 0) {
    text = failed(path, errno);
  } else if (S_ISREG(status.st_mode)) {
    text = read_file(file, path, max_bytes);
  }
  ::close(file);
  if (!text) return text.error();
  const auto since_epoch = std::chrono::seconds(status.st_mtim.tv_sec) +
                           std::chrono::nanoseconds(status.st_mtim.tv_nsec);
  return DatedFile{*std::move(text), std::chrono::system_clock::time_point(since_epoch)};
}

Result<void> replace_file(const std::string& path, std::string_view text,
                          const ReplaceFileOptions& options) {
  const std::filesystem::path target(path);
  const std::filesystem::path temporary_folder =
      options.temporary_folder.empty() ? target.parent_path()
                                       : std::filesystem::path(options.temporary_folder);
  for (const std::filesystem::path& folder : {target.parent_path(), temporary_folder}) {
    if (auto made = make_folders(folder, options.folder_mode); !made) return made;
  }
  std::string temporary = (temporary_folder / target.filename()).string() + ".XXXXXX";
  const int file = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0) return failed(path, errno);
  int reason = write_all(file, text);
  struct stat old {};
  const bool keeps = options.keep_owner && ::stat(path.c_str(), &old) == 0;
  bool overwrites = reason == 0 && keeps && ::fchown(file, old.st_uid, old.st_gid) != 0;
  if (reason == 0 && ::fchmod(file, options.file_mode) != 0) reason = errno;
  if (::close(file) != 0 && reason == 0) reason = errno;
  if (reason == 0 && !overwrites && std::rename(temporary.c_str(), path.c_str()) != 0) {
    overwrites = keeps && errno == EBUSY;
    if (!overwrites) reason = errno;
  }
  if (reason == 0 && !overwrites) return {};
  ::unlink(temporary.c_str());
  if (reason == 0) reason = overwrite(path, text);
  return reason == 0 ? Result<void>() : failed(path, reason);
}

Result<ManifestFiles> manifest_files(const std::string& folder) {
  ManifestFiles found;
  std::error_code error;
  std::filesystem::directory_iterator at(folder, error);
  for (const std::filesystem::directory_iterator end; !error && at != end; at.increment(error)) {
    const auto extension = at->path().extension();
    if (extension != ".json" && extension != ".yaml" && extension != ".yml") continue;
    std::error_code unknown;
    const std::filesystem::file_status status = at->status(unknown);
    if (std::filesystem::is_directory(status)) continue;
    // A file that can't be examined here is an error when it is read.
    const bool is_other = std::filesystem::is_other(status);
    (is_other ? found.skipped : found.files).push_back(at->path().string());
  }
  if (error) return failed(folder, error.value());
  std::ranges::sort(found.files);
  std::ranges::sort(found.skipped);
  return found;
}

}  // namespace kube
