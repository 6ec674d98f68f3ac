// SPDX-License-Identifier: Apache-2.0
//
// Chooses the kubeconfig files, reads them and merges their entries.
#include <kube/config/kubeconfig.hpp>

#include <algorithm>
#include <filesystem>
#include <vector>

#include <kube/base/file.hpp>
#include <kube/base/join.hpp>

#include "kubeconfig_file.hpp"
#include "kubeconfig_resolve.hpp"

namespace kube::kubeconfig {
namespace {

constexpr const char* kIsEmpty = " has no cluster, user, context or current-context";

// Returns the distinct entries of KUBECONFIG in order, else the file in the home directory.
std::vector<std::string> search_path(const rest::Environment& environment) {
  std::vector<std::string> files;
  const std::string list = environment("KUBECONFIG").value_or("");
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    std::string file = list.substr(begin, end - begin);
    if (!file.empty() && std::find(files.begin(), files.end(), file) == files.end()) {
      files.push_back(std::move(file));
    }
    begin = end + 1;
  }
  if (!list.empty()) return files;
  if (const std::string home = environment("HOME").value_or(""); !home.empty()) {
    files.push_back(home + "/.kube/config");
  }
  return files;
}

Result<File> read(const std::string& path) {
  const Result<std::string> text = read_file(path, kMaxSmallFileBytes);
  if (!text) {
    std::string_view reason = text.error().message();  // also begins with the path
    if (reason.starts_with(path)) reason.remove_prefix(path.size());
    return Error(ErrorCode::Config,
                 "error loading config file \"" + path + '"' + std::string(reason));
  }
  std::error_code ignored;
  const std::filesystem::path absolute = std::filesystem::absolute(path, ignored);
  return read_kubeconfig(*text, absolute.parent_path(), path);
}

}  // namespace

Result<rest::Config> load(const LoadOptions& options) {
  if (!options.path.empty()) {
    Result<File> file = read(options.path);
    if (!file) return file.error();
    if (file->empty()) return empty_config(options.path + kIsEmpty);
    return resolve(*file, options.context);
  }

  const std::vector<std::string> files =
      search_path(options.environment ? options.environment : rest::process_environment());
  File merged;
  std::vector<std::string> problems;
  for (const std::string& path : files) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) continue;
    Result<File> file = read(path);
    if (file) {
      merge(merged, *std::move(file));
    } else {
      problems.push_back(file.error().message());
    }
  }
  if (!problems.empty()) {
    return Error(ErrorCode::Config,
                 problems.size() == 1 ? problems.front() : "[" + join(problems, ", ") + "]");
  }
  if (merged.empty()) {
    return empty_config(files.empty() ? "neither KUBECONFIG nor HOME is set"
                                      : "nothing found in " + join(files, ", "));
  }
  return resolve(merged, options.context);
}

Result<rest::Config> parse(std::string_view text, std::string_view context,
                           std::string_view directory, std::string_view file) {
  Result<File> read = read_kubeconfig(text, directory, std::string(file));
  if (!read) return read.error();
  if (read->empty()) return empty_config(std::string(file) + kIsEmpty);
  return resolve(*read, context);
}

}  // namespace kube::kubeconfig
