// SPDX-License-Identifier: Apache-2.0
#include "names.hpp"

#include <gtest/gtest.h>

namespace kube::gen {
namespace {

TEST(SnakeCase, SplitsWordsAndKeepsAcronymsTogether) {
  EXPECT_EQ(snake_case("nodeName"), "node_name");
  EXPECT_EQ(snake_case("podIP"), "pod_ip");
  EXPECT_EQ(snake_case("podIPs"), "pod_ips");
  EXPECT_EQ(snake_case("podCIDRs"), "pod_cidrs");
  EXPECT_EQ(snake_case("serverAddressByClientCIDRs"), "server_address_by_client_cidrs");
  EXPECT_EQ(snake_case("maxPIDsLimit"), "max_pids_limit");
  EXPECT_EQ(snake_case("HTTPGetAction"), "http_get_action");
  EXPECT_EQ(snake_case("clusterIPs"), "cluster_ips");
  EXPECT_EQ(snake_case("fsType"), "fs_type");
  EXPECT_EQ(snake_case("scaleIO"), "scale_io");
  EXPECT_EQ(snake_case("AWSElasticBlockStoreVolumeSource"),
            "aws_elastic_block_store_volume_source");
  EXPECT_EQ(snake_case("ipFamilyPolicy"), "ip_family_policy");
  EXPECT_EQ(snake_case("systemUUID"), "system_uuid");
  EXPECT_EQ(snake_case("fieldsV1"), "fields_v1");
  EXPECT_EQ(snake_case("x-kubernetes-list-type"), "x_kubernetes_list_type");
  EXPECT_EQ(snake_case("$ref"), "ref");
}

TEST(MemberName, PutsAnUnderscoreBehindReservedWords) {
  EXPECT_EQ(member_name("namespace"), "namespace_");
  EXPECT_EQ(member_name("template"), "template_");
  EXPECT_EQ(member_name("operator"), "operator_");
  EXPECT_EQ(member_name("continue"), "continue_");
  EXPECT_EQ(member_name("not"), "not_");
  EXPECT_EQ(member_name("default"), "default_");
  EXPECT_EQ(member_name("descriptor"), "descriptor_");
  EXPECT_EQ(member_name("fieldFacts"), "field_facts_");
  EXPECT_EQ(member_name("errno"), "errno_");
  EXPECT_EQ(member_name("siPid"), "si_pid_");
  EXPECT_EQ(member_name("name"), "name");
}

TEST(EnumeratorName, FollowsTheWireString) {
  EXPECT_EQ(enumerator_name("Running"), "Running");
  EXPECT_EQ(enumerator_name("ClusterIP"), "ClusterIP");
  EXPECT_EQ(enumerator_name("TCP"), "Tcp");
  EXPECT_EQ(enumerator_name("BOOKMARK"), "Bookmark");
  EXPECT_EQ(enumerator_name("ephemeral-storage"), "EphemeralStorage");
  EXPECT_EQ(enumerator_name("requests.cpu"), "RequestsCpu");
  EXPECT_EQ(enumerator_name("kubernetes.io/tls"), "KubernetesIoTls");
  EXPECT_EQ(enumerator_name("2xx"), "V2xx");
  EXPECT_EQ(enumerator_name(""), "");
  EXPECT_EQ(enumerator_name("*"), "");
}

TEST(ExactEnumeratorName, IsTheTextsOwn) {
  EXPECT_EQ(exact_enumerator_name("TCP"), "ValueOf_TCP");
  EXPECT_EQ(exact_enumerator_name("2b"), "ValueOf_2b");
  EXPECT_EQ(exact_enumerator_name("+"), "Value_2b");
  EXPECT_EQ(exact_enumerator_name("+a"), "Value_2ba");
  EXPECT_EQ(exact_enumerator_name("2ba"), "ValueOf_2ba");
  EXPECT_EQ(exact_enumerator_name("a_b"), "ValueOf_a_5fb");
  EXPECT_EQ(exact_enumerator_name("\xff"), "Value_ff");
  EXPECT_EQ(exact_enumerator_name(""), "Empty_");
}

}  // namespace
}  // namespace kube::gen
