// SPDX-License-Identifier: Apache-2.0
//
// Api<meta::PartialObjectMetadata>.
#include <kube/codec/protobuf.hpp>
#include <kube/meta/partial_object_metadata.hpp>

#include "api_fixture.hpp"

namespace kube {
namespace {

using namespace std::chrono_literals;
using meta::PartialObjectMetadata;
using ::testing::HasSubstr;

const std::string kAcceptObject =
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
const std::string kAcceptObjects =
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
constexpr const char* kPartial = R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",
  "metadata":{"name":"a","namespace":"web","labels":{"x":"y"}}})";
constexpr const char* kPartials = R"({"kind":"PartialObjectMetadataList",
  "apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9"},
  "items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})";

template <class T>
concept HasCreate = requires(const Api<T>& api, const T& object) {
  api.create(object);
  api.update(object);
};
static_assert(HasCreate<core::v1::Pod> && HasCreate<Unstructured>);
static_assert(!HasCreate<PartialObjectMetadata>, "the rest of the objects would be lost");

class MetadataTest : public ClientTest {
 protected:
  Client make_client(rest::Config config = {.host = "https://h"}) {
    auto made = Client::create(config, {.runtime = runtime, .transport = server});
    EXPECT_TRUE(made) << made.error().to_string();
    return *made;
  }
  std::string accepted() const { return header(last_request(), "Accept"); }

  Client client = make_client();
  Api<PartialObjectMetadata> pods = client.metadata(kPodsResource, "web");
};

TEST_F(MetadataTest, META_01_META_02_AcceptHeadersAndPaths) {
  answer(200, kPartial);
  EXPECT_EQ(pods.get("a").value().metadata.labels.at("x"), "y");
  EXPECT_EQ(accepted(), kAcceptObject);
  EXPECT_EQ(request_line(last_request()), "GET /api/v1/namespaces/web/pods/a");
  EXPECT_TRUE(pods.patch("a", Patch::merge(json::Object{{"metadata", json::Object{}}})));
  EXPECT_EQ(accepted(), kAcceptObject);
  EXPECT_EQ(request_line(last_request()), "PATCH /api/v1/namespaces/web/pods/a");
  EXPECT_EQ(header(last_request(), "Content-Type"), "application/merge-patch+json");
  EXPECT_TRUE(pods.delete_("a"));
  EXPECT_EQ(request_line(last_request()), "DELETE /api/v1/namespaces/web/pods/a");
  answer(200, kPartials);
  EXPECT_EQ(pods.list({.label_selector = "x"}).value().items.at(1).metadata.name, "b");
  EXPECT_EQ(accepted(), kAcceptObjects);
  EXPECT_EQ(request_line(last_request()), "GET /api/v1/namespaces/web/pods?labelSelector=x");
  EXPECT_EQ(pods.delete_collection().value().items.size(), 2U);
  EXPECT_EQ(request_line(last_request()), "DELETE /api/v1/namespaces/web/pods");
  answer(200, R"({"type":"ADDED","object":)" + std::string(kPartial) + "}\n");
  auto watch = pods.watch();
  ASSERT_TRUE(watch);
  EXPECT_EQ(accepted(), kAcceptObject);
  EXPECT_EQ(request_line(last_request()), "GET /api/v1/namespaces/web/pods?watch=true");
  const auto event = watch->next();
  ASSERT_TRUE(event && *event);
  EXPECT_EQ((*event)->object.metadata.name, "a");

  answer(200, kPartials);
  EXPECT_TRUE(client.metadata(kDeploymentsResource).list());
  EXPECT_EQ(request_line(last_request()), "GET /apis/apps/v1/deployments");
}

TEST_F(MetadataTest, ProtobufIsRead) {
  PartialObjectMetadata object;
  object.metadata.name = "a";
  object.metadata.uid = "u";
  answer(200, meta::to_protobuf(object).value(),
         {{"Content-Type", "application/vnd.kubernetes.protobuf"}});
  EXPECT_EQ(pods.get("a").value(), object);
  meta::PartialObjectMetadataList list;
  list.items = std::vector{object};
  answer(200, meta::to_protobuf(list).value(),
         {{"Content-Type", "application/vnd.kubernetes.protobuf"}});
  EXPECT_EQ(pods.list().value().items, std::vector{object});
}

TEST_F(MetadataTest, AServerWithoutProtobufIsAskedForJson) {
  next_answer(406, "");
  answer(200, kPartial);
  EXPECT_TRUE(pods.get("a"));
  EXPECT_EQ(accepted(),
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
  const Client json = make_client({.host = "https://h", .content_type = "application/json"});
  EXPECT_TRUE(json.metadata(kPodsResource, "web").get("a"));
  EXPECT_EQ(accepted(),
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
}

TEST_F(MetadataTest, META_03_TheMetadataOfAWholeObjectIsTaken) {
  answer(200, kPodJson);
  const auto pod = pods.get("a");
  ASSERT_TRUE(pod) << pod.error().to_string();
  EXPECT_EQ(pod->metadata.uid, "u1");
  answer(200,
         R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[)" +
             std::string(kPodJson) + "]}");
  const auto list = pods.list();
  ASSERT_TRUE(list) << list.error().to_string();
  EXPECT_EQ(list->items.at(0).metadata.uid, "u1");
  EXPECT_EQ(list->resource_version, "9");
}

TEST_F(MetadataTest, META_04_SomethingMustLookLikeMetadata) {
  for (const char* metadata : {R"({"name":"a"})", R"({"uid":"u"})", R"({"generateName":"a-"})",
                               R"({"creationTimestamp":"2026-11-23T14:48:39Z"})"}) {
    answer(200, R"({"kind":"Pod","apiVersion":"v1","metadata":)" + std::string(metadata) + "}");
    EXPECT_TRUE(pods.get("a")) << metadata;
  }
  for (const char* body : {R"({"kind":"Pod","apiVersion":"v1","metadata":{"labels":{}}})",
                           R"({"kind":"Other","apiVersion":"v1"})", "{}"}) {
    answer(200, body);
    const auto object = pods.get("a");
    ASSERT_FALSE(object) << body;
    EXPECT_EQ(object.error().code(), ErrorCode::Decode);
    EXPECT_THAT(object.error().message(),
                HasSubstr("object does not appear to match the ObjectMeta schema: "));
  }
  answer(200, R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{}})");
  EXPECT_TRUE(pods.get("a")) << "the server says what it is";
}

TEST_F(MetadataTest, META_06_ANameIsRequired) {
  EXPECT_THAT(pods.get("").error().message(), HasSubstr("name is required"));
  EXPECT_THAT(pods.delete_("").error().message(), HasSubstr("name is required"));
  EXPECT_THAT(pods.patch("", Patch::merge(json::Object{})).error().message(),
              HasSubstr("name is required"));
  EXPECT_EQ(sent(), 0U);
}

TEST_F(MetadataTest, META_07_DeleteOptionsAreJson) {
  answer(200, R"({"kind":"Status","apiVersion":"v1","status":"Success"})");
  EXPECT_TRUE(pods.delete_("a", {.grace_period_seconds = 3}));
  EXPECT_EQ(header(last_request(), "Content-Type"), "application/json");
  EXPECT_THAT(last_request().body, HasSubstr(R"("gracePeriodSeconds":3)"));
  EXPECT_TRUE(pods.delete_collection({.grace_period_seconds = 3}));
  EXPECT_EQ(header(last_request(), "Content-Type"), "application/json");
}

TEST_F(MetadataTest, ATimeoutIsAlsoPassedAsTheRequests) {
  answer(200, kPartials);
  EXPECT_TRUE(pods.list({.timeout_seconds = 21}));
  EXPECT_EQ(request_line(last_request()),
            "GET /api/v1/namespaces/web/pods?timeout=21s&timeoutSeconds=21");
  EXPECT_EQ(last_request().timeout, 21s);
  EXPECT_TRUE(pods.watch({.timeout_seconds = 21}));
  EXPECT_EQ(request_line(last_request()),
            "GET /api/v1/namespaces/web/pods?timeout=21s&timeoutSeconds=21&watch=true");
}

TEST_F(MetadataTest, META_09_AStatusOfFailureIsAnError) {
  for (const int code : {200, 404}) {
    answer(code, status_json(404, "NotFound", "pods a not found"));
    EXPECT_TRUE(is_not_found(pods.get("a").error())) << code;
    EXPECT_TRUE(is_not_found(pods.list().error())) << code;
  }
}

}  // namespace
}  // namespace kube
