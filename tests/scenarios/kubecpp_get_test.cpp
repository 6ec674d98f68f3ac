// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp get` beside `kubectl get`, and beside what the server holds.
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/client/api.hpp>
#include <kube/codec/object.hpp>
#include <kube/json/yaml.hpp>

#include "kubecpp_scenario.hpp"

namespace scenarios {
namespace {

namespace json = kube::json;
using ::testing::Contains;

using Row = std::vector<std::string>;

constexpr const char* kAge = "an age";  // Grows between two calls.

// The cells of a table, its head first. A column begins where its header does, and two blanks or
// more are before it.
std::vector<Row> cells(const std::string& text) {
  std::istringstream stream(text);
  std::string line;
  std::getline(stream, line);
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != ' ' && (i == 0 || (i > 1 && line[i - 1] == ' ' && line[i - 2] == ' '))) {
      begins.push_back(i);
    }
  }
  static const std::regex age("([0-9]+[smhdy])+");
  std::vector<Row> rows;
  do {
    Row row;
    for (std::size_t i = 0; i < begins.size(); ++i) {
      const std::size_t begin = std::min(begins[i], line.size());
      const std::size_t end = i + 1 < begins.size() ? begins[i + 1] : line.size();
      std::string cell = line.substr(begin, end - begin);
      cell.erase(cell.find_last_not_of(' ') + 1);
      if (!rows.empty() && rows.front()[i] == "AGE" && std::regex_match(cell, age)) cell = kAge;
      row.push_back(std::move(cell));
    }
    rows.push_back(std::move(row));
  } while (std::getline(stream, line));
  return rows;
}

class KubecppGetScenario : public KubecppScenario {
 protected:
  // The table of all namespaces has this head and this row, and is kubectl's.
  void expect_table(const std::string& resource, const Row& head, const Row& row) const {
    const auto ours =
        cells(printed_by(programs::run(kubecpp_line({"get", resource, "-A", "-o", "wide"}))));
    EXPECT_EQ(ours.front(), head);
    EXPECT_THAT(ours, Contains(row));
    if (!has_kubectl()) return;
    EXPECT_EQ(ours, cells(kubectl_prints({"get", resource, "-A", "-o", "wide"})));
  }

  // The object, and the list of the namespace that has it alone, in all that is no table.
  void expect_documents(const kube::meta::ResourceInfo& resource, const std::string& argument,
                        const std::string& name, const std::string& word) {
    kube::Unstructured object = must(client_.api(resource, namespace_).get(name));
    object.set_managed_fields({});
    const json::Value list = json::Object{{"apiVersion", "v1"},
                                          {"items", json::Array{object.content}},
                                          {"kind", "List"},
                                          {"metadata", json::Object{{"resourceVersion", ""}}}};
    const auto get = [&](const std::string& format, bool by_name) {
      SCOPED_TRACE(argument + " -o " + format + (by_name ? " of one" : " of all"));
      Arguments arguments = {"get", argument, "-o", format};
      if (by_name) arguments.push_back(name);
      std::string text = kubecpp_prints(arguments);
      if (has_kubectl()) {
        EXPECT_EQ(text, kubectl_prints(arguments));
      }
      return text;
    };
    EXPECT_EQ(must(json::parse(get("json", true))), object.content);
    EXPECT_EQ(must(json::parse(get("json", false))), list);
    EXPECT_EQ(must(kube::yaml::parse(get("yaml", true))), object.content);
    EXPECT_EQ(must(kube::yaml::parse(get("yaml", false))), list);
    EXPECT_EQ(get("name", false), word + "/" + name + "\n");
  }
};

TEST_F(KubecppGetScenario, Pods) {
  create(R"(
apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web, "yes": "no"}
  annotations: {note: "two\nlines", number: "1.0", empty: ""}
spec:
  nodeName: node-of-web
  readinessGates: [{conditionType: example.com/gate}]
  containers:
  - {name: one, image: "registry.example/app:1", args: ["-v", "", "~", "0x1f"], resources: {requests: {cpu: 100m}}}
  - {name: two, image: "registry.example/side:2"}
)");
  const auto pods = client_.api<kube::core::v1::Pod>(namespace_);
  auto pod = must(pods.get("web"));
  pod.status.phase = "Running";
  pod.status.pod_ip = "10.1.2.3";
  pod.status.pod_ips.emplace_back().ip = "10.1.2.3";
  for (const auto& container : pod.spec.containers) {
    auto& status = pod.status.container_statuses.emplace_back();
    status.name = container.name;
    status.image = container.image;
    status.image_id = "none";
    status.ready = container.name == "one";
    status.restart_count = 2;
    status.state.running.emplace();
  }
  must(pods.update_status(pod));
  expect_table(
      "pods",
      {"NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE",
       "READINESS GATES"},
      {namespace_, "web", "1/2", "Running", "4", kAge, "10.1.2.3", "node-of-web", "<none>", "0/1"});
  expect_documents(kube::meta::resource_of<kube::core::v1::Pod>(), "pods", "web", "pod");
}

TEST_F(KubecppGetScenario, Deployments) {
  create(R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: one, image: "registry.example/app:1"}, {name: two, image: "registry.example/side:2"}]
)");
  expect_table("deployments",
               {"NAMESPACE", "NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE", "CONTAINERS",
                "IMAGES", "SELECTOR"},
               {namespace_, "web", "0/3", "0", "0", kAge, "one,two",
                "registry.example/app:1,registry.example/side:2", "app=web"});
  expect_documents(kube::meta::resource_of<kube::apps::v1::Deployment>(), "deploy", "web",
                   "deployment.apps");
}

TEST_F(KubecppGetScenario, CustomResources) {
  const std::string group = namespace_ + ".example.com";
  const kube::meta::ResourceInfo widgets{
      .group = group, .version = "v1", .kind = "Widget", .plural = "widgets", .namespaced = true};
  const std::string definition = "widgets." + group;
  create("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: " +
         definition + "}\nspec:\n  group: " + group + R"(
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Missing, type: string, jsonPath: .spec.missing}
    - {name: Color, type: string, jsonPath: .spec.color, priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)");
  ASSERT_TRUE(eventually([&] { return client_.api(widgets, namespace_).list().has_value(); }));
  ASSERT_TRUE(eventually([&] { return kubecpp({"get", definition}).status == 0; }));
  create("apiVersion: " + group + R"(/v1
kind: Widget
metadata: {name: w}
spec: {size: 3, color: dark red, text: "yes", long: 9007199254740993, ratio: 1.5, list: [], empty: {}, none: "", nothing: [~], deep: [[1, {a: [b]}]]}
)");
  expect_table(definition, {"NAMESPACE", "NAME", "SIZE", "MISSING", "COLOR", "AGE"},
               {namespace_, "w", "3", "", "dark red", kAge});
  expect_documents(widgets, definition, "w", "widget." + group);
  remove("customresourcedefinition", definition);
}

}  // namespace
}  // namespace scenarios
