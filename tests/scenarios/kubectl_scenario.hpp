// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "child_program.hpp"
#include "server_under_test.hpp"
#include "temporary_folder.hpp"

namespace scenarios {

/// A test that runs kubectl on the server under test.
class KubectlScenario : public Scenario {
 protected:
  using Arguments = std::vector<std::string>;

  KubectlScenario();

  /// Always on a real server. On the embedded one only where PATH has a kubectl, and none so old
  /// that it prints other things than today's.
  static bool has_kubectl();
  /// Runs kubectl to its end, in the test's namespace unless the arguments name others.
  programs::Outcome kubectl(Arguments arguments) const;
  /// What a program printed; fails the test when it did not end well.
  static std::string printed_by(const programs::Outcome& outcome);
  /// The same, of kubectl.
  std::string kubectl_prints(Arguments arguments) const { return printed_by(kubectl(arguments)); }

  const programs::TemporaryFolder folder_;
  /// Of the server under test, for programs.
  const std::string kubeconfig_;
};

}  // namespace scenarios
