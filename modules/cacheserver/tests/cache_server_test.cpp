// SPDX-License-Identifier: Apache-2.0
#include <kube/cacheserver/cache_server.hpp>

#include <atomic>
#include <map>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster_fixture.hpp"

namespace kube::cacheserver::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t size_of(const Answer& answer, std::string_view member) {
  const json::Value document = answer.json();
  return document.array_at({member}).size();
}

class CacheServerTest : public ClusterTest {
 protected:
  void fill() {
    load(pod_json("a", R"("app":"web")") + "\n---\n" +
         pod_json("b", R"("app":"web","tier":"front")", R"("nodeName":"n1")") + "\n---\n" +
         pod_json("c", R"("app":"db")") + "\n---\n" + pod_json("d", {}, {}, "other"));
  }
};

TEST_F(CacheServerTest, AnswersGetAndListFromTheCache) {
  fill();
  serve(pods());
  EXPECT_EQ(ask_cache(std::string(kPods) + "/a").at({"metadata", "name"}), "a");
  const Answer list = ask_cache(kPods);
  EXPECT_EQ(list.status, 200);
  EXPECT_EQ(list.at({"kind"}), "PodList");
  EXPECT_EQ(size_of(list, "items"), 3U);
  EXPECT_EQ(size_of(ask_cache("/api/v1/pods"), "items"), 4U);
}

TEST_F(CacheServerTest, AnswersEqualThoseOfTheClusterByteForByte) {
  fill();
  serve(pods());
  catch_up();
  const std::vector<std::string> targets = {
      "/api/v1/namespaces/web/pods/a",
      "/api/v1/namespaces/web/pods/missing",
      "/api/v1/pods",
      "/api/v1/namespaces/web/pods",
      "/api/v1/namespaces/none/pods",
      "/api/v1/pods?labelSelector=app%3Dweb",
      "/api/v1/pods?labelSelector=app+in+(web,db),tier",
      "/api/v1/pods?labelSelector=!!",
      "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1",
      "/api/v1/pods?fieldSelector=spec.nodeName!%3Dn1",
      "/api/v1/pods?fieldSelector=metadata.name%3Dc",
      "/api/v1/pods?fieldSelector=metadata.namespace%3Dother",
      "/api/v1/pods?fieldSelector=status.phase%3DPending",
      "/api/v1/pods?fieldSelector=no.such%3Dx",
      "/api/v1/pods?limit=2",
      "/api/v1/namespaces/web/pods?limit=1&labelSelector=app",
      "/api/v1/pods?resourceVersion=0",
      "/api/v1/pods?resourceVersion=x",
      "/api/v1/pods?resourceVersionMatch=Exact",
      "/api/v1/pods?resourceVersion=" + revision() + "&resourceVersionMatch=Exact",
      "/api/v1/pods?resourceVersion=" + revision() + "&resourceVersionMatch=NotOlderThan",
      "/api/v1/pods?limit=1&continue=nonsense",
      "/api/v1/namespaces/web/pods/a?pretty=true",
  };
  const std::vector<std::string> forms = {
      "application/json",
      "application/yaml",
      "application/vnd.kubernetes.protobuf",
      "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json",
      "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json",
      "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,"
      "application/json",
      "application/json;as=Table;v=v1;g=meta.k8s.io",
  };
  for (const std::string& target : targets) {
    for (const std::string& form : forms) {
      const Headers headers = {{"Accept", form}};
      Answer expected = ask_cluster(target, headers);
      Answer actual = ask_cache(target, headers);
      // Ages of tables change with the seconds.
      for (int again = 0; again < 3 && actual.body != expected.body; ++again) {
        expected = ask_cluster(target, headers);
        actual = ask_cache(target, headers);
      }
      EXPECT_EQ(actual.status, expected.status) << target << " " << form;
      EXPECT_EQ(actual.body, expected.body) << target << " " << form;
      EXPECT_EQ(actual.header("content-type"), expected.header("content-type")) << target;
    }
  }
}

TEST_F(CacheServerTest, PathsThatLeadNowhereAreRefusedAsByTheCluster) {
  fill();
  load(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":)"
      R"({"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":)"
      R"({"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},)"
      R"("versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)"
      R"({"type":"object"}}}]}})");
  serve(pods());
  serve({"example.com", "v1", "Widget", "widgets", "widget", true});
  const std::string objects(kPods);
  for (const std::string& target :
       {objects + "/..", objects + "/.", objects + "/%2E%2E", objects + "/a%25b",
        objects + "/a%2Fstatus", objects + "/a/b/c", std::string("/api/v1/pods/a"),
        std::string("/api/v1/watch/pods/a"), std::string("/api/v1/nonesuch"),
        std::string("/api/v2/pods"), std::string("/apis/example.com/v1/widgets/w"),
        std::string("/apis/example.com/v1/gadgets"), std::string("/apis/example.com/v2/widgets"),
        std::string("/apis/none.example.com/v1/widgets")}) {
    for (const char* method : {"GET", "OPTIONS"}) {
      const Answer expected = HttpClient(cluster->port()).send(method, target);
      const Answer actual = HttpClient(cache->port()).send(method, target);
      EXPECT_GE(actual.status, 400);
      EXPECT_EQ(actual.status, expected.status) << method << " " << target;
      EXPECT_EQ(actual.body, expected.body) << method << " " << target;
    }
  }
}

/// Members in order of their names: a type writes its own order, a server the one that was sent.
json::Value sorted(const json::Value& value) {
  if (const json::Object* object = value.if_object()) {
    std::map<std::string, json::Value> members;
    for (const auto& [key, member] : *object) members.emplace(key, sorted(member));
    json::Object out;
    for (const auto& [key, member] : members) out.set(key, member);
    return out;
  }
  if (const json::Array* array = value.if_array()) {
    json::Array out;
    for (const json::Value& each : *array) out.push_back(sorted(each));
    return out;
  }
  return value;
}

std::string comparable(const Answer& answer) {
  return answer.header("content-type").starts_with("application/json")
             ? json::dump(sorted(answer.json()))
             : answer.body;
}

TEST_F(CacheServerTest, TypedInformersWithProtobufCellsGiveTheSameAnswers) {
  fill();
  serve_typed_pods();
  catch_up();
  for (const std::string target :
       {"/api/v1/namespaces/web/pods/a", "/api/v1/pods", "/api/v1/pods?labelSelector=app%3Dweb",
        "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1",
        "/api/v1/pods?fieldSelector=spec.nodeName%3D", "/api/v1/pods?limit=2"}) {
    for (const std::string form :
         {"application/json", "application/vnd.kubernetes.protobuf",
          "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json",
          "application/json;as=Table;v=v1;g=meta.k8s.io"}) {
      const Headers headers = {{"Accept", form}};
      Answer expected = ask_cluster(target, headers);
      Answer actual = ask_cache(target, headers);
      for (int again = 0; again < 3 && comparable(actual) != comparable(expected); ++again) {
        expected = ask_cluster(target, headers);
        actual = ask_cache(target, headers);
      }
      EXPECT_EQ(actual.status, expected.status) << target << " " << form;
      EXPECT_EQ(comparable(actual), comparable(expected)) << target << " " << form;
    }
  }
}

TEST_F(CacheServerTest, PagesShowOneStateWhileObjectsChange) {
  fill();
  serve(pods());
  catch_up();
  const Answer first = ask_cache("/api/v1/pods?limit=2");
  const std::string token = first.at({"metadata", "continue"});
  ASSERT_NE(token, "");
  EXPECT_EQ(first.at({"metadata", "remainingItemCount"}), "2");
  load(pod_json("bb") + "\n---\n" + pod_json("e", {}, {}, "other"));
  catch_up();
  const Answer second = ask_cache("/api/v1/pods?limit=9&continue=" + token);
  EXPECT_EQ(second.status, 200);
  EXPECT_EQ(size_of(second, "items"), 2U) << "the state of the first page";
  EXPECT_EQ(second.at({"metadata", "resourceVersion"}), first.at({"metadata", "resourceVersion"}));
}

TEST_F(CacheServerTest, WatchSendsEventsThatTheCacheHasSeen) {
  fill();
  serve(pods());
  catch_up();
  const std::string from = revision();
  WatchClient all(cache->port(), "/api/v1/pods?watch=true&resourceVersion=" + from);
  WatchClient web(cache->port(),
                  "/api/v1/namespaces/web/pods?watch=1&labelSelector=app%3Dweb"
                  "&resourceVersion=" +
                      from);
  load(pod_json("c", R"("app":"web")"));
  EXPECT_EQ(all.next_text(), "MODIFIED c");
  EXPECT_EQ(web.next_text(), "ADDED c") << "it is selected now";
  load(pod_json("c", R"("app":"db")"));
  EXPECT_EQ(all.next_text(), "MODIFIED c");
  EXPECT_EQ(web.next_text(), "DELETED c") << "it is not selected any more";
}

TEST_F(CacheServerTest, WatchEventsEqualThoseOfTheClusterInEveryForm) {
  fill();
  serve(pods());
  catch_up();
  for (const std::string form : {"application/json", "application/json;as=Table;v=v1;g=meta.k8s.io",
                                 "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"}) {
    const std::string target = "/api/v1/pods?watch=true&resourceVersion=" + revision();
    catch_up();
    WatchClient expected(cluster->port(), target, {{"Accept", form}});
    WatchClient actual(cache->port(), target, {{"Accept", form}});
    EXPECT_EQ(actual.head().header("content-type"), expected.head().header("content-type"));
    const std::string name = "w" + revision();
    const std::string object = "/api/v1/namespaces/web/pods/" + name;
    load(pod_json(name, R"("app":"web")"));
    load(pod_json(name, R"("app":"other")"));
    HttpClient(cluster->port()).send("DELETE", object + "?gracePeriodSeconds=0");
    for (int i = 0; i < 3; ++i) {
      json::Value want = *expected.next();
      json::Value got = *actual.next();
      EXPECT_EQ(json::dump(got), json::dump(want)) << form;
    }
  }
}

TEST_F(CacheServerTest, InitialEventsEndWithAMarkedBookmark) {
  fill();
  serve(pods());
  catch_up();
  WatchClient watch(cache->port(),
                    "/api/v1/namespaces/web/pods?watch=true&sendInitialEvents=true"
                    "&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  EXPECT_EQ(watch.next_text(), "ADDED a");
  EXPECT_EQ(watch.next_text(), "ADDED b");
  EXPECT_EQ(watch.next_text(), "ADDED c");
  const auto end = watch.next();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->string_at({"type"}), "BOOKMARK");
  EXPECT_EQ(end->string_at({"object", "metadata", "annotations", "k8s.io/initial-events-end"}),
            "true");
}

class ImpatientCacheServerTest : public CacheServerTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = CacheServerTest::cache_options();
    options.fresh_read_timeout = 10ms;
    return options;
  }
};

TEST_F(ImpatientCacheServerTest, AVersionThatTheCacheHasNotReachedIsWaitedForAndThenA504) {
  fill();
  serve(pods());
  const Answer late = ask_cache("/api/v1/pods?resourceVersion=999999999999999");
  EXPECT_EQ(late.status, 504);
  EXPECT_EQ(late.at({"reason"}), "Timeout");
  EXPECT_THAT(late.at({"message"}), HasSubstr("Too large resource version"));
  EXPECT_NE(late.header("retry-after"), "");
}

TEST_F(CacheServerTest, AWatchFromBeforeTheHistoryIsA410) {
  fill();
  serve(pods());
  WatchClient watch(cache->port(), "/api/v1/pods?watch=true&resourceVersion=1");
  const auto event = watch.next();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->string_at({"type"}), "ERROR");
  EXPECT_EQ(event->int_at({"object", "code"}), 410);
}

TEST_F(CacheServerTest, ARelistThatFindsChangesEndsWatchesWithA410) {
  fill();
  serve(pods());
  catch_up();
  WatchClient watch(cache->port(), "/api/v1/pods?watch=true&resourceVersion=" + revision());
  // The informer loses its watch, and can't ask for another one until its version is forgotten.
  cluster->overload(100'000, 1s);
  cluster->drop_connections();
  load(pod_json("x") + "\n---\n" + pod_json("y"));
  cluster->compact_all();
  cluster->overload(0, 1s);
  const auto event = watch.next();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->string_at({"type"}), "ERROR") << "no event, because others are missing";
  EXPECT_EQ(event->int_at({"object", "code"}), 410);
  EXPECT_EQ(event->string_at({"object", "reason"}), "Expired");
  catch_up();
  EXPECT_EQ(size_of(ask_cache("/api/v1/pods"), "items"), 6U);
}

TEST_F(CacheServerTest, DiscoveryHasTheServedResourcesWithTheVerbsOfReading) {
  serve(pods());
  serve({"apps", "v1", "Deployment", "deployments", "deployment", true});
  const Answer core = ask_cache("/api/v1");
  ASSERT_EQ(size_of(core, "resources"), 1U);
  const json::Value core_list = core.json();
  EXPECT_EQ(json::dump(*core_list.at_path({"resources"})),
            R"([{"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod",)"
            R"("verbs":["get","list","watch"],"shortNames":["po"],"categories":["all"],)"
            R"("storageVersionHash":"xPOwRZ+Yhw8="}])");
  EXPECT_EQ(size_of(ask_cache("/apis/apps/v1"), "resources"), 1U);
  const Answer aggregated = ask_cache(
      "/apis",
      {{"Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}});
  EXPECT_EQ(size_of(aggregated, "items"), 1U);
  EXPECT_EQ(ask_cache("/api/v1/namespaces/web/secrets").status, 404);
  EXPECT_EQ(ask_cache("/apis/batch/v1/jobs").status, 404);
  EXPECT_EQ(ask_cache("/version").at({"major"}), "1");
  EXPECT_EQ(ask_cache("/openapi/v3").status, 200);
}

// kubectl's second question, after a pod was not found.
TEST_F(CacheServerTest, ANamespaceThatIsNotServedIsNotMissing) {
  fill();
  serve({"apps", "v1", "Deployment", "deployments", "deployment", true});
  for (int round = 0; round < 2; ++round) {
    const Answer answer = ask_cache("/api/v1/namespaces/web");
    EXPECT_EQ(answer.status, 403);
    EXPECT_EQ(answer.at({"message"}),
              "namespaces \"web\" is forbidden: this cache does not serve namespaces");
    if (round == 0) serve(pods());
  }
  EXPECT_EQ(ask_cache("/api/v1/namespaces").status, 404);
  serve({"", "v1", "Namespace", "namespaces", "namespace", false});
  EXPECT_EQ(ask_cache("/api/v1/namespaces/none").status, 404);
}

TEST_F(CacheServerTest, WritesAreA405ThatSaysWhy) {
  fill();
  serve(pods());
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    const Answer answer =
        HttpClient(cache->port()).send(method, "/api/v1/namespaces/web/pods/a", "{}");
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(answer.at({"reason"}), "MethodNotAllowed");
    EXPECT_THAT(answer.at({"message"}), HasSubstr("from a cache and accepts no writes"));
  }
}

class OldCacheTest : public CacheServerTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = CacheServerTest::cache_options();
    options.max_age = Duration(1);  // every cache is older
    return options;
  }
};

TEST_F(OldCacheTest, ACacheThatIsTooOldIsNotReadyAndWarns) {
  fill();
  serve(pods());
  EXPECT_EQ(ask_cache("/readyz").status, 503);
  EXPECT_THAT(ask_cache("/readyz").body, HasSubstr("[-]pods failed: nothing was heard"));
  EXPECT_EQ(ask_cache("/healthz").status, 200);
  EXPECT_THAT(ask_cache(kPods).header("warning"), HasSubstr("299 - \"the cache of pods has heard"));
  EXPECT_EQ(ask_cache("/apis").header("warning"), "")
      << "once for a command, not for its discovery";
}

TEST_F(CacheServerTest, RefusedObjectsAreCountedAndHarmNoOther) {
  fill();
  AnyInformer informer(client->rest(), pods());
  ASSERT_TRUE(informer.set_transform([](Unstructured pod) -> Result<Unstructured> {
    if (pod.name() == "b") throw std::runtime_error("not this one");
    return pod;
  }));
  ASSERT_TRUE(cache->add(informer));
  ASSERT_TRUE(informer.start());
  ASSERT_TRUE(informer.wait_for_sync({}));
  const Answer ready = ask_cache("/readyz?verbose");
  EXPECT_EQ(ready.status, 200);
  EXPECT_THAT(ready.body, HasSubstr("[+]pods ok; objects refused: 1\n"));
  EXPECT_THAT(ask_cache("/metrics").body,
              HasSubstr("kube_cacheserver_refused_objects{group=\"\",version=\"v1\","
                        "resource=\"pods\",namespace=\"\"} 1\n"));
  EXPECT_EQ(size_of(ask_cache("/api/v1/pods"), "items"), 3U);
}

TEST_F(CacheServerTest, ADeletionWhoseFinalStateIsRefusedIsAnEventAsOthersAre) {
  fill();
  AnyInformer informer(client->rest(), pods());
  std::atomic<bool> refuses{false};
  ASSERT_TRUE(informer.set_transform([&](Unstructured pod) -> Result<Unstructured> {
    if (refuses && pod.name() == "b") throw std::runtime_error("not this one");
    return pod;
  }));
  ASSERT_TRUE(cache->add(informer));
  ASSERT_TRUE(informer.start());
  ASSERT_TRUE(informer.wait_for_sync({}));
  refuses = true;
  catch_up();
  WatchClient watch(cache->port(), std::string(kPods) + "?watch=1&resourceVersion=" + revision());
  HttpClient(cluster->port()).send("DELETE", std::string(kPods) + "/b?gracePeriodSeconds=0");
  const std::string deleted = revision();
  const auto event = watch.next();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->string_at({"type"}), "DELETED");
  EXPECT_EQ(event->string_at({"object", "metadata", "name"}), "b");
  EXPECT_EQ(event->string_at({"object", "metadata", "resourceVersion"}), deleted);
  load(pod_json("later"));
  EXPECT_EQ(watch.next_text(), "ADDED later") << "the watch goes on";
  WatchClient resumed(cache->port(), std::string(kPods) + "?watch=1&resourceVersion=" + deleted);
  EXPECT_EQ(resumed.next_text(), "ADDED later");
}

TEST_F(CacheServerTest, IsReadyWhenEveryInformerHasSynced) {
  fill();
  AnyInformer informer(client->rest(), pods());
  ASSERT_TRUE(cache->add(informer));
  EXPECT_EQ(ask_cache("/livez").status, 200);
  EXPECT_EQ(ask_cache("/readyz").status, 503);
  EXPECT_EQ(HttpClient(cache->port()).send("POST", "/readyz").status, 503);
  for (const char* other : {"/readyz/ping", "/readyz/storage", "/healthz/ping", "/livez/ping"}) {
    EXPECT_EQ(ask_cache(other).status, 404) << "it says nothing of a cache: " << other;
  }
  const Answer early = ask_cache(kPods);
  EXPECT_EQ(early.status, 503);
  EXPECT_THAT(early.at({"message"}), HasSubstr("it has not synced yet"));
  ASSERT_TRUE(informer.start());
  ASSERT_TRUE(informer.wait_for_sync({}));
  EXPECT_EQ(ask_cache("/readyz").status, 200);
  EXPECT_THAT(ask_cache("/readyz?verbose").body, HasSubstr("[+]pods ok"));
  EXPECT_EQ(ask_cache(kPods).status, 200);
}

TEST_F(CacheServerTest, MetricsNameEachResource) {
  fill();
  serve(pods());
  load(pod_json("later"));
  catch_up();
  const Answer metrics = ask_cache("/metrics");
  EXPECT_THAT(metrics.header("content-type"), HasSubstr("version=0.0.4"));
  EXPECT_THAT(metrics.body,
              HasSubstr("kube_cacheserver_objects{group=\"\",version=\"v1\",resource=\"pods\","
                        "namespace=\"\"} 5\n"));
  EXPECT_THAT(metrics.body, HasSubstr("# TYPE kube_cacheserver_requests_total counter\n"));
  const std::string labels = "{group=\"\",version=\"v1\",resource=\"pods\",namespace=\"\"} ";
  for (const char* of_cluster : {"lists_total", "watches_total", "healthy"}) {
    EXPECT_THAT(metrics.body,
                HasSubstr("kube_cacheserver_" + std::string(of_cluster) + labels + "1\n"));
  }
  EXPECT_THAT(metrics.body, HasSubstr("kube_cacheserver_events_received_total" + labels));
}

TEST_F(CacheServerTest, CachesOfSeveralNamespacesAnswerForTheseAlone) {
  fill();
  InformerOptions web;
  web.namespace_ = "web";
  InformerOptions other;
  other.namespace_ = "other";
  serve(pods(), web);
  serve(pods(), other);
  EXPECT_EQ(size_of(ask_cache(kPods), "items"), 3U);
  EXPECT_EQ(size_of(ask_cache("/api/v1/namespaces/other/pods"), "items"), 1U);
  const Answer all = ask_cache("/api/v1/pods");
  EXPECT_EQ(all.status, 403);
  EXPECT_THAT(all.at({"message"}), HasSubstr("these namespaces only: web, other"));
  // A selector can name the namespace, too.
  const std::string selector = "fieldSelector=metadata.namespace%3Dother";
  const Answer selected = ask_cache("/api/v1/pods?" + selector);
  EXPECT_EQ(size_of(selected, "items"), 1U);
  EXPECT_NE(selected.header("age"), "");
  WatchClient watch(cache->port(), "/api/v1/pods?watch=true&" + selector);
  EXPECT_EQ(watch.head().status, 200);
  EXPECT_NE(watch.head().header("age"), "");
  EXPECT_EQ(watch.next_text(), "ADDED d");
  load(pod_json("e") + "\n---\n" + pod_json("f", {}, {}, "other"));
  EXPECT_EQ(watch.next_text(), "ADDED f");
  EXPECT_EQ(ask_cache("/api/v1/pods?watch=true&fieldSelector=metadata.namespace%3Dx").status, 403);
  AnyInformer twice(client->rest(), pods(), web);
  const auto again = cache->add(twice);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message(), "pods in namespace \"web\": is served already");
}

TEST_F(CacheServerTest, AfterItsStopAnInformerIsRefusedAndNotFollowed) {
  fill();
  cache->stop();
  AnyInformer informer(client->rest(), pods());
  const auto added = cache->add(informer);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(added.error().message(), "pods: the server has stopped");
  EXPECT_EQ(cache->statistics().objects, 0U);
}

// As a program that begins to cache a resource when it is first asked for.
TEST_F(CacheServerTest, InformersAreAddedWhileClientsReadUntilItStops) {
  constexpr int kMost = 10'000;
  std::vector<std::unique_ptr<AnyInformer>> added;
  std::atomic<int> served{0};
  std::thread adder([&] {
    for (bool is_served = true; is_served && served < kMost;) {
      InformerOptions options;
      options.namespace_ = "n" + std::to_string(served);
      added.push_back(std::make_unique<AnyInformer>(client->rest(), pods(), options));
      is_served = cache->add(*added.back()).has_value();
      if (is_served) ++served;
    }
  });
  while (served < 20) EXPECT_EQ(ask_cache("/apis").status, 200);
  cache->stop();
  adder.join();
  EXPECT_LT(served, kMost);
}

TEST_F(CacheServerTest, ItsOwnInformersSyncFromItAndStayEqual) {
  fill();
  serve(pods());
  rest::Config config;
  config.host = cache->url();
  const Client reader = Client::create(config).value();
  PodInformer typed(reader.rest());
  AnyInformer any(reader.rest(), pods());
  ASSERT_TRUE(typed.start() && any.start());
  ASSERT_TRUE(wait_for_cache_sync({}, typed, any));
  for (int i = 0; i < 50; ++i) load(pod_json("p" + std::to_string(i % 20), R"("app":"web")"));
  HttpClient(cluster->port()).send("DELETE", "/api/v1/namespaces/web/pods/p3?gracePeriodSeconds=0");
  const std::string last = pod_json("last");
  load(last);
  while (!typed.lister().find("web/last") || !any.lister().find("web/last"))
    std::this_thread::yield();
  const Answer list = ask_cluster("/api/v1/pods");
  const json::Value cluster_list = list.json();
  const json::Array& items = cluster_list.array_at({"items"});
  EXPECT_EQ(typed.lister().list().size(), items.size());
  for (const json::Value& item : items) {
    const ObjectKey key{std::string(item.string_at({"metadata", "namespace"})),
                        std::string(item.string_at({"metadata", "name"}))};
    const auto version = item.string_at({"metadata", "resourceVersion"});
    const auto as_pod = typed.lister().find(key);
    const auto as_any = any.lister().find(key);
    EXPECT_EQ(as_pod.resource_version(), version) << key.to_string();
    EXPECT_EQ(as_any.resource_version(), version) << key.to_string();
  }
}

TEST_F(CacheServerTest, OneWatchAtTheClusterForAllReaders) {
  fill();
  serve(pods());
  catch_up();
  std::vector<std::unique_ptr<WatchClient>> readers;
  for (int i = 0; i < 20; ++i) {
    readers.push_back(std::make_unique<WatchClient>(
        cache->port(), "/api/v1/pods?watch=true&resourceVersion=" + revision()));
  }
  EXPECT_EQ(cluster->statistics().watchers, 1U);
  EXPECT_EQ(cache->statistics().watchers, 20U);
  load(pod_json("new"));
  for (auto& reader : readers) EXPECT_EQ(reader->next_text(), "ADDED new");
}

}  // namespace
}  // namespace kube::cacheserver::test
