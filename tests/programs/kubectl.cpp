// SPDX-License-Identifier: Apache-2.0
#include "kubectl.hpp"

#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string>

#include <kube/json/value.hpp>

#include "child_program.hpp"

namespace programs {
namespace {

// From here on its lists and words are those of today.
constexpr int kOldestKubectl = 37;

bool in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

bool find_recent_kubectl() {
  if (!in_path("kubectl")) return false;
  const auto outcome = run({"kubectl", "version", "--client", "-o", "json"});
  const auto version = kube::json::parse(outcome.out);
  if (outcome.status != 0 || !version) return false;
  // "v1.37.1"; one that was built from source has no other field of it.
  const std::string git(version->string_at({"clientVersion", "gitVersion"}));
  return git.starts_with("v1.") && std::atoi(git.c_str() + 3) >= kOldestKubectl;
}

}  // namespace

bool has_recent_kubectl() {
  static const bool found = find_recent_kubectl();
  return found;
}

}  // namespace programs
