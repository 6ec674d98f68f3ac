// SPDX-License-Identifier: Apache-2.0
//
// The conditions of FlowSchemas and APIServices.
#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

constexpr std::string_view kSchemas = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
constexpr std::string_view kLevels =
    "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";
constexpr std::string_view kApis = "/apis/apiregistration.k8s.io/v1/apiservices";

class ReferenceConditionsTest : public ServerTest {
 protected:
  std::string schema_of(std::string_view level) {
    const std::string body = R"({"metadata":{"name":"s"},"spec":{"priorityLevelConfiguration":{)"
                             R"("name":")" +
                             std::string(level) + R"("}}})";
    const Answer made = post(kSchemas, body);
    EXPECT_EQ(made.status, 201) << made.body;
    return std::string(kSchemas) + "/s";
  }
  /// The only condition of an object: "status reason: message".
  std::string condition(std::string_view target) {
    const json::Value object = get(target).json();
    const json::Array& conditions = object.array_at({"status", "conditions"});
    if (conditions.size() != 1) return std::to_string(conditions.size()) + " conditions";
    EXPECT_NE(conditions[0].string_at({"lastTransitionTime"}), "");
    std::string out(conditions[0].string_at({"status"}));
    out.append(" ").append(conditions[0].string_at({"reason"}));
    return out.append(": ").append(conditions[0].string_at({"message"}));
  }
};

TEST_F(ReferenceConditionsTest, AFlowSchemaDanglesUntilItsLevelIsThere) {
  const std::string schema = schema_of("mine");
  const std::string mine =
      "This FlowSchema references the PriorityLevelConfiguration object named \"mine\"";
  EXPECT_EQ(condition(schema), "True NotFound: " + mine + " but there is no such object");
  ASSERT_EQ(post(kLevels, R"({"metadata":{"name":"mine"},"spec":{"type":"Limited","limited":{)"
                          R"("nominalConcurrencyShares":1,"limitResponse":{"type":"Reject"}}}})")
                .status,
            201);
  EXPECT_EQ(condition(schema), "False Found: " + mine + " and it exists");
  const std::string settled = get(schema).at({"metadata", "resourceVersion"});
  merge(schema, "{}");
  EXPECT_EQ(get(schema).at({"metadata", "resourceVersion"}), settled)
      << "a condition that says the same is not written";
  EXPECT_EQ(get(schema).at({"metadata", "generation"}), "1");
  remove(std::string(kLevels) + "/mine");
  EXPECT_EQ(condition(schema), "True NotFound: " + mine + " but there is no such object");
}

TEST_F(ReferenceConditionsTest, TheLevelsOfAClusterAreThereFromTheStart) {
  EXPECT_EQ(names_of(get(kLevels)),
            "catch-all exempt global-default leader-election node-high system workload-high "
            "workload-low");
  EXPECT_EQ(get(std::string(kLevels) + "/exempt").at({"spec", "exempt"}),
            R"({"nominalConcurrencyShares":0,"lendablePercent":0})");
  EXPECT_THAT(condition(schema_of("exempt")), ::testing::StartsWith("False Found: "));
}

TEST_F(ReferenceConditionsTest, AnApiServiceIsAvailableWhenItIsTheServersOwn) {
  const auto make = [&](std::string_view version, std::string_view service) {
    const std::string name = std::string(version) + ".x.example.com";
    const std::string body = R"({"metadata":{"name":")" + name + R"("},"spec":{"version":")" +
                             std::string(version) + R"(","group":"x.example.com",)" +
                             std::string(service) +
                             R"("groupPriorityMinimum":10,"versionPriority":10}})";
    const Answer made = post(kApis, body);
    EXPECT_EQ(made.status, 201) << made.body;
    return std::string(kApis) + "/" + name;
  };
  EXPECT_EQ(condition(make("v1", "")), "True Local: Local APIServices are always available");
  const std::string foreign =
      make("v2", R"("insecureSkipTLSVerify":true,"service":{"namespace":"t","name":"s"},)");
  EXPECT_EQ(condition(foreign), "False ServiceNotFound: service/s in \"t\" is not present");
  const auto add = [&](std::string_view target, std::string_view body) {
    const Answer added = post(target, body);
    ASSERT_EQ(added.status, 201) << added.body;
  };
  add("/api/v1/namespaces/t/services",
      R"({"metadata":{"name":"s"},"spec":{"ports":[{"name":"a","port":80}]}})");
  EXPECT_EQ(condition(foreign),
            "False ServicePortError: service/s in \"t\" is not listening on port 443");
  merge("/api/v1/namespaces/t/services/s", R"({"spec":{"ports":[{"port":443}]}})");
  EXPECT_EQ(condition(foreign),
            "False EndpointsNotFound: cannot find endpointslices for service/s in \"t\"");
  add("/apis/discovery.k8s.io/v1/namespaces/t/endpointslices",
      R"({"metadata":{"name":"s","labels":{"kubernetes.io/service-name":"s"}},
          "addressType":"IPv4","endpoints":[{"addresses":["10.1.1.1"]}]})");
  EXPECT_EQ(condition(foreign),
            "False FailedDiscoveryCheck: the embedded API server forwards no requests");
}

}  // namespace
}  // namespace kube::apiserver::test
