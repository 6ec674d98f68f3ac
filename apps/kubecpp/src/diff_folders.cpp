// SPDX-License-Identifier: Apache-2.0
#include "diff_folders.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <kube/base/file.hpp>

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;

std::string temporary_folder() {
  const char* chosen = std::getenv("TMPDIR");
  std::string path = chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

Result<DiffFolder> DiffFolder::make(const std::string& prefix) {
  const std::string pattern = temporary_folder() + "/" + prefix + "-XXXXXX";
  std::string path = pattern;
  if (::mkdtemp(path.data()) == nullptr)
    return Error(ErrorCode::Config, pattern + ": " + std::generic_category().message(errno));
  return DiffFolder(std::move(path));
}

DiffFolder::~DiffFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Result<void> DiffFolder::write(const std::string& name, std::string_view text) const {
  // Names that paths can have were checked when the object was read.
  if (name.empty() || name.find('/') != std::string::npos)
    return Error(ErrorCode::Config, "expected the name of a file, found \"" + name + "\"");
  return kube::replace_file(path_ + "/" + name, text);
}

IgnoreHangUp::IgnoreHangUp() {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGHUP, &ignore, &before_);
}

IgnoreHangUp::~IgnoreHangUp() {
  ::sigaction(SIGHUP, &before_, nullptr);
}

}  // namespace kubecpp
