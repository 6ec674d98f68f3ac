// SPDX-License-Identifier: Apache-2.0
//
// Chapter 9.15 of the reference, and the behaviour of custom resources from other chapters.
#include "server_fixture.hpp"

#include <kube/testing/eventually.hpp>

namespace kube::apiserver::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

constexpr std::string_view kWidgetSpec = R"({"type":"object","properties":{
  "spec":{"type":"object","required":["replicas"],"properties":{
    "replicas":{"type":"integer","minimum":0,"maximum":10},
    "mode":{"type":"string","enum":["fast","slow"],"default":"slow"},
    "port":{"x-kubernetes-int-or-string":true},
    "big":{"type":"integer"},
    "tags":{"type":"array","maxItems":2,"items":{"type":"string","maxLength":3}},
    "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
    "labels":{"type":"object","additionalProperties":{"type":"string"}}}},
  "status":{"type":"object","properties":{"replicas":{"type":"integer"},"selector":{"type":"string"}}}}})";

std::string definition(std::string_view schema, std::string_view more = {}) {
  std::string out = R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"widgets.example.com"},
    "spec":{"group":"example.com","scope":"Namespaced",
      "names":{"plural":"widgets","kind":"Widget","shortNames":["wd"],"categories":["all"]},
      "versions":[{"name":"v1","served":true,"storage":true,
        "selectableFields":[{"jsonPath":".spec.mode"}],
        "subresources":{"status":{},"scale":{"specReplicasPath":".spec.replicas",
          "statusReplicasPath":".status.replicas","labelSelectorPath":".status.selector"}},
        "schema":{"openAPIV3Schema":)";
  out.append(schema).append("}}").append(more);
  return out + "]}}";
}

std::string widget(std::string_view name, std::string_view spec = R"({"replicas":1})",
                   std::string_view metadata = {}) {
  std::string out = R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":")";
  out.append(name).append("\"");
  if (!metadata.empty()) out.append(",").append(metadata);
  return out.append("},\"spec\":").append(spec).append("}");
}

class CustomResources : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    EXPECT_EQ(get(widgets_).status, 404);
    defined_ = post(kDefinitions, definition(kWidgetSpec));
    ASSERT_EQ(defined_.status, 201) << defined_.body;
  }
  Answer make(std::string_view name, std::string_view spec = R"({"replicas":1})") {
    Answer made = post(widgets_, widget(name, spec));
    EXPECT_EQ(made.status, 201) << made.body;
    return made;
  }
  const std::string widgets_ = "/apis/example.com/v1/namespaces/t/widgets";
  const std::string crd_ = std::string(kDefinitions) + "/widgets.example.com";
  Answer defined_;
};

// The definition of VolumeSnapshots has both; on a real server the extension wins.
TEST_F(CustomResources, ATypeBesideIntOrStringIsNothing) {
  const std::string other =
      R"({"metadata":{"name":"snaps.example.com"},"spec":{"group":"example.com",)"
      R"("scope":"Namespaced","names":{"plural":"snaps","kind":"Snap"},)"
      R"("versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)"
      R"({"type":"object","properties":{"size":{"type":"string","default":1,)"
      R"("x-kubernetes-int-or-string":true,"pattern":"^[0-9]+$"}}}}}]}})";
  const Answer made = post(kDefinitions, other);
  ASSERT_EQ(made.status, 201) << made.body;
  for (const std::string_view size : {"7", R"("7")"}) {
    const Answer snap = post("/apis/example.com/v1/namespaces/t/snaps",
                             R"({"apiVersion":"example.com/v1","kind":"Snap","metadata":{)"
                             R"("generateName":"s-"},"size":)" +
                                 std::string(size) + "}");
    EXPECT_EQ(snap.status, 201) << snap.body;
  }
}

TEST_F(CustomResources, DefinitionsOfTheCommunitySayWhoApprovedThem) {
  const auto condition_of = [&](const std::string& group, const std::string& approval) {
    json::Value made = *json::parse(definition(kWidgetSpec));
    made.ensure_path({"metadata", "name"}) = "widgets." + group;
    made.ensure_path({"metadata", "annotations", "api-approved.kubernetes.io"}) = approval;
    made.ensure_path({"spec", "group"}) = group;
    EXPECT_EQ(post(kDefinitions, json::dump(made)).status, 201);
    return get(std::string(kDefinitions) + "/widgets." + group).at({"status", "conditions"});
  };
  EXPECT_THAT(condition_of("a.k8s.io", "https://example.com/1"),
              AllOf(HasSubstr(R"("reason":"ApprovedAnnotation")"),
                    HasSubstr(R"("message":"approved in https://example.com/1")")));
  EXPECT_THAT(condition_of("b.k8s.io", "unapproved, a test"),
              AllOf(HasSubstr(R"("status":"False")"),
                    HasSubstr(R"(not approved: \"unapproved, a test\")")));
  EXPECT_THAT(condition_of("c.example.com", "https://example.com/1"),
              Not(HasSubstr("KubernetesAPIApprovalPolicyConformant")));
}

TEST_F(CustomResources, API_308_DefinitionsAreEstablishedAtOnce) {
  // By a write of the server after that of the client.
  EXPECT_THAT(defined_.body, HasSubstr("\"conditions\":null"));
  EXPECT_EQ(defined_.at({"status", "acceptedNames"}), R"({"plural":"","kind":""})");
  const Answer established = get(crd_);
  EXPECT_NE(established.at({"metadata", "resourceVersion"}),
            defined_.at({"metadata", "resourceVersion"}));
  EXPECT_EQ(established.at({"metadata", "generation"}), "1");
  EXPECT_EQ(established.at({"metadata", "finalizers"}), "");
  EXPECT_EQ(established.at({"status", "acceptedNames", "plural"}), "widgets");
  const std::string conditions = established.at({"status", "conditions"});
  EXPECT_THAT(conditions, HasSubstr(R"("type":"NamesAccepted","status":"True")"));
  EXPECT_THAT(conditions, HasSubstr(R"("type":"Established","status":"True")"));
  EXPECT_EQ(defined_.at({"spec", "names", "listKind"}), "WidgetList");
  EXPECT_EQ(defined_.at({"spec", "names", "singular"}), "widget");
}

TEST_F(CustomResources, NamesOfDefinitionsAreCheckedOnce) {
  const Answer changed = put(crd_, with(get(crd_).json(), {"spec", "group"}, "other.com"));
  expect_status(changed, 422, "Invalid");
  EXPECT_EQ(changed.at({"message"}).find("must be spec.names.plural"), std::string::npos);
  EXPECT_EQ(changed.at({"message"}).find("storedVersions: "), std::string::npos);
}

TEST_F(CustomResources, UnknownFieldsAreToldInOrder) {
  const Answer made = post(widgets_, R"({"apiVersion":"example.com/v1","kind":"Widget",)"
                                     R"("metadata":{"name":"w"},"spec":{"y":1,"b":1},"odd":1})");
  EXPECT_EQ(made.header("warning"),
            R"(299 - "unknown field \"odd\"", 299 - "unknown field \"spec.b\"", )"
            R"(299 - "unknown field \"spec.y\"")");
}

TEST_F(CustomResources, FieldsOfAnotherVersionAreLookedAtBeforeItIsRefused) {
  const std::string of_version = R"({"apiVersion":"example.com/v2","kind":"Widget",
      "metadata":{"name":"w"},"spec":{"replicas":1},"odd":1})";
  const Answer refused = post(widgets_, of_version);
  expect_status(refused, 400, "BadRequest");
  EXPECT_EQ(refused.header("warning"),
            R"(299 - "unknown field \"odd\"", 299 - "unknown field \"spec\"")");
  EXPECT_THAT(post(widgets_ + "?fieldValidation=Strict", of_version).at({"message"}),
              HasSubstr(R"(in version "v2" cannot be handled as a Widget: strict decoding error: )"
                        R"(unknown field "odd", unknown field "spec")"));
  EXPECT_EQ(post(widgets_ + "?fieldValidation=Ignore", of_version).header("warning"), "");
  const Answer of_kind = post(widgets_, R"({"apiVersion":"example.com/v1","kind":"Other",
      "metadata":{"name":"w","odd":1},"spec":{"odd":1}})");
  expect_status(of_kind, 422, "Invalid");
  EXPECT_EQ(of_kind.header("warning"), R"(299 - "unknown field \"metadata.odd\"")");
}

TEST_F(CustomResources, WatchesBeginWhenTheDefinitionIsEstablished) {
  const std::string first = defined_.at({"metadata", "resourceVersion"});
  const auto watch_from = [&](const std::string& version) {
    WatchClient watch(port(), widgets_ + "?watch=true&resourceVersion=" + version);
    const auto event = watch.next();
    return event ? text_at_path(*event, {"type"}) + " " + text_at_path(*event, {"object", "reason"})
                 : "none";
  };
  const std::string established = get(crd_).at({"metadata", "resourceVersion"});
  ASSERT_NE(first, established);
  make("w");
  EXPECT_EQ(watch_from(first), "ERROR Expired");
  EXPECT_EQ(watch_from(established), "ADDED ");
  json::Value changed = get(crd_).json();
  changed.ensure_path({"spec", "names", "shortNames"}) = json::Array{"wi"};
  ASSERT_EQ(put(crd_, changed).status, 200);
  EXPECT_EQ(watch_from(established), "ADDED ") << "of the same definition";
}

TEST_F(CustomResources, EmptyMembersOfADefinitionAreSeen) {
  const std::string schema =
      R"({"type":"object","properties":{"spec":{"type":"object","dependencies":{}}}})";
  const Answer refused = post(std::string(kDefinitions), definition(schema));
  EXPECT_EQ(first_cause(refused),
            "FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].dependencies");
  const json::Value none =
      with(*json::parse(definition(kWidgetSpec)), {"spec", "versions"}, json::Array{});
  EXPECT_THAT(post(kDefinitions, json::dump(none)).body,
              HasSubstr("Invalid value: []: must have exactly one version"));
}

TEST_F(CustomResources, PatternsThatAreNoneOrTooLargeAreRefused) {
  const auto create = [&](const std::string& pattern) {
    return put(
        crd_,
        with(get(crd_).json(), {"spec", "versions"},
             json::Array{json::Object{
                 {"name", "v1"},
                 {"served", true},
                 {"storage", true},
                 {"schema",
                  json::Object{{"openAPIV3Schema",
                                json::Object{{"type", "object"},
                                             {"properties",
                                              json::Object{{"a", json::Object{{"type", "string"},
                                                                              {"pattern",
                                                                               pattern}}}}}}}}}}}));
  };
  const Answer none = create("(a");
  expect_status(none, 422, "Invalid");
  EXPECT_THAT(
      none.body,
      HasSubstr(
          R"(spec.validation.openAPIV3Schema.properties[a].pattern: Invalid value: \"(a\": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(a`)"));
  expect_status(create(std::string(20000, '(') + std::string(20000, ')')), 422, "Invalid");
  const Answer good = create("(?i)^[a-z]+$");
  EXPECT_EQ(good.status, 200) << good.body;
}

TEST_F(CustomResources, API_309_AllVerbsWork) {
  WatchClient watch(port(), widgets_ + "?watch=true");
  const Answer made = make("w");
  EXPECT_EQ(get(widgets_ + "/w").body, made.body);
  const Answer list = get(widgets_);
  EXPECT_EQ(list.at({"kind"}), "WidgetList");
  EXPECT_EQ(list.at({"apiVersion"}), "example.com/v1");
  const Answer changed = put(widgets_ + "/w", with(made.json(), {"spec", "replicas"}, 2));
  EXPECT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(remove(widgets_ + "/w").status, 200);
  EXPECT_EQ(watch.next_text(), "ADDED w");
  EXPECT_EQ(watch.next_text(), "MODIFIED w");
  EXPECT_EQ(watch.next_text(), "DELETED w");
}

TEST_F(CustomResources, API_310_DiscoveryShowsThemUntilTheDefinitionGoes) {
  EXPECT_THAT(get("/apis").body, HasSubstr("example.com/v1"));
  EXPECT_THAT(
      get("/apis/example.com/v1").body,
      HasSubstr(R"("name":"widgets","singularName":"widget","namespaced":true,"kind":"Widget")"));
  EXPECT_THAT(get("/openapi/v3").body, HasSubstr("apis/example.com/v1"));
  EXPECT_THAT(get("/openapi/v3/apis/example.com/v1").body, HasSubstr("\"replicas\""));
  WatchClient watch(port(),
                    std::string(kDefinitions) + "?watch=true&resourceVersion=" + revision());
  EXPECT_EQ(remove(crd_).status, 200);
  EXPECT_EQ(watch.next_text(), "MODIFIED widgets.example.com");
  EXPECT_EQ(watch.next_text(), "DELETED widgets.example.com");
  // Another thread does this after the event.
  EXPECT_TRUE(kube::testing::eventually([&] { return get(widgets_).status == 404; }));
  EXPECT_THAT(get("/apis").body, Not(HasSubstr("example.com")));
  EXPECT_THAT(get("/openapi/v3").body, Not(HasSubstr("example.com")));
  EXPECT_EQ(get("/openapi/v3/apis/example.com/v1").status, 404);
}

TEST_F(CustomResources, API_311_API_312_BadDefinitionsAreInvalid) {
  const json::Value good = *json::parse(definition(kWidgetSpec));
  const auto create = [&](const json::Value& body) { return post(kDefinitions, json::dump(body)); };
  const Answer name = create(with(good, {"metadata", "name"}, "gadgets.example.com"));
  expect_status(name, 422, "Invalid");
  EXPECT_EQ(first_cause(name), "FieldValueInvalid metadata.name");

  remove(crd_);
  json::Value two = good;
  json::Array& versions = *two.ensure_path({"spec", "versions"}).if_array();
  versions.push_back(with(versions[0], {"name"}, "v2"));
  expect_status(create(two), 422, "Invalid");
  json::Value none = good;
  none.ensure_path({"spec", "versions"}).if_array()->front().if_object()->set("storage", false);
  expect_status(create(none), 422, "Invalid");
  json::Value loose = good;
  loose.ensure_path({"spec", "versions"})
      .if_array()
      ->front()
      .ensure_path({"schema", "openAPIV3Schema"}) =
      *json::parse(R"({"type":"object","properties":{"spec":{"properties":{}}}})");
  const Answer structural = create(loose);
  expect_status(structural, 422, "Invalid");
  EXPECT_THAT(first_cause(structural), HasSubstr("openAPIV3Schema.properties[spec].type"));
  expect_status(create(with(good, {"spec", "scope"}, "Nowhere")), 422, "Invalid");
  // A document that does not fit the type is refused before definitions are validated.
  expect_status(create(*json::parse(R"({"metadata":{"name":"x"},"spec":5})")), 400, "BadRequest");
}

TEST_F(CustomResources, API_314_UnknownFieldsArePrunedUnlessKept) {
  const Answer made =
      make("w", R"({"replicas":1,"unknown":1,"free":{"any":{"thing":1}},"labels":{"a":"b"}})");
  EXPECT_THAT(made.at({"spec", "unknown"}), IsEmpty());
  EXPECT_EQ(made.at({"spec", "free", "any", "thing"}), "1");
  EXPECT_EQ(made.at({"spec", "labels", "a"}), "b");
}

TEST_F(CustomResources, API_131_API_132_API_134_StrictReadingNamesAllProblems) {
  const std::string body = widget(
      "w",
      R"({"replicas":0,"replicas":1,"odd":1,"free":{"a":1,"a":2},"mode":"slow","mode":"fast"})",
      R"("labelz":{"a":"b"},"labels":{"l":"1","l":"2"},"ownerReferences":[{"apiVersion":"v1",
         "kind":"Pod","name":"p","uid":"u","nick":"q"}])");
  const Answer strict = post(widgets_ + "?fieldValidation=Strict", body);
  expect_status(strict, 400, "BadRequest");
  EXPECT_THAT(
      strict.at({"message"}),
      HasSubstr(R"(Widget in version "v1" cannot be handled as a Widget: strict decoding error: )"
                R"(duplicate field "metadata.labels.l", duplicate field "spec.replicas", )"
                R"(duplicate field "spec.free.a", duplicate field "spec.mode", )"
                R"(unknown field "metadata.labelz", )"
                R"(unknown field "metadata.ownerReferences[0].nick", unknown field "spec.odd")"));
  const Answer warned = post(widgets_, body);
  EXPECT_EQ(warned.status, 201) << warned.body;
  for (const std::string_view problem :
       {R"(duplicate field \"spec.mode\")", R"(unknown field \"metadata.labelz\")"}) {
    EXPECT_THAT(warned.header("warning"), HasSubstr(problem));
  }
  EXPECT_EQ(warned.at({"spec", "mode"}), "fast");

  const Answer patched = merge(widgets_ + "/w?fieldValidation=Strict",
                               R"({"metadata":{"odd":1},"spec":{"replicas":2,"replicas":3}})");
  expect_status(patched, 422, "Invalid");
  EXPECT_THAT(patched.at({"message"}),
              HasSubstr(R"(strict decoding error: duplicate field "spec.replicas", )"
                        R"(unknown field "metadata.odd")"));
}

TEST_F(CustomResources, API_133_API_314_UnknownMetadataIsDropped) {
  const std::string more = R"("labelz":{"a":"b"},"kind":"x","managedFields":[{"manager":"m",
    "operation":"Update","fieldsV1":{"f:spec":{}},"odd":1}])";
  const Answer made =
      post(widgets_ + "?fieldValidation=Ignore", widget("w", "{\"replicas\":1}", more));
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_THAT(made.header("warning"), IsEmpty());
  json::Value changed = with(made.json(), {"metadata", "labelz"}, 1);
  changed = with(std::move(changed), {"metadata", "labels"}, json::Object{{"a", "b"}});
  const Answer replaced = put(widgets_ + "/w", changed);
  EXPECT_EQ(replaced.header("warning"), R"(299 - "unknown field \"metadata.labelz\"")");
  const Answer patched = merge(widgets_ + "/w", R"({"metadata":{"odd":1,"labels":{"c":"d"}}})");
  EXPECT_EQ(patched.at({"metadata", "labels"}), R"({"a":"b","c":"d"})") << patched.body;
  EXPECT_EQ(patched.header("warning"), R"(299 - "unknown field \"metadata.odd\"")");
  const Answer status = merge(widgets_ + "/w/status", R"({"metadata":{"odd":1},"status":{}})");
  EXPECT_EQ(status.status, 200) << status.body;
  for (const std::string_view name : {"labelz", "odd", R"("kind":"x")"}) {
    EXPECT_THAT(get(widgets_ + "/w").body, Not(HasSubstr(name)));
  }
}

TEST_F(CustomResources, API_109_MetadataOfAWrongTypeIsRefused) {
  make("w");
  for (const std::string_view wrong :
       {R"("finalizers":"x")", R"("ownerReferences":3)", R"("labels":["a"])",
        R"("annotations":{"a":1})", R"("ownerReferences":[{"controller":"yes"}])"}) {
    const Answer made = post(widgets_, widget("v", "{\"replicas\":1}", wrong));
    expect_status(made, 400, "BadRequest");
    EXPECT_THAT(made.at({"message"}),
                HasSubstr(R"(Widget in version "v1" cannot be handled as a Widget: json: cannot )"
                          R"(unmarshal )"));
    expect_status(call("PUT", widgets_ + "/w", widget("w", "{\"replicas\":1}", wrong)), 400,
                  "BadRequest");
    const Answer patched = merge(widgets_ + "/w", R"({"metadata":{)" + std::string(wrong) + "}}");
    expect_status(patched, 422, "Invalid");
    EXPECT_EQ(first_cause(patched), "FieldValueInvalid patch");
    EXPECT_FALSE(server().create(*unstructured_from_json(widget("v", "{}", wrong))));
    EXPECT_FALSE(server().load_text(widget("v", R"({"replicas":1})", wrong)));
  }
  const Answer listed = get(
      widgets_,
      {{"Accept",
        "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}});
  EXPECT_EQ(listed.status, 200);
  EXPECT_EQ(names_of(get(widgets_)), "w");
}

TEST_F(CustomResources, API_131_API_314_MetadataOfEmbeddedResourcesIsFittedToo) {
  constexpr std::string_view kWithTemplates = R"({"type":"object","properties":{
    "spec":{"type":"object","properties":{"list":{"type":"array","items":{"type":"object",
      "x-kubernetes-embedded-resource":true,"properties":{"data":{"type":"string"}}}}}}}})";
  json::Value changed = get(crd_).json();
  json::Value& version = changed.ensure_path({"spec", "versions"}).if_array()->front();
  version.ensure_path({"schema"}).if_object()->set("openAPIV3Schema", *json::parse(kWithTemplates));
  version.if_object()->erase("selectableFields");
  ASSERT_EQ(put(crd_, changed).status, 200);
  const auto make_with = [&](std::string_view mode, std::string_view item) {
    return post(
        widgets_ + "?fieldValidation=" + std::string(mode),
        widget("w", R"({"list":[{"apiVersion":"v1","kind":"Y"},)" + std::string(item) + "]}"));
  };
  const std::string item =
      R"({"apiVersion":"v1","kind":"X","metadata":{"name":"n","odd":1},"x":1})";
  const Answer strict = make_with("Strict", item);
  expect_status(strict, 400, "BadRequest");
  EXPECT_THAT(strict.at({"message"}),
              HasSubstr(R"(strict decoding error: unknown field "spec.list[1].x", )"
                        R"(unknown field "spec.list[1].metadata.odd")"));
  for (const std::string_view wrong :
       {R"({"metadata":{"labels":"x"}})", R"({"metadata":5})", R"({"kind":5})"}) {
    const Answer refused = make_with("", wrong);
    expect_status(refused, 400, "BadRequest");
    EXPECT_THAT(refused.at({"message"}), HasSubstr(": spec.list[1]."));
  }
  EXPECT_EQ(
      make_with("", item).at({"spec", "list"}),
      R"([{"apiVersion":"v1","kind":"Y"},{"apiVersion":"v1","kind":"X","metadata":{"name":"n"}}])");
}

TEST_F(CustomResources, API_315_DefaultsAreFilledInAlsoForOldObjects) {
  EXPECT_EQ(make("w").at({"spec", "mode"}), "slow");
  json::Value changed = get(crd_).json();
  changed.ensure_path({"spec", "versions"})
      .if_array()
      ->front()
      .ensure_path({"schema", "openAPIV3Schema", "properties", "spec", "properties", "color"}) =
      json::Object{{"type", "string"}, {"default", "red"}};
  ASSERT_EQ(put(crd_, changed).status, 200);
  EXPECT_EQ(get(widgets_ + "/w").at({"spec", "color"}), "red");
  EXPECT_THAT(get(widgets_).body, HasSubstr("\"color\":\"red\""));
  WatchClient watch(port(), widgets_ + "?watch=true");
  EXPECT_EQ(text_at_path(*watch.next(), {"object", "spec", "color"}), "red");
}

TEST_F(CustomResources, API_316_ValuesAreCheckedAgainstTheSchema) {
  const auto cause_of = [&](std::string_view spec) {
    const Answer answer = post(widgets_, widget("w", spec));
    expect_status(answer, 422, "Invalid");
    return first_cause(answer);
  };
  EXPECT_EQ(cause_of(R"({"replicas":"x"})"), "FieldValueTypeInvalid spec.replicas");
  EXPECT_EQ(cause_of(R"({})"), "FieldValueRequired spec.replicas");
  EXPECT_EQ(cause_of(R"({"replicas":1,"mode":"odd"})"), "FieldValueNotSupported spec.mode");
  EXPECT_EQ(cause_of(R"({"replicas":11})"), "FieldValueInvalid spec.replicas");
  EXPECT_EQ(cause_of(R"({"replicas":1,"tags":["a","b","c"]})"), "FieldValueTooMany spec.tags");
  EXPECT_EQ(cause_of(R"({"replicas":1,"tags":["abcd"]})"), "FieldValueTooLong spec.tags[0]");
  EXPECT_EQ(cause_of(R"({"replicas":1,"port":{}})"), "FieldValueTypeInvalid spec.port");
  EXPECT_EQ(cause_of(R"([])"), "FieldValueTypeInvalid spec");
}

TEST_F(CustomResources, API_318_API_103_OtherTypesAreRefused) {
  expect_status(
      call("POST", widgets_, "k8s", {{"Content-Type", "application/vnd.kubernetes.protobuf"}}), 415,
      "UnsupportedMediaType");
  make("w");
  const Answer strategic = call("PATCH", widgets_ + "/w", "{}",
                                {{"Content-Type", "application/strategic-merge-patch+json"}});
  expect_status(strategic, 415, "UnsupportedMediaType");
  EXPECT_THAT(strategic.at({"message"}), HasSubstr("application/merge-patch+json"));
}

TEST_F(CustomResources, API_323_API_324_WhatIsStoredAndFixedStays) {
  EXPECT_EQ(get(crd_).at({"status", "storedVersions"}), R"(["v1"])");
  json::Value renamed = get(crd_).json();
  renamed.ensure_path({"spec", "versions"}).if_array()->front().if_object()->set("name", "v2");
  expect_status(put(crd_, renamed), 422, "Invalid");
  expect_status(put(crd_, with(get(crd_).json(), {"spec", "scope"}, "Cluster")), 422, "Invalid");
  expect_status(put(crd_, with(get(crd_).json(), {"spec", "group"}, "x.io")), 422, "Invalid");
}

TEST_F(CustomResources, API_325_NumbersSurviveBitExact) {
  const Answer made = make(
      "w",
      R"({"replicas":1,"big":9007199254740993,"port":"80","free":{"q":"100m","n":-9223372036854775808,"f":1.5}})");
  EXPECT_THAT(made.body, HasSubstr("9007199254740993"));
  const Answer got = get(widgets_ + "/w");
  EXPECT_EQ(got.at({"spec", "big"}), "9007199254740993");
  EXPECT_THAT(got.body, HasSubstr(R"("port":"80")"));
  EXPECT_THAT(make("v", R"({"replicas":1,"port":80})").body, HasSubstr(R"("port":80)"));
  EXPECT_THAT(get(widgets_ + "/v").body, HasSubstr(R"("port":80)"));
  EXPECT_EQ(got.at({"spec", "free"}), R"({"q":"100m","n":-9223372036854775808,"f":1.5})");
}

TEST_F(CustomResources, API_044_API_204_KindIsNeededAndShown) {
  const Answer bare = post(widgets_, R"({"metadata":{"name":"w"}})");
  expect_status(bare, 400, "BadRequest");
  EXPECT_THAT(bare.at({"message"}), HasSubstr("Kind"));
  make("w");
  EXPECT_THAT(get(widgets_).body,
              HasSubstr(R"("items":[{"kind":"Widget","apiVersion":"example.com/v1","metadata":)"));
}

TEST_F(CustomResources, API_065_UpdatesNeedARevision) {
  make("w");
  const Answer answer = call("PUT", widgets_ + "/w", widget("w"));
  expect_status(answer, 422, "Invalid");
  EXPECT_THAT(answer.at({"message"}), HasSubstr("must be specified for an update"));
}

TEST_F(CustomResources, API_075_GenerationCountsTheSpec) {
  const Answer made = make("w");
  EXPECT_EQ(made.at({"metadata", "generation"}), "1");
  const Answer labelled =
      put(widgets_ + "/w", with(made.json(), {"metadata", "labels"}, json::Object{{"a", "b"}}));
  EXPECT_EQ(labelled.at({"metadata", "labels", "a"}), "b") << labelled.body;
  EXPECT_EQ(labelled.at({"metadata", "generation"}), "1");
  const Answer changed = put(widgets_ + "/w", with(labelled.json(), {"spec", "replicas"}, 2));
  EXPECT_EQ(changed.at({"spec", "replicas"}), "2") << changed.body;
  EXPECT_EQ(changed.at({"metadata", "generation"}), "2");

  // A patch counts like a replacement.
  const Answer patched = merge(widgets_ + "/w", R"({"metadata":{"labels":{"a":"c"}}})");
  EXPECT_EQ(patched.at({"metadata", "generation"}), "2");
  EXPECT_EQ(merge(widgets_ + "/w", R"({"spec":{"replicas":3}})").at({"metadata", "generation"}),
            "3");
}

TEST_F(CustomResources, API_076_API_079_API_105_StatusIsApart) {
  const Answer made = make("w");
  const Answer kept = put(widgets_ + "/w", with(made.json(), {"status", "replicas"}, 5));
  EXPECT_THAT(kept.at({"status"}), IsEmpty());
  EXPECT_EQ(kept.at({"metadata", "generation"}), "1");
  EXPECT_THAT(get(widgets_ + "/w").at({"status"}), IsEmpty());
  const Answer status =
      merge(widgets_ + "/w/status",
            R"({"status":{"replicas":5},"spec":{"replicas":9},"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(status.status, 200) << status.body;
  EXPECT_EQ(status.at({"status", "replicas"}), "5");
  EXPECT_EQ(status.at({"spec", "replicas"}), "1");
  EXPECT_THAT(status.at({"metadata", "labels"}), IsEmpty());
  EXPECT_EQ(status.at({"metadata", "generation"}), "1");
}

TEST_F(CustomResources, API_079_AReplacedStatusLeavesTheLabels) {
  const Answer made = make("w");
  json::Value body = with(made.json(), {"status", "replicas"}, 5);
  body = with(std::move(body), {"metadata", "labels"}, json::Object{{"a", "b"}});
  const Answer changed = put(widgets_ + "/w/status", body);
  EXPECT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(changed.at({"status", "replicas"}), "5");
  EXPECT_THAT(changed.at({"metadata", "labels"}), IsEmpty());
}

TEST_F(CustomResources, API_014_CreationWithoutANamespaceIsA404) {
  const Answer answer = post("/apis/example.com/v1/widgets", widget("w"));
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.body, "404 page not found\n");
  EXPECT_EQ(get("/apis/example.com/v1/widgets").status, 200);
}

TEST_F(CustomResources, API_080_WithoutTheSubresourceThereIsNoStatusPath) {
  json::Value plain = *json::parse(definition(kWidgetSpec));
  plain = with(plain, {"metadata", "name"}, "gadgets.example.com");
  plain = with(plain, {"spec", "names"}, *json::parse(R"({"plural":"gadgets","kind":"Gadget"})"));
  plain.ensure_path({"spec", "versions"}).if_array()->front().if_object()->erase("subresources");
  ASSERT_EQ(post(kDefinitions, json::dump(plain)).status, 201);
  const std::string gadgets = "/apis/example.com/v1/namespaces/t/gadgets";
  const Answer made = post(
      gadgets,
      R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g"},"spec":{"replicas":1},"status":{"replicas":3}})");
  EXPECT_EQ(made.at({"status", "replicas"}), "3");
  EXPECT_EQ(get(gadgets + "/g/status").status, 404);
  EXPECT_EQ(merge(gadgets + "/g", R"({"status":{"replicas":4}})").at({"metadata", "generation"}),
            "2");
}

TEST_F(CustomResources, ScaleReadsAndWritesTheDefinedPaths) {
  make("w");
  merge(widgets_ + "/w/status", R"({"status":{"replicas":1,"selector":"a=b"}})");
  const Answer scale = get(widgets_ + "/w/scale");
  EXPECT_EQ(scale.at({"spec", "replicas"}), "1");
  EXPECT_EQ(scale.at({"status", "selector"}), "a=b");
  EXPECT_EQ(merge(widgets_ + "/w/scale", R"({"spec":{"replicas":4}})").status, 200);
  EXPECT_EQ(get(widgets_ + "/w").at({"spec", "replicas"}), "4");
}

// A second kind, with a scale subresource and a schema that allows everything.
std::string gizmos(std::string_view scale) {
  std::string out = R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"gizmos.x.io"},
    "spec":{"group":"x.io","scope":"Namespaced","names":{"plural":"gizmos","kind":"Gizmo"},
      "versions":[{"name":"v1","served":true,"storage":true,"subresources":{"scale":)";
  out.append(scale);
  return out + R"(},"schema":{"openAPIV3Schema":{"type":"object",
    "x-kubernetes-preserve-unknown-fields":true}}}]}})";
}

constexpr std::string_view kGizmos = "/apis/x.io/v1/namespaces/t/gizmos";

std::string gizmo(std::string_view name, std::string_view more) {
  std::string out = R"({"apiVersion":"x.io/v1","kind":"Gizmo","metadata":{"name":")";
  return out.append(name).append("\"},").append(more).append("}");
}

TEST_F(CustomResources, ScaleWithoutASelectorPathHasNoSelector) {
  ASSERT_EQ(post(kDefinitions, gizmos(R"({"specReplicasPath":".spec.replicas",
                                          "statusReplicasPath":".status.replicas"})"))
                .status,
            201);
  ASSERT_EQ(post(kGizmos, gizmo("g", R"("spec":{"replicas":2})")).status, 201);
  const std::string scale = std::string(kGizmos) + "/g/scale";
  const Answer read = get(scale);
  EXPECT_EQ(read.status, 200) << read.body;
  EXPECT_EQ(read.at({"spec", "replicas"}), "2");
  EXPECT_EQ(read.at({"status"}), R"({"replicas":0})");
  const Answer written = merge(scale, R"({"spec":{"replicas":3}})");
  EXPECT_EQ(written.status, 200) << written.body;
  EXPECT_EQ(written.at({"status"}), R"({"replicas":0})");
  EXPECT_EQ(put(scale, with(written.json(), {"spec", "replicas"}, 4)).status, 200);
  EXPECT_EQ(get(std::string(kGizmos) + "/g").at({"spec"}), R"({"replicas":4})");
}

TEST_F(CustomResources, ScaleOfAnObjectWithoutReplicasCanBeWrittenButNotRead) {
  ASSERT_EQ(post(kDefinitions, gizmos(R"({"specReplicasPath":".spec.deep.size",
                                          "statusReplicasPath":".status.replicas"})"))
                .status,
            201);
  ASSERT_EQ(post(kGizmos, gizmo("g", R"("spec":{})")).status, 201);
  const std::string scale = std::string(kGizmos) + "/g/scale";
  const Answer read = get(scale);
  expect_status(read, 500, "InternalError");
  EXPECT_THAT(read.at({"message"}),
              HasSubstr("the spec replicas field \".spec.deep.size\" does not exist"));
  const Answer written = merge(scale, R"({"spec":{"replicas":3}})");
  EXPECT_EQ(written.status, 200) << written.body;
  EXPECT_EQ(get(std::string(kGizmos) + "/g").at({"spec"}), R"({"deep":{"size":3}})");
  EXPECT_EQ(get(scale).status, 200);
}

TEST_F(CustomResources, ScaleNamesWhatIsNotOfTheExpectedType) {
  ASSERT_EQ(
      post(kDefinitions,
           gizmos(R"({"specReplicasPath":".spec.size.now","statusReplicasPath":".status.replicas",
                      "labelSelectorPath":".status.selector"})"))
          .status,
      201);
  const auto message = [&](std::string_view name, std::string_view more) {
    EXPECT_EQ(post(kGizmos, gizmo(name, more)).status, 201);
    const std::string scale = std::string(kGizmos) + "/" + std::string(name) + "/scale";
    expect_status(merge(scale, R"({"spec":{"replicas":1}})"), 500, "InternalError");
    const Answer read = get(scale);
    expect_status(read, 500, "InternalError");
    return read.at({"message"});
  };
  EXPECT_THAT(message("text", R"("spec":{"size":{"now":"two"}})"),
              HasSubstr(".spec.size.now accessor error: two is not of the expected type integer"));
  EXPECT_THAT(message("flat", R"("spec":{"size":2})"),
              HasSubstr(".spec.size accessor error: 2 is not of the expected type object"));
  EXPECT_THAT(
      message("map", R"("spec":{"size":{"now":1}},"status":{"selector":{"a":"b"}})"),
      HasSubstr(
          R"(.status.selector accessor error: {"a":"b"} is not of the expected type string)"));
}

TEST_F(CustomResources, ScalePathsOfADefinitionAreChecked) {
  const Answer none = post(kDefinitions, gizmos("{}"));
  expect_status(none, 422, "Invalid");
  EXPECT_THAT(none.body, HasSubstr("spec.subresources.scale.specReplicasPath"));
  EXPECT_THAT(none.body, HasSubstr("spec.subresources.scale.statusReplicasPath"));
  const Answer wrong = post(kDefinitions, gizmos(R"({"specReplicasPath":".status.replicas",
      "statusReplicasPath":"status.replicas","labelSelectorPath":".metadata.labels"})"));
  expect_status(wrong, 422, "Invalid");
  EXPECT_THAT(wrong.body, HasSubstr("should be a json path under .spec"));
  EXPECT_THAT(wrong.body, HasSubstr("must be a simple json path starting with ."));
  EXPECT_THAT(wrong.body, HasSubstr("should be a json path under either .spec or .status"));
}

TEST_F(CustomResources, API_145_DeletionWithAFinalizerCountsAsAChange) {
  post(widgets_, widget("w", R"({"replicas":1})", R"("finalizers":["x.io/y"])"));
  const Answer dying = remove(widgets_ + "/w");
  EXPECT_EQ(dying.at({"metadata", "generation"}), "2");
  EXPECT_THAT(dying.at({"metadata", "deletionTimestamp"}), Not(IsEmpty()));
}

TEST_F(CustomResources, API_264_DefinedFieldsCanBeSelected) {
  make("a", R"({"replicas":1,"mode":"fast"})");
  make("b");
  EXPECT_EQ(names_of(get(widgets_ + "?fieldSelector=spec.mode%3Dfast")), "a");
  WatchClient watch(port(), widgets_ + "?watch=true&fieldSelector=spec.mode%3Dfast");
  EXPECT_EQ(watch.next_text(), "ADDED a");
  make("c");
  make("d", R"({"replicas":1,"mode":"fast"})");
  EXPECT_EQ(watch.next_text(), "ADDED d");
  expect_status(get(widgets_ + "?fieldSelector=spec.replicas%3D1"), 400, "BadRequest");
}

TEST_F(CustomResources, API_319_API_320_VersionsShowTheSameObjects) {
  json::Value two = get(crd_).json();
  json::Array& versions = *two.ensure_path({"spec", "versions"}).if_array();
  json::Value second = with(versions[0], {"name"}, "v2");
  second = with(second, {"storage"}, false);
  json::Value third = with(second, {"name"}, "v3");
  third = with(third, {"served"}, false);
  versions.push_back(second);
  versions.push_back(third);
  ASSERT_EQ(put(crd_, two).status, 200);
  make("w");
  const Answer other = get("/apis/example.com/v2/namespaces/t/widgets/w");
  EXPECT_EQ(other.at({"apiVersion"}), "example.com/v2");
  EXPECT_EQ(other.at({"spec", "replicas"}), "1");
  EXPECT_EQ(get("/apis/example.com/v3/namespaces/t/widgets").status, 404);
}

TEST_F(CustomResources, OnlyTheStoredVersionIsServedWhenAWebhookWouldConvert) {
  make("w");
  const std::string others = "/apis/example.com/v2/namespaces/t/widgets";
  json::Value two = get(crd_).json();
  json::Array& versions = *two.ensure_path({"spec", "versions"}).if_array();
  versions.push_back(with(with(versions[0], {"name"}, "v2"), {"storage"}, false));
  ASSERT_EQ(put(crd_, two).status, 200);
  WatchClient watch(port(), others + "?watch=true&resourceVersion=" + revision());
  two = get(crd_).json();
  two.ensure_path({"spec", "conversion"}) =
      *json::parse(R"({"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],
        "clientConfig":{"service":{"namespace":"t","name":"s"}}}})");
  const Answer changed = put(crd_, two);
  ASSERT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(changed.at({"spec", "conversion", "webhook", "clientConfig", "service", "port"}),
            "443");
  EXPECT_EQ(get(widgets_ + "/w").status, 200);
  EXPECT_EQ(watch.next_text(), "END") << "of the version that can't be shown now";
  const std::string why =
      "conversion webhook for example.com/v2, Kind=Widget failed: the embedded API server calls "
      "none, and serves only the stored version, when all objects are stored in it";
  for (const Answer& refused :
       {get(others), get(others + "/w"), post(others, "{}"), remove(others + "/w"),
        get(others + "?watch=true"), get(others + "/w/status")}) {
    EXPECT_EQ(refused.status, 500);
    EXPECT_EQ(refused.at({"message"}), why);
  }
  EXPECT_EQ(get(widgets_ + "/w").status, 200) << "it was not deleted";
  const auto loaded = server().load(Unstructured(
      *json::parse(R"({"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"x"}})")));
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().to_string(), HasSubstr("Widget \"x\": " + why));

  const auto store_in = [&](std::size_t which) {
    json::Value next = get(crd_).json();
    json::Array& all = *next.ensure_path({"spec", "versions"}).if_array();
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = with(all[i], {"storage"}, i == which);
    EXPECT_EQ(put(crd_, next).status, 200);
  };
  store_in(1);
  EXPECT_EQ(get(widgets_ + "/w").status, 500);
  EXPECT_EQ(get(others + "/w").status, 500) << "it is stored in v1";
  store_in(0);
  EXPECT_EQ(get(widgets_ + "/w").status, 200);
}

TEST_F(CustomResources, ADefinitionMayHaveTheNameOfABuiltInKindThatHasObjects) {
  const std::string policies = "/apis/networking.k8s.io/v1/namespaces/t/networkpolicies";
  ASSERT_EQ(post(policies, R"({"metadata":{"name":"p"},"spec":{"podSelector":{}}})").status, 201);
  const Answer made = post(kDefinitions, R"({"metadata":{"name":"networkpolicies.networking.k8s.io",
      "annotations":{"api-approved.kubernetes.io":"https://example.com/1"}},
    "spec":{"group":"networking.k8s.io","scope":"Namespaced",
      "names":{"plural":"networkpolicies","kind":"NetworkPolicy"},
      "conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],
        "clientConfig":{"url":"https://a/b"}}},
      "versions":[{"name":"v9","served":true,"storage":true,
        "schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(get(policies + "/p").status, 200);
}

TEST_F(CustomResources, API_321_API_322_DeletingTheDefinitionDeletesTheObjects) {
  make("w");
  post(widgets_, widget("held", R"({"replicas":1})", R"("finalizers":["x.io/y"])"));
  WatchClient watch(port(), widgets_ + "?watch=true&resourceVersion=" + revision());
  WatchClient crds(port(), std::string(kDefinitions) + "?watch=true&resourceVersion=" + revision());
  remove(crd_);
  // In order of key.
  EXPECT_EQ(watch.next_text(), "MODIFIED held");
  EXPECT_EQ(watch.next_text(), "DELETED w");
  EXPECT_EQ(crds.next_text(), "MODIFIED widgets.example.com");
  expect_status(post(widgets_, widget("x")), 405, "MethodNotAllowed");
  const Answer held = get(crd_);
  EXPECT_EQ(held.status, 200);
  EXPECT_THAT(held.at({"status", "conditions"}),
              HasSubstr(R"("type":"Terminating","status":"True")"));
  EXPECT_THAT(held.at({"metadata", "deletionTimestamp"}), Not(IsEmpty()));
  EXPECT_EQ(held.at({"metadata", "generation"}), "1") << "as in kube-apiserver";
  merge(widgets_ + "/held", R"({"metadata":{"finalizers":null}})");
  EXPECT_EQ(crds.next_text(), "DELETED widgets.example.com");
  EXPECT_TRUE(kube::testing::eventually([&] { return get(widgets_).status == 404; }));
  ASSERT_EQ(post(kDefinitions, definition(kWidgetSpec)).status, 201);
  EXPECT_EQ(get(widgets_).at({"items"}), "[]");
}

TEST_F(CustomResources, AWatchEndsAfterTheLastEventOfATypeThatGoes) {
  make("w");
  const std::string other = "/api/v1/configmaps?watch=true&resourceVersion=" + revision();
  WatchClient maps(port(), other);
  WatchClient watch(port(), widgets_ + "?watch=true&resourceVersion=" + revision());
  remove(crd_);
  EXPECT_EQ(watch.next_text(), "DELETED w");
  EXPECT_EQ(watch.next_text(), "END");
  EXPECT_TRUE(watch.ended_cleanly());
  post("/api/v1/namespaces/default/configmaps", R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(maps.next_text(), "ADDED a") << "of a type that stays";
}

TEST_F(CustomResources, API_138_DeprecatedVersionsWarn) {
  json::Value changed = get(crd_).json();
  changed.ensure_path({"spec", "versions"})
      .if_array()
      ->front()
      .if_object()
      ->set("deprecated", true);
  ASSERT_EQ(put(crd_, changed).status, 200);
  const std::string warning = "299 - \"example.com/v1 Widget is deprecated\"";
  EXPECT_EQ(get(widgets_).header("warning"), warning);
  EXPECT_EQ(make("w").header("warning"), warning);
  EXPECT_EQ(get(widgets_ + "/w").header("warning"), warning);

  json::Array& versions = *changed.ensure_path({"spec", "versions"}).if_array();
  for (const std::string_view name : {"v1beta1", "v2", "v3alpha1"}) {
    json::Value other = versions.front();
    other.if_object()->set("name", name);
    other.if_object()->set("storage", false);
    other.if_object()->set("deprecated", name == "v3alpha1");
    versions.push_back(std::move(other));
  }
  changed.ensure_path({"metadata"}).if_object()->erase("resourceVersion");
  changed.ensure_path({"metadata"})
      .if_object()
      ->set("resourceVersion", get(crd_).at({"metadata", "resourceVersion"}));
  ASSERT_EQ(put(crd_, changed).status, 200);
  EXPECT_EQ(get(widgets_).header("warning"),
            "299 - \"example.com/v1 Widget is deprecated; use example.com/v2 Widget\"");
  EXPECT_EQ(get("/apis/example.com/v3alpha1/namespaces/t/widgets").header("warning"),
            "299 - \"example.com/v3alpha1 Widget is deprecated; use example.com/v2 Widget\"");
}

TEST_F(CustomResources, TheErrorsOfAStatusSayWhatIsWrongInIt) {
  make("w");
  const Answer wrong = merge(widgets_ + "/w/status", R"({"status":{"replicas":"x"}})");
  expect_status(wrong, 422, "Invalid");
  EXPECT_THAT(wrong.at({"message"}), HasSubstr(": replicas in body must be of type integer"));
  EXPECT_THAT(wrong.at({"message"}), HasSubstr("status.replicas: Invalid value"));
}

}  // namespace
}  // namespace kube::apiserver::test
