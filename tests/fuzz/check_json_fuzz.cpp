// SPDX-License-Identifier: Apache-2.0
//
// Checking an object refuses what reading it refuses, in the same words; of a run-time schema, what
// strict checking takes checking takes. A text that is a definition is read as one.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <kube/api/example/v1.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/json_check.hpp>
#include <kube/validation/runtime_schema.hpp>

namespace {

using namespace kube::meta;

constexpr std::string_view kDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.acme.io}
spec:
  group: acme.io
  scope: Namespaced
  names: {plural: widgets, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, format: int32, minimum: 1, maximum: 10, multipleOf: 2}
              color: {type: string, enum: [red, green]}
              name: {type: string, minLength: 2, maxLength: 5, pattern: '^([a-z]+)(-[a-z0-9]+)*$'}
              when: {type: string, format: date-time}
              mac: {type: string, format: mac}
              port: {x-kubernetes-int-or-string: true}
              tags: {type: array, maxItems: 3, x-kubernetes-list-type: set, items: {type: string}}
              parts: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, required: [name], properties: {name: {type: string}}}}
              labels: {type: object, maxProperties: 2, additionalProperties: {type: string}}
              rows: {type: array, items: {type: array, items: {type: number}}}
              either: {type: object, oneOf: [{required: [a]}, {required: [b]}], properties: {a: {type: integer}, b: {type: string, nullable: true}}}
              any: {x-kubernetes-preserve-unknown-fields: true}
              open: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: integer}}}
)";

void same(const kube::Result<void>& a, const kube::Result<void>& b) {
  if (a.has_value() != b.has_value()) std::abort();
  if (!a && a.error().to_string() != b.error().to_string()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using kube::example::v1::Everything;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const bool strict : {false, true}) {
    Everything value;
    std::vector<std::string> read_problems;
    std::vector<std::string> check_problems;
    same(read_json(text, Everything::descriptor(), &value,
                   {.strict = strict, .problems = &read_problems}),
         check_json(text, Everything::descriptor(),
                    {.strict = strict, .problems = &check_problems}));
    if (read_problems != check_problems) std::abort();
  }

  static const RuntimeSchema schema = RuntimeSchema::from_crds(kDefinition).value();
  static const TypeDescriptor& widget = *schema.find({"acme.io", "v1", "Widget"});
  const bool fits = check_json(text, widget).has_value();
  if (schema.check(text, widget, {.strict = true}) && !fits) std::abort();
  if (const auto object = kube::json::parse(text)) {
    for (const FieldError& error : schema.validate(widget, *object)) (void)error.to_string();
  }

  if (text.find("openAPIV3Schema") != std::string_view::npos) {
    const auto own = RuntimeSchema::from_crds(text);
    if (!own) return 0;
    const auto object = kube::json::parse(R"({"spec":{"size":"x","any":[{}],"a":{"b":[1,null]}}})");
    for (const TypeDescriptor* kind : own->kinds()) (void)own->validate(*kind, *object);
  }
  return 0;
}
