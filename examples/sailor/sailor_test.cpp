// SPDX-License-Identifier: Apache-2.0
#include "sailor.hpp"

#include <atomic>
#include <future>
#include <latch>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/fake/fake_client.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/owner_references.hpp>
#include <kube/testing/eventually.hpp>

#include "http_client.hpp"

namespace sailor {
namespace {

using kube::serving::test::HttpClient;
using kube::testing::eventually;
using kube::testing::kPatience;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using HttpAnswer = kube::serving::test::Answer;
using Headers = kube::serving::test::Headers;

constexpr std::string_view kRoot = "/k8sailor/v0/";
constexpr std::string_view kDeployment = R"({"metadata": {"labels": {"tier": "front"}}, "spec":
  {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata":
  {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}}})";

template <class T>
T in_namespace(const std::string& namespace_, const std::string& name) {
  T made;
  made.metadata.namespace_ = namespace_;
  made.metadata.name = name;
  return made;
}

class SailorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Deployment web = add_deployment("shop", "web");
    add_deployment("other", "web");
    // Two replica sets, as during a rollout.
    for (const std::string name : {"web-1", "web-2"}) {
      auto set = in_namespace<ReplicaSet>("shop", name);
      set.metadata.owner_references = {kube::new_controller_ref(web)};
      set.spec.selector = web.spec.selector;
      set.spec.template_ = web.spec.template_;
      const ReplicaSet made = client().api<ReplicaSet>("shop").create(set).value();
      add_pod("shop", name + "-a", &made);
    }
    add_pod("shop", "web-stray");  // with the labels, of nobody
    add_pod("other", "web-1-a");
    for (const char* namespace_ : {"shop", "other"}) {
      const Pod pod = client().api<Pod>(namespace_).get("web-1-a").value();
      auto event = in_namespace<Event>(namespace_, "e");
      event.involved_object = {
          .kind = "Pod", .namespace_ = namespace_, .name = "web-1-a", .uid = pod.metadata.uid};
      event.reason = "Pulled";
      event.message = std::string("in ") + namespace_;
      client().api<Event>(namespace_).create(event).value();
    }
    dashboard.reset(new Sailor{client()});
    dashboard->with_event_handlers(
        kube::ResourceEventHandler<Deployment>{.on_add = [this](auto&, bool) { ++deployments; }},
        kube::ResourceEventHandler<Pod>{.on_add = [this](auto&, bool) { ++pods; }});
    dashboard->start({.listen = "127.0.0.1:0", .stop_timeout = kPatience}, {}).value();
    port = dashboard->server->port();
  }

  const kube::Client& client() const { return fake->client(); }
  Deployment add_deployment(const std::string& namespace_, const std::string& name) {
    auto made = kube::meta::from_json<Deployment>(kDeployment).value();
    made.metadata.name = name;
    return client().api<Deployment>(namespace_).create(made).value();
  }
  void add_pod(const std::string& namespace_, const std::string& name,
               const ReplicaSet* owner = nullptr) {
    auto pod = in_namespace<Pod>(namespace_, name);
    pod.metadata.labels = {{"app", "web"}};
    if (owner != nullptr) pod.metadata.owner_references = {kube::new_controller_ref(*owner)};
    pod.spec.containers = {{.name = "c", .image = "nginx"}};
    client().api<Pod>(namespace_).create(pod).value();
  }

  HttpAnswer send(std::string_view method, const std::string& path, std::string_view body = {},
                  const Headers& headers = {}) const {
    return HttpClient(port).send(method, std::string(kRoot) + path, body, headers);
  }
  int status(std::string_view method, const std::string& path, std::string_view body = {}) const {
    const HttpAnswer answer = send(method, path, body);
    EXPECT_EQ(answer.at({"kind"}) == "Status", answer.status >= 400) << answer.body;
    return answer.status;
  }
  /// "shop/web" of each object in an answer, which is the same from both sources.
  std::set<std::string> names(const std::string& path) const {
    const auto read = [&](const std::string& target) {
      std::set<std::string> out;
      const kube::json::Value list = send("GET", target).json();
      if (!list.is_array()) return std::set<std::string>{"(no list)"};
      for (const auto& each : *list.if_array()) {
        out.insert(std::string(each.string_at({"metadata", "namespace"})) + "/" +
                   std::string(each.string_at({"metadata", "name"})));
      }
      return out;
    };
    const auto cached = read(path);
    const char* more = path.find('?') == std::string::npos ? "?" : "&";
    EXPECT_EQ(cached, read(path + more + "from=cluster"));
    return cached;
  }

  const std::unique_ptr<kube::fake::FakeClient> fake =
      kube::fake::FakeClient::start(
          "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n---\n"
          "{apiVersion: v1, kind: Namespace, metadata: {name: other}}")
          .value();
  std::atomic<int> deployments = 0;
  std::atomic<int> pods = 0;
  std::unique_ptr<Sailor> dashboard;
  std::uint16_t port = 0;
};

TEST_F(SailorTest, ListsByNamespaceAndByLabel) {
  EXPECT_THAT(names("deployments"), ElementsAre("other/web", "shop/web"));
  EXPECT_THAT(names("deployments?namespace=shop"), ElementsAre("shop/web"));
  EXPECT_THAT(names("deployments?labels=tier%3Dfront"), ElementsAre("other/web", "shop/web"));
  EXPECT_THAT(names("deployments?namespace=shop&labels=tier!%3Dfront"), IsEmpty());
  EXPECT_THAT(names("pods?namespace=other&labels=app"), ElementsAre("other/web-1-a"));
  EXPECT_EQ(names("pods").size(), 4U);
}

TEST_F(SailorTest, GetsADeploymentByItsName) {
  for (const char* source : {"", "&from=cluster"}) {
    const auto answer = send("GET", std::string("deployments/web?namespace=shop") + source);
    EXPECT_EQ(answer.at({"metadata", "namespace"}), "shop");
    EXPECT_EQ(answer.at({"spec", "replicas"}), "2");
    EXPECT_EQ(status("GET", std::string("deployments/none?namespace=shop") + source), 404);
    EXPECT_EQ(status("GET", std::string("deployments/web?") + source), 404) << "in default";
  }
}

TEST_F(SailorTest, PodsOfADeploymentGoByTheirOwners) {
  EXPECT_THAT(names("deployments/web/pods?namespace=shop"),
              ElementsAre("shop/web-1-a", "shop/web-2-a"));
  EXPECT_THAT(names("deployments/web/pods?namespace=other"), IsEmpty());
  EXPECT_EQ(status("GET", "deployments/none/pods?namespace=shop"), 404);
}

TEST_F(SailorTest, EventsOfAPodGoByItsUid) {
  EXPECT_THAT(names("pods/web-1-a/event?namespace=shop"), ElementsAre("shop/e"));
  EXPECT_THAT(send("GET", "pods/web-1-a/event?namespace=other").body, HasSubstr("in other"));
  EXPECT_THAT(names("pods/web-2-a/event?namespace=shop"), IsEmpty());
  EXPECT_EQ(status("GET", "pods/none/event?namespace=shop"), 404);
}

TEST_F(SailorTest, ReadsAskTheClusterOnlyWhenTheyAreToldTo) {
  fake->clear_actions();
  EXPECT_EQ(status("GET", "deployments/web/pods?namespace=shop"), 200);
  EXPECT_EQ(status("GET", "pods/web-1-a/event?namespace=shop"), 200);
  EXPECT_THAT(fake->actions(), IsEmpty());
  EXPECT_EQ(status("GET", "deployments/web/pods?namespace=shop&from=cluster"), 200);
  EXPECT_EQ(fake->actions().size(), 3U) << "deployments, replica sets, pods";
}

TEST_F(SailorTest, ScalesCreatesAndDeletesInTheCluster) {
  const auto api = client().api<Deployment>("shop");
  EXPECT_EQ(
      send("PUT", "deployments/web/replicas?namespace=shop&replicas=0").at({"spec", "replicas"}),
      "0");
  EXPECT_EQ(api.get("web").value().spec.replicas, 0);
  EXPECT_EQ(send("POST", "deployments/new?namespace=shop", kDeployment).at({"metadata", "name"}),
            "new");
  EXPECT_EQ(api.get("new").value().spec.replicas, 2);
  EXPECT_TRUE(eventually([&] { return status("GET", "deployments/new?namespace=shop") == 200; }));
  EXPECT_EQ(status("DELETE", "deployments/new?namespace=shop"), 200);
  EXPECT_TRUE(kube::is_not_found(api.get("new").error()));
}

TEST_F(SailorTest, MistakesAreStatusesInJson) {
  for (const char* replicas :
       {"", "&replicas=", "&replicas=x", "&replicas=null", "&replicas=1.5", "&replicas=-1"}) {
    EXPECT_EQ(status("PUT", std::string("deployments/web/replicas?namespace=shop") + replicas), 400)
        << replicas;
  }
  EXPECT_EQ(status("PUT", "deployments/none/replicas?namespace=shop&replicas=1"), 404);
  EXPECT_EQ(status("GET", "deployments?labels=!!"), 400);
  EXPECT_EQ(status("POST", "deployments/new?namespace=shop", "no JSON"), 400);
  EXPECT_EQ(status("POST", "deployments/new?namespace=shop", R"({"spec": {"size": 1}})"), 400);
  EXPECT_EQ(status("POST", "deployments/web?namespace=shop", kDeployment), 409);
  EXPECT_EQ(status("DELETE", "deployments/none?namespace=shop"), 404);
  EXPECT_EQ(status("PUT", "deployments/web?namespace=shop"), 405);
  EXPECT_EQ(status("POST", "pods"), 405);
  const HttpAnswer foreign =
      send("DELETE", "deployments/web?namespace=shop", {}, {{"Origin", "http://evil.example"}});
  EXPECT_EQ(foreign.status, 403);
  EXPECT_TRUE(client().api<Deployment>("shop").get("web"));
}

TEST_F(SailorTest, EachEventHandlerIsCalledByTheInformerOfItsType) {
  EXPECT_TRUE(eventually([&] { return deployments == 2 && pods == 4; }));
}

TEST_F(SailorTest, ABrowserGetsThePage) {
  const HttpAnswer page = HttpClient(port).send("GET", "/", {}, {{"Accept", "text/html"}});
  EXPECT_THAT(page.body, HasSubstr("<title>Sailor</title>"));
  EXPECT_THAT(page.header("content-security-policy"), HasSubstr("default-src 'none'"));
}

// A write that is under way when the program stops: its caller gets the answer, and until then the
// informers are at work.
TEST_F(SailorTest, TheServerStopsBeforeTheInformers) {
  EXPECT_TRUE(eventually([&] { return deployments == 2; }));
  std::latch asked(1);
  std::latch let_go(1);
  fake->prepend_reactor("patch", "deployments", [&](kube::fake::Action&) -> kube::fake::Reaction {
    asked.count_down();
    let_go.wait();
    return {};
  });
  auto answer = std::async(std::launch::async, [this] {
    return send("PUT", "deployments/web/replicas?namespace=shop&replicas=3");
  });
  asked.wait();
  const std::jthread stopper([this] { dashboard.reset(); });
  EXPECT_TRUE(eventually([&] { return kube::serving::test::refuses_connections(port); }));
  add_deployment("shop", "late");
  EXPECT_TRUE(eventually([&] { return deployments == 3; }));
  let_go.count_down();
  EXPECT_EQ(answer.get().status, 200);
}

TEST(Sailor, StopsWhileItWaitsForTheCluster) {
  kube::rest::Config nowhere;
  nowhere.host = "http://127.0.0.1:1";
  Sailor dashboard{kube::Client::create(nowhere).value()};
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(dashboard.start({.listen = "127.0.0.1:0"}, stop.get_token()));
}

}  // namespace
}  // namespace sailor
