// SPDX-License-Identifier: Apache-2.0
//
// The one header with everything: it compiles, and every group is there under client-go's name.
#include <kube/client/clientset.hpp>

#include "client_fixture.hpp"

namespace kube {
namespace {

class WholeClientset : public ClientTest {};

TEST_F(WholeClientset, HasEveryGroupAndVersion) {
  answer(200, R"({"kind":"LeaseList","apiVersion":"coordination.k8s.io/v1","metadata":{},)"
              R"("items":[]})");
  const Clientset clientset(make());
  ASSERT_TRUE(clientset.coordination_v1().leases("kube-system").list());
  EXPECT_EQ(request_line(last_request()),
            "GET /apis/coordination.k8s.io/v1/namespaces/kube-system/leases");
  answer(200, R"({"kind":"ClusterRole","apiVersion":"rbac.authorization.k8s.io/v1",)"
              R"("metadata":{"name":"admin"}})");
  ASSERT_TRUE(clientset.rbac_v1().cluster_roles().get("admin"));
  EXPECT_EQ(request_line(last_request()),
            "GET /apis/rbac.authorization.k8s.io/v1/clusterroles/admin");
  EXPECT_EQ(clientset.flowcontrol_v1beta3().rest_client(), clientset.rest_client());
  EXPECT_EQ(clientset.internal_v1alpha1().storage_versions().resource().group,
            "internal.apiserver.k8s.io");
  EXPECT_EQ(clientset.extensions_v1beta1().deployments("x").namespace_(), "x");
}

TEST_F(WholeClientset, CS_03_CS_04_EveryGroupHasTheUserAgentAndTheConfigIsNotModified) {
  answer(404, "");
  for (const std::string agent : {"", "mine/1.0"}) {
    const rest::Config config{.host = "https://h", .user_agent = agent};
    const rest::Config copy = config;
    const Clientset clientset(make(config));
    const std::string expected = agent.empty() ? rest::default_user_agent() : agent;
    static_cast<void>(clientset.core_v1().pods("web").get("a"));
    EXPECT_EQ(header(last_request(), "User-Agent"), expected);
    static_cast<void>(clientset.apps_v1().deployments("web").get("a"));
    EXPECT_EQ(header(last_request(), "User-Agent"), expected);
    EXPECT_EQ(config, copy);
    EXPECT_EQ(config.user_agent, agent);
  }
}

}  // namespace
}  // namespace kube
