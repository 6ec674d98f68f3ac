// SPDX-License-Identifier: Apache-2.0
//
// Api<T> on a generated type and on Unstructured, and Client, which makes them.
#include <kube/client/api.hpp>

#include <type_traits>

#include <kube/api/core/v1/binding.hpp>
#include <kube/api/core/v1/node.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/client/client.hpp>
#include <kube/meta/errors.hpp>

#include "api_fixture.hpp"

namespace kube {
namespace {

using core::v1::Node;
using core::v1::Pod;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Wrong programs that must not compile, as types.
template <class T>
concept HasApi = requires(const Client& client) {
  client.api<T>();
};
static_assert(HasApi<Pod>);
static_assert(!HasApi<core::v1::PodSpec>, "a part of an object is not an object");
static_assert(!HasApi<core::v1::PodList>, "a list is not an object");
static_assert(!HasApi<int>);
static_assert(!HasApi<Unstructured>, "which resource?");
template <class T, class Body>
concept CanCreate = requires(const Api<T>& api, const Body& body) {
  api.create(body);
};
static_assert(CanCreate<Pod, Pod>);
static_assert(!CanCreate<Pod, Node>);
static_assert(!CanCreate<Pod, Unstructured>);
static_assert(!CanCreate<Unstructured, Pod>);
static_assert(!std::is_convertible_v<Api<Pod>, Api<Node>>);
static_assert(!std::is_default_constructible_v<Api<Pod>>);
static_assert(!std::is_default_constructible_v<Client>);
static_assert(!std::is_copy_constructible_v<WatchStream<Pod>>);
static_assert(std::is_nothrow_move_constructible_v<WatchStream<Pod>>);
static_assert(std::is_copy_constructible_v<Api<Pod>> && std::equality_comparable<Api<Pod>>);

constexpr const char* kSuccess =
    R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})";

TEST_F(ApiTest, GetDecodesAndSkipsUnknownFields) {
  answer(200, kPodJson);
  const Result<Pod> pod = pods.get("a");
  ASSERT_TRUE(pod) << pod.error().to_string();
  EXPECT_EQ(sent_line(), "GET /api/v1/namespaces/web/pods/a");
  EXPECT_EQ(pod->metadata.name, "a");
  EXPECT_EQ(pod->metadata.resource_version, "7");
  EXPECT_EQ(pod->spec.node_name, "n1");
}

TEST_F(ApiTest, CODEC_10_AnAnswerWithoutAKindIsOfTheKindThatWasAskedFor) {
  answer(200, R"({"metadata":{"name":"a"},"spec":{"nodeName":"n1"}})");
  const Result<Pod> pod = pods.get("a");
  ASSERT_TRUE(pod) << pod.error().to_string();
  EXPECT_EQ(pod->spec.node_name, "n1");
  EXPECT_THAT(meta::to_json(*pod), HasSubstr(R"("kind":"Pod","apiVersion":"v1")"));
}

TEST_F(ApiTest, AnotherKindIsADecodeError) {
  answer(200, R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"a"}})");
  const Result<Pod> pod = pods.get("a");
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().code(), ErrorCode::Decode);
  EXPECT_THAT(pod.error().to_string(), HasSubstr("get pods \"a\" in namespace \"web\": "));
}

TEST_F(ApiTest, AFieldOfTheWrongTypeIsNamed) {
  answer(200, R"({"kind":"Pod","apiVersion":"v1","spec":{"nodeName":5}})");
  EXPECT_THAT(pods.get("a").error().to_string(), HasSubstr("nodeName"));
}

TEST_F(ApiTest, DYN_08_ListsOfTypedAndOfAnyObjects) {
  answer(200,
         R"({"kind":"DeploymentList","apiVersion":"apps/v1","metadata":{"resourceVersion":"9",)"
         R"("continue":"c","remainingItemCount":3},"items":[{"metadata":{"name":"a"}},)"
         R"({"kind":"Own","apiVersion":"own/v1","metadata":{"name":"b"}}]})");
  const auto deployments = any.list();
  ASSERT_TRUE(deployments);
  ASSERT_EQ(deployments->size(), 2U);
  EXPECT_EQ(deployments->items[0].kind(), "Deployment") << "from the list";
  EXPECT_EQ(deployments->items[0].api_version(), "apps/v1");
  EXPECT_EQ(meta::to_json(deployments->items[0]),
            R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"a"}})");
  EXPECT_EQ(deployments->items[1].kind(), "Own");
  EXPECT_EQ(deployments->resource_version, "9");
  EXPECT_EQ(deployments->continue_, "c");
  EXPECT_EQ(deployments->remaining_item_count, 3);

  answer(200, R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[)" +
                  std::string(kPodJson) + "]}");
  const auto list = pods.list();
  ASSERT_TRUE(list);
  EXPECT_EQ(list->begin()->metadata.name, "a");
  EXPECT_EQ(list->remaining_item_count, std::nullopt);
}

TEST_F(ApiTest, AListNamesTheItemThatMakesNoSense) {
  answer(200, R"({"kind":"PodList","apiVersion":"v1","items":[{},{"metadata":{"name":5}}]})");
  const auto list = pods.list();
  ASSERT_FALSE(list);
  EXPECT_THAT(list.error().to_string(), HasSubstr("list pods in namespace \"web\": items[1]"));
}

TEST_F(ApiTest, PAGE_10_ListAllJoinsPages) {
  next_answer(200, R"({"metadata":{"resourceVersion":"5","continue":"x","remainingItemCount":1},)"
                   R"("items":[{"metadata":{"name":"a"}}]})");
  next_answer(200, R"({"metadata":{"resourceVersion":"6"},"items":[{"metadata":{"name":"b"}}]})");
  const auto all = pods.list_all({.limit = 1});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 2U);
  EXPECT_EQ(all->resource_version, "5");
  EXPECT_EQ(all->continue_, "");
  EXPECT_EQ(all->remaining_item_count, std::nullopt);
}

TEST_F(ApiTest, ListAllStartsOverWhenTheServerForgetsTheList) {
  next_answer(200, R"({"metadata":{"resourceVersion":"5","continue":"x"},)"
                   R"("items":[{"metadata":{"name":"old"}}]})");
  next_answer(410, status_json(410, "Expired", "too old"));
  next_answer(200, R"({"metadata":{"resourceVersion":"8"},"items":[{"metadata":{"name":"new"}}]})");
  const auto all = pods.list_all({.limit = 1});
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 1U);
  EXPECT_EQ(all->items[0].metadata.name, "new");
  EXPECT_EQ(all->resource_version, "8");
}

TEST_F(ApiTest, ForEachVisitsPageByPage) {
  next_answer(200, R"({"metadata":{"continue":"x"},"items":[{"metadata":{"name":"a"}}]})");
  next_answer(410, status_json(410, "Expired", "too old"));
  std::vector<std::string> names;
  const auto walked = pods.for_each({.limit = 1}, [&](Pod pod) -> Result<void> {
    names.push_back(pod.metadata.name);
    return {};
  });
  ASSERT_FALSE(walked);
  EXPECT_TRUE(is_resource_expired(walked.error()));
  EXPECT_THAT(names, ElementsAre("a"));
}

TEST_F(ApiTest, CODEC_28_CreateSendsTheObjectAsOneLine) {
  answer(201, kPodJson);
  Pod pod;
  pod.metadata.name = "a";
  ASSERT_TRUE(pods.create(pod, {.field_manager = "me"}));
  EXPECT_EQ(sent_line(), "POST /api/v1/namespaces/web/pods?fieldManager=me");
  EXPECT_THAT(last_request().body, ::testing::StartsWith(R"({"kind":"Pod","apiVersion":"v1",)"));
  EXPECT_THAT(last_request().body, ::testing::EndsWith("}\n"));
}

TEST_F(ApiTest, DYN_04_AnUnstructuredObjectIsSentAsItIs) {
  answer(201, R"({"kind":"Deployment"})");
  Unstructured object;
  object.set_name("a");
  ASSERT_TRUE(any.create(object));
  EXPECT_EQ(last_request().body, "{\"metadata\":{\"name\":\"a\"}}\n");
}

TEST_F(ApiTest, UpdatesTakeTheNameFromTheObject) {
  answer(200, kPodJson);
  Pod pod = *pods.get("a");
  ASSERT_TRUE(pods.update(pod));
  EXPECT_EQ(sent_line(), "PUT /api/v1/namespaces/web/pods/a");
  EXPECT_THAT(last_request().body, HasSubstr(R"("resourceVersion":"7")"));
  ASSERT_TRUE(pods.update_status(pod));
  EXPECT_EQ(sent_line(), "PUT /api/v1/namespaces/web/pods/a/status");
  EXPECT_EQ(pods.update(Pod()).error().code(), ErrorCode::InvalidArgument);
  answer(200, R"({"kind":"Deployment","metadata":{"name":"front"}})");
  ASSERT_TRUE(any.update_status(*any.get("front")));
  EXPECT_EQ(sent_line(), "PUT /apis/apps/v1/namespaces/web/deployments/front/status");
}

TEST_F(ApiTest, AConflictIsAConflict) {
  answer(409, status_json(409, "Conflict", "the object has been modified"));
  Pod pod;
  pod.metadata.name = "a";
  const auto updated = pods.update(pod);
  ASSERT_FALSE(updated);
  EXPECT_TRUE(is_conflict(updated.error()));
}

TEST_F(ApiTest, PatchesOfObjectStatusAndOtherSubresources) {
  answer(200, kPodJson);
  const json::Value change = json::Object{{"spec", json::Object{}}};
  ASSERT_TRUE(pods.patch("a", Patch::merge(change)));
  EXPECT_EQ(sent_line(), "PATCH /api/v1/namespaces/web/pods/a");
  ASSERT_TRUE(pods.patch_status("a", Patch::strategic_merge(change)));
  EXPECT_EQ(sent_line(), "PATCH /api/v1/namespaces/web/pods/a/status");
  ASSERT_TRUE(pods.patch_subresource("a", "resize", Patch::merge(change)));
  EXPECT_EQ(sent_line(), "PATCH /api/v1/namespaces/web/pods/a/resize");
}

TEST_F(ApiTest, CS_12_ApplyTakesTheNameFromTheDocument) {
  answer(200, kPodJson);
  json::Value document = json::Object{{"kind", "Pod"}, {"apiVersion", "v1"}};
  EXPECT_EQ(pods.apply(document, {.field_manager = "me"}).error().message(),
            "obj.Name must be provided to Apply");
  document.ensure_path({"metadata", "name"}) = "a";
  ASSERT_TRUE(pods.apply(document, {.field_manager = "me"}));
  EXPECT_EQ(sent_line(), "PATCH /api/v1/namespaces/web/pods/a?fieldManager=me&force=false");
  EXPECT_EQ(header(last_request(), "Content-Type"), "application/apply-patch+yaml");
  EXPECT_EQ(last_request().body, R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})");
  ASSERT_TRUE(pods.apply_status(document, {.force = true, .field_manager = "me"}));
  EXPECT_EQ(sent_line(), "PATCH /api/v1/namespaces/web/pods/a/status?fieldManager=me&force=true");
}

TEST_F(ApiTest, ApplyTakesJsonText) {
  answer(200, kPodJson);
  const std::string text = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})";
  ASSERT_TRUE(pods.apply_text(text, {.field_manager = "me"}));
  EXPECT_EQ(sent_line(), "PATCH /api/v1/namespaces/web/pods/a?fieldManager=me&force=false");
  EXPECT_EQ(last_request().body, text);
  ASSERT_TRUE(pods.apply_status_text(text, {.field_manager = "me"}));
  EXPECT_EQ(sent_line(), "PATCH /api/v1/namespaces/web/pods/a/status?fieldManager=me&force=false");
  const std::size_t before = sent();
  EXPECT_EQ(pods.apply_text("{}", {.field_manager = "me"}).error().message(),
            "obj.Name must be provided to Apply");
  EXPECT_EQ(pods.apply_text("[]", {.field_manager = "me"}).error().code(), ErrorCode::Decode);
  EXPECT_EQ(pods.apply_text("{", {.field_manager = "me"}).error().code(), ErrorCode::Decode);
  EXPECT_EQ(sent(), before);
}

TEST_F(ApiTest, DeleteAnswersWithTheObjectOrAStatus) {
  answer(200, kPodJson);
  const auto going = pods.delete_("a");
  ASSERT_TRUE(going);
  ASSERT_TRUE(going->object);
  EXPECT_EQ(going->object->metadata.name, "a");
  EXPECT_FALSE(going->status);
  answer(200, kSuccess);
  const auto gone = pods.delete_("a", {.preconditions = Preconditions{.uid = "u1"}});
  ASSERT_TRUE(gone);
  EXPECT_FALSE(gone->object);
  EXPECT_EQ(gone->status->at_path({"status"})->string_or_empty(), "Success");
  EXPECT_THAT(last_request().body, HasSubstr(R"("preconditions":{"uid":"u1"})"));
}

TEST_F(ApiTest, DeleteCollectionAnswersWithWhatGoes) {
  answer(200,
         R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[)" +
             std::string(kPodJson) + "]}");
  const auto going = pods.delete_collection({}, {.label_selector = "app=web"});
  ASSERT_TRUE(going);
  EXPECT_EQ(going->size(), 1U);
  EXPECT_EQ(sent_line(), "DELETE /api/v1/namespaces/web/pods?labelSelector=app%3Dweb");
  answer(200, kSuccess);
  EXPECT_TRUE(pods.delete_collection().value().empty());
}

TEST_F(ApiTest, CS_14_SubresourcesHaveTypesOfTheirOwn) {
  answer(200, R"({"kind":"Scale","apiVersion":"autoscaling/v1","spec":{"replicas":3}})");
  const auto scale = any.get_subresource("front", "scale");
  ASSERT_TRUE(scale);
  EXPECT_EQ(scale->kind(), "Scale");
  EXPECT_EQ(sent_line(), "GET /apis/apps/v1/namespaces/web/deployments/front/scale");
  ASSERT_TRUE(any.update_subresource("front", "scale", *scale));
  EXPECT_EQ(sent_line(), "PUT /apis/apps/v1/namespaces/web/deployments/front/scale");
  answer(201, kSuccess);
  const auto evicted = pods.create_subresource("a", "eviction", Unstructured());
  ASSERT_TRUE(evicted);
  EXPECT_EQ(evicted->kind(), "Status");
}

TEST_F(ApiTest, DYN_09_AnyObjectsAndBookmarksAreWatchedAndAnErrorHasAStatus) {
  answer(200,
         R"({"type":"ADDED","object":{"kind":"Deployment","metadata":{"name":"a"},"x":[1]}})"
         R"({"type":"BOOKMARK","object":{"kind":"Deployment","metadata":{"resourceVersion":"9"}}})"
         R"({"type":"ERROR","object":)" +
             status_json(410, "Expired", "too old") + "}");
  auto stream = any.watch();
  ASSERT_TRUE(stream);
  auto event = stream->next();
  ASSERT_TRUE(event && *event);
  EXPECT_EQ((*event)->type, WatchEventType::Added);
  EXPECT_EQ(meta::to_json((*event)->object),
            R"({"kind":"Deployment","metadata":{"name":"a"},"x":[1]})");
  event = stream->next();
  ASSERT_TRUE(event && *event);
  EXPECT_EQ((*event)->type, WatchEventType::Bookmark);
  EXPECT_EQ((*event)->object.resource_version(), "9");
  event = stream->next();
  ASSERT_TRUE(event && *event);
  EXPECT_EQ((*event)->type, WatchEventType::Error);
  EXPECT_TRUE(is_resource_expired(*(*event)->error));
  EXPECT_EQ(meta::status_of(*(*event)->error)->status.int_at({"code"}), 410);
}

TEST_F(ApiTest, AllNamespacesAndClusterScope) {
  answer(200, R"({"items":[]})");
  ASSERT_TRUE(client.api<Pod>().list());
  EXPECT_EQ(sent_line(), "GET /api/v1/pods");
  answer(200, R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}})");
  ASSERT_TRUE(client.api<Node>().get("n"));
  EXPECT_EQ(sent_line(), "GET /api/v1/nodes/n");
  EXPECT_EQ(
      client.api<Node>("web").get("n").error().to_string(),
      "get nodes \"n\" in namespace \"web\": nodes are cluster-scoped, a namespace may not be "
      "set");
}

TEST_F(ApiTest, StopRequestsReachTheWire) {
  const Timer timer = stop_after(std::chrono::seconds(1));
  EXPECT_EQ(pods.get("a", {}, stop.get_token()).error().code(), ErrorCode::Cancelled);
}

TEST_F(ApiTest, HandlesAreEqualWhenMadeAlike) {
  EXPECT_EQ(client.api<Pod>("web"), pods);
  EXPECT_NE(client.api<Pod>("other"), pods);
  EXPECT_NE(make_client().api<Pod>("web"), pods);
  const Client copy = client;
  EXPECT_EQ(copy, client);
  EXPECT_EQ(pods.namespace_(), "web");
  EXPECT_EQ(pods.resource().plural, "pods");
  EXPECT_EQ(client.default_namespace(), "mine");
}

TEST_F(ApiTest, ALabelOrAnAnnotationIsSetAndRemovedByAMergePatch) {
  const Api<Node> nodes = client.api<Node>();
  answer(200, R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"}})");
  const auto sent_patch = [&] {
    EXPECT_EQ(header(last_request(), "Content-Type"), "application/merge-patch+json");
    return last_request().body;
  };
  ASSERT_TRUE(nodes.set_label("n1", "zone", "b", {.field_manager = "me"}));
  EXPECT_EQ(sent_line(), "PATCH /api/v1/nodes/n1?fieldManager=me");
  EXPECT_EQ(sent_patch(), R"({"metadata":{"labels":{"zone":"b"}}})");
  EXPECT_TRUE(nodes.set_label("n1", "example.com/zone", ""));
  EXPECT_EQ(sent_patch(), R"({"metadata":{"labels":{"example.com/zone":""}}})");
  EXPECT_TRUE(nodes.remove_label("n1", "zone"));
  EXPECT_EQ(sent_patch(), R"({"metadata":{"labels":{"zone":null}}})");
  EXPECT_TRUE(nodes.set_annotation("n1", "Example.com/note", "any text, at all"));
  EXPECT_EQ(sent_patch(),
            R"({"metadata":{"annotations":{"Example.com/note":"any text, at all"}}})");
  EXPECT_TRUE(nodes.remove_annotation("n1", "note"));
  EXPECT_EQ(sent_patch(), R"({"metadata":{"annotations":{"note":null}}})");
  EXPECT_TRUE(client.metadata(kNodesResource).set_label("n1", "zone", "b"));
  EXPECT_EQ(sent_patch(), R"({"metadata":{"labels":{"zone":"b"}}})");
}

TEST_F(ApiTest, ALabelOrAnAnnotationThatIsNotValidIsNotSent) {
  const std::vector<Result<Pod>> refused = {
      pods.set_label("a", "zone", "b c"),  pods.set_label("a", "a b", "c"),
      pods.remove_label("a", "/zone"),     pods.set_annotation("a", "a b", "c"),
      pods.remove_annotation("a", ""),     pods.set_label("", "zone", "b"),
      pods.set_label("../b", "zone", "b"),
  };
  for (const Result<Pod>& pod : refused) {
    ASSERT_FALSE(pod);
    EXPECT_EQ(pod.error().code(), ErrorCode::InvalidArgument) << pod.error().to_string();
  }
  EXPECT_THAT(refused[0].error().to_string(),
              HasSubstr("patch pods \"a\" in namespace \"web\": metadata.labels[zone]: Invalid "
                        "value: \"b c\": a valid label must be"));
  EXPECT_THAT(refused[2].error().to_string(),
              HasSubstr("metadata.labels: Invalid value: \"/zone\": prefix part must be"));
  EXPECT_EQ(sent(), 0U);
}

TEST_F(ApiTest, AClientIsTakenWhereARestClientIs) {
  answer(200, kPodJson);
  const RestClient rest = client;
  EXPECT_EQ(rest, client.rest());
  const auto takes = [](const RestClient& taken) { return taken; };
  EXPECT_EQ(takes(client), client.rest());
  const RestClient& of_temporary = Client(client);  // lives as long as the reference
  EXPECT_TRUE(of_temporary.send({.path = "/x"}));
  EXPECT_TRUE(Api<Pod>(RawApi(client, kPodsResource, "web")).get("a"));
}

}  // namespace
}  // namespace kube
