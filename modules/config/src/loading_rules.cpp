// SPDX-License-Identifier: Apache-2.0
#include <kube/config/loading_rules.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include <kube/base/file.hpp>
#include <kube/base/join.hpp>

namespace kube::kubeconfig {
namespace {

namespace fs = std::filesystem;

Result<void> migrate(const std::string& destination, const std::string& source) {
  std::error_code error;
  if (!is_missing(destination) || is_missing(source)) return {};
  if (fs::is_directory(source, error)) {
    return Error(ErrorCode::Config,
                 "cannot migrate " + source + " to " + destination + " because it is a directory");
  }
  fs::create_directories(fs::path(destination).parent_path(), error);
  fs::copy_file(source, destination, error);
  if (error == std::errc::permission_denied) return {};
  if (error) return Error(ErrorCode::Config, destination + ": " + error.message());
  constexpr auto kExecute = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  fs::permissions(destination, kExecute, fs::perm_options::remove, error);
  return {};
}

}  // namespace

// As client-go's os.IsNotExist(): a file that another user has locked away is not missing, and the
// cluster of the next file is not the one that is meant.
bool is_missing(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) != 0 && errno == ENOENT;
}

Result<Kubeconfig> read_kubeconfig_file(const std::string& path, std::stop_token stop) {
  const Result<std::string> text = read_file(path, kMaxSmallFileBytes, std::move(stop));
  if (text) return read_kubeconfig(*text, path);
  if (text.error().code() == ErrorCode::Cancelled) return text.error();
  return Error(ErrorCode::Config,
               "error loading config file \"" + path + "\": " + text.error().message());
}

LoadingRules LoadingRules::defaults(const rest::Environment& environment) {
  const rest::Environment variables = environment ? environment : rest::process_environment();
  LoadingRules rules;
  const std::string list = variables("KUBECONFIG").value_or("");
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    std::string file = list.substr(begin, end - begin);
    const bool is_known =
        std::find(rules.precedence.begin(), rules.precedence.end(), file) != rules.precedence.end();
    if (!file.empty() && !is_known) rules.precedence.push_back(std::move(file));
    begin = end + 1;
  }
  rules.from_environment = !list.empty();
  if (rules.from_environment) return rules;
  if (const std::string home = variables("HOME").value_or(""); !home.empty())
    rules.precedence.push_back(home + "/.kube/config");
  return rules;
}

std::string LoadingRules::why_no_file() const {
  return from_environment ? "KUBECONFIG names no file" : "neither KUBECONFIG nor HOME is set";
}

std::vector<std::string> LoadingRules::files() const {
  if (!explicit_path.empty()) return {explicit_path};
  return precedence;
}

std::string LoadingRules::default_file() const {
  if (!explicit_path.empty()) return explicit_path;
  for (const std::string& path : precedence) {
    if (!is_missing(path)) return path;
  }
  return precedence.empty() ? "" : precedence.back();
}

Loaded LoadingRules::load_partly(std::stop_token stop) const {
  Loaded out;
  std::vector<std::string> problems;
  std::vector<std::string> missing;
  for (const auto& [destination, source] : migrations) {
    if (auto done = migrate(destination, source); !done) problems.push_back(done.error().message());
  }
  for (const std::string& path : files()) {
    if (path.empty()) continue;
    if (explicit_path.empty() && is_missing(path)) {
      missing.push_back(path);
      continue;
    }
    Result<Kubeconfig> config = read_kubeconfig_file(path, stop);
    if (config) {
      merge(out.config, *config);
    } else if (config.error().code() == ErrorCode::Cancelled) {
      out.error = config.error();
      return out;
    } else {
      problems.push_back(config.error().message());
    }
  }
  const bool none = !missing.empty() && missing.size() == precedence.size();
  if (warn && none && from_environment) warn("Config not found: " + join(missing, ", "));
  if (resolve_paths) kubeconfig::resolve_paths(out.config);
  if (!problems.empty()) out.error = Error(ErrorCode::Config, join(problems, "\n"));
  return out;
}

Result<Kubeconfig> LoadingRules::load(std::stop_token stop) const {
  Loaded loaded = load_partly(std::move(stop));
  if (loaded.error) return *std::move(loaded.error);
  return std::move(loaded.config);
}

}  // namespace kube::kubeconfig
