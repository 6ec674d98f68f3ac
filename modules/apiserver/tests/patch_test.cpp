// SPDX-License-Identifier: Apache-2.0
//
// Chapter 9.5 of the reference: patch.
#include <thread>

#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PatchVerb : public ServerTest {
 protected:
  Answer json_patch(std::string_view target, std::string_view patch) {
    return call("PATCH", target, patch, {{"Content-Type", "application/json-patch+json"}});
  }
  Answer strategic(std::string_view target, std::string_view patch) {
    return call("PATCH", target, patch,
                {{"Content-Type", "application/strategic-merge-patch+json"}});
  }
  const std::string item_ = std::string(kConfigMaps) + "/a";
};

TEST_F(PatchVerb, API_084_MergePatchSetsAndRemoves) {
  make_config_map("a", R"({"a":"1","c":"3"})");
  const Answer answer = merge(item_, R"({"data":{"a":null,"b":"1"}})");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.at({"data", "a"}), IsEmpty());
  EXPECT_EQ(answer.at({"data", "b"}), "1");
  EXPECT_EQ(answer.at({"data", "c"}), "3");
}

TEST_F(PatchVerb, API_085_JsonPatchAddsReplacesRemovesAndTests) {
  make_config_map("a", R"({"a":"1","b":"2"})");
  const Answer answer = json_patch(item_, R"([
    {"op":"test","path":"/data/a","value":"1"},
    {"op":"add","path":"/data/c","value":"3"},
    {"op":"replace","path":"/data/a","value":"4"},
    {"op":"remove","path":"/data/b"}])");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.at({"data"}), R"({"a":"4","c":"3"})");
}

TEST_F(PatchVerb, API_086_JsonPatchThatDoesNotFitIsInvalid) {
  make_config_map("a", R"({"a":"1"})");
  const Answer test = json_patch(item_, R"([{"op":"test","path":"/data/a","value":"2"}])");
  expect_status(test, 422, "Invalid");
  expect_status(json_patch(item_, R"([{"op":"remove","path":"/data/zz"}])"), 422, "Invalid");
}

TEST_F(PatchVerb, API_087_JsonPatchAppendsToAnArray) {
  make_config_map("a", "{}", "t", R"("finalizers":["x.io/a"])");
  const Answer answer =
      json_patch(item_, R"([{"op":"add","path":"/metadata/finalizers/-","value":"x.io/b"}])");
  EXPECT_EQ(answer.at({"metadata", "finalizers"}), R"(["x.io/a","x.io/b"])");
}

TEST_F(PatchVerb, API_088_TooManyOperationsAreTooLarge) {
  make_config_map("a");
  std::string patch = "[";
  for (int i = 0; i < 10'001; ++i) {
    if (i != 0) patch += ',';
    patch += R"({"op":"test","path":"/kind","value":"ConfigMap"})";
  }
  expect_status(json_patch(item_, patch + "]"), 413, "RequestEntityTooLarge");
}

TEST_F(PatchVerb, API_089_BodyThatIsNoJsonIsABadRequest) {
  make_config_map("a");
  expect_status(merge(item_, "{"), 400, "BadRequest");
  expect_status(merge(item_, "[]"), 400, "BadRequest");
  expect_status(json_patch(item_, "{}"), 400, "BadRequest");
  expect_status(json_patch(item_, "[1]"), 400, "BadRequest");
}

TEST_F(PatchVerb, API_090_OfAMissingObjectIsNotFound) {
  expect_status(merge(item_, "{}"), 404, "NotFound");
  expect_status(strategic(item_, "{}"), 404, "NotFound");
  expect_status(json_patch(item_, "[]"), 404, "NotFound");
}

TEST_F(PatchVerb, API_091_WithAStaleRevisionIsAConflict) {
  const Answer made = make_config_map("a");
  merge(item_, R"({"data":{"k":"1"}})");
  expect_status(
      merge(item_, R"({"metadata":{"resourceVersion":")" +
                       made.at({"metadata", "resourceVersion"}) + R"("},"data":{"k":"2"}})"),
      409, "Conflict");
  EXPECT_EQ(
      merge(item_, R"({"metadata":{"resourceVersion":")" + revision() + R"("},"data":{"k":"2"}})")
          .status,
      200);
}

TEST_F(PatchVerb, API_092_ParallelPatchesOfDistinctKeysAllSucceed) {
  make_config_map("a");
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < 20; ++i) {
      writers.emplace_back([this, i] {
        const std::string patch = R"({"data":{"k)" + std::to_string(i) + R"(":"v"}})";
        EXPECT_EQ(
            HttpClient(port())
                .send("PATCH", item_, patch, {{"Content-Type", "application/merge-patch+json"}})
                .status,
            200);
      });
    }
  }
  const json::Value item = get(item_).json();
  EXPECT_EQ(item.at_path({"data"})->if_object()->size(), 20U);
}

TEST_F(PatchVerb, API_093_WithoutAChangeWritesNothing) {
  const Answer made = make_config_map("a", R"({"k":"v"})");
  WatchClient watch(port(), std::string(kConfigMaps) + "?watch=true&resourceVersion=" + revision());
  const Answer answer = merge(item_, R"({"data":{"k":"v"}})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, made.body);
  make_config_map("fence");
  EXPECT_EQ(watch.next_text(), "ADDED fence");
}

TEST_F(PatchVerb, API_094_UnknownPatchTypeIsRefused) {
  make_config_map("a");
  const Answer answer = call("PATCH", item_, "{}", {{"Content-Type", "application/json"}});
  expect_status(answer, 415, "UnsupportedMediaType");
  EXPECT_EQ(answer.at({"message"}), "415: Unsupported Media Type");
}

TEST_F(PatchVerb, API_104_NameAndKindCanNotBePatched) {
  make_config_map("a");
  for (const std::string_view patch :
       {R"({"metadata":{"name":"b"}})", R"({"metadata":{"namespace":"default"}})"}) {
    expect_status(merge(item_, patch), 400, "BadRequest");
  }
  for (const std::string_view patch : {R"({"kind":"Secret"})", R"({"apiVersion":"v2"})"}) {
    const Answer refused = merge(item_, patch);
    expect_status(refused, 422, "Invalid");
    EXPECT_EQ(first_cause(refused), "FieldValueInvalid patch");
    EXPECT_EQ(strategic(item_, patch).status, 200) << "it has no kind there";
  }
}

// In the following tests is what kube-apiserver 1.37.1 answers.

TEST_F(PatchVerb, API_085_AMissingMemberOfAJsonPatchIsNull) {
  make_config_map("a", R"({"a":"1"})");
  EXPECT_EQ(json_patch(item_, R"([{"op":"replace","path":"/data/b","value":"2"}])").at({"data"}),
            R"({"a":"1","b":"2"})");
  EXPECT_EQ(json_patch(item_, R"([{"op":"test","path":"/data/c","value":null},
                                  {"op":"copy","from":"/nope","path":"/data"}])")
                .at({"data"}),
            "");
}

TEST_F(PatchVerb, API_086_TheReasonOfAJsonPatchThatDoesNotFitIsNotTold) {
  make_config_map("a", R"({"a":"1"})");
  for (const std::string_view patch :
       {R"([{"op":"test","path":"/data/a","value":"2"}])", R"([{"op":"remove","path":"/x"}])",
        R"([{"op":"odd","path":"/x"}])", R"([{"op":"add","path":"","value":{}}])", "[null]"}) {
    const Answer refused = json_patch(item_, patch);
    expect_status(refused, 422, "Invalid");
    EXPECT_EQ(refused.at({"message"}),
              "the server rejected our request due to an error in our request");
    EXPECT_EQ(refused.at({"details"}), "{}");
  }
}

TEST_F(PatchVerb, API_089_PatchesOfAnotherFormAreNamedAsGoNamesThem) {
  make_config_map("a", R"({"a":"1"})");
  const std::string cannot = "error decoding patch: json: cannot unmarshal ";
  EXPECT_EQ(json_patch(item_, "{}").at({"message"}),
            cannot + "object into Go value of type []handlers.jsonPatchOp");
  EXPECT_EQ(json_patch(item_, "[1]").at({"message"}),
            cannot + "number into Go value of type handlers.jsonPatchOp");
  EXPECT_EQ(json_patch(item_, R"([{"op":1}])").at({"message"}),
            cannot + "number into Go struct field jsonPatchOp.op of type string");
  EXPECT_EQ(merge(item_, "5").at({"message"}),
            cannot + "number into Go value of type map[string]interface {}");
  EXPECT_EQ(merge(item_, "null").at({"message"}), "Invalid JSON Patch");
  EXPECT_EQ(merge(item_, "{").at({"message"}), "invalid JSON patch");
  EXPECT_EQ(strategic(item_, "[]").at({"message"}),
            "json: cannot unmarshal array into Go value of type map[string]interface {}");
  EXPECT_EQ(strategic(item_, "null").at({"data"}), R"({"a":"1"})");
  expect_status(json_patch(std::string(kConfigMaps) + "/none", "{}"), 404, "NotFound");
}

TEST_F(PatchVerb, API_086_WhatAPatchMakesHasToBeTheKind) {
  make_config_map("a", R"({"a":"1"})");
  const Answer odd = merge(item_, R"({"metadata":5})");
  expect_status(odd, 422, "Invalid");
  EXPECT_EQ(
      odd.at({"message"}),
      R"( "" is invalid: patch: Invalid value: "{\"apiVersion\":\"v1\",\"data\":{\"a\":\"1\"},)"
      R"(\"kind\":\"ConfigMap\",\"metadata\":5}": json: cannot unmarshal number into Go struct )"
      R"(field ConfigMap.metadata of type v1.ObjectMeta)");
  EXPECT_EQ(
      json_patch(item_, R"([{"op":"replace","path":"","value":[]}])").at({"message"}),
      R"( "" is invalid: patch: Invalid value: "[]": couldn't get version/kind; json parse )"
      R"(error: json: cannot unmarshal array into Go value of type struct { APIVersion string )"
      R"("json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" })");
  EXPECT_EQ(call("PATCH", item_ + "?fieldValidation=Strict", R"({"odd":1})",
                 {{"Content-Type", "application/strategic-merge-patch+json"}})
                .at({"message"}),
            R"( "" is invalid: patch: Invalid value: "map[odd:1]": strict decoding error: unknown )"
            R"(field "odd")");
}

TEST_F(PatchVerb, AResultThatDoesNotFitIsSortedWhereThePatchHasGone) {
  make_config_map("a", R"({"b":"1"})");
  const auto refused = [&](std::string_view patch, std::string_view type) {
    return call("PATCH", item_ + "?fieldValidation=Strict", patch,
                {{"Content-Type", std::string(type)}})
        .at({"message"});
  };
  EXPECT_THAT(refused(R"({"odd":1})", "application/merge-patch+json"),
              HasSubstr(R"("{\"apiVersion\":\"v1\",\"data\":{\"b\":\"1\"},\"kind\":\"ConfigMap\",)"
                        R"(\"metadata\":{\"name\":\"a\",\"namespace\":\"t\",\"uid\":)"));
  EXPECT_THAT(
      refused(R"([{"op":"add","path":"/metadata/odd","value":1}])", "application/json-patch+json"),
      HasSubstr(R"(\"metadata\":{\"creationTimestamp\":)"));
}

TEST_F(PatchVerb, API_108_ForceIsForApplyOnly) {
  make_config_map("a");
  expect_status(merge(item_ + "?force=true", "{}"), 422, "Invalid");
}

TEST_F(PatchVerb, API_110_API_134_FieldsThatComeTwiceAreTold) {
  make_config_map("a");
  const std::string patch = R"({"data":{"a":"b","a":"c"},"metadata":{"labels":{"l":"1","l":"2"}}})";
  for (const std::string_view type : {"merge-patch+json", "strategic-merge-patch+json"}) {
    const auto send = [&](std::string_view mode) {
      return call("PATCH", item_ + "?fieldValidation=" + std::string(mode), patch,
                  {{"Content-Type", "application/" + std::string(type)}});
    };
    const Answer strict = send("Strict");
    expect_status(strict, 422, "Invalid");
    EXPECT_EQ(first_cause(strict), "FieldValueInvalid patch");
    EXPECT_THAT(strict.at({"message"}),
                HasSubstr(R"(strict decoding error: duplicate field "data.a", )"
                          R"(duplicate field "metadata.labels.l")"));
    EXPECT_THAT(get(item_).at({"data", "a"}), IsEmpty());
    for (const std::string_view mode : {"", "Warn"}) {
      const Answer warned = send(mode);
      EXPECT_EQ(warned.status, 200) << warned.body;
      EXPECT_THAT(warned.header("warning"), HasSubstr(R"(299 - "duplicate field \"data.a\"")"));
    }
    const Answer ignored = send("Ignore");
    EXPECT_EQ(ignored.at({"data", "a"}), "c") << ignored.body;
    EXPECT_THAT(ignored.header("warning"), IsEmpty());
    EXPECT_EQ(merge(item_ + "?fieldValidation=Strict", R"({"data":null})").status, 200);
  }
}

TEST_F(PatchVerb, API_110_API_134_OperationsOfAJsonPatchAreCheckedAndThenItsResult) {
  post("/api/v1/namespaces/t/pods", pod("p"));
  const std::string target = "/api/v1/namespaces/t/pods/p?fieldValidation=";
  const std::string patch = R"([{"op":"add","path":"/spec/odd","value":1,"foo":2},
    {"op":"add","path":"/metadata/x","path":"/metadata/labels","value":{"a":"1","a":"2"}}])";
  const Answer strict = json_patch(target + "Strict", patch);
  expect_status(strict, 422, "Invalid");
  EXPECT_THAT(strict.at({"message"}),
              HasSubstr(R"(strict decoding error: json patch unknown field "[0].foo", )"
                        R"(json patch duplicate field "[1].path", )"
                        R"(json patch duplicate field "[1].value.a", unknown field "spec.odd")"));
  const Answer warned = json_patch(target, patch);
  EXPECT_EQ(warned.at({"metadata", "labels", "a"}), "2") << warned.body;
  EXPECT_THAT(warned.header("warning"),
              HasSubstr(R"(299 - "json patch unknown field \"[0].foo\"")"));
  EXPECT_THAT(warned.header("warning"), HasSubstr("spec.odd"));
  EXPECT_THAT(json_patch(target + "Ignore", patch).header("warning"), IsEmpty());
}

TEST_F(PatchVerb, StatusOfAPodCanBePatched) {
  post("/api/v1/namespaces/t/pods", pod("p"));
  const Answer answer = merge("/api/v1/namespaces/t/pods/p/status",
                              R"({"status":{"phase":"Running"},"spec":{"nodeName":"n"}})");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.at({"status", "phase"}), "Running");
  EXPECT_THAT(answer.at({"spec", "nodeName"}), IsEmpty());
}

TEST_F(PatchVerb, StrategicMergeOfAKindWithoutDescriptorIsAMergePatch) {
  const std::string classes = "/apis/networking.k8s.io/v1/ingressclasses";
  post(classes, R"({"metadata":{"name":"c"},"spec":{"controller":"x.io/y"}})");
  const Answer answer = strategic(
      classes + "/c",
      R"({"metadata":{"labels":{"a":"b"}},"spec":{"$retainKeys":["controller"],"controller":"x.io/y"}})");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.at({"metadata", "labels", "a"}), "b");
  EXPECT_EQ(answer.at({"spec"}), R"({"controller":"x.io/y"})");
}

TEST_F(PatchVerb, WhatAStrategicMergeCanNotDoIsToldInGosWords) {
  make_config_map("a", R"({"k":"v"})");
  const auto refused = [&](std::string_view patch, int code) {
    const Answer answer = strategic(item_, patch);
    EXPECT_EQ(answer.status, code) << answer.body;
    return answer.at({"message"});
  };
  EXPECT_EQ(
      refused(R"({"metadata":{"labels":"y"}})", 422),
      R"( "" is invalid: patch: Invalid value: "map[metadata:map[labels:y]]": cannot restore )"
      "map from string");
  EXPECT_THAT(refused(R"({"metadata":{"finalizers":{}}})", 422),
              ::testing::EndsWith("cannot restore slice from map"));
  EXPECT_THAT(refused(R"({"data":{"a":1}})", 422),
              ::testing::EndsWith("cannot convert int64 to string"));
  EXPECT_THAT(refused(R"({"immutable":"x"})", 422), ::testing::EndsWith("unrecognized type: bool"));
  EXPECT_EQ(refused(R"({"data":{"$patch":"put"}})", 500),
            "unknown patch type: put in map: map[$patch:put]");
  EXPECT_EQ(refused(R"({"metadata":{"$setElementOrder/finalizers":1}})", 500),
            "expected a list, but received a number");
}

class StrategicMerge : public PatchVerb {
 protected:
  void SetUp() override {
    PatchVerb::SetUp();
    ASSERT_EQ(post("/apis/apps/v1/namespaces/t/deployments", R"({
      "metadata":{"name":"d","finalizers":["x.io/a","x.io/b"],"labels":{"l":"1"}},
      "spec":{"selector":{"matchLabels":{"a":"b"}},
              "template":{"metadata":{"labels":{"a":"b"}},
                "spec":{"containers":[{"name":"c","image":"i"},{"name":"d","image":"j"}],
                        "nodeSelector":{"x":"1","y":"2"},
                        "tolerations":[{"key":"k"}]}}}})")
                  .status,
              201);
  }
  Answer patch_pod(std::string_view spec) {
    return strategic(deployment_, R"({"spec":{"template":{"spec":)" + std::string(spec) + "}}}");
  }
  static std::string images(const Answer& answer) {
    std::string out;
    const json::Value content = answer.json();
    for (const json::Value& container :
         *content.at_path({"spec", "template", "spec", "containers"})->if_array()) {
      out += text_at_path(container, {"name"}) + "=" + text_at_path(container, {"image"}) + " ";
    }
    return out;
  }
  const std::string deployment_ = "/apis/apps/v1/namespaces/t/deployments/d";
};

TEST_F(StrategicMerge, API_095_API_096_API_100_ContainersAreMergedByName) {
  EXPECT_EQ(images(patch_pod(R"({"containers":[{"name":"c","image":"x"}]})")), "c=x d=j ");
  EXPECT_EQ(images(patch_pod(R"({"$setElementOrder/containers":[{"name":"d"},{"name":"c"}]})")),
            "d=j c=x ");
  EXPECT_EQ(images(patch_pod(R"({"containers":[{"name":"d","$patch":"delete"}]})")), "c=x ");
}

TEST_F(StrategicMerge, API_097_API_101_API_102_MapsMergeAndOtherListsAreReplaced) {
  const Answer merged =
      patch_pod(R"({"nodeSelector":{"x":null,"z":"3"},"tolerations":[{"key":"m"}]})");
  EXPECT_EQ(merged.at({"spec", "template", "spec", "nodeSelector"}), R"({"y":"2","z":"3"})");
  EXPECT_EQ(merged.at({"spec", "template", "spec", "tolerations"}), R"([{"key":"m"}])");
  const Answer replaced = patch_pod(R"({"nodeSelector":{"$patch":"replace","only":"4"}})");
  EXPECT_EQ(replaced.at({"spec", "template", "spec", "nodeSelector"}), R"({"only":"4"})");
}

TEST_F(StrategicMerge, API_098_RetainKeysClearsTheOthers) {
  EXPECT_NE(get(deployment_).at({"spec", "strategy", "rollingUpdate", "maxSurge"}), "");
  const Answer answer =
      strategic(deployment_, R"({"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}})");
  EXPECT_EQ(answer.at({"spec", "strategy"}), R"({"type":"Recreate"})") << answer.body;
}

TEST_F(StrategicMerge, DirectivesOfWhatIsAddedAreUnknownFields) {
  const std::string patch = R"({"spec":{"template":{"spec":{"volumes":[
      {"name":"v","$retainKeys":["name","emptyDir"],"emptyDir":{}}]}}}})";
  const Answer added = strategic(deployment_, patch);
  EXPECT_EQ(added.header("warning"),
            R"(299 - "unknown field \"spec.template.spec.volumes[0].$retainKeys\"")");
  EXPECT_EQ(added.at({"spec", "template", "spec", "volumes"}), R"([{"name":"v","emptyDir":{}}])");
  EXPECT_EQ(strategic(deployment_, patch).header("warning"), "") << "now it is merged";
}

TEST_F(StrategicMerge, API_099_ValuesOfAListOfWordsCanBeRemoved) {
  const Answer answer =
      strategic(deployment_, R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["x.io/a"]}})");
  EXPECT_EQ(answer.at({"metadata", "finalizers"}), R"(["x.io/b"])");
}

class Scale : public PatchVerb {
 protected:
  void SetUp() override {
    PatchVerb::SetUp();
    ASSERT_EQ(post("/apis/apps/v1/namespaces/t/deployments", R"({
      "metadata":{"name":"d"},
      "spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},
              "template":{"metadata":{"labels":{"a":"b"}},
                          "spec":{"containers":[{"name":"c","image":"i"}]}}}})")
                  .status,
              201);
  }
  const std::string deployment_ = "/apis/apps/v1/namespaces/t/deployments/d";
};

TEST_F(Scale, API_107_ShowsReplicasAndSelector) {
  const Answer scale = get(deployment_ + "/scale");
  EXPECT_EQ(scale.at({"kind"}), "Scale");
  EXPECT_EQ(scale.at({"apiVersion"}), "autoscaling/v1");
  EXPECT_EQ(scale.at({"spec", "replicas"}), "2");
  EXPECT_EQ(scale.at({"status", "selector"}), "a=b");
}

TEST_F(Scale, API_106_PatchChangesTheParentsReplicas) {
  const Answer scale = merge(deployment_ + "/scale", R"({"spec":{"replicas":3}})");
  EXPECT_EQ(scale.status, 200) << scale.body;
  EXPECT_EQ(scale.at({"spec", "replicas"}), "3");
  const Answer parent = get(deployment_);
  EXPECT_EQ(parent.at({"spec", "replicas"}), "3");
  EXPECT_EQ(parent.at({"metadata", "generation"}), "2");
}

TEST_F(Scale, PutHonoursTheParentsRevisionAndRefusesNegativeReplicas) {
  const json::Value scale = get(deployment_ + "/scale").json();
  expect_status(put(deployment_ + "/scale", with(scale, {"spec", "replicas"}, -1)), 422, "Invalid");
  EXPECT_EQ(put(deployment_ + "/scale", with(scale, {"spec", "replicas"}, 5)).status, 200);
  expect_status(put(deployment_ + "/scale", with(scale, {"spec", "replicas"}, 6)), 409, "Conflict");
  EXPECT_EQ(merge(deployment_ + "/scale", R"({"spec":{"replicas":0}})").at({"spec"}), "{}");
  const Answer odd = merge(deployment_ + "/scale", R"({"spec":{"replicas":"x"}})");
  expect_status(odd, 422, "Invalid");
  EXPECT_EQ(first_cause(odd), "FieldValueInvalid patch");
}

TEST_F(PatchVerb, ASelectorOfABudgetIsReplaced) {
  const std::string budgets = "/apis/policy/v1/namespaces/t/poddisruptionbudgets";
  post(
      budgets,
      R"({"metadata":{"name":"b"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"a":"b"}}}})");
  const Answer patched =
      strategic(budgets + "/b", R"({"spec":{"selector":{"matchLabels":{"c":"d"}}}})");
  EXPECT_EQ(patched.at({"spec", "selector", "matchLabels"}), R"({"c":"d"})");
}

TEST_F(PatchVerb, ANullInAListIsNothingInAMergePatchAndZeroInAStrategicOne) {
  const std::string ranges = "/api/v1/namespaces/t/limitranges";
  post(ranges,
       R"({"metadata":{"name":"r"},"spec":{"limits":[{"type":"Container","max":{"cpu":"2"}}]}})");
  const std::string patch =
      R"({"spec":{"limits":[{"type":"Container","max":{"cpu":null,"memory":"1Gi"}}]}})";
  EXPECT_THAT(merge(ranges + "/r", patch).body, HasSubstr(R"("max":{"memory":"1Gi"})"));
  EXPECT_THAT(strategic(ranges + "/r", patch).body,
              HasSubstr(R"("max":{"cpu":"0","memory":"1Gi"})"));
}

}  // namespace
}  // namespace kube::apiserver::test
