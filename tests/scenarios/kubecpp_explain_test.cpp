// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp explain` beside `kubectl explain`: both print the server's OpenAPI documents.
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "kubecpp_scenario.hpp"

namespace scenarios {
namespace {

class KubecppExplainScenario : public KubecppScenario {
 protected:
  programs::Outcome explain(Arguments arguments) const {
    arguments.insert(arguments.begin(), "explain");
    arguments.insert(arguments.end(), {"--cache-dir", folder_.path("kubecpp-cache")});
    return programs::run(kubecpp_line(std::move(arguments)));
  }
  // Both print the same text, in both forms and recursively.
  void expect_the_same(const std::vector<std::string>& paths) const {
    for (const std::string& path : paths) {
      for (const Arguments& flags :
           {Arguments{}, Arguments{"-o", "plaintext-openapiv2"}, Arguments{"--recursive"},
            Arguments{"-R", "--max-depth=2"}, Arguments{"-R", "--output=plaintext-openapiv2"}}) {
        Arguments line = {path};
        line.insert(line.end(), flags.begin(), flags.end());
        SCOPED_TRACE(::testing::PrintToString(line));
        const std::string ours = printed_by(explain(line));
        line.insert(line.begin(), "explain");
        EXPECT_EQ(ours, kubectl_prints(line));
      }
    }
  }
  // Defines a resource with descriptions, required fields, enumerations, lists and maps.
  std::string define_gizmos() const {
    const std::string group = namespace_ + ".example.com";
    create(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: "
        "gizmos." +
        group + "}\nspec:\n  group: " + group + R"(
  scope: Namespaced
  names: {plural: gizmos, singular: gizmo, kind: Gizmo, listKind: GizmoList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        description: "A gizmo turns things.\n\nThis says it in a line that is far too long for any terminal: - it has to be broken.\n  * an item\n  * another one"
        required: [spec]
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, description: How large it is, enum: [1, 2, 3, 4, 5, 6]}
              mode: {type: string, enum: ["", fast, slow]}
              parts:
                type: array
                description: What it consists of.
                items:
                  type: object
                  description: A part.
                  properties:
                    name: {type: string}
                    tags: {type: object, additionalProperties: {type: string}}
)");
    EXPECT_TRUE(eventually([&] {
      return explain({"gizmos." + group}).out.find("A gizmo turns things") != std::string::npos;
    }));
    return "gizmos." + group;
  }
};

TEST_F(KubecppExplainScenario, NamesTheFieldsOfAField) {
  EXPECT_THAT(printed_by(explain({"pod.spec.containers.resources", "-R"})),
              ::testing::AllOf(::testing::StartsWith("KIND:       Pod\n"
                                                     "VERSION:    v1\n"
                                                     "\n"
                                                     "FIELD: resources <ResourceRequirements>\n"),
                               ::testing::HasSubstr("  limits\t<map[string]")));
}

TEST_F(KubecppExplainScenario, PrintsWhatKubectlPrints) {
  if (!on_real_server()) GTEST_SKIP() << "an older kubectl prints other things";
  expect_the_same({"pods", "pod.spec", "pod.spec.containers", "pods.spec.containers.resources",
                   "pods.spec.containers.imagePullPolicy", "pod.metadata.ownerReferences",
                   "configmap.data", "deployments.apps.spec", "deploy.spec.strategy",
                   "networkpolicy.spec.ingress.from", "service.spec.ports.targetPort",
                   "crd.spec.versions.schema", "cronjob.spec.jobTemplate", "node.status.capacity"});
  const Arguments older = {"explain", "hpa", "--api-version", "autoscaling/v1"};
  EXPECT_EQ(printed_by(explain({"hpa", "--api-version", "autoscaling/v1"})), kubectl_prints(older));
}

TEST_F(KubecppExplainScenario, PrintsCustomResourcesAsKubectlDoes) {
  const std::string gizmos = define_gizmos();
  if (on_real_server()) {
    expect_the_same({gizmos, gizmos + ".spec", gizmos + ".spec.size", gizmos + ".spec.mode",
                     gizmos + ".spec.parts", gizmos + ".spec.parts.tags"});
  }
  remove("customresourcedefinition", gizmos);
}

TEST_F(KubecppExplainScenario, ErrorsAreThoseOfKubectlWithNamesThatAreSimilar) {
  EXPECT_EQ(explain({"pods.spec.contianers.image"}).err,
            "kubecpp: field \"contianers\" does not exist; similar: containers\n");
  EXPECT_EQ(explain({"pods.spec.contianers", "-o", "plaintext-openapiv2"}).err,
            "kubecpp: field \"contianers\" does not exist; similar: containers\n");
  for (const Arguments& line :
       {Arguments{"pods.spec.nosuch"}, Arguments{"nosuch"}, Arguments{"pods.spec.hostname.x"},
        Arguments{"hpa", "--api-version", "autoscaling/v9"}, Arguments{"pods", "--max-depth=2"}}) {
    SCOPED_TRACE(::testing::PrintToString(line));
    const auto ours = explain(line);
    EXPECT_NE(ours.status, 0);
    EXPECT_EQ(ours.out, "");
    if (!on_real_server()) continue;
    Arguments theirs = line;
    theirs.insert(theirs.begin(), "explain");
    // kubectl prints "error: " before some.
    const auto without = [](const std::string& err, const std::string& prefix) {
      return err.starts_with(prefix) ? err.substr(prefix.size()) : err;
    };
    EXPECT_EQ(without(ours.err, "kubecpp: "), without(kubectl(theirs).err, "error: "));
  }
}

}  // namespace
}  // namespace scenarios
