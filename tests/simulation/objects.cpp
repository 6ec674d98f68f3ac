// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "scenarios.hpp"

namespace kube::simulated {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kWidgets = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          data: {type: object, additionalProperties: {type: string}}
)";

// An update: what is loaded without the uid that it has is another object.
Unstructured update_of(apiserver::ApiServer& server, const meta::ResourceInfo& resource,
                       Unstructured object) {
  const auto known = server.get(resource.gvr(), object.key());
  if (known) object.set_uid(known->uid());
  return object;
}

Unstructured object_of(const meta::ResourceInfo& resource, const std::string& namespace_,
                       const std::string& name, const std::string& value) {
  return Unstructured(
      json::Object{{"apiVersion", resource.api_version()},
                   {"kind", resource.kind},
                   {"metadata", json::Object{{"name", name}, {"namespace", namespace_}}},
                   {"data", json::Object{{"value", value}}}});
}

}  // namespace

const meta::ResourceInfo& config_maps() {
  static const meta::ResourceInfo resource = meta::resource_of<core::v1::ConfigMap>();
  return resource;
}

const meta::ResourceInfo& widgets() {
  static const meta::ResourceInfo resource{.group = "example.com",
                                           .version = "v1",
                                           .kind = "Widget",
                                           .plural = "widgets",
                                           .singular = "widget"};
  return resource;
}

void define_widgets(Simulation& sim) {
  const auto loaded = sim.server().load_text(kWidgets);
  if (!loaded) sim.fail("the server takes the definition", loaded.error().to_string());
}

void change_object(Simulation& sim, const meta::ResourceInfo& resource) {
  const std::string namespace_ = sim.one_in(3) ? "kube-public" : "default";
  const std::string name = "object-" + std::to_string(sim.draw(6));
  const std::uint64_t number = sim.draw(1'000'000);
  const std::string value = std::to_string(number);
  const bool removes = sim.one_in(3);
  const bool again = sim.one_in(3);
  const ObjectKey key{namespace_, name};
  apiserver::ApiServer& server = sim.server();
  if (removes && server.get(resource.gvr(), key)) {
    sim.step("delete " + key.to_string(),
             [&] { static_cast<void>(server.remove(resource.gvr(), key)); });
    if (!again) return;
  }
  const bool stays = number % 2 == 0;
  sim.step((stays ? "write " : "replace ") + key.to_string(), [&] {
    Unstructured object = object_of(resource, namespace_, name, value);
    if (stays) object = update_of(server, resource, std::move(object));
    static_cast<void>(server.load(object));
  });
}

void changes_with_pauses(Simulation& sim, std::uint64_t count, const meta::ResourceInfo& resource) {
  for (std::uint64_t i = 0; i < count && !sim.failed(); ++i) {
    const std::uint64_t at_once = sim.one_in(3) ? 1 + sim.draw(5) : 1;
    for (std::uint64_t j = 0; j < at_once; ++j) change_object(sim, resource);
    constexpr milliseconds kPauses[] = {milliseconds(1), milliseconds(20), milliseconds(500),
                                        seconds(3),      seconds(20),      seconds(120)};
    sim.run_for(
        milliseconds(1 + sim.draw(static_cast<std::uint64_t>(sim.draw_of(kPauses).count()))));
  }
}

InformerOptions drawn_options(Simulation& sim) {
  InformerOptions options;
  options.protobuf = sim.one_in(2);
  options.watch_list = sim.one_in(3);
  options.storage = sim.one_in(4) ? cache::StoragePolicy::Decoded : cache::StoragePolicy::Wire;
  constexpr std::int64_t kPages[] = {0, 0, 0, 1, 3};
  options.page_size = sim.draw_of(kPages);
  if (sim.one_in(4)) options.resync_period = seconds(30);
  if (sim.one_in(4)) options.namespace_ = "default";
  return options;
}

}  // namespace kube::simulated
