// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp auth` beside kubectl's: as the administrator, as a user with few rights, and with
// tokens. The embedded server permits everything to everybody; a real one decides by RBAC.
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "kubectl_twin.hpp"

namespace scenarios {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// May read pods, the log of one, and the scale of deployments.
constexpr const char* kReader = "scenario-reader";
constexpr const char* kRights = R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules:
- {apiGroups: [""], resources: [pods, configmaps], verbs: [get, list]}
- {apiGroups: [""], resources: [pods], verbs: [list, watch]}
- {apiGroups: [""], resources: [pods/log], resourceNames: [front], verbs: [get]}
- {apiGroups: [apps], resources: [deployments/scale], verbs: [update, "*"]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: scenario-reader}
)";

class KubecppAuthScenario : public KubectlTwin {
 protected:
  // The token of a user without rights, on a server of tests/cluster.
  static std::string token_of_nobody() {
    const char* files = std::getenv("KUBE_SCENARIO_SERVER_FILES");
    std::ifstream file(std::string(files != nullptr ? files : "") + "/pki/nobody.token");
    std::string token;
    std::getline(file, token);
    return token;
  }
  programs::Outcome can_i(Arguments words) const {
    words.insert(words.begin(), {"auth", "can-i"});
    return both(words);
  }
  // The same as a user who has few rights where the server asks for rights.
  programs::Outcome can_reader(Arguments words) const {
    words.insert(words.end(), {"--as", kReader});
    return can_i(std::move(words));
  }
  static void expect_answer(const programs::Outcome& outcome, bool allowed) {
    EXPECT_EQ(outcome.out, allowed ? "yes\n" : "no\n");
    EXPECT_EQ(outcome.status, allowed ? 0 : 1) << outcome.err;
  }
};

TEST_F(KubecppAuthScenario, WhoAmI) {
  EXPECT_THAT(both({"auth", "whoami"}).out, HasSubstr("[system:masters"));
  both({"auth", "whoami", "-o", "name"});
  both({"auth", "whoami", "-o", "jsonpath={.kind} {.apiVersion}{\"\\n\"}{.status.userInfo}"});
  both({"auth", "whoami", "-o", "jsonpath-as-json={.status}"});
  both({"auth", "whoami", "--as", kReader});
  const auto other = both({"auth", "whoami", "--as", kReader, "--as-group", "a", "--as-group", "b",
                           "--as-uid", "7", "--as-user-extra", "scopes=read"});
  if (on_real_server()) {
    EXPECT_THAT(other.out, HasSubstr("[a b "));
  }
  EXPECT_EQ(kubecpp({"auth", "whoami", "--as-group", "a"}).status, 1);
}

TEST_F(KubecppAuthScenario, CanIAnswersByItsExitStatus) {
  create_both(kRights);
  const bool open = !on_real_server();
  expect_answer(can_i({"delete", "pods"}), true);
  expect_answer(can_i({"*", "*", "-A"}), true);
  expect_answer(can_reader({"get", "pods"}), true);
  expect_answer(can_reader({"watch", "po"}), true);
  expect_answer(can_reader({"delete", "pods"}), open);
  expect_answer(can_reader({"get", "pods/front"}), true);
  expect_answer(can_reader({"get", "pods", "--subresource=log"}), open);
  expect_answer(can_reader({"get", "pods/front", "--subresource=log"}), true);
  expect_answer(can_reader({"update", "deploy", "--subresource=scale"}), true);
  expect_answer(can_reader({"update", "deployments.apps"}), open);
  expect_answer(can_reader({"update", "deployments.v1.apps"}), open);
  expect_answer(can_reader({"get", "pods", "-A"}), open);
  expect_answer(can_reader({"*", "*"}), open);
  expect_answer(can_reader({"list", "*"}), open);
  const auto quiet = can_reader({"delete", "pods", "-q"});
  EXPECT_THAT(quiet.out + quiet.err, IsEmpty());
  EXPECT_EQ(quiet.status, open ? 0 : 1);
}

TEST_F(KubecppAuthScenario, CanIOutsideOfNamespacesAndResources) {
  const bool open = !on_real_server();
  for (const char* word : {"nodes", "namespaces/x", "clusterroles", "users", "groups", "nosuch",
                           "nosuch.example.com", "deployments.example.com"}) {
    can_reader({"get", word});
    can_reader({"impersonate", word});
    can_reader({"get", word, "-A"});
  }
  expect_answer(can_reader({"get", "/healthz"}), true);
  expect_answer(can_reader({"get", "/logs/"}), open);
  expect_answer(can_reader({"post", "/apis/*"}), open);
  can_reader({"list", "/healthz"});
  can_reader({"fly", "/logs/"});
  can_reader({"fly", "pods"});
  can_reader({"fly", "pods", "-A"});
}

TEST_F(KubecppAuthScenario, CanIListsTheRules) {
  create_both(kRights);
  can_i({"--list"});
  can_i({"--list", "--no-headers"});
  const auto listed = can_reader({"--list"});
  if (!on_real_server()) return;
  EXPECT_THAT(listed.out, HasSubstr("\npods                                            []"));
  EXPECT_THAT(listed.out, HasSubstr("deployments.apps/scale "));
  EXPECT_THAT(listed.out, HasSubstr("[front] "));
}

TEST_F(KubecppAuthScenario, CanIRefusesWhatKubectlRefuses) {
  for (const Arguments& words : std::vector<Arguments>{{},
                                                       {"get"},
                                                       {"get", "pods", "front"},
                                                       {"get", "/logs/", "--subresource=x"},
                                                       {"get", "pods", "--no-headers"},
                                                       {"--list", "-q"},
                                                       {"--list", "-A"},
                                                       {"--list", "--subresource=log"},
                                                       {"--list", "get", "pods"}}) {
    EXPECT_EQ(can_i(words).status, 1);
  }
  can_i({"get", "pods/"});
  can_i({"get", "pods/a/b"});
}

TEST_F(KubecppAuthScenario, TokensSayWhoAsks) {
  if (!on_real_server()) {
    // It takes any token.
    expect_answer(can_i({"list", "pods", "--token", "wrong"}), true);
    return;
  }
  const auto unknown = both({"auth", "whoami", "--token", "wrong"});
  EXPECT_THAT(unknown.err, HasSubstr("You must be logged in to the server"));
  EXPECT_EQ(unknown.status, 1);
  can_i({"list", "pods", "--token", "wrong"});
  can_i({"--list", "--token", "wrong"});
  const std::string nobody = token_of_nobody();
  if (nobody.empty()) return;  // not a server of tests/cluster
  // Before kubectl has a cache of discovery, which it would ask instead.
  const auto other = can_i({"list", "pods", "--token", nobody, "--as", kReader});
  EXPECT_THAT(other.err, HasSubstr("Error from server (Forbidden): "));
  EXPECT_THAT(both({"auth", "whoami", "--token", nobody}).out, HasSubstr("nobody"));
  expect_answer(can_i({"list", "pods", "--token", nobody}), false);
  can_i({"--list", "--token", nobody});
}

}  // namespace
}  // namespace scenarios
