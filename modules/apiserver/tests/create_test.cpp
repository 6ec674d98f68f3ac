// SPDX-License-Identifier: Apache-2.0
//
// Chapter 9.2 of the reference: create.
#include <regex>
#include <thread>
#include <tuple>

#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class Create : public ServerTest {};

TEST_F(Create, API_031_FillsInWhatTheServerOwns) {
  const Answer made = make_config_map("a", R"({"k":"v"})");
  EXPECT_TRUE(std::regex_match(
      made.at({"metadata", "uid"}),
      std::regex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")));
  EXPECT_EQ(made.at({"metadata", "resourceVersion"}), revision());
  EXPECT_TRUE(std::regex_match(made.at({"metadata", "creationTimestamp"}),
                               std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")));
  EXPECT_EQ(made.at({"metadata", "namespace"}), "t");
  EXPECT_EQ(made.at({"kind"}), "ConfigMap");
  EXPECT_EQ(made.at({"apiVersion"}), "v1");
}

TEST_F(Create, API_032_IgnoresMetadataThatOnlyTheServerWrites) {
  const Answer made = make_config_map(
      "a", "{}", "t",
      R"("uid":"mine","creationTimestamp":"2001-01-01T00:00:00Z","generation":7,)"
      R"("deletionTimestamp":"2001-01-01T00:00:00Z","deletionGracePeriodSeconds":5,"selfLink":"/x")");
  EXPECT_NE(made.at({"metadata", "uid"}), "mine");
  EXPECT_THAT(made.at({"metadata", "creationTimestamp"}), ::testing::Not(StartsWith("2001")));
  for (const std::string_view key :
       {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"}) {
    EXPECT_THAT(made.at({"metadata", key}), IsEmpty()) << key;
  }
  // Of a kind whose changes are not counted, the number stays.
  EXPECT_EQ(made.at({"metadata", "generation"}), "7");
}

TEST_F(Create, API_033_RefusesAResourceVersion) {
  const auto with = [](std::string_view name, std::string_view version) {
    return config_map(name, "{}", R"("resourceVersion":")" + std::string(version) + "\"");
  };
  const Answer answer = post(kConfigMaps, with("a", "5"));
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.at({"message"}), "resourceVersion should not be set on objects to be created");
  EXPECT_EQ(answer.at({"reason"}), "");
  expect_status(post(kConfigMaps, with("A_", "5")), 422, "Invalid");
  // What is no version of an object is replaced.
  EXPECT_EQ(post(kConfigMaps, with("b", "0")).status, 201);
  const Answer made = post(kConfigMaps, with("c", "abc"));
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.at({"metadata", "resourceVersion"}), revision());
}

TEST_F(Create, API_034_RefusesANameThatIsTaken) {
  make_config_map("a");
  const Answer answer = post(kConfigMaps, config_map("a"));
  expect_status(answer, 409, "AlreadyExists");
  EXPECT_EQ(answer.at({"message"}), "configmaps \"a\" already exists");
  EXPECT_EQ(answer.at({"details", "name"}), "a");
}

TEST_F(Create, SaysThatTheObjectOfThatNameIsBeingDeleted) {
  make_config_map("a", "{}", "t", R"("finalizers":["x.io/y"])");
  remove(std::string(kConfigMaps) + "/a");
  const Answer answer = post(kConfigMaps, config_map("a"));
  expect_status(answer, 409, "AlreadyExists");
  EXPECT_THAT(answer.at({"message"}), StartsWith("object is being deleted: "));
}

TEST_F(Create, API_035_NeedsANameOrGenerateName) {
  const Answer answer = post(kConfigMaps, R"({"metadata":{}})");
  expect_status(answer, 422, "Invalid");
  EXPECT_EQ(first_cause(answer), "FieldValueRequired metadata.name");
}

TEST_F(Create, API_036_API_037_GeneratesANameFromAPrefix) {
  const Answer made = post(kConfigMaps, R"({"metadata":{"generateName":"p-"}})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_TRUE(std::regex_match(made.at({"metadata", "name"}), std::regex("p-[a-z0-9]{5}")));
  EXPECT_EQ(made.at({"metadata", "generateName"}), "p-");
  const Answer other = post(kConfigMaps, R"({"metadata":{"generateName":"p-"}})");
  EXPECT_NE(other.at({"metadata", "name"}), made.at({"metadata", "name"}));
  const std::string prefix(70, 'a');
  const Answer cut = post(kConfigMaps, R"({"metadata":{"generateName":")" + prefix + R"("}})");
  EXPECT_THAT(cut.at({"metadata", "name"}), StartsWith(std::string(58, 'a')));
  EXPECT_EQ(cut.at({"metadata", "name"}).size(), 63U);
}

TEST_F(Create, API_038_RefusesAnotherNamespaceThanThePaths) {
  const Answer answer = post(kConfigMaps, config_map("a", "{}", R"("namespace":"other")"));
  expect_status(answer, 400, "BadRequest");
  EXPECT_THAT(answer.at({"message"}),
              HasSubstr("does not match the namespace sent on the request"));
}

TEST_F(Create, API_039_TakesTheNamespaceFromThePath) {
  EXPECT_EQ(make_config_map("a", "{}", "t", R"("namespace":"")").at({"metadata", "namespace"}),
            "t");
}

TEST_F(Create, API_040_NeedsAnExistingNamespace) {
  const Answer answer = post("/api/v1/namespaces/absent/configmaps", config_map("a"));
  expect_status(answer, 404, "NotFound");
  EXPECT_EQ(answer.at({"message"}), "namespaces \"absent\" not found");
  EXPECT_EQ(answer.at({"details", "kind"}), "namespaces");
}

TEST_F(Create, API_041_API_042_RefusesAnotherKindOrVersionThanThePaths) {
  const Answer kind =
      post(kConfigMaps, R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}})");
  expect_status(kind, 400, "BadRequest");
  EXPECT_EQ(kind.at({"message"}),
            "Secret in version \"v1\" cannot be handled as a ConfigMap: converting (v1.Secret) to "
            "(core.ConfigMap): unknown conversion");
  const Answer version =
      post(kConfigMaps, R"({"apiVersion":"apps/v1","kind":"ConfigMap","metadata":{"name":"a"}})");
  expect_status(version, 400, "BadRequest");
  EXPECT_EQ(
      version.at({"message"}),
      "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: no kind \"ConfigMap\" is "
      "registered for version \"apps/v1\" in scheme \"pkg/runtime/scheme.go:111\"");
  const Answer group = post("/apis/batch/v1/namespaces/t/jobs",
                            R"({"apiVersion":"apps/v1","kind":"Job","metadata":{"name":"a"}})");
  expect_status(group, 400, "BadRequest");
  const Answer older =
      post("/apis/apps/v1/namespaces/t/deployments",
           R"({"apiVersion":"apps/v1beta1","kind":"Deployment","metadata":{"name":"a"}})");
  EXPECT_EQ(older.at({"message"}),
            "the API version in the data (apps/v1beta1) does not match the expected API version "
            "(apps/v1)");
}

TEST_F(Create, KindAndVersionThatAreNoStringsAreBadRequests) {
  for (const auto& [member, value, type] :
       {std::tuple("kind", "5", "number"), std::tuple("kind", R"(["ConfigMap"])", "array"),
        std::tuple("apiVersion", "7", "number")}) {
    const Answer refused = post(
        kConfigMaps, std::string("{\"") + member + "\":" + value + R"(,"metadata":{"name":"a"}})");
    expect_status(refused, 400, "BadRequest");
    EXPECT_THAT(
        refused.at({"message"}),
        HasSubstr("couldn't get version/kind; json parse error: json: cannot unmarshal " +
                  std::string(type) + " into Go struct field ." + member + " of type string"));
  }
  EXPECT_EQ(post(kConfigMaps, R"({"kind":null,"metadata":{"name":"a"}})").status, 201);
}

TEST_F(Create, API_043_FillsInKindAndVersionOfBuiltInKinds) {
  const Answer made = post(kConfigMaps, R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.at({"kind"}), "ConfigMap");
  EXPECT_EQ(made.at({"apiVersion"}), "v1");
}

TEST_F(Create, API_045_ChecksTheName) {
  const Answer answer = post(kConfigMaps, config_map("A_B"));
  expect_status(answer, 422, "Invalid");
  EXPECT_EQ(first_cause(answer), "FieldValueInvalid metadata.name");
  EXPECT_THAT(answer.at({"message"}), StartsWith("ConfigMap \"A_B\" is invalid: metadata.name: "));
  EXPECT_EQ(answer.at({"details", "kind"}), "ConfigMap");
}

TEST_F(Create, API_046_API_047_API_048_ChecksLabelsAndAnnotationsAndNamesAllProblems) {
  const Answer label = post(
      kConfigMaps, config_map("a", "{}", R"("labels":{"k":")" + std::string(64, 'x') + R"("})"));
  expect_status(label, 422, "Invalid");
  EXPECT_THAT(first_cause(label), HasSubstr("metadata.labels"));
  const Answer annotations =
      post(kConfigMaps,
           config_map("a", "{}", R"("annotations":{"k":")" + std::string(262'144, 'x') + R"("})"));
  expect_status(annotations, 422, "Invalid");
  EXPECT_EQ(first_cause(annotations), "FieldValueTooLong metadata.annotations");
  const Answer both = post(kConfigMaps, config_map("A_B", "{}", R"("labels":{"k":"@"})"));
  expect_status(both, 422, "Invalid");
  EXPECT_THAT(both.at({"message"}), HasSubstr("is invalid: [metadata."));
  EXPECT_THAT(both.at({"message"}), ::testing::EndsWith("]"));
  std::string fields;
  const json::Value status = both.json();
  for (const json::Value& cause : *status.at_path({"details", "causes"})->if_array()) {
    fields += text_at_path(cause, {"field"}) + " ";
  }
  EXPECT_EQ(fields, "metadata.name metadata.labels ");
}

TEST_F(Create, API_049_OfTwoAtOnceExactlyOneSucceeds) {
  for (int round = 0; round < 20; ++round) {
    const std::string body = config_map("a" + std::to_string(round));
    int first = 0;
    int second = 0;
    {
      const std::jthread one(
          [&] { first = HttpClient(port()).send("POST", kConfigMaps, body).status; });
      const std::jthread two(
          [&] { second = HttpClient(port()).send("POST", kConfigMaps, body).status; });
    }
    EXPECT_EQ(std::min(first, second), 201);
    EXPECT_EQ(std::max(first, second), 409);
  }
}

TEST_F(Create, API_050_API_056_GetShowsExactlyWhatCreateAnswered) {
  const Answer made = make_config_map("a", R"({"k":"v <&> \u2028"})");
  const Answer got = get(std::string(kConfigMaps) + "/a");
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, made.body);
  EXPECT_EQ(got.at({"kind"}), "ConfigMap");
  EXPECT_EQ(got.at({"apiVersion"}), "v1");
}

TEST_F(Create, ANodeMayComeWithItsStatus) {
  const Answer made =
      post("/api/v1/nodes", R"({"metadata":{"name":"n"},"status":{"allocatable":{"pods":"7"}}})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.at({"status", "allocatable", "pods"}), "7");
}

TEST_F(Create, API_051_DropsTheStatusOfKindsWithAStatusSubresource) {
  const Answer made = post("/apis/apps/v1/namespaces/t/deployments", R"({
    "metadata":{"name":"d"},
    "spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
            "spec":{"containers":[{"name":"c","image":"i"}]}}},
    "status":{"replicas":7}})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_THAT(made.at({"status", "replicas"}), IsEmpty());
  EXPECT_EQ(made.at({"metadata", "generation"}), "1");
  EXPECT_EQ(made.at({"spec", "replicas"}), "1");
}

TEST_F(Create, API_052_RevisionsRiseOverAllKinds) {
  std::int64_t last = 0;
  for (int i = 0; i < 5; ++i) {
    const std::string name = "n" + std::to_string(i);
    for (const Answer& made :
         {post(kConfigMaps, config_map(name)), post("/api/v1/namespaces/t/pods", pod(name)),
          post("/api/v1/nodes", R"({"metadata":{"name":")" + name + "\"}}")}) {
      ASSERT_EQ(made.status, 201) << made.body;
      const std::int64_t revision = std::stoll(made.at({"metadata", "resourceVersion"}));
      EXPECT_GT(revision, last);
      last = revision;
    }
  }
}

TEST_F(Create, API_053_StringDataOfASecretBecomesData) {
  const Answer made = post("/api/v1/namespaces/t/secrets",
                           R"({"metadata":{"name":"s"},"stringData":{"k":"value"}})");
  EXPECT_EQ(made.at({"data", "k"}), "dmFsdWU=");
  EXPECT_THAT(made.at({"stringData"}), IsEmpty());
  EXPECT_EQ(made.at({"type"}), "Opaque");
}

TEST_F(Create, API_054_ServiceAccountsGiveTokens) {
  post("/api/v1/namespaces/t/serviceaccounts", R"({"metadata":{"name":"sa"}})");
  const Answer token = post(
      "/api/v1/namespaces/t/serviceaccounts/sa/token",
      R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"audiences":[]}})");
  EXPECT_EQ(token.status, 201) << token.body;
  EXPECT_THAT(token.at({"status", "token"}), ::testing::Not(IsEmpty()));
  EXPECT_THAT(token.at({"status", "expirationTimestamp"}), HasSubstr("T"));
}

TEST_F(Create, ATokenIsBoundToAnObjectThatIsThere) {
  post("/api/v1/namespaces/t/serviceaccounts", R"({"metadata":{"name":"sa"}})");
  const auto bound = [&](const std::string& kind, const std::string& rest = "") {
    return post(
        "/api/v1/namespaces/t/serviceaccounts/sa/token",
        R"({"spec":{"audiences":[],"boundObjectRef":{"apiVersion":"v1","name":"p","kind":")" +
            kind + "\"" + rest + "}}}");
  };
  EXPECT_EQ(bound("Pod").at({"message"}), "pods \"p\" not found");
  EXPECT_EQ(bound("Other").at({"message"}), "cannot bind token to object of type /v1, Kind=Other");
  post("/api/v1/namespaces/t/pods", pod("p"));
  EXPECT_EQ(bound("Pod").status, 201);
  EXPECT_EQ(bound("Pod", R"(,"uid":"u")").status, 409);
}

TEST_F(Create, ABindingIsReadByItsType) {
  post("/api/v1/namespaces/t/pods", pod("p"));
  EXPECT_EQ(post("/api/v1/namespaces/t/pods/p/binding", R"({"target":"x"})").at({"message"}),
            "Binding in version \"v1\" cannot be handled as a Binding: json: cannot unmarshal "
            "string into Go struct field Binding.target of type v1.ObjectReference");
}

TEST_F(Create, AnOwnerThatComesTwiceIsKeptOnce) {
  constexpr std::string_view kOwner = R"({"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"})";
  const std::string twice = std::string(kOwner) + "," + std::string(kOwner);
  const Answer made = make_config_map("a", "{}", "t", "\"ownerReferences\":[" + twice + "]");
  const json::Value object = made.json();
  EXPECT_EQ(object.array_at({"metadata", "ownerReferences"}).size(), 1U);
  EXPECT_THAT(made.header("warning"), HasSubstr("duplicate UID(s) observed: u"));
}

TEST_F(Create, SomeKindsNeedNoName) {
  const Answer made = post("/api/v1/namespaces/t/limitranges", R"({"spec":{"limits":[]}})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.at({"metadata", "name"}).size(), 36U);
  EXPECT_EQ(first_cause(post("/api/v1/namespaces/t/events", R"({"involvedObject":{}})")),
            "FieldValueInvalid involvedObject.namespace");
}

TEST_F(Create, API_055_AccessReviewsAreAnsweredAndNotStored) {
  const Answer review =
      post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
           R"({"spec":{"resourceAttributes":{"verb":"list","resource":"pods"}}})");
  EXPECT_EQ(review.status, 201) << review.body;
  EXPECT_EQ(review.at({"status", "allowed"}), "true");
  expect_status(get("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"), 405,
                "MethodNotAllowed");
}

TEST_F(Create, PodsGetTheDefaultsThatSchedulersAndSelectorsRelyOn) {
  const Answer made = post("/api/v1/namespaces/t/pods", pod("p"));
  EXPECT_EQ(made.at({"status", "phase"}), "Pending");
  EXPECT_EQ(made.at({"status", "qosClass"}), "BestEffort");
  EXPECT_EQ(made.at({"spec", "schedulerName"}), "default-scheduler");
  EXPECT_EQ(made.at({"spec", "terminationGracePeriodSeconds"}), "30");
}

// Event names of client-go's recorders and others: the object's name and a suffix.
TEST_F(Create, EventsOfTheCoreGroupMayHaveAnyNameOfAPathSegment) {
  const std::string core = "/api/v1/namespaces/t/events";
  const std::string about = R"("involvedObject":{"kind":"Pod","namespace":"t","name":"Shop_1"})";
  const Answer generated = post(core, R"({"metadata":{"generateName":"shop."},)" + about + "}");
  EXPECT_EQ(generated.status, 201) << generated.body;
  EXPECT_THAT(generated.at({"metadata", "name"}), ::testing::StartsWith("shop."));
  const Answer named = post(core, R"({"metadata":{"name":"Shop_1.abc"},)" + about + "}");
  EXPECT_EQ(named.status, 201) << named.body;
  for (const std::string_view name : {"a/b", "a%b", "..", "."}) {
    EXPECT_EQ(
        post(core, R"({"metadata":{"name":")" + std::string(name) + R"("},)" + about + "}").status,
        422)
        << name;
  }
  // Events of events.k8s.io are checked like other objects on creation.
  const std::string group = "/apis/events.k8s.io/v1/namespaces/t/events";
  const std::string event = R"("eventTime":"2024-01-02T03:04:05.000006Z","type":"Normal"})";
  EXPECT_EQ(post(group, R"({"metadata":{"name":"Shop_2.abc"},)" + event).status, 422);
  Answer read = get(group + "/Shop_1.abc");
  ASSERT_EQ(read.status, 200) << read.body;
  const Answer labelled = put(group + "/Shop_1.abc",
                              with(read.json(), {"metadata", "labels"}, json::Object{{"a", "b"}}));
  EXPECT_EQ(labelled.status, 200) << labelled.body;
}

TEST_F(Create, API_128_DryRunAnswersAsIfAndStoresNothing) {
  const std::string before = revision();
  WatchClient watch(port(), std::string(kConfigMaps) + "?watch=true&resourceVersion=" + before);
  const Answer answer = post(std::string(kConfigMaps) + "?dryRun=All", config_map("a"));
  EXPECT_EQ(answer.status, 201);
  EXPECT_THAT(answer.at({"metadata", "uid"}), ::testing::Not(IsEmpty()));
  EXPECT_THAT(answer.body, ::testing::Not(HasSubstr("resourceVersion")));
  const Answer versioned = post(std::string(kConfigMaps) + "?dryRun=All",
                                config_map("a", "{}", R"("resourceVersion":"x\"")"));
  EXPECT_EQ(versioned.at({"metadata", "resourceVersion"}), "x\"") << "what a client wrote";
  EXPECT_EQ(revision(), before);
  EXPECT_EQ(get(std::string(kConfigMaps) + "/a").status, 404);
  make_config_map("fence");
  EXPECT_EQ(watch.next_text(), "ADDED fence") << "nothing was told of the dry run";
}

TEST_F(Create, API_130_API_135_API_136_ChecksTheOptions) {
  EXPECT_THAT(first_cause(post(std::string(kConfigMaps) + "?dryRun=foo", config_map("a"))),
              ::testing::EndsWith(" dryRun"));
  for (const std::string_view query : {"dryRun=foo", "fieldValidation=foo", "fieldManager=%0A"}) {
    expect_status(post(std::string(kConfigMaps) + "?" + std::string(query), config_map("a")), 422,
                  "Invalid");
  }
  expect_status(
      post(std::string(kConfigMaps) + "?fieldManager=" + std::string(129, 'x'), config_map("a")),
      422, "Invalid");
}

class Fields : public ServerTest {
 protected:
  Answer make(std::string_view validation, std::string_view spec) {
    return post(pods_ + "?fieldValidation=" + std::string(validation), pod("p", spec));
  }
  const std::string pods_ = "/api/v1/namespaces/t/pods";
};

TEST_F(Fields, API_131_StrictRefusesUnknownOnes) {
  const Answer answer = make("Strict", R"("nonsense":1,"securityContext":{"odd":true})");
  expect_status(answer, 400, "BadRequest");
  EXPECT_THAT(answer.at({"message"}),
              HasSubstr("Pod in version \"v1\" cannot be handled as a Pod: strict decoding error: "
                        "unknown field \"spec.nonsense\", unknown field "
                        "\"spec.securityContext.odd\""));
}

TEST_F(Fields, API_132_WarnDropsUnknownOnesAndSaysSo) {
  for (const std::string_view mode : {"", "Warn"}) {
    const Answer answer = make(mode, R"("nonsense":1)");
    EXPECT_EQ(answer.status, 201) << answer.body;
    EXPECT_EQ(answer.header("warning"), R"(299 - "unknown field \"spec.nonsense\"")");
    EXPECT_THAT(answer.body, ::testing::Not(HasSubstr("nonsense")));
    remove(pods_ + "/p");
  }
}

TEST_F(Fields, API_133_IgnoreDropsUnknownOnesSilently) {
  const Answer answer = make("Ignore", R"("nonsense":1)");
  EXPECT_EQ(answer.status, 201);
  EXPECT_THAT(answer.header("warning"), IsEmpty());
  EXPECT_THAT(answer.body, ::testing::Not(HasSubstr("nonsense")));
}

TEST_F(Fields, API_134_OnesThatComeTwiceAreTold) {
  const std::string twice = R"("activeDeadlineSeconds":1,"activeDeadlineSeconds":2)";
  const Answer strict = make("Strict", twice);
  expect_status(strict, 400, "BadRequest");
  EXPECT_THAT(strict.at({"message"}),
              HasSubstr("Pod in version \"v1\" cannot be handled as a Pod: strict decoding error: "
                        "duplicate field \"spec.activeDeadlineSeconds\""));
  const Answer answer = make("Warn", twice);
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.header("warning"), R"(299 - "duplicate field \"spec.activeDeadlineSeconds\"")");
  EXPECT_EQ(answer.at({"spec", "activeDeadlineSeconds"}), "2");
}

TEST_F(Fields, API_131_API_132_YamlIsCheckedToo) {
  const std::string text =
      "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n  - name: c\n"
      "    image: i\n    odd: 1\n  activeDeadlineSeconds: 1\n  activeDeadlineSeconds: 2\n";
  const auto send = [&](const std::string& mode) {
    return call("POST", pods_ + "?fieldValidation=" + mode, text,
                {{"Content-Type", "application/yaml"}});
  };
  const Answer strict = send("Strict");
  expect_status(strict, 400, "BadRequest");
  EXPECT_THAT(strict.at({"message"}),
              HasSubstr("strict decoding error: yaml: unmarshal errors:\n  line 11: key "
                        "\"activeDeadlineSeconds\" "
                        "already set in map, unknown field \"spec.containers[0].odd\""));
  const Answer warned = send("Warn");
  EXPECT_EQ(warned.status, 201) << warned.body;
  EXPECT_THAT(warned.header("warning"), HasSubstr("unknown field"));
  remove(pods_ + "/p");
  EXPECT_THAT(send("Ignore").header("warning"), IsEmpty());
}

TEST_F(Fields, WhatMayBeASecretIsNotShown) {
  for (const std::string_view data : {R"("data":{"p":"hunter-12345!"})", R"("data":{"p":12345})",
                                      R"("stringData":{"p":12345})"}) {
    const Answer answer = post("/api/v1/namespaces/t/secrets",
                               R"({"metadata":{"name":"s"},)" + std::string(data) + "}");
    expect_status(answer, 400, "BadRequest");
    EXPECT_THAT(answer.at({"message"}),
                HasSubstr("Secret in version \"v1\" cannot be handled as a Secret"));
    EXPECT_THAT(answer.body, ::testing::Not(HasSubstr("12345")));
  }
}

TEST_F(Fields, ValuesOfAWrongTypeAreNamed) {
  const Answer answer = make("", R"("priority":"high")");
  expect_status(answer, 400, "BadRequest");
  EXPECT_THAT(
      answer.at({"message"}),
      HasSubstr("json: cannot unmarshal string into Go struct field PodSpec.spec.priority of "
                "type int32"));
  // With the structs that a struct has inline.
  EXPECT_THAT(make("", R"("volumes":[{"name":"v","configMap":{"name":1}}])").at({"message"}),
              HasSubstr("Go struct field ConfigMapVolumeSource.spec.volumes.VolumeSource.configMap."
                        "LocalObjectReference.name of type string"));
  // Texts, and maps, may have a type of their own.
  const auto problem = [&](std::string_view spec) { return make("", spec).at({"message"}); };
  EXPECT_THAT(problem(R"("dnsPolicy":1)"), HasSubstr("spec.dnsPolicy of type v1.DNSPolicy"));
  EXPECT_THAT(problem(R"("volumes":[{"name":"v","ephemeral":{"volumeClaimTemplate":{"spec":)"
                      R"({"accessModes":"a"}}}}])"),
              HasSubstr("spec.accessModes of type []v1.PersistentVolumeAccessMode"));
  EXPECT_THAT(problem(R"("volumes":[{"name":"v","ephemeral":{"volumeClaimTemplate":{"spec":)"
                      R"({"accessModes":[1]}}}}])"),
              HasSubstr("spec.accessModes of type v1.PersistentVolumeAccessMode"));
  EXPECT_THAT(problem(R"("overhead":"a")"), HasSubstr("spec.overhead of type v1.ResourceList"));
  for (const std::string_view spec : {R"("containers":{})", R"("nodeName":[])",
                                      R"("nodeSelector":{"a":1})", R"("activeDeadlineSeconds":1.5)",
                                      R"("hostNetwork":"yes")", R"("overhead":{"cpu":"lots"})"}) {
    expect_status(make("", spec), 400, "BadRequest");
  }
}

TEST_F(Fields, QuantitiesAreWrittenInTheirCanonicalForm) {
  const Answer answer = make("", R"("resources":{"requests":{"cpu":0.5,"memory":"1024Ki"}})");
  EXPECT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(answer.at({"spec", "resources", "requests"}), R"({"cpu":"500m","memory":"1Mi"})");
}

TEST_F(Fields, API_109_API_110_PatchesThatDoNotFitAreInvalid) {
  make("", "");
  const Answer wrong = merge(pods_ + "/p", R"({"spec":{"priority":"x"}})");
  expect_status(wrong, 422, "Invalid");
  EXPECT_EQ(first_cause(wrong), "FieldValueInvalid patch");
  expect_status(merge(pods_ + "/p?fieldValidation=Strict", R"({"spec":{"nonsense":1}})"), 422,
                "Invalid");
  const Answer warned = merge(pods_ + "/p", R"({"spec":{"nonsense":1}})");
  EXPECT_EQ(warned.status, 200);
  EXPECT_THAT(warned.header("warning"), HasSubstr("spec.nonsense"));
  EXPECT_THAT(get(pods_ + "/p").body, ::testing::Not(HasSubstr("nonsense")));

  const std::string deployments = "/apis/apps/v1/namespaces/t/deployments";
  const Answer deployment = post(deployments, R"({"metadata":{"name":"d"},"spec":{
      "selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
      "spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  ASSERT_EQ(deployment.status, 201) << deployment.body;
  const Answer text = merge(deployments + "/d", R"({"spec":{"replicas":"x"}})");
  expect_status(text, 422, "Invalid");
  EXPECT_EQ(first_cause(text), "FieldValueInvalid patch");
  EXPECT_EQ(get(deployments + "/d").body, deployment.body);
}

}  // namespace
}  // namespace kube::apiserver::test
