// SPDX-License-Identifier: Apache-2.0
//
// A field by its path in the same bytes, by the generated type and by one that was made at run time
// from a definition; and what checking the object costs beside reading it.
#include <benchmark/benchmark.h>

#include <string>

#include <kube/api/core/v1/pod.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/field_view.hpp>
#include <kube/codec/json_check.hpp>
#include <kube/json/value.hpp>
#include <kube/validation/runtime_schema.hpp>

namespace kube {
namespace {

using core::v1::Pod;

constexpr std::string_view kDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pods.bench.example.com}
spec:
  group: bench.example.com
  scope: Namespaced
  names: {plural: pods, kind: Pod}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [containers]
            properties:
              nodeName: {type: string, maxLength: 253, pattern: '^[a-z0-9.-]*$'}
              restartPolicy: {type: string, enum: [Always, OnFailure, Never]}
              serviceAccountName: {type: string}
              tolerations: {type: array, items: {type: object, properties: {key: {type: string}, operator: {type: string}, effect: {type: string}, tolerationSeconds: {type: integer, minimum: 0}}}}
              volumes: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {name: {type: string}}}}
              containers:
                type: array
                minItems: 1
                items:
                  type: object
                  required: [name, image]
                  properties:
                    name: {type: string}
                    image: {type: string}
                    env: {type: array, items: {type: object, properties: {name: {type: string}, value: {type: string}}}}
                    ports: {type: array, items: {type: object, properties: {name: {type: string}, containerPort: {type: integer, minimum: 1, maximum: 65535}}}}
          status:
            type: object
            properties:
              phase: {type: string, enum: [Pending, Running, Succeeded, Failed, Unknown]}
              podIP: {type: string}
              conditions: {type: array, items: {type: object, properties: {type: {type: string}, status: {type: string}}}}
)";

const std::string& object_text() {
  static const std::string text = [] {
    std::string out =
        R"({"metadata":{"name":"web-0","namespace":"default","uid":"1-2-3","labels":{)";
    for (int i = 0; i < 12; ++i) {
      out += (i == 0 ? "\"" : ",\"") + std::string("app.example.com/label-") + std::to_string(i) +
             "\":\"value-" + std::to_string(i) + "\"";
    }
    out += R"(}},"spec":{"volumes":[)";
    for (int i = 0; i < 6; ++i)
      out += (i == 0 ? "" : ",") + std::string(R"({"name":"volume-)") + std::to_string(i) + R"("})";
    out += R"(],"containers":[)";
    for (int i = 0; i < 3; ++i) {
      out += (i == 0 ? "" : ",") + std::string(R"({"name":"c)") + std::to_string(i) +
             R"(","image":"registry.example.com/team/application:1.2.3","env":[)";
      for (int k = 0; k < 10; ++k) {
        out += (k == 0 ? "" : ",") + std::string(R"({"name":"VARIABLE_)") + std::to_string(k) +
               R"(","value":"some value of some length"})";
      }
      out += R"(],"ports":[{"name":"http","containerPort":8080}]})";
    }
    out +=
        R"(],"restartPolicy":"Always","serviceAccountName":"web","nodeName":"node-17","tolerations":[)"
        R"({"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]},)"
        R"("status":{"conditions":[{"type":"Ready","status":"True"}],"podIP":"10.0.0.1","phase":"Running"}})";
    return out;
  }();
  return text;
}

const meta::RuntimeSchema& schema() {
  static const meta::RuntimeSchema made = meta::RuntimeSchema::from_crds(kDefinition).value();
  return made;
}
const meta::TypeDescriptor& kind() {
  return *schema().find({"bench.example.com", "v1", "Pod"});
}

void find(benchmark::State& state, const meta::TypeDescriptor& type, const char* path) {
  const auto field = meta::FieldLocator::compile(type, path).value();
  std::string scratch;
  for (auto _ : state) {
    const auto found = field.find(object_text());
    benchmark::DoNotOptimize(found->text(scratch));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * object_text().size()));
}
void typed(benchmark::State& state, const char* path) {
  find(state, Pod::descriptor(), path);
}
void runtime(benchmark::State& state, const char* path) {
  find(state, kind(), path);
}
BENCHMARK_CAPTURE(typed, label, "metadata.labels['app.example.com/label-9']");
BENCHMARK_CAPTURE(runtime, label, "metadata.labels['app.example.com/label-9']");
BENCHMARK_CAPTURE(typed, node_name, "spec.nodeName");
BENCHMARK_CAPTURE(runtime, node_name, "spec.nodeName");
BENCHMARK_CAPTURE(typed, port, "spec.containers[2].ports[0].name");
BENCHMARK_CAPTURE(runtime, port, "spec.containers[2].ports[0].name");
BENCHMARK_CAPTURE(typed, phase, "status.phase");
BENCHMARK_CAPTURE(runtime, phase, "status.phase");

void ReadTyped(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(meta::from_json<Pod>(object_text()));
}
BENCHMARK(ReadTyped);
void CheckTyped(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(meta::check_json(object_text(), Pod::descriptor()));
}
BENCHMARK(CheckTyped);
void CheckRuntime(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(meta::check_json(object_text(), kind()));
}
BENCHMARK(CheckRuntime);
void Validate(benchmark::State& state) {
  const json::Value object = json::parse(object_text()).value();
  for (auto _ : state) benchmark::DoNotOptimize(schema().validate(kind(), object));
}
BENCHMARK(Validate);

}  // namespace
}  // namespace kube
