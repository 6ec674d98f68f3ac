// SPDX-License-Identifier: Apache-2.0
#include "kubectl_scenario.hpp"

#include <unistd.h>
#include <cstdlib>
#include <sstream>
#include <utility>

#include <kube/json/value.hpp>

namespace scenarios {
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
  const auto outcome = programs::run({"kubectl", "version", "--client", "-o", "json"});
  const auto version = kube::json::parse(outcome.out);
  if (outcome.status != 0 || !version) return false;
  // "v1.37.1"; one that was built from source has no other field of it.
  const std::string git(version->string_at({"clientVersion", "gitVersion"}));
  return git.starts_with("v1.") && std::atoi(git.c_str() + 3) >= kOldestKubectl;
}

std::string kubeconfig_of_server(const programs::TemporaryFolder& folder) {
  if (on_real_server()) return std::getenv("KUBE_SCENARIO_KUBECONFIG");
  return folder.write("kubeconfig",
                      "apiVersion: v1\nkind: Config\ncurrent-context: test\n"
                      "clusters: [{name: test, cluster: {server: '" +
                          server_config().host +
                          "'}}]\n"
                          "users: [{name: test, user: {}}]\n"
                          "contexts: [{name: test, context: {cluster: test, user: test}}]\n");
}

}  // namespace

KubectlScenario::KubectlScenario() : kubeconfig_(kubeconfig_of_server(folder_)) {}

bool KubectlScenario::has_kubectl() {
  static const bool found = on_real_server() || find_recent_kubectl();
  return found;
}

programs::Outcome KubectlScenario::kubectl(Arguments arguments) const {
  // Without a cache of its own it would not know what was defined a moment ago, or know what is no
  // more.
  Arguments line = {"kubectl",     "--kubeconfig", kubeconfig_,
                    "--namespace", namespace_,     "--cache-dir=" + folder_.path("kubectl-cache")};
  line.insert(line.end(), arguments.begin(), arguments.end());
  return programs::run(std::move(line));
}

std::string KubectlScenario::printed_by(const programs::Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  return outcome.out;
}

}  // namespace scenarios
