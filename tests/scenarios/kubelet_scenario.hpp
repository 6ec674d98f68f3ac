// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "child_program.hpp"
#include "kubecpp_scenario.hpp"

namespace scenarios {

/// A test whose pods run on a node with a kubelet: the real API server passes exec, attach, port
/// forwarding and logs on to it, in the protocols that container runtimes speak. The kubelet is
/// KUBE_SCENARIO_KUBELET (tests/cluster/kubelet); without it the tests skip.
class KubeletScenario : public KubecppScenario {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// Makes a pod of the node, from the fields of its spec and metadata in YAML, and lets it run.
  void run_pod(const std::string& name, const std::string& containers,
               const std::string& metadata = "") const;
  void set_phase(const std::string& name, const std::string& phase) const;
  /// Writes the log of a container: lines of text, a second apart, the first at 10:00:00.
  void write_log(const std::string& pod, const std::string& container,
                 const std::vector<std::string>& lines, const std::string& suffix = ".log") const;
  /// The file that says whether a container runs, and its log.
  std::string container_file(const std::string& pod, const std::string& container,
                             const std::string& suffix) const;

  /// The command line of kubecpp, its flags before the command.
  Arguments kubecpp_words(const Arguments& arguments) const;
  Arguments kubectl_words(const Arguments& arguments) const;
  /// Runs both programs with these arguments, with a file as standard input if there is one, and
  /// expects the same outputs and exit status. Returns that of kubecpp.
  programs::Outcome expect_same(const Arguments& arguments, const std::string& input = "") const;

  std::string node_;
  std::unique_ptr<programs::Program> kubelet_;
};

}  // namespace scenarios
