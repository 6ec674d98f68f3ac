// SPDX-License-Identifier: Apache-2.0
#include <kube/base/file.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace kube {
namespace {

Error failed(const std::string& name, int reason) {
  return {ErrorCode::Config, name + ": " + std::generic_category().message(reason)};
}

}  // namespace

Result<std::string> read_file(int descriptor, const std::string& name, std::size_t most) {
  std::string text;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count == 0) return text;
    if (count < 0) {
      if (errno == EINTR) continue;
      return failed(name, errno);
    }
    if (static_cast<std::size_t>(count) > most - text.size()) {
      return Error(ErrorCode::Config,
                   name + ": expected at most " + std::to_string(most >> 20U) + " MiB, found more");
    }
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

Result<std::string> read_file(const std::string& path, std::size_t most) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failed(path, errno);
  auto text = read_file(file, path, most);
  ::close(file);
  return text;
}

Result<std::vector<std::string>> manifest_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  std::filesystem::directory_iterator at(folder, error);
  for (const std::filesystem::directory_iterator end; !error && at != end; at.increment(error)) {
    const auto extension = at->path().extension();
    if (extension != ".json" && extension != ".yaml" && extension != ".yml") continue;
    // What can't be told from here is an error when it is read.
    std::error_code unknown;
    if (!at->is_directory(unknown)) files.push_back(at->path().string());
  }
  if (error) return failed(folder, error.value());
  std::ranges::sort(files);
  return files;
}

}  // namespace kube
