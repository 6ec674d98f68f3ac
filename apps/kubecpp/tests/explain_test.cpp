// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp explain` as people run it, without any server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace kubecpp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ExplainCommand, ListsTheFieldsOfAResource) {
  const Outcome pods = run({KUBECPP, "explain", "po"});
  EXPECT_EQ(pods.status, 0) << pods.err;
  EXPECT_EQ(pods.out,
            "KIND:       Pod\nVERSION:    v1\n\nFIELDS:\n  apiVersion\t<string>\n  kind\t<string>\n"
            "  metadata\t<ObjectMeta>\n  spec\t<PodSpec>\n  status\t<PodStatus>\n");
  EXPECT_THAT(run({KUBECPP, "explain", "deployments"}).out,
              StartsWith("GROUP:      apps\nKIND:       Deployment\nVERSION:    v1\n\nFIELDS:\n"));
}

TEST(ExplainCommand, FollowsFields) {
  EXPECT_EQ(run({KUBECPP, "explain", "pod.spec.containers.resources"}).out,
            "KIND:       Pod\nVERSION:    v1\n\nFIELD: resources <ResourceRequirements>\n\n"
            "FIELDS:\n  claims\t<[]ResourceClaim>\n  limits\t<map[string]Quantity>\n"
            "  requests\t<map[string]Quantity>\n");
  const Outcome containers = run({KUBECPP, "explain", "pods.spec.containers"});
  EXPECT_THAT(containers.out, AllOf(HasSubstr("FIELD: containers <[]Container>\n"),
                                    HasSubstr("\n  image\t<string>\n"),
                                    HasSubstr("\n  name\t<string> -required-\n")));
  EXPECT_EQ(run({KUBECPP, "explain", "pods.spec.containers.image"}).out,
            "KIND:       Pod\nVERSION:    v1\n\nFIELD: image <string>\n\n");
  EXPECT_THAT(run({KUBECPP, "explain", "deploy.spec"}).out,
              AllOf(HasSubstr("\n  selector\t<LabelSelector> -required-\n"),
                    HasSubstr("\n  template\t<PodTemplateSpec> -required-\n"),
                    HasSubstr("\n  replicas\t<integer>\n")));
}

TEST(ExplainCommand, GroupsAndVersionsAreChosen) {
  EXPECT_THAT(run({KUBECPP, "explain", "events"}).out, Not(HasSubstr("GROUP:")));
  EXPECT_THAT(run({KUBECPP, "explain", "events.events.k8s.io.regarding"}).out,
              AllOf(StartsWith("GROUP:      events.k8s.io\n"), HasSubstr("FIELD: regarding")));
  EXPECT_THAT(run({KUBECPP, "explain", "hpa", "--api-version", "autoscaling/v1"}).out,
              HasSubstr("VERSION:    v1\n"));
  EXPECT_THAT(run({KUBECPP, "explain", "hpa"}).out, HasSubstr("VERSION:    v2\n"));
}

TEST(ExplainCommand, ListsTheValuesOfClosedEnumerations) {
  EXPECT_EQ(run({KUBECPP, "explain", "pods.spec.containers.imagePullPolicy"}).out,
            "KIND:       Pod\nVERSION:    v1\n\nFIELD: imagePullPolicy <string>\nENUM:\n"
            "    Always\n    IfNotPresent\n    Never\n\n");
  EXPECT_THAT(run({KUBECPP, "explain", "pods.spec.containers"}).out,
              HasSubstr("\n  imagePullPolicy\t<string>\n  enum: Always, IfNotPresent, Never\n"));
  EXPECT_THAT(run({KUBECPP, "explain", "pods.status.conditions.type"}).out, Not(HasSubstr("ENUM")))
      << "others may add values";
}

TEST(ExplainCommand, HintsAtWhatMayBeMeant) {
  EXPECT_EQ(run({KUBECPP, "explain", "pods.spec.contianers"}).err,
            "kubecpp: field \"contianers\" does not exist; similar: containers\n");
  EXPECT_THAT(run({KUBECPP, "explain", "deploymnts"}).err,
              StartsWith("kubecpp: unknown built-in resource type \"deploymnts\"; similar: "
                         "deployments\n"));
}

TEST(ExplainCommand, SaysWhatDoesNotExist) {
  const Outcome field = run({KUBECPP, "explain", "pods.spec.nosuch"});
  EXPECT_EQ(field.status, 1);
  EXPECT_EQ(field.err, "kubecpp: field \"nosuch\" does not exist\n");
  EXPECT_EQ(run({KUBECPP, "explain", "pods.spec.hostname.x"}).status, 1);
  const Outcome resource = run({KUBECPP, "explain", "nosuch.spec"});
  EXPECT_EQ(resource.status, 1);
  EXPECT_EQ(resource.err, "kubecpp: unknown built-in resource type \"nosuch\"\n");
  EXPECT_EQ(run({KUBECPP, "explain", "pods", "--api-version", "v9"}).status, 1);
  EXPECT_EQ(run({KUBECPP, "explain"}).status, 2);
}

}  // namespace
}  // namespace kubecpp
