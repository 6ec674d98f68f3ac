// SPDX-License-Identifier: Apache-2.0
#include <kube/fake/action.hpp>

#include <gtest/gtest.h>

namespace kube::fake {
namespace {

Action action_for(const std::string& method, const std::string& path,
                  const std::string& body = "") {
  return action_of({.method = method, .url = "http://h:1" + path, .body = body});
}
// "get apps/v1 deployments/scale web/a"
std::string line(const Action& action) {
  return action.verb + " " + action.group + "/" + action.version + " " + action.resource + "/" +
         action.subresource + " " + action.namespace_ + "/" + action.name;
}

TEST(Actions, AreReadFromRequests) {
  EXPECT_EQ(line(action_for("GET", "/api/v1/namespaces/web/pods/a")), "get /v1 pods/ web/a");
  EXPECT_EQ(line(action_for("GET", "/api/v1/namespaces/web/pods")), "list /v1 pods/ web/");
  EXPECT_EQ(line(action_for("GET", "/api/v1/pods?watch=true")), "watch /v1 pods/ /");
  EXPECT_EQ(line(action_for("POST", "/apis/apps/v1/namespaces/web/deployments")),
            "create apps/v1 deployments/ web/");
  EXPECT_EQ(line(action_for("PUT", "/apis/apps/v1/namespaces/web/deployments/a/scale")),
            "update apps/v1 deployments/scale web/a");
  EXPECT_EQ(line(action_for("PATCH", "/api/v1/nodes/n%20x/status")), "patch /v1 nodes/status /n x");
  EXPECT_EQ(line(action_for("DELETE", "/api/v1/namespaces/web")), "delete /v1 namespaces/ web/web");
  EXPECT_EQ(line(action_for("PUT", "/api/v1/namespaces/web/finalize")),
            "update /v1 namespaces/finalize web/web");
  EXPECT_EQ(line(action_for("DELETE", "/api/v1/namespaces/web/pods")),
            "delete-collection /v1 pods/ web/");
  const Action version = action_for("GET", "/version");
  EXPECT_EQ(line(version), "get / / /");
  EXPECT_EQ(version.path, "/version");
  const Action list = action_for(
      "GET", "/api/v1/pods?fieldSelector=a%3Db&labelSelector=x+in+%28y%29&resourceVersion=7");
  EXPECT_EQ(list.field_selector, "a=b");
  EXPECT_EQ(list.label_selector, "x in (y)");
  EXPECT_EQ(list.resource_version, "7");
  EXPECT_EQ(action_for("POST", "/api/v1/nodes", R"({"a":1})").object,
            json::Value(json::Object{{"a", 1}}));
  EXPECT_TRUE(action_for("POST", "/api/v1/nodes", "nonsense").object.is_null());
}

TEST(Actions, FAKE_15_PatternsMatchResourcesWithTheirSubresources) {
  const Action plain = action_for("POST", "/api/v1/namespaces/web/serviceaccounts");
  const Action token = action_for("POST", "/api/v1/namespaces/web/serviceaccounts/a/token");
  EXPECT_TRUE(reacts_to(token, "create", "serviceaccounts/token"));
  EXPECT_FALSE(reacts_to(plain, "create", "serviceaccounts/token"));
  EXPECT_TRUE(reacts_to(token, "create", "serviceaccounts"));
  EXPECT_TRUE(reacts_to(plain, "create", "serviceaccounts"));
  EXPECT_FALSE(reacts_to(token, "create", "serviceaccounts/other"));
  EXPECT_FALSE(reacts_to(plain, "create", "serviceaccounts/"));
  EXPECT_TRUE(reacts_to(token, "*", "*"));
  EXPECT_TRUE(reacts_to(plain, "*", "serviceaccounts"));
  EXPECT_FALSE(reacts_to(plain, "update", "*"));
  EXPECT_FALSE(reacts_to(plain, "Create", "serviceaccounts")) << "case counts";
  EXPECT_FALSE(reacts_to(plain, "create", "ServiceAccounts"));

  EXPECT_TRUE(token.matches("CREATE", "ServiceAccounts"));
  EXPECT_TRUE(token.matches("create", "serviceaccounts/TOKEN"));
  EXPECT_FALSE(token.matches("create", "serviceaccounts/other"));
  EXPECT_FALSE(plain.matches("create", "serviceaccounts/token"));
  EXPECT_FALSE(plain.matches("update", "serviceaccounts"));
  EXPECT_FALSE(plain.matches("create", "pods"));
}

}  // namespace
}  // namespace kube::fake
