// SPDX-License-Identifier: Apache-2.0
//
// Objects that break their definition's schema: what the server lists as causes is what our
// run-time schema says of the same object. On a real server this compares our words with
// Kubernetes' own.
#include <iostream>
#include <set>
#include <string>

#include <gmock/gmock.h>

#include <kube/client/api.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/codec/json_check.hpp>
#include <kube/json/yaml.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/status.hpp>
#include <kube/validation/runtime_schema.hpp>

#include "server_under_test.hpp"

namespace scenarios {
namespace {

namespace json = kube::json;

constexpr std::string_view kDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.GROUP}
spec:
  group: GROUP
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList}
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
              size: {type: integer, format: int32, minimum: 1, maximum: 10}
              even: {type: integer, multipleOf: 2}
              ratio: {type: number, minimum: 0, exclusiveMinimum: true, maximum: 1}
              color: {type: string, enum: [red, green, "b\"l"]}
              name: {type: string, minLength: 2, maxLength: 5, pattern: '^[a-z]+(-[a-z0-9]+)*$'}
              when: {type: string, format: date-time}
              address: {type: string, format: ipv4}
              id: {type: string, format: uuid}
              port: {x-kubernetes-int-or-string: true}
              tags: {type: array, minItems: 1, maxItems: 3, x-kubernetes-list-type: set, items: {type: string, maxLength: 3}}
              parts:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties: {name: {type: string}, count: {type: integer, minimum: 0}}
              labels: {type: object, minProperties: 1, maxProperties: 2, additionalProperties: {type: string, minLength: 1}}
              flag: {type: boolean}
              maybe: {type: string, nullable: true}
              either:
                type: object
                properties: {a: {type: integer}, b: {type: string}}
                oneOf: [{required: [a]}, {required: [b]}]
              some:
                type: integer
                anyOf: [{minimum: 100}, {maximum: 10}]
              both:
                type: integer
                allOf: [{minimum: 1}, {maximum: 3}]
              none:
                type: string
                not: {enum: [forbidden]}
)";

class SchemaScenario : public Scenario {
 protected:
  void SetUp() override {
    std::string text(kDefinition);
    for (std::size_t at; (at = text.find("GROUP")) != std::string::npos;)
      text.replace(at, 5, group_);
    schema_ = kube::meta::RuntimeSchema::from_crds(text).value();
    kind_ = schema_->find({group_, "v1", "Gadget"});
    ASSERT_NE(kind_, nullptr);
    ASSERT_TRUE(send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", text,
                     "application/yaml"));
    // Served once the server has seen its own definition.
    ASSERT_TRUE(eventually([&] { return send("GET", path(), "", "").has_value(); }));
    ASSERT_TRUE(eventually([&] { return create("{size: 1}").has_value(); }));
  }
  void TearDown() override {
    static_cast<void>(
        send("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets." + group_,
             "", ""));
  }

  std::string path() const {
    return "/apis/" + group_ + "/v1/namespaces/" + namespace_ + "/gadgets";
  }
  kube::Result<kube::transport::HttpResponse> send(std::string method, std::string path,
                                                   std::string body, std::string type) {
    kube::Request request;
    request.verb = method == "POST" ? "create" : "get";
    request.method = std::move(method);
    request.path = std::move(path);
    request.query = {{"fieldValidation", "Strict"}};
    request.body = std::move(body);
    request.content_type = std::move(type);
    if (request.method == "GET") request.query.clear();
    if (request.method == "DELETE") request.query.clear();
    return client_.rest().send(request, {});
  }
  std::string object(std::string_view spec) const {
    json::Value value = json::Object{{"apiVersion", group_ + "/v1"}, {"kind", "Gadget"}};
    value.ensure_path({"metadata", "generateName"}) = "x-";
    if (!spec.empty()) value.ensure_path({"spec"}) = kube::yaml::parse(spec).value();
    return json::dump(value);
  }
  kube::Result<kube::transport::HttpResponse> create(std::string_view spec) {
    return send("POST", path(), object(spec), "application/json");
  }

  const std::string group_ = namespace_ + ".example.com";
  std::optional<kube::meta::RuntimeSchema> schema_;
  const kube::meta::TypeDescriptor* kind_ = nullptr;
};

TEST_F(SchemaScenario, TheServersCausesAreThoseOfOurSchema) {
  const std::vector<std::string_view> wrong = {
      "",
      "{}",
      "{size: 0}",
      "{size: 11, even: 3}",
      "{size: 3000000000}",
      "{size: x}",
      "{size: 1.5}",
      "{size: ~}",
      "{size: 1, ratio: 0}",
      "{size: 1, ratio: 1.5}",
      "{size: 1, ratio: '1'}",
      "{size: 1, color: blue}",
      "{size: 1, color: 5}",
      "{size: 1, name: a}",
      "{size: 1, name: abcdef}",
      "{size: 1, name: 'A_b'}",
      "{size: 1, when: yesterday}",
      "{size: 1, address: 1.2.3.256}",
      "{size: 1, id: nope}",
      "{size: 1, port: []}",
      "{size: 1, tags: []}",
      "{size: 1, tags: [a, b, c, d]}",
      "{size: 1, tags: [a, b, a]}",
      "{size: 1, tags: [a, 5, long]}",
      "{size: 1, parts: [{name: a}, {name: b}, {name: a}]}",
      "{size: 1, parts: [{name: a, count: -1}, {count: 1}]}",
      "{size: 1, parts: {}}",
      "{size: 1, labels: {}}",
      "{size: 1, labels: {a: x, b: '', c: 5}}",
      "{size: 1, flag: 'true'}",
      "{size: 1, either: {}}",
      "{size: 1, either: {a: 1, b: x}}",
      "{size: 1, either: {a: x}}",
      "{size: 1, some: 50}",
      "{size: 1, both: 4}",
      "{size: 1, none: forbidden}",
      "{even: 1, ratio: 2, color: x, name: '', tags: [], labels: {}}",
  };
  int same = 0;
  for (const std::string_view spec : wrong) {
    std::multiset<std::string> ours;
    for (const auto& error : schema_->validate(*kind_, *json::parse(object(spec))))
      ours.insert(error.to_string());
    EXPECT_FALSE(ours.empty()) << spec;
    const auto answer = create(spec);
    if (answer) {
      ADD_FAILURE() << spec << ": created";
      continue;
    }
    EXPECT_TRUE(kube::is_invalid(answer.error())) << answer.error().to_string();
    std::multiset<std::string> theirs;
    const auto* status = kube::meta::status_of(answer.error());
    ASSERT_NE(status, nullptr);
    for (const auto& cause : status->causes) theirs.insert(cause.field + ": " + cause.message);
    EXPECT_EQ(ours, theirs) << spec;
    if (ours == theirs) ++same;
  }
  std::cout << same << " of " << wrong.size() << " objects are refused by the same causes on "
            << (on_real_server() ? "a real server" : "the embedded server")
            << " and by our schema\n";
}

TEST_F(SchemaScenario, WhatOurSchemaTakesTheServerTakes) {
  for (const std::string_view spec :
       {"{size: 10, even: 4, ratio: 1, color: 'b\"l', name: ab-c1, flag: true, maybe: ~}",
        "{size: 1.0, when: '2026-10-28T09:30:00Z', address: 1.2.3.4, port: http}",
        "{size: 1, tags: [a, b], parts: [{name: a}, {name: b, count: 0}], labels: {a: x}}",
        "{size: 1, either: {b: x}, some: 100, both: 2, none: allowed, port: 80}"}) {
    const auto fits = schema_->check(object(spec), *kind_, {.strict = true});
    if (spec.find("1.0") == std::string_view::npos) {
      EXPECT_TRUE(fits) << spec << ": " << fits.error().to_string();
    }
    const auto answer = create(spec);
    EXPECT_TRUE(answer) << spec << ": " << answer.error().to_string();
  }
}

TEST_F(SchemaScenario, StrictMessagesAreThoseOfOurCheck) {
  for (const std::string_view spec :
       {"{size: 1, foo: 1}", "{size: 1, parts: [{name: a}, {name: b, cont: 1}]}",
        "{size: 1, either: {a: 1, c: {d: 1}}}"}) {
    const auto ours = kube::meta::check_json(object(spec), *kind_, {.strict = true});
    ASSERT_FALSE(ours) << spec;
    const auto answer = create(spec);
    ASSERT_FALSE(answer) << spec;
    EXPECT_TRUE(kube::is_bad_request(answer.error()));
    EXPECT_THAT(answer.error().message(), testing::EndsWith(ours.error().to_string())) << spec;
  }
}

}  // namespace
}  // namespace scenarios
