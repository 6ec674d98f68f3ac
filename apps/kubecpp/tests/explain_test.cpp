// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp explain` as people run it, without any server, and with one that is not there.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace kubecpp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Runs it where there is no configuration of a server.
Outcome explain(std::vector<std::string> arguments) {
  const TemporaryFolder home;
  arguments.insert(arguments.begin(), {KUBECPP, "explain"});
  return run(std::move(arguments), {.environment = {"HOME=" + home.path("")}});
}

TEST(ExplainCommand, ListsTheFieldsOfAResource) {
  const Outcome pods = explain({"po"});
  EXPECT_EQ(pods.status, 0) << pods.err;
  EXPECT_EQ(pods.out,
            "KIND:       Pod\nVERSION:    v1\n\nFIELDS:\n  apiVersion\t<string>\n  kind\t<string>\n"
            "  metadata\t<ObjectMeta>\n  spec\t<PodSpec>\n  status\t<PodStatus>\n");
  EXPECT_THAT(explain({"deployments"}).out,
              StartsWith("GROUP:      apps\nKIND:       Deployment\nVERSION:    v1\n\nFIELDS:\n"));
}

TEST(ExplainCommand, FollowsFields) {
  EXPECT_EQ(explain({"pod.spec.containers.resources"}).out,
            "KIND:       Pod\nVERSION:    v1\n\nFIELD: resources <ResourceRequirements>\n\n"
            "FIELDS:\n  claims\t<[]ResourceClaim>\n  limits\t<map[string]Quantity>\n"
            "  requests\t<map[string]Quantity>\n");
  const Outcome containers = explain({"pods.spec.containers"});
  EXPECT_THAT(containers.out, AllOf(HasSubstr("FIELD: containers <[]Container>\n"),
                                    HasSubstr("\n  image\t<string>\n"),
                                    HasSubstr("\n  name\t<string> -required-\n")));
  EXPECT_EQ(explain({"pods.spec.containers.image"}).out,
            "KIND:       Pod\nVERSION:    v1\n\nFIELD: image <string>\n\n");
  EXPECT_THAT(explain({"deploy.spec"}).out,
              AllOf(HasSubstr("\n  selector\t<LabelSelector> -required-\n"),
                    HasSubstr("\n  template\t<PodTemplateSpec> -required-\n"),
                    HasSubstr("\n  replicas\t<integer>\n")));
}

TEST(ExplainCommand, GroupsAndVersionsAreChosen) {
  EXPECT_THAT(explain({"events"}).out, Not(HasSubstr("GROUP:")));
  EXPECT_THAT(explain({"events.events.k8s.io.regarding"}).out,
              AllOf(StartsWith("GROUP:      events.k8s.io\n"), HasSubstr("FIELD: regarding")));
  EXPECT_THAT(explain({"hpa", "--api-version", "autoscaling/v1"}).out,
              HasSubstr("VERSION:    v1\n"));
  EXPECT_THAT(explain({"hpa"}).out, HasSubstr("VERSION:    v2\n"));
}

TEST(ExplainCommand, ListsTheValuesOfClosedEnumerations) {
  EXPECT_EQ(explain({"pods.spec.containers.imagePullPolicy"}).out,
            "KIND:       Pod\nVERSION:    v1\n\nFIELD: imagePullPolicy <string>\nENUM:\n"
            "    Always\n    IfNotPresent\n    Never\n\n");
  EXPECT_THAT(explain({"pods.spec.containers"}).out,
              HasSubstr("\n  imagePullPolicy\t<string>\n  enum: Always, IfNotPresent, Never\n"));
  EXPECT_THAT(explain({"pods.status.conditions.type"}).out, Not(HasSubstr("ENUM")))
      << "others may add values";
}

TEST(ExplainCommand, HintsAtWhatMayBeMeant) {
  EXPECT_EQ(explain({"pods.spec.contianers"}).err,
            "kubecpp: field \"contianers\" does not exist; similar: containers\n");
  EXPECT_THAT(explain({"deploymnts"}).err,
              StartsWith("kubecpp: unknown built-in resource type \"deploymnts\"; similar: "
                         "deployments\n"));
}

TEST(ExplainCommand, SaysWhatDoesNotExist) {
  const Outcome field = explain({"pods.spec.nosuch"});
  EXPECT_EQ(field.status, 1);
  EXPECT_EQ(field.err, "kubecpp: field \"nosuch\" does not exist\n");
  EXPECT_EQ(explain({"pods.spec.hostname.x"}).status, 1);
  const Outcome resource = explain({"nosuch.spec"});
  EXPECT_EQ(resource.status, 1);
  EXPECT_EQ(resource.err, "kubecpp: unknown built-in resource type \"nosuch\"\n");
  EXPECT_EQ(explain({"pods", "--api-version", "v9"}).status, 1);
  EXPECT_EQ(explain({}).status, 1);
}

TEST(ExplainCommand, RecursiveListsTheFieldsOfFields) {
  EXPECT_EQ(explain({"pods.spec.os", "--recursive"}).out,
            "KIND:       Pod\nVERSION:    v1\n\nFIELD: os <PodOS>\n\nFIELDS:\n"
            "  name\t<string> -required-\n");
  const std::string deployment = explain({"deploy", "-R", "--max-depth", "2"}).out;
  EXPECT_THAT(deployment,
              AllOf(HasSubstr("\n  spec\t<DeploymentSpec> -required-\n    minReadySeconds\t<int"),
                    HasSubstr("\n    template\t<PodTemplateSpec> -required-\n"),
                    Not(HasSubstr("\n      spec\t"))));
  EXPECT_THAT(explain({"crd.spec.versions.schema", "-R"}).out,
              HasSubstr("    not\t<JSONSchemaProps>\n    nullable\t<boolean>\n"))
      << "a type that contains itself ends the recursion";
}

TEST(ExplainCommand, AServerThatIsNotThereIsNamedAndDoesWithout) {
  const Outcome pods = explain({"pods.spec.os", "--server", "http://127.0.0.1:1"});
  EXPECT_EQ(pods.status, 0);
  EXPECT_THAT(pods.err, AllOf(StartsWith("kubecpp: warning: "), HasSubstr("127.0.0.1:1"),
                              HasSubstr("; explaining built-in resources without descriptions\n")));
  EXPECT_EQ(pods.out, explain({"pods.spec.os"}).out);
}

TEST(ExplainCommand, RefusesDepthsThatItCannotUse) {
  EXPECT_EQ(explain({"pods", "--max-depth", "2"}).err,
            "kubecpp: --max-depth requires --recursive\n");
  EXPECT_EQ(explain({"pods", "-R", "--max-depth=-1"}).err,
            "kubecpp: --max-depth must be non-negative\n");
}

}  // namespace
}  // namespace kubecpp
