// SPDX-License-Identifier: Apache-2.0
//
// Cluster IPs and node ports: what services get, keep and give back, in kube-apiserver's words.
#include <set>
#include <string>
#include <string_view>

#include "objects/service_allocator.hpp"
#include "server_fixture.hpp"
#include "validation/addresses.hpp"

namespace kube::apiserver::test {
namespace {

constexpr std::string_view kServices = "/api/v1/namespaces/t/services";

std::string service(std::string_view name, std::string_view spec) {
  return R"({"metadata":{"name":")" + std::string(name) + R"("},"spec":{"ports":[{"port":80}],)" +
         std::string(spec) + "}}";
}

class Services : public ServerTest {
 protected:
  Answer make(std::string_view name, std::string_view spec) {
    return post(kServices, service(name, spec));
  }
  static json::Value spec_part(const Answer& answer, std::string_view member) {
    const json::Value body = answer.json();
    const json::Value* found = body.at_path({"spec", member});
    return found == nullptr ? json::Value{} : *found;
  }
  static std::int64_t node_port(const Answer& answer) {
    const json::Value body = answer.json();
    return body.array_at({"spec", "ports"}).front().int_at({"nodePort"}).value_or(0);
  }
  static std::string at(std::string_view name) {
    return std::string(kServices) + "/" + std::string(name);
  }
};

TEST_F(Services, GetAnAddressOfTheRange) {
  EXPECT_EQ(get("/api/v1/namespaces/default/services/kubernetes").at({"spec", "clusterIP"}),
            "10.0.0.1");
  const Answer made = make("a", R"("selector":{"a":"b"})");
  EXPECT_EQ(made.at({"spec", "clusterIP"}), "10.0.0.17");
  EXPECT_EQ(spec_part(made, "clusterIPs"), *json::parse(R"(["10.0.0.17"])"));
  EXPECT_EQ(spec_part(made, "ipFamilies"), *json::parse(R"(["IPv4"])"));
  EXPECT_EQ(made.at({"spec", "ipFamilyPolicy"}), "SingleStack");
  EXPECT_EQ(make("b", R"("selector":{"a":"b"})").at({"spec", "clusterIP"}), "10.0.0.18");
}

TEST_F(Services, WithoutAnAddressHaveFamiliesBySelector) {
  const Answer free = make("a", R"("clusterIP":"None")");
  EXPECT_EQ(spec_part(free, "clusterIPs"), *json::parse(R"(["None"])"));
  EXPECT_EQ(spec_part(free, "ipFamilies"), *json::parse(R"(["IPv4","IPv6"])"));
  EXPECT_EQ(free.at({"spec", "ipFamilyPolicy"}), "RequireDualStack");
  const Answer selecting = make("b", R"("clusterIP":"None","selector":{"a":"b"})");
  EXPECT_EQ(spec_part(selecting, "ipFamilies"), *json::parse(R"(["IPv4"])"));
  EXPECT_EQ(selecting.at({"spec", "ipFamilyPolicy"}), "SingleStack");
  EXPECT_EQ(spec_part(make("c", R"("type":"ExternalName","externalName":"a.b")"), "ipFamilies"),
            json::Value{});
}

TEST_F(Services, GiveTheirAddressBack) {
  make("a", R"("clusterIP":"10.0.0.50")");
  const Answer taken = make("b", R"("clusterIP":"10.0.0.50")");
  expect_status(taken, 422, "Invalid");
  EXPECT_EQ(taken.at({"message"}),
            "Service \"b\" is invalid: spec.clusterIPs: Invalid value: [\"10.0.0.50\"]: failed to "
            "allocate IP "
            "10.0.0.50: provided IP is already allocated");
  remove(at("a"));
  EXPECT_EQ(make("b", R"("clusterIP":"10.0.0.50")").status, 201);
  merge(at("b"), R"({"spec":{"type":"ExternalName","externalName":"a.b"}})");
  EXPECT_EQ(get(at("b")).at({"spec", "clusterIP"}), "");
  EXPECT_EQ(make("c", R"("clusterIP":"10.0.0.50")").status, 201);
}

TEST_F(Services, AreRefusedForAddressesOutsideOfTheRange) {
  EXPECT_EQ(make("a", R"("clusterIP":"1.2.3.4")").at({"message"}),
            "Service \"a\" is invalid: spec.clusterIPs: Invalid value: [\"1.2.3.4\"]: failed to "
            "allocate IP 1.2.3.4: "
            "the provided network does not match the current range");
  EXPECT_EQ(make("a", R"("clusterIP":"10.0.0.255")").at({"message"}),
            "Service \"a\" is invalid: spec.clusterIPs: Invalid value: [\"10.0.0.255\"]: failed to "
            "allocate IP "
            "10.0.0.255: the provided IP (10.0.0.255) is not in the valid range. The range of "
            "valid IPs is 10.0.0.0/24");
  EXPECT_EQ(make("a", R"("clusterIP":"fd00::1")").at({"message"}),
            "Service \"a\" is invalid: spec.clusterIPs[0]: Invalid value: [\"fd00::1\"]: IPv6 is "
            "not configured on "
            "this cluster");
  EXPECT_EQ(make("a", R"("ipFamilies":["IPv6"])").at({"message"}),
            "Service \"a\" is invalid: spec.ipFamilies[0]: Invalid value: \"IPv6\": not configured "
            "on this cluster");
  EXPECT_EQ(make("a", R"("ipFamilyPolicy":"RequireDualStack")").at({"message"}),
            "Service \"a\" is invalid: spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": "
            "this cluster is not "
            "configured for dual-stack services");
  EXPECT_EQ(make("a", R"("clusterIPs":["10.0.0.6"])").at({"message"}),
            "Service \"a\" is invalid: spec.clusterIPs: Invalid value: [\"10.0.0.6\"]: must be "
            "empty when `clusterIP` "
            "is not specified");
  EXPECT_EQ(make("a", R"("clusterIP":"10.0.0.5","clusterIPs":["10.0.0.6"])").at({"message"}),
            "Service \"a\" is invalid: spec.clusterIPs: Invalid value: [\"10.0.0.6\"]: first value "
            "must match "
            "`clusterIP`");
}

TEST_F(Services, AreRefusedWhenTheRangeIsFull) {
  auto options = this->options();
  options.service_cluster_ip_range = "10.1.0.0/30";
  start(std::move(options));
  EXPECT_EQ(make("a", R"("type":"ClusterIP")").at({"spec", "clusterIP"}), "10.1.0.2");
  EXPECT_EQ(
      make("b", R"("type":"ClusterIP")").at({"message"}),
      "Internal error occurred: failed to allocate a serviceIP for Service \"b\": range is full");
}

TEST_F(Services, GetNodePortsAndKeepThem) {
  const Answer made = make("a", R"("type":"NodePort")");
  EXPECT_EQ(node_port(made), 30'086);
  EXPECT_EQ(node_port(merge(at("a"), R"({"spec":{"ports":[{"port":81}]}})")), 30'086);
  const Answer taken = post(
      kServices,
      R"({"metadata":{"name":"b"},"spec":{"type":"NodePort","ports":[{"port":80,"nodePort":30086}]}})");
  expect_status(taken, 422, "Invalid");
  EXPECT_EQ(taken.at({"message"}),
            "Service \"b\" is invalid: spec.ports[0].nodePort: Invalid value: 30086: provided port "
            "is already allocated");
  EXPECT_EQ(
      post(
          kServices,
          R"({"metadata":{"name":"b"},"spec":{"type":"NodePort","ports":[{"port":80,"nodePort":80}]}})")
          .at({"message"}),
      "Service \"b\" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not "
      "in the valid "
      "range. The range of valid ports is 30000-32767");
  EXPECT_EQ(node_port(merge(at("a"), R"({"spec":{"type":"ClusterIP"}})")), 0);
  EXPECT_EQ(
      post(
          kServices,
          R"({"metadata":{"name":"b"},"spec":{"type":"NodePort","ports":[{"port":80,"nodePort":30086}]}})")
          .status,
      201);
}

TEST_F(Services, ShareANodePortBetweenProtocols) {
  const Answer made =
      post(kServices, R"({"metadata":{"name":"a"},"spec":{"type":"NodePort","ports":[
      {"name":"t","port":80},{"name":"u","port":80,"protocol":"UDP"},{"name":"o","port":81}]}})");
  const json::Value body = made.json();
  const json::Array& ports = body.array_at({"spec", "ports"});
  EXPECT_EQ(ports[0].int_at({"nodePort"}), ports[1].int_at({"nodePort"}));
  EXPECT_NE(ports[0].int_at({"nodePort"}), ports[2].int_at({"nodePort"}));
}

TEST_F(Services, OfLoadBalancersGetAPortForHealth) {
  const Answer made = make("a", R"("type":"LoadBalancer","externalTrafficPolicy":"Local")");
  EXPECT_NE(spec_part(made, "healthCheckNodePort"), json::Value{});
  EXPECT_EQ(spec_part(made, "allocateLoadBalancerNodePorts"), json::Value(true));
  EXPECT_EQ(node_port(make("b", R"("type":"LoadBalancer","allocateLoadBalancerNodePorts":false)")),
            0);
  const Answer plain = merge(at("a"), R"({"spec":{"type":"ClusterIP"}})");
  for (const std::string_view member :
       {"healthCheckNodePort", "allocateLoadBalancerNodePorts", "externalTrafficPolicy"}) {
    EXPECT_EQ(spec_part(plain, member), json::Value{}) << member;
  }
}

TEST_F(Services, TakeNothingInADryRun) {
  const Answer tried =
      post(std::string(kServices) + "?dryRun=All", service("a", R"("type":"NodePort")"));
  EXPECT_EQ(tried.at({"spec", "clusterIP"}), "10.0.0.0");
  EXPECT_EQ(node_port(tried), 32'769);
  EXPECT_EQ(make("a", R"("type":"NodePort")").at({"spec", "clusterIP"}), "10.0.0.17");
}

TEST_F(Services, HaveNoPortTwice) {
  const std::string two =
      R"({"metadata":{"name":"b"},"spec":{"type":"NodePort","ports":[{"name":"a","port":80,"nodePort":30086},{"name":"b","port":81,"nodePort":30086}]}})";
  const std::string balancer =
      R"({"metadata":{"name":"b"},"spec":{"type":"LoadBalancer","externalTrafficPolicy":"Local","healthCheckNodePort":30087,"ports":[{"port":80,"nodePort":30087}]}})";
  for (const std::string_view query : {"?dryRun=All", ""}) {
    const std::string target = std::string(kServices) + std::string(query);
    EXPECT_EQ(post(target, two).at({"message"}),
              "Service \"b\" is invalid: spec.ports[1].nodePort: Invalid value: 30086: provided "
              "port is already allocated");
    const Answer answer = post(target, balancer);
    EXPECT_EQ(answer.status, 500);
    EXPECT_EQ(answer.at({"message"}),
              "Internal error occurred: failed to allocate requested HealthCheck NodePort 30087: "
              "provided port is already allocated");
  }
}

TEST(AddressRange, ReadsAddressesAndPrefixes) {
  EXPECT_EQ(AddressRange::parse("10.96.0.0/12").value().to_string(), "10.96.0.0/12");
  EXPECT_EQ(format_ipv4(AddressRange::parse("10.0.0.9/24").value().first()), "10.0.0.1");
  for (const std::string_view text :
       {"", "10.0.0.0", "10.0.0.0/31", "10.0.0.0/7", "10.0.0/24", "fd00::/64", "10.0.0.0/2x",
        "010.0.0.0/24", "::ffff:10.0.0.0/120"})
    EXPECT_FALSE(AddressRange::parse(text)) << text;
}

}  // namespace
}  // namespace kube::apiserver::test
