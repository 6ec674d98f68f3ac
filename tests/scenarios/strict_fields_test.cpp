// SPDX-License-Identifier: Apache-2.0
//
// Wrong objects, sent with fieldValidation=Strict: the server's complaint is, byte for byte, that
// of our own strict reader for the same body. On a real server this compares our words with
// Kubernetes' own.
#include <iostream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>

#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/core/v1/config_map.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/api/core/v1/service.hpp>
#include <kube/api/rbac/v1/role.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/yaml.hpp>
#include <kube/meta/errors.hpp>

#include "server_under_test.hpp"

namespace scenarios {
namespace {

constexpr std::string_view kJsonType = "application/json";
constexpr std::string_view kYamlType = "application/yaml";

struct WrongObject {
  const char* what;
  const kube::meta::TypeDescriptor& type;
  std::string_view media_type;
  std::string body;
};

std::string many_unknown() {
  std::string body = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"})";
  for (int i = 0; i < 120; ++i)
    body += ",\"unknown" + std::to_string(i) + "\":" + std::to_string(i);
  return body + "}";
}

std::vector<WrongObject> wrong_objects() {
  const auto& pod = kube::core::v1::Pod::descriptor();
  const auto& map = kube::core::v1::ConfigMap::descriptor();
  const auto& service = kube::core::v1::Service::descriptor();
  const auto& deployment = kube::apps::v1::Deployment::descriptor();
  const auto& role = kube::rbac::v1::Role::descriptor();
  const std::string pod_head = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},)";
  const std::string map_head = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},)";
  return {
      {"unknown at the top", map, kJsonType, map_head + R"("dat":{"a":"b"}})"},
      {"unknown in a nested object", pod, kJsonType,
       pod_head +
           R"("spec":{"containers":[{"name":"c","image":"i"}],"securityContext":{"runAsUsr":1}}})"},
      {"unknown in a list's second item", pod, kJsonType,
       pod_head +
           R"("spec":{"containers":[{"name":"c","image":"i"},{"name":"d","imagePolicy":"i"}]}})"},
      {"unknown six levels down", deployment, kJsonType,
       R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{"a":"b"}},)"
       R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i","ports":[{"containerPort":1},{"containerPort":2,"portName":"p"}]}]}}}})"},
      {"unknown in the metadata", map, kJsonType,
       R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","label":{"a":"b"}}})"},
      {"unknown in an owner reference", map, kJsonType,
       R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","owner":true}]}})"},
      {"another case", pod, kJsonType,
       pod_head +
           R"("spec":{"Containers":[],"containers":[{"name":"c","Image":"i","image":"i"}],"nodename":"n"}})"},
      {"unknown, null", map, kJsonType, map_head + R"("foo":null})"},
      {"unknown with unknowns and duplicates inside", map, kJsonType,
       map_head + R"("foo":{"bar":{"baz":1,"baz":2}}})"},
      {"a name that has to be quoted", map, kJsonType,
       map_head + R"("a\"b\\c":1,"tab\there":2,"d.e[0]":3,"ü€😀":4,"":5,"\u0000\u200b":6})"},
      {"kind and apiVersion where they are none", pod, kJsonType,
       pod_head +
           R"("spec":{"kind":"PodSpec","apiVersion":"v1","containers":[{"name":"c","image":"i"}]}})"},
      {"duplicate at the top", map, kJsonType, map_head + R"("immutable":false,"immutable":true})"},
      {"duplicate kind", map, kJsonType, map_head + R"("kind":"ConfigMap"})"},
      {"duplicate in the metadata", map, kJsonType,
       R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","name":"y"}})"},
      {"duplicate in a map of strings", map, kJsonType,
       map_head + R"("data":{"a":"1","b":"2","a":"3"}})"},
      {"duplicate label, thrice", map, kJsonType,
       R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","labels":{"a":"1","a":"2","a":"3"}}})"},
      {"duplicate in a list's item", service, kJsonType,
       R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"x"},"spec":{"ports":[{"port":1,"name":"a"},{"port":2,"name":"b","port":3}]}})"},
      {"duplicate by escape, and null first", map, kJsonType,
       R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":null,"\u006eame":"x"},"data":{"a":null,"\u0061":"1"}})"},
      {"duplicate objects, merged", pod, kJsonType,
       pod_head +
           R"("spec":{"containers":[{"name":"c","image":"i"}]},"spec":{"nodeName":"n","foo":1},"metadata":{"foo":1}})"},
      {"several at once, in their order", pod, kJsonType,
       R"({"x":1,"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","foo":1,"name":"b"},)"
       R"("spec":{"containers":[{"name":"c","image":"i","Image":"x"}],"nodeselector":{}},"status":{"fase":"?"},"x":2})"},
      {"a hundred and twenty", map, kJsonType, many_unknown()},
      {"unknown in a list of rules", role, kJsonType,
       R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"x"},"rules":[{"verbs":["get"],"resources":["pods"],"apiGroups":[""],"resource":"pods"}]})"},
      {"YAML, unknown", map, kYamlType,
       "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  zoo: 1\n  foo: 1\nbar: {}\n"},
      {"YAML, duplicate", map, kYamlType,
       "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: b\n  c: d\n  a: e\n"},
      {"YAML, duplicates and unknowns", pod, kYamlType,
       "apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\n  labels: {a: b, a: c}\n  name: z\nspec:\n"
       "  containers:\n  - name: c\n    image: i\n    imag: i\n  hostNetwork: no\n  hostNetwork:\n "
       "   off\nfoo: 1\n"},
      {"YAML, a key that is a boolean", map, kYamlType,
       "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ny: 1\nyes: 2\n1: 3\n"},
      {"JSON sent as YAML", map, kYamlType,
       map_head + "\n\"dat\":{},\n\"data\":{\"a\":\"b\",\n\"a\":\"c\"}}"},
  };
}

class StrictFieldsScenario : public Scenario {
 protected:
  kube::Result<kube::transport::HttpResponse> post(const WrongObject& wrong) {
    kube::Request request;
    request.verb = "create";
    request.method = "POST";
    request.path = kube::ResourcePath{.resource = kube::meta::resource_of(wrong.type),
                                      .namespace_ = namespace_}
                       .to_path()
                       .value();
    request.query = {{"fieldValidation", "Strict"}};
    request.body = wrong.body;
    request.content_type = wrong.media_type;
    return client_.rest().send(request, {});
  }
};

template <class T>
std::string error_of(const WrongObject& wrong) {
  T value;
  const auto read = wrong.media_type == kYamlType
                        ? kube::meta::read_yaml(wrong.body, wrong.type, &value, {.strict = true})
                        : kube::meta::read_json(wrong.body, wrong.type, &value, {.strict = true});
  return read ? "no error" : read.error().to_string();
}

// What our reader says.
std::string local_error(const WrongObject& wrong) {
  if (&wrong.type == &kube::core::v1::Pod::descriptor())
    return error_of<kube::core::v1::Pod>(wrong);
  if (&wrong.type == &kube::core::v1::Service::descriptor())
    return error_of<kube::core::v1::Service>(wrong);
  if (&wrong.type == &kube::apps::v1::Deployment::descriptor())
    return error_of<kube::apps::v1::Deployment>(wrong);
  if (&wrong.type == &kube::rbac::v1::Role::descriptor())
    return error_of<kube::rbac::v1::Role>(wrong);
  return error_of<kube::core::v1::ConfigMap>(wrong);
}

TEST_F(StrictFieldsScenario, TheServersWordsAreThoseOfOurReader) {
  int same = 0;
  const std::vector<WrongObject> all = wrong_objects();
  for (const WrongObject& wrong : all) {
    const std::string ours = local_error(wrong);
    EXPECT_THAT(ours, testing::StartsWith("strict decoding error: ")) << wrong.what;
    const auto answer = post(wrong);
    if (answer) {
      ADD_FAILURE() << wrong.what << ": created, though we say: " << ours;
      continue;
    }
    EXPECT_EQ(answer.error().http_status(), 400) << wrong.what;
    EXPECT_TRUE(kube::is_bad_request(answer.error())) << wrong.what;
    const std::string kind(wrong.type.kind);
    const std::string expected = kind + " in version \"" + std::string(wrong.type.version) +
                                 "\" cannot be handled as a " + kind + ": " + ours;
    EXPECT_EQ(answer.error().message(), expected) << wrong.what;
    if (answer.error().message() == expected) ++same;
  }
  std::cout << same << " of " << all.size() << " strict messages are the same on "
            << (on_real_server() ? "a real server" : "the embedded server")
            << " and in our reader\n";
}

TEST_F(StrictFieldsScenario, ValuesOfAWrongTypeAreRefusedBeforeFieldsCount) {
  for (
      const std::string_view body :
      {R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":5},"foo":1})",
       R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"a":true,"a":"b"}})",
       R"({"apiVersion":"v1","kind":"ConfigMap","metadata":[],"foo":1})",
       R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"immutable":"yes","x":1})",
       R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"binaryData":{"a":"?"},"x":1})"}) {
    const WrongObject wrong{"", kube::core::v1::ConfigMap::descriptor(), kJsonType,
                            std::string(body)};
    EXPECT_THAT(local_error(wrong), testing::Not(testing::HasSubstr("strict"))) << body;
    const auto answer = post(wrong);
    ASSERT_FALSE(answer) << body;
    EXPECT_TRUE(kube::is_bad_request(answer.error())) << answer.error().to_string();
    EXPECT_THAT(answer.error().message(), testing::Not(testing::HasSubstr("strict decoding")))
        << body;
  }
}

TEST_F(StrictFieldsScenario, WhatOurReaderTakesTheServerTakes) {
  const WrongObject right{
      "", kube::core::v1::ConfigMap::descriptor(), kJsonType,
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"right","annotations":{"any":"key"}},"data":{"any":"key"}})"};
  EXPECT_EQ(local_error(right), "no error");
  EXPECT_TRUE(post(right));
}

}  // namespace
}  // namespace scenarios
