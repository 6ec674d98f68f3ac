// SPDX-License-Identifier: Apache-2.0
//
// Tables (chapters 5.5 and 9.14 of the reference).
#include <algorithm>
#include <regex>
#include <set>

#include <kube/api/resources.hpp>

#include "kinds/kind.hpp"
#include "resources/table_columns.hpp"
#include "server_fixture.hpp"

namespace kube::apiserver::test {

using namespace serving;

namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

const std::string kAsTable = "application/json;as=Table;v=v1;g=meta.k8s.io";

/// Ages of seconds become 0s: the server's clock runs.
std::string ageless(const std::string& text) {
  static const std::regex seconds(R"re("\d+s")re");
  return std::regex_replace(text, seconds, "\"0s\"");
}

class Tables : public ServerTest {
 protected:
  Answer table(std::string_view target) { return get(target, {{"Accept", kAsTable}}); }
  /// The cells of the first row, with those of wide output.
  std::string row(std::string_view target) {
    const Answer answer = table(target);
    EXPECT_EQ(answer.at({"kind"}), "Table") << answer.body;
    const json::Value document = answer.json();
    const json::Value* rows = document.at_path({"rows"});
    if (rows == nullptr || rows->if_array()->empty()) return "no row";
    return ageless(json::dump(*rows->if_array()->front().at_path({"cells"})));
  }
  /// Loads an object with its status and returns its row.
  std::string row_of(std::string_view text, std::string_view target) {
    const auto loaded = server().load_text(text);
    EXPECT_TRUE(loaded) << loaded.error().to_string();
    return row(target);
  }
  static json::Value row_at(const Answer& answer, std::size_t index) {
    const json::Value table = answer.json();
    return (*table.at_path({"rows"})->if_array())[index];
  }
};

TEST_F(Tables, API_285_ListsHaveARowForEachObject) {
  make_config_map("a", R"({"x":"1","y":"2"})");
  make_config_map("b");
  const Answer answer = table(kConfigMaps);
  EXPECT_EQ(answer.header("content-type"), "application/json");
  EXPECT_EQ(answer.at({"kind"}), "Table");
  EXPECT_EQ(answer.at({"apiVersion"}), "meta.k8s.io/v1");
  EXPECT_EQ(answer.at({"metadata", "resourceVersion"}), revision());
  const json::Value document = answer.json();
  EXPECT_EQ(document.at_path({"columnDefinitions"})->if_array()->size(), 3U);
  EXPECT_EQ(document.at_path({"rows"})->if_array()->size(), 2U);
  EXPECT_EQ(ageless(text_at_path(row_at(answer, 0), {"cells"})), R"(["a",2,"0s"])");
  EXPECT_EQ(text_at_path(row_at(answer, 1), {"object", "metadata", "name"}), "b");
}

TEST_F(Tables, API_286_API_287_OneObjectIsOneRow) {
  make_config_map("a", R"({"x":"1"})");
  const std::string item = std::string(kConfigMaps) + "/a";
  const Answer one = table(item);
  const json::Value usual = row_at(one, 0);
  const json::Value whole_table = one.json();
  EXPECT_EQ(whole_table.at_path({"rows"})->if_array()->size(), 1U);
  EXPECT_EQ(text_at_path(usual, {"object", "metadata", "name"}), "a");
  EXPECT_EQ(text_at_path(usual, {"object", "kind"}), "PartialObjectMetadata");
  EXPECT_EQ(text_at_path(usual, {"object", "metadata", "namespace"}), "t");
  EXPECT_EQ(text_at_path(usual, {"object", "data"}), "");
  const json::Value bare = row_at(table(item + "?includeObject=None"), 0);
  EXPECT_TRUE(bare.at_path({"object"})->is_null());
  const json::Value whole = row_at(table(item + "?includeObject=Object"), 0);
  EXPECT_EQ(text_at_path(whole, {"object", "kind"}), "ConfigMap");
  EXPECT_EQ(text_at_path(whole, {"object", "data", "x"}), "1");
}

TEST_F(Tables, API_288_OtherObjectsCannotBeIncluded) {
  expect_status(table(std::string(kConfigMaps) + "?includeObject=Foo"), 400, "BadRequest");
}

TEST_F(Tables, API_289_PagesKeepTheirToken) {
  for (const char* name : {"a", "b", "c"}) make_config_map(name);
  const Answer page = table(std::string(kConfigMaps) + "?limit=1");
  EXPECT_EQ(page.at({"metadata", "remainingItemCount"}), "2");
  EXPECT_NE(page.at({"metadata", "continue"}), "");
}

TEST_F(Tables, API_290_PodsHaveTheirColumns) {
  const json::Value document = table("/api/v1/pods").json();
  std::string columns;
  for (const json::Value& column : *document.at_path({"columnDefinitions"})->if_array()) {
    columns += text_at_path(column, {"name"}) + ":" + text_at_path(column, {"priority"}) + " ";
  }
  EXPECT_EQ(columns,
            "Name:0 Ready:0 Status:0 Restarts:0 Age:0 IP:1 Node:1 Nominated Node:1 "
            "Readiness Gates:1 ");
}

TEST_F(Tables, TheGenerationOfADaemonSetsTemplateIsNotInItsMetadata) {
  const std::string sets = "/apis/apps/v1/namespaces/t/daemonsets";
  const auto make = [&](std::string_view name, std::string_view metadata) {
    return post(sets, R"({"metadata":{"name":")" + std::string(name) + "\"" +
                          std::string(metadata) +
                          R"(},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{
                          "metadata":{"labels":{"a":"b"}},
                          "spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  };
  const std::string whole = make("a", R"(,"annotations":{"k":"v"})").body;
  EXPECT_THAT(whole, HasSubstr("deprecated.daemonset.template.generation"));
  ASSERT_EQ(make("b", "").status, 201);
  const std::string partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
  const auto annotations = [&](std::string_view name) {
    return get(sets + "/" + std::string(name), {{"Accept", partial}})
        .at({"metadata", "annotations"});
  };
  EXPECT_EQ(annotations("a"), R"({"k":"v"})");
  EXPECT_EQ(annotations("b"), "");
  const std::string protobuf =
      "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
  for (const std::string& accept : {kAsTable, protobuf}) {
    const Answer listed = get(sets, {{"Accept", accept}});
    EXPECT_EQ(listed.status, 200);
    EXPECT_THAT(listed.body, Not(HasSubstr("template.generation")));
  }
}

TEST_F(Tables, OtherVersionsOfTheTable) {
  make_config_map("a");
  const Answer answer =
      get(kConfigMaps, {{"Accept", "application/json;as=Table;v=v1beta1;g=meta.k8s.io"}});
  EXPECT_EQ(answer.at({"apiVersion"}), "meta.k8s.io/v1beta1");
  const Answer yaml =
      get(kConfigMaps, {{"Accept", "application/yaml;as=Table;v=v1;g=meta.k8s.io"}});
  EXPECT_THAT(yaml.body, HasSubstr("kind: Table"));
}

TEST_F(Tables, WatchesTellTheColumnsOnce) {
  make_config_map("a");
  WatchClient watch(port(), std::string(kConfigMaps) + "?watch=true", {{"Accept", kAsTable}});
  const auto added = watch.next();
  EXPECT_EQ(text_at_path(*added, {"type"}), "ADDED");
  EXPECT_EQ(added->at_path({"object", "columnDefinitions"})->if_array()->size(), 3U);
  merge(std::string(kConfigMaps) + "/a", R"({"data":{"x":"1"}})");
  const auto modified = watch.next();
  EXPECT_TRUE(modified->at_path({"object", "columnDefinitions"})->is_null());
  EXPECT_EQ(
      ageless(json::dump((*modified->at_path({"object", "rows"})->if_array())[0])).substr(0, 20),
      R"({"cells":["a",1,"0s")");
  remove(std::string(kConfigMaps) + "/a");
  const auto deleted = watch.next();
  EXPECT_EQ(text_at_path(*deleted, {"type"}), "DELETED");
  EXPECT_EQ(text_at_path(*deleted, {"object", "metadata", "resourceVersion"}), revision());
}

TEST_F(Tables, BookmarksAreTables) {
  WatchClient watch(port(),
                    std::string(kConfigMaps) +
                        "?watch=true&sendInitialEvents=true&allowWatchBookmarks=true"
                        "&resourceVersionMatch=NotOlderThan&includeObject=None",
                    {{"Accept", kAsTable}});
  const auto mark = watch.next();
  EXPECT_EQ(text_at_path(*mark, {"type"}), "BOOKMARK");
  EXPECT_EQ(text_at_path(*mark, {"object", "metadata", "resourceVersion"}), revision());
  const json::Value& row = (*mark->at_path({"object", "rows"})->if_array())[0];
  EXPECT_EQ(text_at_path(row, {"object", "metadata", "annotations", "k8s.io/initial-events-end"}),
            "true");
}

class PodTables : public Tables {
 protected:
  std::string pod_row(std::string_view spec, std::string_view status,
                      std::string_view metadata = {}) {
    std::string text = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"t")";
    text.append(metadata).append(R"(},"spec":{"containers":[{"name":"a"},{"name":"b"}])");
    text.append(spec).append("},\"status\":{").append(status).append("}}");
    return row_of(text, "/api/v1/namespaces/t/pods/p");
  }
};

TEST_F(PodTables, RunningPodsShowWhatIsReady) {
  EXPECT_EQ(
      pod_row(R"(,"nodeName":"n1")",
              R"("phase":"Running","podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"}],
      "containerStatuses":[{"name":"a","ready":true,"restartCount":2,"state":{"running":{}}},
        {"name":"b","ready":false,"restartCount":1,"state":{"running":{}}}])"),
      R"(["p","1/2","Running","3","0s","10.0.0.1","n1","\u003cnone\u003e","\u003cnone\u003e"])");
}

TEST_F(PodTables, AnAddressIsShownWithoutTheListOfAddresses) {
  EXPECT_THAT(pod_row("", R"("phase":"Running","podIP":"10.0.0.1")"), HasSubstr(R"("10.0.0.1")"));
}

TEST_F(PodTables, StatusIsWhatHoldsItUp) {
  const auto status_of = [&](std::string_view spec, std::string_view status,
                             std::string_view metadata = {}) {
    pod_row(spec, status, metadata);
    const json::Value row = row_at(table("/api/v1/namespaces/t/pods/p"), 0);
    return text_at_path((*row.at_path({"cells"})->if_array())[2], {});
  };
  EXPECT_EQ(status_of("", R"("phase":"Pending")"), "Pending");
  EXPECT_EQ(status_of("", R"("phase":"Failed","reason":"Evicted")"), "Evicted");
  EXPECT_EQ(status_of("", R"("phase":"Pending","conditions":[{"type":"PodScheduled",
    "status":"False","reason":"SchedulingGated"}])"),
            "SchedulingGated");
  EXPECT_EQ(status_of("", R"("phase":"Pending","containerStatuses":[
    {"name":"a","state":{"waiting":{"reason":"ImagePullBackOff"}}},{"name":"b","state":{}}])"),
            "ImagePullBackOff");
  EXPECT_EQ(status_of("", R"("phase":"Failed","containerStatuses":[
    {"name":"a","state":{"terminated":{"exitCode":3}}}])"),
            "ExitCode:3");
  EXPECT_EQ(status_of("", R"("phase":"Failed","containerStatuses":[
    {"name":"a","state":{"terminated":{"exitCode":137,"signal":9}}}])"),
            "Signal:9");
  const std::string completed = R"("phase":"Running","containerStatuses":[
    {"name":"a","state":{"terminated":{"exitCode":0,"reason":"Completed"}}},
    {"name":"b","ready":true,"state":{"running":{}}}])";
  EXPECT_EQ(status_of("", completed), "NotReady");
  EXPECT_EQ(status_of("", completed + R"(,"conditions":[{"type":"Ready","status":"True"}])"),
            "Running");
  const std::string init = R"(,"initContainers":[{"name":"i"},{"name":"j"}])";
  EXPECT_EQ(status_of(init, R"("phase":"Pending","initContainerStatuses":[
    {"name":"i","state":{"terminated":{"exitCode":0}}},{"name":"j","state":{"running":{}}}])"),
            "Init:1/2");
  EXPECT_EQ(status_of(init, R"("phase":"Pending","initContainerStatuses":[
    {"name":"i","state":{"waiting":{"reason":"CrashLoopBackOff"}}}])"),
            "Init:CrashLoopBackOff");
  EXPECT_EQ(status_of(init, R"("phase":"Pending","initContainerStatuses":[
    {"name":"i","state":{"terminated":{"exitCode":1,"reason":"Error"}}}])"),
            "Init:Error");
  EXPECT_EQ(status_of(init, R"("phase":"Pending","initContainerStatuses":[
    {"name":"i","state":{"terminated":{"exitCode":1}}}])"),
            "Init:ExitCode:1");
  const std::string_view deleted = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z",
    "finalizers":["x.io/y"])";
  EXPECT_EQ(status_of("", R"("phase":"Running")", deleted), "Terminating");
  EXPECT_EQ(status_of("", R"("phase":"Running","reason":"NodeLost")", deleted), "Unknown");
  EXPECT_EQ(status_of("", R"("phase":"Succeeded")", deleted), "Succeeded");
}

TEST_F(PodTables, RestartableInitContainersCount) {
  EXPECT_THAT(pod_row(R"(,"initContainers":[{"name":"s","restartPolicy":"Always"}])",
                      R"("phase":"Running","initContainerStatuses":[{"name":"s","started":true,
    "ready":true,"restartCount":4,"state":{"running":{}}}],"containerStatuses":[
    {"name":"a","ready":true,"restartCount":1,"state":{"running":{}}}])"),
              HasSubstr(R"("2/3","Running","5")"));
}

TEST_F(PodTables, PodsThatAreOverAreMarked) {
  pod_row("", R"("phase":"Succeeded")");
  const Answer answer = table("/api/v1/namespaces/t/pods/p");
  EXPECT_THAT(answer.body, HasSubstr(R"("conditions":[{"type":"Completed","status":"True",)"
                                     R"("reason":"Succeeded")"));
}

TEST_F(Tables, WorkloadsServicesNodesAndEvents) {
  EXPECT_EQ(row_of(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d",
    "namespace":"t"},"spec":{"replicas":3,"selector":{"matchLabels":{"app":"d"}},"template":{
    "spec":{"containers":[{"name":"x","image":"i:1"},{"name":"y","image":"j"}]}}},
    "status":{"readyReplicas":1,"updatedReplicas":2}})",
                   "/apis/apps/v1/namespaces/t/deployments/d"),
            R"(["d","1/3",2,0,"0s","x,y","i:1,j","app=d"])");
  EXPECT_EQ(
      row_of(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s","namespace":"t"},
    "spec":{"type":"LoadBalancer","clusterIP":"10.1.1.1","clusterIPs":["10.1.1.1"],
    "allocateLoadBalancerNodePorts":false,"selector":{"b":"2","a":"1"},
    "ports":[{"port":80,"nodePort":30080,"protocol":"TCP"},{"port":53,"protocol":"UDP"}]}})",
             "/api/v1/namespaces/t/services/s"),
      R"(["s","LoadBalancer","10.1.1.1","\u003cpending\u003e","80:30080/TCP,53/UDP","0s","a=1,b=2"])");
  EXPECT_EQ(
      row_of(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","labels":{
    "node-role.kubernetes.io/worker":"","kubernetes.io/role":"edge"}},"spec":{"unschedulable":true},
    "status":{"conditions":[{"type":"Ready","status":"True"}],"addresses":[
    {"type":"Hostname","address":"n"},{"type":"InternalIP","address":"10.2.0.1"}],
    "nodeInfo":{"kubeletVersion":"v1.37.0","osImage":"Debian"}}})",
             "/api/v1/nodes/n"),
      R"(["n","Ready,SchedulingDisabled","edge,worker","0s","v1.37.0","10.2.0.1","\u003cnone\u003e","Debian","\u003cunknown\u003e","\u003cunknown\u003e"])");
  EXPECT_THAT(row_of(R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"t"},
    "involvedObject":{"kind":"Pod","name":"p"},"reason":"Killing","type":"Normal",
    "message":" Stopping container c\n","source":{"component":"kubelet","host":"n"},"count":3})",
                     "/api/v1/namespaces/t/events/e"),
              HasSubstr(R"("Normal","Killing","pod/p","","kubelet, n","Stopping container c",)"));
  EXPECT_EQ(row_of(R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","namespace":"t"},
    "spec":{"completions":3,"manualSelector":true,"selector":{"matchLabels":{"a":"b"}},
    "template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"x","image":"i"}]}}},
    "status":{"succeeded":3,"startTime":"2026-01-01T00:00:00Z",
    "completionTime":"2026-01-01T00:05:30Z","conditions":[{"type":"Complete","status":"True"}]}})",
                   "/apis/batch/v1/namespaces/t/jobs/j"),
            R"(["j","Complete","3/3","5m30s","0s","x","i","a=b"])");
  EXPECT_EQ(row_of(R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding",
    "metadata":{"name":"r","namespace":"t"},"roleRef":{"kind":"Role","name":"x",
    "apiGroup":"rbac.authorization.k8s.io"},"subjects":[{"kind":"User","name":"u"},
    {"kind":"ServiceAccount","name":"s","namespace":"t"}]})",
                   "/apis/rbac.authorization.k8s.io/v1/namespaces/t/rolebindings/r"),
            R"(["r","Role/x","0s","u","","t/s"])");
  EXPECT_EQ(row_of(R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler",
    "metadata":{"name":"h","namespace":"t"},"spec":{"maxReplicas":5,"scaleTargetRef":{
    "kind":"Deployment","name":"d"},"metrics":[{"type":"Resource","resource":{"name":"cpu",
    "target":{"type":"Utilization","averageUtilization":80}}}]}})",
                   "/apis/autoscaling/v1/namespaces/t/horizontalpodautoscalers/h"),
            R"(["h","Deployment/d","cpu: \u003cunknown\u003e/80%","1",5,0,"0s"])");
  EXPECT_EQ(row_of(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c",
    "namespace":"t"},"spec":{"volumeName":"v","accessModes":["ReadWriteOnce"]},"status":{
    "phase":"Bound","capacity":{"storage":"1Gi"},
    "accessModes":["ReadWriteMany","ReadWriteOnce"]}})",
                   "/api/v1/namespaces/t/persistentvolumeclaims/c"),
            R"(["c","Bound","v","1Gi","RWO,RWX","","\u003cunset\u003e","0s","Filesystem"])");
  EXPECT_EQ(row_of(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"d",
    "namespace":"t"},"spec":{"volumeName":"v","accessModes":["ReadWriteOnce"]},"status":{
    "phase":"Pending"}})",
                   "/api/v1/namespaces/t/persistentvolumeclaims/d"),
            R"(["d","Pending","v","0","","","\u003cunset\u003e","0s","Filesystem"])");
  const auto level = [&](const std::string& name, const std::string& response) {
    const std::string cells = row_of(
        R"({"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"PriorityLevelConfiguration",
            "metadata":{"name":")" +
            name + R"("},"spec":{"type":"Limited","limited":{
            "nominalConcurrencyShares":5,"limitResponse":)" +
            response + "}}}",
        "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/" + name);
    return cells;
  };
  EXPECT_EQ(level("l", R"({"type":"Queue","queuing":{"queues":16,"handSize":4}})"),
            R"(["l","Limited",5,16,4,50,"0s"])");
  EXPECT_EQ(level("m", R"({"type":"Reject"})"),
            R"(["m","Limited",5,"\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e","0s"])");
}

TEST_F(Tables, KindsWithoutColumnsShowWhenTheyWereMade) {
  const std::string cells = row_of(
      R"({"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"l","namespace":"t",
    "creationTimestamp":"2026-01-01T00:00:00Z"}})",
      "/api/v1/namespaces/t/limitranges/l");
  EXPECT_EQ(cells, R"(["l","2026-01-01T00:00:00Z"])");
}

TEST_F(Tables, API_291_DefinitionsNameTheirColumns) {
  ASSERT_TRUE(server().load_text(R"({"apiVersion":"apiextensions.k8s.io/v1",
    "kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
    "spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},
    "versions":[{"name":"v1","served":true,"storage":true,"additionalPrinterColumns":[
      {"name":"Size","type":"integer","jsonPath":".spec.size","description":"how big"},
      {"name":"Tags","type":"string","jsonPath":".spec.tags","priority":1},
      {"name":"Ready","type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].status"},
      {"name":"Missing","type":"boolean","jsonPath":".spec.none"},
      {"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}],
      "schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}},
      {"name":"v2","served":true,"storage":false,
      "schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}
    ]}})"));
  EXPECT_EQ(row_of(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w",
    "namespace":"t"},"spec":{"size":3,"tags":["a"]},"status":{"conditions":[
    {"type":"Other","status":"x"},{"type":"Ready","status":"True"}]}})",
                   "/apis/example.com/v1/namespaces/t/widgets/w"),
            R"(["w",3,"[\"a\"]","True",null,"0s"])");
  const Answer answer = table("/apis/example.com/v1/widgets");
  const json::Value widgets = answer.json();
  EXPECT_EQ(text_at_path((*widgets.at_path({"columnDefinitions"})->if_array())[0], {"name"}),
            "Name");
  EXPECT_EQ(json::dump((*widgets.at_path({"columnDefinitions"})->if_array())[1]),
            R"({"name":"Size","type":"integer","format":"","description":"how big","priority":0})");
  EXPECT_EQ(row("/apis/example.com/v2/namespaces/t/widgets/w"), R"(["w","0s"])");
}

std::string columns_text(std::size_t count, const std::string& path) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    out += (i == 0 ? "" : ",") + (R"({"name":"c)" + std::to_string(i)) +
           R"(","type":"string","jsonPath":")" + path + "\"}";
  }
  return out;
}

TEST(TableColumns, ARowHasABoundHoweverLargeTheObjectIs) {
  const json::Value version =
      *json::parse(R"({"additionalPrinterColumns":[)" + columns_text(64, ".spec") + "]}");
  const auto columns = TableColumns::of_definition(version);
  const json::Value large =
      json::Object{{"metadata", json::Object{{"name", "w"}}},
                   {"spec", json::Array(300'000, json::Value("\xc3\xa4\xe2\x82\xac"))}};
  const json::Array cells = columns->cells(large, {});
  ASSERT_EQ(cells.size(), 65U);
  EXPECT_EQ(*cells[0].if_string(), "w");
  std::size_t size = 0;
  for (const json::Value& cell : cells) size += cell.if_string()->size();
  EXPECT_LE(size, (256U << 10U) + 65 * 3);
  EXPECT_GT(size, 200U << 10U);
  const std::string& first = *cells[1].if_string();
  EXPECT_LE(first.size(), (64U << 10U) + 3);
  EXPECT_GT(first.size(), 65'000U);
  EXPECT_TRUE(first.starts_with("[\"\xc3\xa4\xe2\x82\xac\",\"\xc3\xa4"));
  EXPECT_TRUE(first.ends_with("..."));
  EXPECT_TRUE(json::parse(json::dump(cells[1])));
  EXPECT_EQ(json::dump(cells[1]).find("ufffd"), std::string::npos) << "a character is cut";
  EXPECT_EQ(*cells[64].if_string(), "...");
}

TEST(TableColumns, ALongTextIsCut) {
  const auto columns = TableColumns::of_definition(
      *json::parse(R"({"additionalPrinterColumns":[)" + columns_text(1, ".spec") + "]}"));
  const std::string fits(64U << 10U, 'a');
  const auto shown = [&](const json::Value& spec) {
    return *columns->cells(json::Object{{"spec", spec}}, {})[1].if_string();
  };
  EXPECT_EQ(shown(fits), fits);
  EXPECT_EQ(shown(fits + "a"), fits + "...");
  EXPECT_EQ(shown(json::Object{{fits, 1}}), "{\"" + fits.substr(2) + "...");
}

TEST(TableRules, EveryRuleOfTheFactsIsKnown) {
  // These cells are the unchanged value.
  const std::set<std::string_view> plain = {"", "RFC 3339", "cell only when wide"};
  for (const api::ResourceFacts& facts : api::all_resources()) {
    if (!facts.served) continue;
    const KindRules& kind = find_kind(facts.group, facts.plural);
    for (const api::PrinterColumn& column : facts.columns) {
      EXPECT_EQ(find_cell(kind, column.name) == nullptr, plain.contains(column.rule))
          << facts.type << " " << column.name << ": " << column.rule;
      EXPECT_FALSE(column.rule.empty() && column.path.empty()) << facts.type << column.name;
      if (!column.path.empty()) {
        EXPECT_TRUE(json::JsonPath::compile(column.path)) << column.path;
      }
    }
    for (const Cell& cell : kind.cells) {
      EXPECT_NE(std::ranges::find(facts.columns, cell.column, &api::PrinterColumn::name),
                facts.columns.end())
          << facts.type << " has no column " << cell.column;
    }
  }
}

TEST_F(Tables, AScaleHasOne) {
  post("/apis/apps/v1/namespaces/t/replicasets",
       R"({"metadata":{"name":"a"},"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},
           "template":{"metadata":{"labels":{"a":"b"}},
           "spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  const Answer table = get("/apis/apps/v1/namespaces/t/replicasets/a/scale",
                           {{"Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}});
  EXPECT_EQ(table.at({"kind"}), "Table");
  EXPECT_THAT(table.body, ::testing::HasSubstr(R"("cells":["a",2,0,)"));
}

TEST_F(Tables, AnAddressHasAnAgeWithoutAColumn) {
  post("/apis/networking.k8s.io/v1/ipaddresses",
       R"({"metadata":{"name":"2001:db8::1"},"spec":{"parentRef":
           {"resource":"services","namespace":"t","name":"s"}}})");
  const Answer table = get("/apis/networking.k8s.io/v1/ipaddresses",
                           {{"Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}});
  const json::Value body = table.json();
  EXPECT_EQ(body.array_at({"columnDefinitions"}).size(), 2U);
  EXPECT_THAT(table.body, ::testing::HasSubstr(R"("cells":["2001:db8::1","services/t/s",")"));
}

}  // namespace
}  // namespace kube::apiserver::test
