// SPDX-License-Identifier: Apache-2.0
//
// Which encodings go out and come in: negotiation, fallbacks, both encodings of everything.
#include <kube/client/content.hpp>

#include <kube/api/core/v1/pod.hpp>
#include <kube/client/api.hpp>
#include <kube/codec/watch_frames.hpp>
#include <kube/meta/delete_options.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/status_type.hpp>

#include "client_fixture.hpp"

namespace kube {
namespace {

using core::v1::Pod;
using core::v1::PodList;
using ::testing::HasSubstr;

const transport::Headers kAsProtobuf{{"Content-Type", "application/vnd.kubernetes.protobuf"}};
const transport::Headers kAsWatch{
    {"Content-Type", "application/vnd.kubernetes.protobuf;stream=watch"}};
constexpr const char* kBoth = "application/vnd.kubernetes.protobuf,application/json";

Pod pod_named(std::string name, std::string version = "7") {
  Pod pod;
  pod.metadata.name = std::move(name);
  pod.metadata.namespace_ = "web";
  pod.metadata.resource_version = std::move(version);
  pod.spec.node_name = "n1";
  return pod;
}

std::string bytes_of(const auto& object) {
  return meta::to_protobuf(object).value();
}

std::string status_bytes(int code, std::string reason, std::string message) {
  meta::Status status;
  status.status = "Failure";
  status.code = code;
  status.reason = std::move(reason);
  status.message = std::move(message);
  return bytes_of(status);
}

class ContentTest : public ClientTest {
 protected:
  Api<Pod> pods(rest::Config config = {.host = "https://h"}) {
    return Api<Pod>(RawApi(make(std::move(config)), kPodsResource, "web"));
  }
  std::string accept() const { return header(last_request(), "Accept"); }
  std::string type() const { return header(last_request(), "Content-Type"); }
};

TEST_F(ContentTest, CS_08_TypedClientsAskForProtobufAndAcceptJson) {
  answer(200, bytes_of(pod_named("a")), kAsProtobuf);
  const auto pod = pods().get("a");
  ASSERT_TRUE(pod) << pod.error().to_string();
  EXPECT_EQ(accept(), kBoth);
  EXPECT_EQ(*pod, pod_named("a"));
  answer(200, meta::to_json(pod_named("b")));
  EXPECT_EQ(pods().get("b").value(), pod_named("b"));
}

TEST_F(ContentTest, REST_13_AnObjectIsSentInTheConfiguredEncoding) {
  answer(201, bytes_of(pod_named("a")), kAsProtobuf);
  ASSERT_TRUE(pods().create(pod_named("a")));
  EXPECT_EQ(type(), kProtobufMediaType);
  EXPECT_EQ(meta::from_protobuf<Pod>(last_request().body).value(), pod_named("a"));
  ASSERT_TRUE(pods().update_status(pod_named("a")));
  EXPECT_EQ(type(), kProtobufMediaType);
  ASSERT_TRUE(
      pods({.host = "https://h", .content_type = "application/json"}).create(pod_named("a")));
  EXPECT_EQ(type(), "application/json");
  EXPECT_EQ(last_request().body, meta::to_json(pod_named("a")) + "\n");
}

TEST_F(ContentTest, CS_10_DeleteSendsItsOptionsInTheConfiguredEncoding) {
  answer(200, bytes_of(pod_named("a")), kAsProtobuf);
  const auto deleted = pods().delete_("a", {.preconditions = Preconditions{.uid = "u1"}});
  ASSERT_TRUE(deleted) << deleted.error().to_string();
  EXPECT_EQ(deleted->object->metadata.name, "a");
  const auto sent = meta::from_protobuf<meta::DeleteOptions>(last_request().body);
  ASSERT_TRUE(sent) << sent.error().to_string();
  EXPECT_EQ(sent->preconditions->uid, "u1");
  ASSERT_TRUE(pods({.host = "https://h", .content_type = "application/json"}).delete_("a"));
  EXPECT_EQ(last_request().body, "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\"}\n");
}

TEST_F(ContentTest, ADeleteIsAnsweredWithAStatusInProtobuf) {
  meta::Status status;
  status.status = "Success";
  answer(200, bytes_of(status), kAsProtobuf);
  const auto deleted = pods().delete_("a");
  ASSERT_TRUE(deleted) << deleted.error().to_string();
  EXPECT_FALSE(deleted->object);
  EXPECT_EQ(deleted->status->at_path({"status"})->string_or_empty(), "Success");
}

TEST_F(ContentTest, PatchesKeepTheirOwnTypes) {
  answer(200, bytes_of(pod_named("a")), kAsProtobuf);
  ASSERT_TRUE(pods().patch("a", Patch::merge(json::Object{})));
  EXPECT_EQ(type(), "application/merge-patch+json");
  EXPECT_EQ(last_request().body, "{}");
  EXPECT_EQ(accept(), kBoth);
}

TEST_F(ContentTest, CODEC_06_CS_08_AConfiguredTypeDisablesTheDefault) {
  answer(200, meta::to_json(pod_named("a")));
  struct Case {
    const char* content_type;
    const char* accept_types;
    const char* sent_type;
    const char* sent_accept;
  };
  for (const Case& each :
       {Case{"application/json", "", "application/json", "application/json, */*"},
        Case{"application/vnd.kubernetes.protobuf", "", "application/vnd.kubernetes.protobuf",
             "application/vnd.kubernetes.protobuf, */*"},
        Case{"", "application/json;q=0.5", "application/json", "application/json;q=0.5"},
        Case{"application/vnd.kubernetes.protobuf", "application/json",
             "application/vnd.kubernetes.protobuf", "application/json"}}) {
    const auto api = pods({.host = "https://h",
                           .content_type = each.content_type,
                           .accept_content_types = each.accept_types});
    ASSERT_TRUE(api.create(pod_named("a")));
    EXPECT_EQ(type(), each.sent_type);
    EXPECT_EQ(accept(), each.sent_accept);
  }
}

TEST_F(ContentTest, CODEC_01_NothingConfiguredIsNotJsonConfigured) {
  answer(201, meta::to_json(pod_named("a")));
  ASSERT_TRUE(pods({.host = "https://h"}).create(pod_named("a")));
  EXPECT_EQ(type(), kProtobufMediaType) << "the default is only a default";
  ASSERT_TRUE(
      pods({.host = "https://h", .content_type = "application/json"}).create(pod_named("a")));
  EXPECT_EQ(type(), "application/json");
  const RestClient untouched = make({.host = "https://h"});
  EXPECT_EQ(untouched.content_for({"", "pods"}, false).body, Encoding::Json);
  EXPECT_EQ(untouched.content_for({"", "pods"}, true).body, Encoding::Protobuf);
}

TEST_F(ContentTest, CborBecomesJson) {
  answer(200, meta::to_json(pod_named("a")));
  const auto api = pods({.host = "https://h",
                         .content_type = "application/cbor",
                         .accept_content_types = "application/cbor;q=0.9, text/plain"});
  ASSERT_TRUE(api.create(pod_named("a")));
  EXPECT_EQ(type(), "application/json");
  EXPECT_EQ(accept(), "application/json;q=0.9, text/plain");
}

TEST_F(ContentTest, AnUnknownContentTypeIsRefusedAtOnce) {
  const auto client =
      RestClient::create({.host = "https://h", .content_type = "text/xml"}, runtime, server);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code(), ErrorCode::Config);
  EXPECT_THAT(client.error().to_string(), HasSubstr("content_type \"text/xml\" is unknown"));
}

TEST_F(ContentTest, TypesWithoutProtobufSpeakJson) {
  answer(200, R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})");
  const Api<Unstructured> any(RawApi(make(), kPodsResource, "web"));
  Result<Unstructured> object = any.get("a");
  ASSERT_TRUE(object);
  EXPECT_EQ(accept(), "application/json");
  ASSERT_TRUE(any.update(*object));
  EXPECT_EQ(type(), "application/json");
}

TEST_F(ContentTest, ASubresourceAsADocumentIsAskedForInJson) {
  answer(200, R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"a"}})");
  ASSERT_TRUE(pods().get_subresource<Unstructured>("a", "scale"));
  EXPECT_EQ(accept(), "application/json");
}

TEST_F(ContentTest, CODEC_04_A415MakesTheClientSendJsonFromThenOn) {
  next_answer(415, status_json(415, "UnsupportedMediaType", "no protobuf here"));
  answer(201, bytes_of(pod_named("a")), kAsProtobuf);
  const RestClient client = make();
  const Api<Pod> api(RawApi(client, kPodsResource, "web"));
  ASSERT_TRUE(api.create(pod_named("a")));
  ASSERT_EQ(sent(), 2U);
  EXPECT_EQ(type(), "application/json");
  EXPECT_EQ(accept(), kBoth) << "the Accept header is unaffected";
  ASSERT_TRUE(Api<Pod>(RawApi(client, kPodsResource, "other")).update(pod_named("a")));
  EXPECT_EQ(sent(), 3U) << "remembered";
  EXPECT_EQ(type(), "application/json");
}

TEST_F(ContentTest, A406MakesTheClientAskForJsonFromThenOn) {
  next_answer(406, status_json(406, "NotAcceptable", "only JSON here"));
  answer(200, meta::to_json(pod_named("a")));
  const Api<Pod> api = pods();
  ASSERT_TRUE(api.get("a"));
  ASSERT_EQ(sent(), 2U);
  EXPECT_EQ(accept(), "application/json");
  ASSERT_TRUE(api.get("a"));
  EXPECT_EQ(sent(), 3U) << "remembered";
  answer(406, status_json(406, "NotAcceptable", "nothing here"));
  EXPECT_TRUE(is_not_acceptable(api.get("a").error())) << "not tried again for ever";
  EXPECT_EQ(sent(), 4U);
}

TEST_F(ContentTest, ListsAreReadInProtobuf) {
  PodList list;
  list.metadata.resource_version = "77";
  list.metadata.continue_ = "more";
  list.metadata.remaining_item_count = 0;
  list.items = {pod_named("a"), pod_named("b")};
  answer(200, bytes_of(list), kAsProtobuf);
  const auto listed = pods().list();
  ASSERT_TRUE(listed) << listed.error().to_string();
  EXPECT_EQ(listed->resource_version, "77");
  EXPECT_EQ(listed->continue_, "more");
  EXPECT_EQ(listed->remaining_item_count, 0);
  const std::vector<Pod> expected{pod_named("a"), pod_named("b")};
  EXPECT_EQ(listed->items, expected);
  answer(200, bytes_of(PodList{}), kAsProtobuf);
  EXPECT_TRUE(pods().list().value().empty());
}

TEST_F(ContentTest, ABrokenListInProtobufIsADecodeErrorAtEveryCut) {
  PodList list;
  list.items = {pod_named("a")};
  const std::string whole = bytes_of(list);
  for (std::size_t size = 4; size < whole.size(); ++size) {
    const auto cut = RawList::parse(whole.substr(0, size));
    if (!cut) {
      EXPECT_EQ(cut.error().code(), ErrorCode::Decode);
    }
  }
  const auto pod = RawList::parse(bytes_of(pod_named("a")));
  ASSERT_FALSE(pod);
  EXPECT_THAT(pod.error().to_string(), HasSubstr("found kind \"Pod\""));
}

TEST_F(ContentTest, StatusesAreReadInProtobuf) {
  answer(404, status_bytes(404, "NotFound", "pods \"a\" not found"), kAsProtobuf);
  const auto missing = pods().get("a");
  ASSERT_FALSE(missing);
  EXPECT_TRUE(is_not_found(missing.error()));
  EXPECT_THAT(missing.error().to_string(), HasSubstr("pods \"a\" not found"));
  ASSERT_NE(meta::status_of(missing.error()), nullptr);
  answer(200, status_bytes(409, "Conflict", "too late"), kAsProtobuf);
  EXPECT_TRUE(is_conflict(pods().get("a").error())) << "whatever the code was";
}

TEST_F(ContentTest, BytesAndContentTypeMustAgree) {
  answer(200, bytes_of(pod_named("a")));
  EXPECT_THAT(pods().get("a").error().to_string(),
              HasSubstr("expected JSON, as the Content-Type says, found protobuf"));
  answer(200, meta::to_json(pod_named("a")), kAsProtobuf);
  EXPECT_THAT(pods().get("a").error().to_string(),
              HasSubstr("expected protobuf, as the Content-Type says, found JSON"));
}

std::string frame(std::string_view type, const std::string& object) {
  std::string out;
  meta::write_watch_frame({type, object}, out);
  return out;
}

TEST_F(ContentTest, WATCH_02_WATCH_10_EventsAreReadInProtobuf) {
  const std::string stream = frame("ADDED", bytes_of(pod_named("a"))) +
                             frame("BOOKMARK", bytes_of(pod_named("", "9"))) +
                             frame("ERROR", status_bytes(410, "Expired", "too old"));
  server->on("", "*", [stream](ScriptedCall call) {
    call.head(200, kAsWatch);
    for (const char byte : stream) call.data(std::string(1, byte));
  });
  auto watch = pods().watch();
  ASSERT_TRUE(watch) << watch.error().to_string();
  EXPECT_EQ(accept(), kBoth);
  auto event = watch->next();
  ASSERT_TRUE(event && *event);
  EXPECT_EQ((*event)->type, WatchEventType::Added);
  EXPECT_EQ((*event)->object, pod_named("a"));
  event = watch->next();
  EXPECT_EQ((*event)->type, WatchEventType::Bookmark);
  EXPECT_EQ((*event)->object.metadata.resource_version, "9");
  event = watch->next();
  EXPECT_EQ((*event)->type, WatchEventType::Error);
  EXPECT_TRUE(is_resource_expired(*(*event)->error));
  EXPECT_FALSE(watch->next());

  // The same client on a server that answers in JSON.
  answer(200, R"({"type":"ADDED","object":)" + meta::to_json(pod_named("b")) + "}");
  auto json = pods().watch();
  ASSERT_TRUE(json) << json.error().to_string();
  event = json->next();
  ASSERT_TRUE(event && *event);
  EXPECT_EQ((*event)->object, pod_named("b"));
}

TEST_F(ContentTest, CODEC_24_AWatchThatEndsInsideAFrameBrokeOff) {
  const std::string whole = frame("ADDED", bytes_of(pod_named("a")));
  answer(200, whole + whole.substr(0, 9), kAsWatch);
  auto watch = pods().watch();
  ASSERT_TRUE(watch);
  ASSERT_TRUE(watch->next());
  EXPECT_FALSE(watch->next());
  EXPECT_EQ(watch->end_reason().error().code(), ErrorCode::Unreachable);
}

TEST_F(ContentTest, CODEC_27_ATimeoutWithinAFrameIsATimeout) {
  const std::string whole = frame("ADDED", bytes_of(pod_named("a")));
  server->on("", "*", [&](ScriptedCall call) {
    call.head(200, kAsWatch);
    call.data(whole + whole.substr(0, 9));
    call.fail(Error(ErrorCode::Timeout, "silent for too long"));
  });
  auto watch = pods().watch();
  ASSERT_TRUE(watch);
  ASSERT_TRUE(watch->next());
  EXPECT_FALSE(watch->next());
  EXPECT_EQ(watch->end_reason().error().code(), ErrorCode::Timeout);
}

TEST_F(ContentTest, WATCH_04_AnEventThatMakesNoSenseEndsTheWatchWithAnError) {
  answer(200, frame("ADDED", "k8s?"), kAsWatch);
  auto watch = pods().watch();
  ASSERT_TRUE(watch);
  auto event = watch->next();
  ASSERT_TRUE(event && *event);
  EXPECT_EQ((*event)->type, WatchEventType::Error);
  EXPECT_TRUE(is_internal_error(*(*event)->error));
  EXPECT_FALSE(watch->next());
}

TEST_F(ContentTest, AWatchThatIsRefusedProtobufIsOpenedInJson) {
  next_answer(406, status_json(406, "NotAcceptable", "only JSON here"));
  answer(200, R"({"type":"ADDED","object":)" + meta::to_json(pod_named("a")) + "}");
  auto watch = pods().watch();
  ASSERT_TRUE(watch) << watch.error().to_string();
  EXPECT_EQ(accept(), "application/json");
  auto event = watch->next();
  ASSERT_TRUE(event && *event);
  EXPECT_EQ((*event)->object, pod_named("a"));
}

}  // namespace
}  // namespace kube
