// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kubectl_scenario.hpp"

namespace scenarios {

/// A test that runs the built kubecpp on the server under test, and kubectl beside it.
class KubecppScenario : public KubectlScenario {
 protected:
  /// The command line of kubecpp on this server.
  Arguments kubecpp_line(Arguments arguments) const {
    arguments.insert(arguments.begin(), KUBECPP);
    arguments.insert(arguments.end(), {"--kubeconfig", kubeconfig_});
    return arguments;
  }
  /// Runs kubecpp to its end, in the test's namespace.
  programs::Outcome kubecpp(Arguments arguments) const {
    arguments.insert(arguments.end(), {"--namespace", namespace_});
    return programs::run(kubecpp_line(std::move(arguments)));
  }
  std::string kubecpp_prints(Arguments arguments) const {
    return printed_by(kubecpp(std::move(arguments)));
  }

  /// Changes by kubectl, or by kubecpp where there is none.
  void create(const std::string& text) const {
    const std::string file = folder_.write("created.yaml", text);
    has_kubectl() ? kubectl_prints({"create", "-f", file}) : kubecpp_prints({"apply", "-f", file});
  }
  void label(const std::string& resource, const std::string& name, const std::string& key,
             const std::string& value) const {
    has_kubectl()
        ? kubectl_prints({"label", resource, name, "--overwrite", key + "=" + value})
        : kubecpp_prints({"patch", resource, name, "--type", "merge", "-p",
                          R"({"metadata":{"labels":{")" + key + R"(":")" + value + R"("}}})"});
  }
  void remove(const std::string& resource, const std::string& name) const {
    has_kubectl() ? kubectl_prints({"delete", resource, name})
                  : kubecpp_prints({"delete", resource, name});
  }
};

}  // namespace scenarios
