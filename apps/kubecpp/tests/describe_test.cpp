// SPDX-License-Identifier: Apache-2.0
//
// What `kubecpp describe` computes itself.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/json/yaml.hpp>

#include "describe_pod.hpp"
#include "description.hpp"

namespace kubecpp {
namespace {

using ::testing::ContainsRegex;

TEST(Describe, TheQosClassOfAPodWhoseStatusHasNone) {
  const std::string full = "requests: {cpu: 100m, memory: 1Gi}, limits: {cpu: '0.1', memory: 1Gi}";
  const std::vector<std::pair<std::string, std::string>> pods = {
      {"containers: [{name: a, image: i}]", "BestEffort"},
      {"containers: [{name: a, image: i, resources: {requests: {cpu: '0'}}}]", "BestEffort"},
      {"containers: [{name: a, image: i, resources: {" + full + "}}]", "Guaranteed"},
      {"containers: [{name: a, image: i, resources: {requests: {cpu: '1'}}}]", "Burstable"},
      {"containers: [{name: a, image: i, resources: {limits: {memory: 1Gi}, requests: {memory: "
       "1Gi}}}]",
       "Burstable"},
      {"containers: [{name: a, image: i, resources: {" + full + "}}, {name: b, image: i}]",
       "Burstable"},
      {"initContainers: [{name: b, image: i}], containers: [{name: a, image: i, resources: {" +
           full + "}}]",
       "Burstable"},
      {"resources: {" + full + "}, containers: [{name: a, image: i}]", "Guaranteed"},
  };
  for (const auto& [spec, expected] : pods) {
    Description out;
    describe_pod(kube::yaml::parse("spec: {" + spec + "}").value(), out);
    EXPECT_THAT(out.take(), ContainsRegex("QoS Class: +" + expected + "\n")) << spec;
  }
  Description out;
  describe_pod(kube::yaml::parse("status: {qosClass: Other}").value(), out);
  EXPECT_THAT(out.take(), ContainsRegex("QoS Class: +Other\n"));
}

}  // namespace
}  // namespace kubecpp
