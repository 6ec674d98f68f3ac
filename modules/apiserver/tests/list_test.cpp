// SPDX-License-Identifier: Apache-2.0
//
// Chapters 9.10 and 9.12 of the reference: lists, pages and selectors; and metadata-only responses.
#include <set>
#include <sstream>

#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class List : public ServerTest {
 protected:
  ApiServer::Options options() const override {
    auto options = ServerTest::options();
    options.fresh_read_timeout = std::chrono::milliseconds(30);
    return options;
  }
  void make(std::string_view names) {
    std::istringstream in{std::string(names)};
    for (std::string name; in >> name;) make_config_map(name);
  }
  Answer list(std::string_view query) {
    return get(std::string(kConfigMaps) + "?" + std::string(query));
  }
};

TEST_F(List, API_178_AnEmptyOneHasItemsAndARevision) {
  const Answer answer = get(kConfigMaps);
  EXPECT_THAT(answer.body, HasSubstr("\"items\":[]"));
  EXPECT_EQ(answer.at({"metadata", "resourceVersion"}), revision());
}

TEST_F(List, API_179_RevisionIsThatOfTheLastWriteOfAnyKind) {
  make("a");
  make_namespace("u");
  EXPECT_EQ(get(kConfigMaps).at({"metadata", "resourceVersion"}), revision());
}

TEST_F(List, API_180_ItemsAreOrderedByNamespaceAndName) {
  make_namespace("a");
  make_namespace("a-b");
  for (const std::string_view namespace_ : {"a", "t", "a-b"}) {
    for (const std::string_view name : {"b", "a"}) make_config_map(name, "{}", namespace_);
  }
  EXPECT_EQ(keys_of(get("/api/v1/configmaps")), "a-b/a a-b/b a/a a/b t/a t/b");
}

TEST_F(List, API_181_API_182_PagesOfAChainShowOneState) {
  make("a b c d e");
  const Answer first = list("limit=2");
  EXPECT_EQ(names_of(first), "a b");
  EXPECT_EQ(first.at({"metadata", "remainingItemCount"}), "3");
  const Answer second = list("limit=2&continue=" + first.at({"metadata", "continue"}));
  EXPECT_EQ(names_of(second), "c d");
  EXPECT_EQ(second.at({"metadata", "remainingItemCount"}), "1");
  const Answer third = list("limit=2&continue=" + second.at({"metadata", "continue"}));
  EXPECT_EQ(names_of(third), "e");
  EXPECT_THAT(third.at({"metadata", "continue"}), IsEmpty());
  EXPECT_THAT(third.at({"metadata", "remainingItemCount"}), IsEmpty());
  EXPECT_EQ(first.at({"metadata", "resourceVersion"}), second.at({"metadata", "resourceVersion"}));
  EXPECT_EQ(first.at({"metadata", "resourceVersion"}), third.at({"metadata", "resourceVersion"}));
}

TEST_F(List, API_183_WritesBetweenPagesDoNotShow) {
  make("b c d e");
  const Answer first = list("limit=1");
  make("a cc z");
  remove(std::string(kConfigMaps) + "/d");
  merge(std::string(kConfigMaps) + "/e", R"({"data":{"k":"new"}})");
  const Answer rest = list("continue=" + first.at({"metadata", "continue"}));
  EXPECT_EQ(names_of(rest), "c d e");
  EXPECT_THAT(rest.body, Not(HasSubstr("new")));
  EXPECT_EQ(names_of(get(kConfigMaps)), "a b c cc e z");
}

TEST_F(List, API_184_ALimitThatTakesAllNeedsNoContinue) {
  make("a b");
  const Answer answer = list("limit=2");
  EXPECT_EQ(names_of(answer), "a b");
  EXPECT_THAT(answer.at({"metadata", "continue"}), IsEmpty());
}

TEST_F(List, API_185_PagesOfASelectionYieldEachMatchOnce) {
  for (int i = 0; i < 9; ++i) {
    make_config_map("n" + std::to_string(i), "{}", "t",
                    i % 2 == 0 ? R"("labels":{"even":"yes"})" : "");
  }
  std::string seen;
  std::string token;
  do {
    const Answer page = list("limit=2&labelSelector=even&continue=" + token);
    ASSERT_EQ(page.status, 200);
    EXPECT_THAT(page.at({"metadata", "remainingItemCount"}), IsEmpty());
    seen += names_of(page) + " ";
    token = page.at({"metadata", "continue"});
  } while (!token.empty());
  EXPECT_EQ(seen, "n0 n2 n4 n6 n8 ");
}

TEST_F(List, API_186_API_187_API_188_BadContinuationsAreRefused) {
  make("a b");
  for (const std::string_view garbage :
       {"garbage", "%21%21", "e30",
        "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi94In0"}) {
    const Answer answer = list("continue=" + std::string(garbage));
    expect_status(answer, 400, "BadRequest");
    EXPECT_THAT(answer.at({"message"}), HasSubstr("continue key is not valid"));
  }
  const std::string token = list("limit=1").at({"metadata", "continue"});
  const Answer with_version = list("continue=" + token + "&resourceVersion=5");
  expect_status(with_version, 400, "BadRequest");
  EXPECT_EQ(with_version.at({"message"}),
            "specifying resource version is not allowed when using continue");
  expect_status(list("continue=" + token + "&resourceVersionMatch=Exact"), 422, "Invalid");
}

TEST_F(List, API_189_AnExpiredTokenComesWithOneThatGoesOn) {
  make("a b c d");
  const Answer first = list("limit=2");
  make("cc");
  server().compact_all();
  const Answer expired = list("limit=2&continue=" + first.at({"metadata", "continue"}));
  expect_status(expired, 410, "Expired");
  EXPECT_THAT(expired.at({"message"}),
              ::testing::StartsWith("The provided continue parameter is too old to display a "
                                    "consistent list result."));
  const Answer rest = list("continue=" + expired.at({"metadata", "continue"}));
  EXPECT_EQ(rest.status, 200);
  EXPECT_EQ(names_of(rest), "c cc d");
}

TEST_F(List, API_190_API_191_RevisionZeroGivesTheWholeList) {
  make("a b c");
  const Answer answer = list("resourceVersion=0&limit=1");
  EXPECT_EQ(names_of(answer), "a b c");
  EXPECT_THAT(answer.at({"metadata", "continue"}), IsEmpty());
}

TEST_F(List, API_192_API_193_API_202_ExactShowsThePastAndNotOlderThanThePresent) {
  make("a b");
  const std::string then = revision();
  make("c");
  merge(std::string(kConfigMaps) + "/a", R"({"data":{"k":"new"}})");
  remove(std::string(kConfigMaps) + "/b");
  const Answer exact = list("resourceVersion=" + then + "&resourceVersionMatch=Exact");
  EXPECT_EQ(exact.at({"metadata", "resourceVersion"}), then);
  EXPECT_EQ(names_of(exact), "a b");
  EXPECT_THAT(exact.body, Not(HasSubstr("new")));
  const Answer legacy = list("limit=2&resourceVersion=" + then);
  EXPECT_EQ(names_of(legacy), "a b");
  EXPECT_EQ(legacy.at({"metadata", "resourceVersion"}), then);
  EXPECT_THAT(legacy.body, Not(HasSubstr("new")));
  for (const std::string_view match : {"", "&resourceVersionMatch=NotOlderThan"}) {
    const Answer now = list("resourceVersion=" + then + std::string(match));
    EXPECT_EQ(names_of(now), "a c");
    EXPECT_EQ(now.at({"metadata", "resourceVersion"}), revision());
  }
  const Answer current = list("resourceVersion=" + revision());
  EXPECT_EQ(current.status, 200);
  EXPECT_EQ(current.at({"metadata", "resourceVersion"}), revision());
}

TEST_F(List, PagesOfAPastStateCountWhatRemainsThen) {
  make("a b c");
  const std::string then = revision();
  make("d e");
  remove(std::string(kConfigMaps) + "/a");
  const Answer first = list("limit=1&resourceVersionMatch=Exact&resourceVersion=" + then);
  EXPECT_EQ(names_of(first), "a");
  EXPECT_EQ(first.at({"metadata", "remainingItemCount"}), "2");
  EXPECT_EQ(names_of(list("continue=" + first.at({"metadata", "continue"}))), "b c");
}

TEST_F(List, API_194_ACompactedRevisionIsExpired) {
  make("a");
  const std::string then = revision();
  make("b");
  server().compact_all();
  expect_status(list("resourceVersionMatch=Exact&resourceVersion=" + then), 410, "Expired");
}

TEST_F(List, API_195_API_196_AFutureRevisionIsTooLarge) {
  for (const std::string_view match : {"Exact", "NotOlderThan"}) {
    const Answer answer =
        list("resourceVersion=999999999&resourceVersionMatch=" + std::string(match));
    expect_status(answer, 504, "Timeout");
    EXPECT_THAT(answer.at({"message"}), HasSubstr("Too large resource version: 999999999"));
    EXPECT_EQ(first_cause(answer), "ResourceVersionTooLarge ");
    EXPECT_EQ(answer.header("retry-after"), "1");
  }
}

TEST_F(List, API_197_API_198_API_199_API_200_ChecksWhatOptionsMeanTogether) {
  const Answer alone = list("resourceVersionMatch=Exact");
  expect_status(alone, 422, "Invalid");
  EXPECT_EQ(first_cause(alone), "FieldValueForbidden resourceVersionMatch");
  EXPECT_EQ(alone.at({"details", "kind"}), "ListOptions");
  EXPECT_EQ(alone.at({"details", "group"}), "meta.k8s.io");
  const Answer unknown = list("resourceVersionMatch=Foo&resourceVersion=1");
  expect_status(unknown, 422, "Invalid");
  EXPECT_EQ(first_cause(unknown), "FieldValueNotSupported resourceVersionMatch");
  expect_status(list("resourceVersionMatch=Exact&resourceVersion=0"), 422, "Invalid");
  expect_status(list("sendInitialEvents=true"), 422, "Invalid");
}

TEST_F(List, API_201_UnreadableRevisionIsABadRequest) {
  const Answer answer = list("resourceVersion=abc");
  expect_status(answer, 400, "BadRequest");
  EXPECT_THAT(answer.at({"message"}), HasSubstr("invalid resource version"));
  expect_status(list("limit=x"), 400, "BadRequest");
}

TEST_F(List, API_203_AllNamespacesAreTheUnionOfEach) {
  make_namespace("u");
  make("a b");
  make_config_map("c", "{}", "u");
  EXPECT_EQ(keys_of(get("/api/v1/configmaps")),
            keys_of(get("/api/v1/namespaces/t/configmaps")) + " " +
                keys_of(get("/api/v1/namespaces/u/configmaps")));
}

TEST_F(List, API_204_ItemsOfATypedListGoWithoutKind) {
  make("a");
  EXPECT_THAT(get(kConfigMaps).body, HasSubstr(R"("items":[{"metadata":{"name":"a")"));
  // Nor in a version whose fields are not those that are stored.
  const std::string scalers = "/apis/autoscaling/v1/namespaces/t/horizontalpodautoscalers";
  post(scalers, R"({"metadata":{"name":"h"},"spec":{"maxReplicas":2,)"
                R"("scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}})");
  EXPECT_THAT(get(scalers).body, HasSubstr(R"("items":[{"metadata":{"name":"h")"));
}

TEST_F(List, ADeprecatedKindSaysSoFirstAndInErrors) {
  const std::string endpoints = "/api/v1/namespaces/t/endpoints";
  const std::string warning =
      R"(299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice")";
  EXPECT_EQ(get(endpoints).header("warning"), warning);
  EXPECT_EQ(get(endpoints + "/none").header("warning"), warning);
  EXPECT_EQ(post(endpoints, R"({"metadata":{"name":"e"},"odd":1})").header("warning"),
            warning + R"(, 299 - "unknown field \"odd\"")");
  EXPECT_EQ(get(endpoints, {{"Accept", "application/cbor"}}).header("warning"), "");
}

TEST_F(List, API_205_FiveThousandObjectsComeInTenPages) {
  std::string document = R"({"kind":"ConfigMapList","apiVersion":"v1","items":[)";
  for (int i = 0; i < 5000; ++i) {
    if (i != 0) document += ',';
    document += R"({"metadata":{"namespace":"t","name":"n)" + std::to_string(i) + R"("}})";
  }
  const auto loaded = server().load_text(document + "]}");
  ASSERT_TRUE(loaded) << loaded.error().to_string();
  EXPECT_EQ(*loaded, 5000U);
  std::set<std::string> seen;
  std::string token;
  int pages = 0;
  do {
    const Answer page = list("limit=500&continue=" + token);
    ASSERT_EQ(page.status, 200);
    std::istringstream names(names_of(page));
    for (std::string name; names >> name;) EXPECT_TRUE(seen.insert(name).second) << name;
    token = page.at({"metadata", "continue"});
    ++pages;
  } while (!token.empty());
  EXPECT_EQ(pages, 10);
  EXPECT_EQ(seen.size(), 5000U);
}

TEST_F(List, LongListsComeInChunksThatMakeOneDocument) {
  const std::string data = R"({"k":")" + std::string(100'000, 'x') + R"("})";
  for (int i = 0; i < 30; ++i) make_config_map("n" + std::to_string(i), data);
  const Answer answer = get(kConfigMaps);
  EXPECT_EQ(answer.header("transfer-encoding"), "chunked");
  EXPECT_TRUE(answer.complete);
  const json::Value list = answer.json();
  EXPECT_EQ(list.at_path({"items"})->if_array()->size(), 30U);
  EXPECT_EQ(get("/version").status, 200);
}

TEST_F(List, ListsInYamlAreWhole) {
  make("a b");
  const Answer answer = get(kConfigMaps, {{"Accept", "application/yaml"}});
  EXPECT_EQ(answer.header("content-type"), "application/yaml");
  EXPECT_THAT(answer.body, HasSubstr("kind: ConfigMapList"));
  EXPECT_THAT(get(std::string(kConfigMaps) + "/a", {{"Accept", "application/yaml"}}).body,
              ::testing::StartsWith("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  creation"));
}

TEST_F(List, API_292_MetadataOnlyLists) {
  make_config_map("a", R"({"k":"secret"})", "t", R"("labels":{"x":"y"})");
  const Answer answer =
      get(kConfigMaps,
          {{"Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}});
  EXPECT_EQ(answer.at({"kind"}), "PartialObjectMetadataList");
  EXPECT_EQ(answer.at({"apiVersion"}), "meta.k8s.io/v1");
  EXPECT_EQ(names_of(answer), "a");
  EXPECT_THAT(
      answer.body,
      HasSubstr(
          R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a")"));
  EXPECT_THAT(answer.body, Not(HasSubstr("secret")));
}

TEST_F(List, API_293_MetadataOnlyObjects) {
  make_config_map("a", R"({"k":"secret"})");
  const std::string item = std::string(kConfigMaps) + "/a";
  const Answer answer =
      get(item, {{"Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}});
  EXPECT_EQ(answer.at({"kind"}), "PartialObjectMetadata");
  EXPECT_EQ(answer.at({"metadata", "name"}), "a");
  EXPECT_THAT(answer.body, Not(HasSubstr("secret")));
  expect_status(
      get(item, {{"Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}}),
      406, "NotAcceptable");
}

class Selectors : public List {
 protected:
  void SetUp() override {
    List::SetUp();
    make_config_map("a", "{}", "t", R"("labels":{"a":"1","b":"2","n":"7"})");
    make_config_map("b", "{}", "t", R"("labels":{"a":"1","n":"x"})");
    make_config_map("c", "{}", "t", R"("labels":{"a":"2","n":"3"})");
    make_config_map("d");
  }
  std::string labels(std::string_view escaped) {
    return names_of(list("labelSelector=" + std::string(escaped)));
  }
  std::string fields(std::string_view escaped) {
    return names_of(list("fieldSelector=" + std::string(escaped)));
  }
};

TEST_F(Selectors, API_254_API_255_API_256_LabelSelectors) {
  EXPECT_EQ(labels("a%3D1,b!%3D2"), "b");
  EXPECT_EQ(labels("a+in+(1,2)"), "a b c");
  EXPECT_EQ(labels("a+in+(2,3)"), "c");
  EXPECT_EQ(labels("a+notin+(1,2)"), "d");
  EXPECT_EQ(labels("a+notin+(1)"), "c d");
  EXPECT_EQ(labels("a"), "a b c");
  EXPECT_EQ(labels("!a"), "d");
  EXPECT_EQ(labels("n%3E5"), "a");
  EXPECT_EQ(labels("n%3E10"), "");
  EXPECT_EQ(labels(""), "a b c d");
}

TEST_F(Selectors, API_257_BrokenLabelSelectorsAreBadRequests) {
  for (const std::string_view broken : {"a%3D(", "%3Dx", "a+in", "a+in+(", "-", "a%3D%40"}) {
    expect_status(list("labelSelector=" + std::string(broken)), 400, "BadRequest");
  }
}

TEST_F(Selectors, API_258_FieldSelectorsByName) {
  EXPECT_EQ(fields("metadata.name%3Da"), "a");
  EXPECT_EQ(fields("metadata.name%3D%3Da"), "a");
  EXPECT_EQ(fields("metadata.name!%3Da"), "b c d");
  EXPECT_EQ(fields("metadata.name%3Dab"), "");
}

TEST_F(Selectors, API_259_FieldSelectorsByNamespace) {
  make_namespace("u");
  make_config_map("x", "{}", "u");
  EXPECT_EQ(keys_of(get("/api/v1/configmaps?fieldSelector=metadata.namespace%3Du")), "u/x");
  EXPECT_EQ(keys_of(get("/api/v1/configmaps?fieldSelector=metadata.name%3Dx")), "u/x");
}

TEST_F(Selectors, API_260_FieldSelectorsOfPods) {
  const std::string pods = "/api/v1/namespaces/t/pods";
  post(pods, pod("p", R"("nodeName":"n1")"));
  post(pods, pod("q"));
  EXPECT_EQ(names_of(get(pods + "?fieldSelector=spec.nodeName%3Dn1")), "p");
  EXPECT_EQ(names_of(get(pods + "?fieldSelector=spec.host%3Dn1")), "p");
  EXPECT_EQ(names_of(get(pods + "?fieldSelector=spec.nodeName%3D")), "q");
  EXPECT_EQ(names_of(get(pods + "?fieldSelector=status.phase%3DPending,spec.hostNetwork%3Dfalse")),
            "p q");
  EXPECT_EQ(names_of(get(pods + "?fieldSelector=status.phase!%3DPending")), "");
}

TEST_F(Selectors, API_261_UnknownFieldsAreBadRequests) {
  const Answer answer = list("fieldSelector=foo.bar%3Dx");
  expect_status(answer, 400, "BadRequest");
  EXPECT_EQ(answer.at({"message"}),
            "\"foo.bar\" is not a known field selector: only \"metadata.name\", "
            "\"metadata.namespace\"");
  const auto message = [&](const std::string& resource) {
    return get(resource + "?fieldSelector=foo%3Dx").at({"message"});
  };
  const std::string own = "field label not supported: foo";
  EXPECT_EQ(message("/api/v1/namespaces/t/pods"), own);
  EXPECT_EQ(message("/api/v1/nodes"), own);
  EXPECT_EQ(message("/apis/batch/v1/jobs"), "field label \"foo\" not supported for Job");
  EXPECT_EQ(message("/apis/resource.k8s.io/v1/resourceslices"),
            "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: foo");
  EXPECT_EQ(get("/api/v1/nodes?fieldSelector=metadata.namespace%3Dx").at({"message"}),
            "field label not supported: metadata.namespace");
  EXPECT_EQ(
      get("/apis/rbac.authorization.k8s.io/v1/clusterroles?fieldSelector=metadata.namespace%3Dx")
          .status,
      200);
  expect_status(list("fieldSelector=foo"), 400, "BadRequest");
}

TEST_F(Selectors, API_262_EventsAreFoundByWhatTheyAreAbout) {
  const std::string events = "/api/v1/namespaces/t/events";
  ASSERT_EQ(
      post(
          events,
          R"({"metadata":{"name":"e1"},"involvedObject":{"kind":"Pod","name":"p","namespace":"t","uid":"1"},"reason":"Started","source":{"component":"kubelet"}})")
          .status,
      201);
  post(events, R"({"metadata":{"name":"e2"},"involvedObject":{"kind":"Node","name":"n"}})");
  EXPECT_EQ(names_of(get(events + "?fieldSelector=involvedObject.name%3Dp,involvedObject.kind%"
                                  "3DPod,involvedObject.namespace%3Dt,involvedObject.uid%3D1")),
            "e1");
  for (const std::string_view selector : {"name%3Dp", "namespace%3Dt", "uid%3D1", "kind%3DPod"}) {
    EXPECT_EQ(names_of(get(events + "?fieldSelector=involvedObject." + std::string(selector))),
              "e1")
        << selector;
  }
  EXPECT_EQ(names_of(get(events + "?fieldSelector=source%3Dkubelet,reason%3DStarted")), "e1");
  // The newer group shows the same events under its own names.
  const Answer newer =
      get("/apis/events.k8s.io/v1/namespaces/t/events?fieldSelector=regarding.name%3Dp");
  EXPECT_EQ(names_of(newer), "e1");
  EXPECT_THAT(newer.body, HasSubstr("\"regarding\":{"));
  EXPECT_THAT(newer.body, Not(HasSubstr("involvedObject")));
  EXPECT_THAT(newer.body, HasSubstr("\"deprecatedSource\":{"));
}

TEST_F(Selectors, API_263_SecretsAreFoundByType) {
  const std::string secrets = "/api/v1/namespaces/t/secrets";
  post(secrets, R"({"metadata":{"name":"x"},"type":"kubernetes.io/tls"})");
  post(secrets, R"({"metadata":{"name":"y"}})");
  EXPECT_EQ(names_of(get(secrets + "?fieldSelector=type%3DOpaque")), "y");
}

TEST_F(Selectors, API_265_API_266_BothKindsAreAndedAndEscapesAreLiteral) {
  EXPECT_EQ(names_of(list("labelSelector=a%3D1&fieldSelector=metadata.name!%3Da")), "b");
  EXPECT_EQ(fields("metadata.name%3Da%5C,b"), "");
  const std::string roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  for (const std::string_view name : {"a", "a,b"}) {
    EXPECT_EQ(post(roles, R"({"metadata":{"name":")" + std::string(name) + "\"}}").status, 201);
  }
  EXPECT_EQ(names_of(get(roles + "?fieldSelector=metadata.name%3Da%5C,b")), "a,b");
  expect_status(list("fieldSelector=metadata.name%3Da%5C"), 400, "BadRequest");
}

TEST_F(List, ALongSelectorThatCanNotBeReadIsShownByItsBeginning) {
  std::string word;
  for (int i = 0; i < 10'000; ++i) word += "%C3%A9";
  for (const std::string_view parameter : {"labelSelector=a%20", "fieldSelector="}) {
    const Answer answer =
        get(std::string(kConfigMaps) + "?" + std::string(parameter) + word + "%3D1");
    expect_status(answer, 400, "BadRequest");
    EXPECT_LT(answer.body.size(), 2000U) << parameter;
    EXPECT_THAT(answer.at({"message"}), ::testing::EndsWith("\xc3\xa9 ..."));
  }
}

}  // namespace
}  // namespace kube::apiserver::test
