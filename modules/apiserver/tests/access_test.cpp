// SPDX-License-Identifier: Apache-2.0
//
// Chapter 9.16 of the reference: authentication, authorisation, overload, restart; and the server's
// options, loading and stopping.
#include <filesystem>
#include <fstream>
#include <thread>

#include <kube/json/yaml.hpp>
#include <kube/meta/errors.hpp>

#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Access : public ::testing::Test {
 protected:
  void SetUp() override {
    ApiServer::Options options;
    options.tokens = {{"sesame", {"alice", {"devs"}, "1"}}, {"other", {"bob", {}, ""}}};
    options.authorizer = [this](const AccessRequest& access) {
      if (access.verb == "explode") throw std::runtime_error("no");
      last_ = access;
      return access.user.name == "alice" || access.resource != "secrets";
    };
    auto started = ApiServer::start(std::move(options));
    ASSERT_TRUE(started) << started.error().to_string();
    server_ = *std::move(started);
  }
  void TearDown() override { server_.reset(); }
  Answer get(std::string_view path, std::string_view token) {
    return HttpClient(server_->port())
        .send("GET", path, {}, {{"Authorization", "Bearer " + std::string(token)}});
  }
  std::unique_ptr<ApiServer> server_;
  AccessRequest last_;
};

TEST_F(Access, API_326_BadTokensAreUnauthorized) {
  for (const std::string_view token : {"wrong", "", "sesam", "sesame2"}) {
    const Answer answer = get("/api/v1/namespaces", token);
    expect_status(answer, 401, "Unauthorized");
    EXPECT_EQ(answer.at({"message"}), "Unauthorized");
  }
  expect_status(HttpClient(server_->port()).send("GET", "/api/v1/namespaces"), 401, "Unauthorized");
  EXPECT_EQ(get("/api/v1/namespaces", "sesame").status, 200);
}

TEST_F(Access, API_327_ForbiddenRequestsSayWhoMayNotDoWhat) {
  const Answer list = get("/api/v1/namespaces/default/secrets", "other");
  expect_status(list, 403, "Forbidden");
  EXPECT_EQ(list.at({"message"}),
            "secrets is forbidden: User \"bob\" cannot list resource \"secrets\" in API group \"\" "
            "in the namespace \"default\"");
  EXPECT_EQ(get("/api/v1/secrets", "other").at({"message"}),
            "secrets is forbidden: User \"bob\" cannot list resource \"secrets\" in API group \"\" "
            "at the cluster scope");
  // A refused user must not learn whether the object exists.
  const Answer item = get("/api/v1/namespaces/default/secrets/x", "other");
  expect_status(item, 403, "Forbidden");
  EXPECT_THAT(item.at({"message"}), ::testing::StartsWith("secrets \"x\" is forbidden: "));
  EXPECT_EQ(get("/api/v1/namespaces/default/secrets", "sesame").status, 200);
  EXPECT_EQ(last_.verb, "list");
  EXPECT_EQ(last_.user.name, "alice");
  EXPECT_EQ(last_.namespace_, "default");
}

TEST_F(Access, SelfSubjectReviewTellsTheUser) {
  const Answer who = HttpClient(server_->port())
                         .send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}",
                               {{"Authorization", "Bearer sesame"}});
  EXPECT_EQ(who.status, 201) << who.body;
  EXPECT_EQ(who.at({"status", "userInfo", "username"}), "alice");
  EXPECT_EQ(who.at({"status", "userInfo", "groups"}), R"(["devs","system:authenticated"])");
}

class Reviews : public ServerTest {
 protected:
  Answer review(std::string_view kind, std::string_view body) {
    return post("/apis/" + std::string(kind), body);
  }
};

TEST_F(Reviews, AreReadAsOtherKindsAre) {
  const std::string access = "authorization.k8s.io/v1/subjectaccessreviews";
  const Answer good =
      review(access, R"({"odd":1,"spec":{"user":"u","resourceAttributes":{"verb":"get"}}})");
  EXPECT_EQ(good.status, 201) << good.body;
  EXPECT_EQ(good.at({"metadata"}), "{}");
  EXPECT_EQ(good.header("warning"), R"(299 - "unknown field \"odd\"")");
  expect_status(review(access, R"({"spec":"x"})"), 400, "BadRequest");
  const std::string tokens = "authentication.k8s.io/v1/tokenreviews";
  EXPECT_EQ(review(tokens, R"({"spec":{"token":"t"}})").at({"status"}),
            R"({"error":"invalid bearer token","user":{}})");
  EXPECT_EQ(review(tokens, "{}").at({"message"}),
            "token is required for TokenReview in authentication");
  EXPECT_EQ(review("authorization.k8s.io/v1/selfsubjectrulesreviews", "{}").at({"message"}),
            "no namespace on request");
}

TEST_F(Reviews, OfAccessAreChecked) {
  const auto refused = [&](std::string_view spec) {
    return review("authorization.k8s.io/v1/subjectaccessreviews",
                  R"({"spec":)" + std::string(spec) + "}")
        .at({"message"});
  };
  EXPECT_EQ(refused("{}"),
            R"(.authorization.k8s.io "" is invalid: [spec: Invalid value: null: exactly one of )"
            "nonResourceAttributes or resourceAttributes must be specified, spec.user: Invalid "
            R"(value: "": at least one of user or group must be specified])");
  EXPECT_THAT(
      refused(
          R"({"user":"u","nonResourceAttributes":{"path":"/","verb":"get"},"resourceAttributes":{}})"),
      ::testing::HasSubstr(R"(spec: Invalid value: {"Path":"/","Verb":"get"}: exactly one)"));
  const std::string selector = R"({"user":"u","resourceAttributes":{"fieldSelector":)";
  EXPECT_THAT(refused(selector + "{}}}"),
              ::testing::EndsWith("fieldSelector is specified, requirements or rawSelector is "
                                  "required"));
  EXPECT_THAT(refused(selector + R"({"requirements":[{"operator":"In"}]}}})"),
              ::testing::EndsWith(
                  "requirements[0].key: Required value: must be specified, "
                  "spec.resourceAttributes.fieldSelector.requirements[0].values: Required value: "
                  "must be specified when `operator` is 'In' or 'NotIn']"));
}

TEST_F(Access, KubeconfigCarriesAddressAndToken) {
  const auto config = yaml::parse(server_->kubeconfig());
  ASSERT_TRUE(config);
  EXPECT_EQ(config->at_path({"clusters"})
                ->if_array()
                ->front()
                .at_path({"cluster", "server"})
                ->string_or_empty(),
            server_->url());
  EXPECT_EQ(
      config->at_path({"users"})->if_array()->front().at_path({"user", "token"})->string_or_empty(),
      "sesame");
}

class Overload : public ServerTest {};

TEST_F(Overload, API_333_IsA429WithRetryAfterUntilItIsOver) {
  server().overload(2, std::chrono::seconds(7));
  for (int i = 0; i < 2; ++i) {
    const Answer answer = get(kConfigMaps);
    EXPECT_EQ(answer.status, 429);
    EXPECT_EQ(answer.header("retry-after"), "7");
    EXPECT_THAT(answer.header("content-type"), HasSubstr("text/plain"));
  }
  EXPECT_EQ(get(kConfigMaps).status, 200);
}

TEST(Restart, API_338_StartsAboveAllEarlierRevisions) {
  std::uint64_t last = 0;
  for (int life = 0; life < 3; ++life) {
    auto server = ApiServer::start();
    ASSERT_TRUE(server);
    EXPECT_GT((*server)->resource_version(), last);
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE((*server)->create(Unstructured(
          *json::parse(config_map("n" + std::to_string(i), "{}", R"("namespace":"default")")))));
    }
    last = (*server)->resource_version();
  }
}

TEST(ServerLife, BadOptionsAreNamed) {
  ApiServer::Options no_threads;
  no_threads.threads = 0;
  EXPECT_THAT(ApiServer::start(std::move(no_threads)).error().to_string(), HasSubstr("threads"));
  ApiServer::Options no_address;
  no_address.address = "localhost";
  EXPECT_THAT(ApiServer::start(std::move(no_address)).error().to_string(),
              HasSubstr("expected an IP address"));
}

TEST(ServerLife, ATakenPortIsAnError) {
  const auto first = ApiServer::start();
  ASSERT_TRUE(first);
  ApiServer::Options options;
  options.port = (*first)->port();
  const auto second = ApiServer::start(std::move(options));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), ErrorCode::Unreachable);
  EXPECT_THAT(second.error().to_string(), HasSubstr(std::to_string((*first)->port())));
}

TEST(ServerLife, TheSameSeedGivesTheSameObjects) {
  const auto uid_of_first = [] {
    ApiServer::Options options;
    options.seed = 42;
    options.initial_revision = 1;
    auto server = ApiServer::start(std::move(options));
    const auto made = (*server)->create(Unstructured(*json::parse(
        R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"n-"}})")));
    return std::string(made->name()) + " " + std::string(made->uid());
  };
  EXPECT_EQ(uid_of_first(), uid_of_first());
}

TEST(ServerLife, StopsTwiceAndUnderLoad) {
  auto server = ApiServer::start();
  ASSERT_TRUE(server);
  std::vector<std::unique_ptr<HttpClient>> idle;
  for (int i = 0; i < 10; ++i) {
    idle.push_back(std::make_unique<HttpClient>((*server)->port()));
    idle.back()->send("GET", "/version");
  }
  WatchClient watch((*server)->port(), "/api/v1/pods?watch=true");
  (*server)->stop();
  (*server)->stop();
  EXPECT_EQ((*server)->statistics().connections, 0U);
  EXPECT_EQ((*server)->statistics().watchers, 0U);
  EXPECT_THROW(HttpClient((*server)->port()), std::runtime_error);
  // The objects in memory can still be read.
  EXPECT_EQ((*server)->list({"", "v1", "namespaces"}).value().size(), 4U);
}

TEST(ServerLife, AClientThatReadsNothingDoesNotHoldUpTheStop) {
  ApiServer::Options options;
  options.stop_timeout = std::chrono::milliseconds(50);
  auto server = ApiServer::start(std::move(options));
  ASSERT_TRUE(server);
  HttpClient stuck((*server)->port());
  stuck.shrink_receive_buffer();
  stuck.write("GET /api/v1/configmaps?watch=true HTTP/1.1\r\nHost: t\r\n\r\n");
  const std::string data = R"({"k":")" + std::string(900'000, 'x') + R"("})";
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(
        (*server)->create(Unstructured(*json::parse(config_map("n" + std::to_string(i), data)))));
  }
  (*server)->stop();
  EXPECT_EQ((*server)->statistics().connections, 0U);
}

class InProcess : public ServerTest {};

TEST_F(InProcess, CreateGetAndListDoWhatHttpDoes) {
  const auto made = server().create(
      Unstructured(*json::parse(config_map("a", R"({"k":"v"})", R"("namespace":"t")"))));
  ASSERT_TRUE(made) << made.error().to_string();
  EXPECT_EQ(json::dump(made->content) + "\n", get(std::string(kConfigMaps) + "/a").body);
  const auto got = server().get({"", "v1", "configmaps"}, {"t", "a"});
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, *made);
  EXPECT_EQ(server().list({"", "v1", "configmaps"}, "t").value().size(), 1U);
  EXPECT_EQ(server().list({"", "v1", "configmaps"}, "u").value().size(), 0U);

  EXPECT_EQ(server().create(*made).error().message(),
            "resourceVersion should not be set on objects to be created");
  EXPECT_TRUE(is_not_found(server().get({"", "v1", "configmaps"}, {"t", "b"}).error()));
  EXPECT_EQ(server().get({"", "v1", "nosuch"}, {"t", "b"}).error().code(),
            ErrorCode::InvalidArgument);
}

TEST_F(InProcess, LoadPutsObjectsAsTheyAre) {
  const auto count = server().load_text(R"(apiVersion: v1
kind: Pod
metadata:
  name: p
  namespace: fresh
  uid: kept
  resourceVersion: "7"
status:
  phase: Running
---
kind: List
apiVersion: v1
items:
- {apiVersion: v1, kind: Node, metadata: {name: node}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: map}}
)");
  ASSERT_TRUE(count) << count.error().to_string();
  EXPECT_EQ(*count, 3U);
  const Answer loaded = get("/api/v1/namespaces/fresh/pods/p");
  EXPECT_EQ(loaded.at({"status", "phase"}), "Running");
  EXPECT_EQ(loaded.at({"metadata", "uid"}), "kept");
  EXPECT_NE(loaded.at({"metadata", "resourceVersion"}), "7");
  EXPECT_EQ(get("/api/v1/namespaces/fresh").at({"status", "phase"}), "Active");
  EXPECT_EQ(get("/api/v1/namespaces/default/configmaps/map").status, 200);
  // Loads again over existing objects.
  EXPECT_TRUE(server().load_text(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"fresh"},"status":{"phase":"Failed"}})"));
  EXPECT_EQ(get("/api/v1/namespaces/fresh/pods/p").at({"status", "phase"}), "Failed");
}

TEST_F(InProcess, LoadGivesObjectsWithoutAStatusWhatNewOnesGet) {
  const auto count = server().load_text(R"(
{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: q}, status: {}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: one}}
)");
  ASSERT_TRUE(count) << count.error().to_string();
  const Answer pod = get("/api/v1/namespaces/default/pods/p");
  EXPECT_EQ(pod.at({"status", "phase"}), "Pending");
  EXPECT_EQ(pod.at({"status", "qosClass"}), "BestEffort");
  EXPECT_EQ(names_of(get("/api/v1/pods?fieldSelector=status.phase%3DPending")), "p q");
  EXPECT_EQ(get("/api/v1/namespaces/default/persistentvolumeclaims/c").at({"status", "phase"}),
            "Pending");
  const Answer space = get("/api/v1/namespaces/one");
  EXPECT_EQ(space.at({"status", "phase"}), "Active");
  EXPECT_EQ(space.at({"spec", "finalizers"}), R"(["kubernetes"])");
  EXPECT_EQ(space.at({"metadata", "labels", "kubernetes.io/metadata.name"}), "one");
}

TEST_F(InProcess, ALoadedNamespaceHasItsFinalizerAndLabelWhateverItsStatusSays) {
  ASSERT_TRUE(server().load_text(R"(
{apiVersion: v1, kind: Namespace, metadata: {name: one, labels: {a: b}},
 spec: {finalizers: [x.io/y]}, status: {conditions: [{type: A, status: "True"}]}}
)"));
  const Answer space = get("/api/v1/namespaces/one");
  EXPECT_EQ(space.at({"status", "phase"}), "Active");
  EXPECT_EQ(space.at({"spec", "finalizers"}), R"(["x.io/y","kubernetes"])");
  EXPECT_EQ(space.at({"metadata", "labels"}), R"({"a":"b","kubernetes.io/metadata.name":"one"})");
  EXPECT_THAT(space.body, HasSubstr(R"("type":"A")"));
}

TEST_F(InProcess, API_173_DeletionOfALoadedNamespaceTakesItsContentWithIt) {
  for (const std::string_view status : {"", ", status: {phase: Active}"}) {
    ASSERT_TRUE(server().load_text("{apiVersion: v1, kind: Namespace, metadata: {name: one}" +
                                   std::string(status) +
                                   "}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: "
                                   "a, namespace: one}}\n"));
    WatchClient watch(port(), "/api/v1/namespaces?watch=true&fieldSelector=metadata.name%3Done");
    EXPECT_EQ(watch.next_text(), "ADDED one");
    remove("/api/v1/namespaces/one");
    EXPECT_EQ(watch.next_text(), "MODIFIED one");
    EXPECT_EQ(watch.next_text(), "DELETED one");
    EXPECT_EQ(keys_of(get("/api/v1/namespaces/one/configmaps")), "");
  }
}

TEST_F(InProcess, LoadReadsFoldersAndNamesWhatIsWrong) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "apiserver_load";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "b.yaml") << "apiVersion: v1\nkind: Node\nmetadata: {name: b}\n";
  std::ofstream(folder / "a.json")
      << R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}})";
  std::ofstream(folder / "notes.txt") << "not an object";
  const auto loaded = server().load_path(folder);
  ASSERT_TRUE(loaded) << loaded.error().to_string();
  EXPECT_EQ(*loaded, 2U);
  EXPECT_EQ(names_of(get("/api/v1/nodes")), "a b");

  std::ofstream(folder / "c.yaml") << "apiVersion: v1\nkind: Nonsense\nmetadata: {name: c}\n";
  const auto failed = server().load_path(folder);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().to_string(),
              HasSubstr("c.yaml: document 1: no resource of kind Nonsense in v1"));
  EXPECT_THAT(server().load_path(folder / "absent.yaml").error().to_string(),
              HasSubstr("can't read"));
  std::filesystem::remove_all(folder);
}

TEST_F(InProcess, LoadTakesDefinitionsAndNamespacesFirstWhereverTheyStand) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "apiserver_load_order";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "more");
  std::ofstream(folder / "a.yaml")
      << "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: fresh}}\n";
  std::ofstream(folder / "b.yaml")
      << "{apiVersion: v1, kind: Namespace, metadata: {name: fresh, labels: {kept: \"yes\"}}}\n";
  std::ofstream(folder / "more" / "c.yaml") << R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";
  const std::vector<std::filesystem::path> paths = {folder, folder / "more"};
  const auto loaded = server().load_paths(paths);
  ASSERT_TRUE(loaded) << loaded.error().to_string();
  EXPECT_EQ(*loaded, 3U);
  EXPECT_EQ(get("/apis/example.com/v1/namespaces/fresh/widgets/w").status, 200);
  EXPECT_EQ(get("/api/v1/namespaces/fresh").at({"metadata", "labels", "kept"}), "yes");
  std::filesystem::remove_all(folder);
}

TEST_F(InProcess, LoadRefusesAnObjectThatIsThereTwiceBeforeItLoadsAny) {
  const auto loaded = server().load_text(
      "{apiVersion: v1, kind: Node, metadata: {name: a}}\n---\n"
      "{apiVersion: v1, kind: NodeList, items: [{metadata: {name: b}}, {metadata: {name: a}}]}");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().to_string(),
            "document 2: items[1]: Node \"a\" occurs twice; the first one is in document 1");
  EXPECT_EQ(names_of(get("/api/v1/nodes")), "");
}

TEST_F(InProcess, LoadGeneratesNamesEachTimeAnew) {
  const std::string text =
      "{apiVersion: v1, kind: Pod, metadata: {generateName: web-}, status: {phase: Failed}}";
  for (int i = 0; i < 2; ++i) {
    const auto loaded = server().load_text(text);
    ASSERT_TRUE(loaded) << loaded.error().to_string();
    EXPECT_EQ(*loaded, 1U);
  }
  const auto pods = server().list({"", "v1", "pods"}, "default");
  ASSERT_TRUE(pods) << pods.error().to_string();
  ASSERT_EQ(pods->size(), 2U);
  for (const Unstructured& pod : *pods) {
    EXPECT_THAT(pod.name(), ::testing::MatchesRegex("web-[a-z0-9]{5}"));
    EXPECT_EQ(pod.content.string_at({"status", "phase"}), "Failed") << "the status is loaded, too";
  }
  EXPECT_THAT(server()
                  .load_text("{apiVersion: v1, kind: Pod, metadata: {generateName: X_}}")
                  .error()
                  .to_string(),
              ::testing::StartsWith("document 1: Pod \"X_"));
  EXPECT_THAT(server().load_text("{apiVersion: v1, kind: Pod}").error().to_string(),
              HasSubstr("name or generateName is required"));
}

class LoadWarnings : public ServerTest {
 protected:
  ApiServer::Options options() const override {
    auto options = ServerTest::options();
    options.load_warning = [this](std::string_view text) { warnings_->emplace_back(text); };
    return options;
  }
  const std::unique_ptr<std::vector<std::string>> warnings_ =
      std::make_unique<std::vector<std::string>>();
};

TEST_F(LoadWarnings, NameUnknownFieldsAndLoadingGoesOn) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "apiserver_load_warnings.yaml";
  std::ofstream(file) << R"({apiVersion: v1, kind: ConfigMap, metadata: {name: a}, datax: {a: b}}
---
{apiVersion: v1, kind: List, items: [
  {apiVersion: v1, kind: Node, metadata: {name: node}},
  {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, imag: i}]}}]}
)";
  const auto loaded = server().load_path(file);
  ASSERT_TRUE(loaded) << loaded.error().to_string();
  EXPECT_EQ(*loaded, 3U);
  EXPECT_THAT(
      *warnings_,
      ::testing::ElementsAre(
          file.string() + ": document 1: unknown field \"datax\"",
          file.string() + ": document 2: items[1]: unknown field \"spec.containers[0].imag\""));
  EXPECT_EQ(get("/api/v1/namespaces/default/configmaps/a").at({"datax"}), "");
  std::filesystem::remove(file);
}

TEST_F(InProcess, LoadSaysOnceWhatIsInvalid) {
  EXPECT_THAT(
      server().load_text("{apiVersion: v1, kind: Pod, metadata: {name: X_y}}").error().to_string(),
      ::testing::StartsWith("document 1: Pod \"X_y\" is invalid: "));
  EXPECT_THAT(server()
                  .load_text("{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: X_y}}")
                  .error()
                  .to_string(),
              ::testing::StartsWith("document 1: ReplicaSet.apps \"X_y\" is invalid: "));
}

TEST(BeforeListening, FillsTheServerBeforeAnybodyIsServed) {
  ApiServer::Options options;
  options.before_listening = [](ApiServer& server) -> Result<void> {
    EXPECT_EQ(server.port(), 0);
    EXPECT_EQ(server.url(), "");
    const auto loaded =
        server.load_text(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})");
    if (!loaded) return loaded.error();
    EXPECT_EQ(server.statistics().writes, 16U)
        << "four namespaces, a service, two priority classes, eight levels and the node";
    return {};
  };
  const auto server = ApiServer::start(options);
  ASSERT_TRUE(server) << server.error().to_string();
  EXPECT_NE((*server)->port(), 0);
  EXPECT_TRUE((*server)->get({"", "v1", "nodes"}, {"", "n"}));

  options.before_listening = [](ApiServer&) { return Error(ErrorCode::Config, "not today"); };
  EXPECT_EQ(ApiServer::start(options).error().message(), "not today");
}

}  // namespace
}  // namespace kube::apiserver::test
