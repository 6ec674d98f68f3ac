// SPDX-License-Identifier: Apache-2.0
#include "kubectl_scenario.hpp"

#include <cstdlib>
#include <utility>

#include "kubectl.hpp"

namespace scenarios {
namespace {

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
  return on_real_server() || programs::has_recent_kubectl();
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
