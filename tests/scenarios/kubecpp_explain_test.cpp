// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp explain` beside `kubectl explain`, which asks the server.
#include <regex>
#include <sstream>
#include <string>

#include "kubecpp_scenario.hpp"

namespace scenarios {
namespace {

class KubecppExplainScenario : public KubecppScenario {
 protected:
  // What is said but descriptions and the values of enums: the head, the field's type and the
  // fields.
  static std::string facts(const std::string& text) {
    static const std::regex fact(
        "(GROUP|KIND|VERSION|FIELD): .*|FIELDS:|  [A-Za-z0-9$]+\t<.*>( -required-)?");
    std::string result;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      if (std::regex_match(line, fact)) result += line + "\n";
    }
    return result;
  }
  std::string explain(const std::string& path) const {
    return facts(printed_by(programs::run({KUBECPP, "explain", path})));
  }
};

TEST_F(KubecppExplainScenario, NamesTheFieldsOfAField) {
  EXPECT_EQ(explain("pod.spec.containers.resources"),
            "KIND:       Pod\n"
            "VERSION:    v1\n"
            "FIELD: resources <ResourceRequirements>\n"
            "FIELDS:\n"
            "  claims\t<[]ResourceClaim>\n"
            "  limits\t<map[string]Quantity>\n"
            "  requests\t<map[string]Quantity>\n");
}

// The embedded server describes its kinds by the same facts, so only a real one can tell.
TEST_F(KubecppExplainScenario, SaysWhatKubectlSays) {
  if (!on_real_server()) GTEST_SKIP() << "there is no other server's description";
  for (const std::string path :
       {"pod.spec.containers.resources", "pods", "pod.spec", "pod.spec.containers",
        "pods.spec.containers.ports.containerPort", "pod.spec.volumes.projected.sources",
        "pod.status.containerStatuses", "pod.metadata", "pod.metadata.ownerReferences",
        "lease.spec", "service.spec.ports", "configmap", "deployment.spec.strategy.rollingUpdate",
        "deployments.apps.spec", "cronjob.spec.jobTemplate", "networkpolicy.spec.ingress.from",
        "ingress.spec.rules.http.paths", "role.rules", "customresourcedefinition.spec.names"}) {
    SCOPED_TRACE(path);
    EXPECT_EQ(explain(path), facts(kubectl_prints({"explain", path})));
  }
}

}  // namespace
}  // namespace scenarios
