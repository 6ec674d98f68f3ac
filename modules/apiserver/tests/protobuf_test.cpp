// SPDX-License-Identifier: Apache-2.0
//
// Protobuf in bodies, responses and watches (chapter 9.1 of the reference, and kubectl's creates).
#include <kube/api/apps/v1/controller_revision.hpp>
#include <kube/api/core/v1/config_map.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/codec/watch_frames.hpp>
#include <kube/json/yaml.hpp>

#include <kube/api/resources.hpp>
#include <kube/api/types.hpp>

#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ConfigMap = core::v1::ConfigMap;
using Pod = core::v1::Pod;

const std::string kProtobufType = "application/vnd.kubernetes.protobuf";
const std::string kItem = std::string(kConfigMaps) + "/a";

/// The JSON of a message whose type the envelope names.
json::Value document(std::string_view bytes) {
  const auto envelope = meta::open_envelope(bytes);
  if (!envelope) return envelope.error().to_string();
  const meta::TypeDescriptor* type = api::find_type(envelope->api_version, envelope->kind);
  if (type == nullptr) return "no type " + std::string(envelope->kind);
  std::string memory(type->size, '\0');
  type->construct(memory.data());
  std::string text;
  if (auto read = meta::read_protobuf(envelope->raw, *type, memory.data()); !read) {
    text = json::dump(read.error().to_string());
  } else {
    meta::write_json(memory.data(), *type, text);
  }
  type->destroy(memory.data());
  return *json::parse(text);
}

class Protobuf : public ServerTest {
 protected:
  Answer send(std::string_view method, std::string_view target, std::string_view body,
              std::string_view accept = "application/json") {
    return call(method, target, body,
                {{"Content-Type", kProtobufType}, {"Accept", std::string(accept)}});
  }
  Answer get_protobuf(std::string_view target, std::string_view parameters = {}) {
    return get(target, {{"Accept", kProtobufType + std::string(parameters)}});
  }
  template <class T>
  static T decoded(const Answer& answer) {
    EXPECT_EQ(answer.header("content-type"), kProtobufType) << answer.body;
    auto value = meta::from_protobuf<T>(answer.body);
    EXPECT_TRUE(value) << value.error().to_string();
    return value ? *std::move(value) : T{};
  }
};

ConfigMap sample(std::string name = "a") {
  ConfigMap out;
  out.metadata.name = std::move(name);
  out.data["k"] = "v";
  return out;
}

TEST_F(Protobuf, BodiesAreDecodedByTheirEnvelope) {
  const Answer made = send("POST", kConfigMaps, *meta::to_protobuf(sample()));
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.at({"data", "k"}), "v");
  EXPECT_EQ(made.at({"kind"}), "ConfigMap");
  EXPECT_EQ(get(kItem).at({"data", "k"}), "v");

  ConfigMap changed = decoded<ConfigMap>(get_protobuf(kItem));
  changed.data["k"] = "w";
  const Answer updated = send("PUT", kItem, *meta::to_protobuf(changed));
  EXPECT_EQ(updated.status, 200) << updated.body;
  EXPECT_EQ(get(kItem).at({"data", "k"}), "w");
}

TEST_F(Protobuf, BodiesThatAreNotWhatTheySayAreBadRequests) {
  const Answer plain = send("POST", kConfigMaps, config_map("a"));
  expect_status(plain, 400, "BadRequest");
  EXPECT_THAT(
      plain.at({"message"}),
      StartsWith("the object provided is unrecognized (must be of type ConfigMap): provided "
                 "data does not appear to be a protobuf message, expected prefix "
                 "[107 56 115 0] ({\"apiVersion\":\"v1\",\"kind\":\"Con"));
  Pod wrong;
  wrong.metadata.name = "a";
  const Answer other = send("POST", kConfigMaps, *meta::to_protobuf(wrong));
  expect_status(other, 400, "BadRequest");
  EXPECT_THAT(other.at({"message"}),
              HasSubstr("Pod in version \"v1\" cannot be handled as a ConfigMap"));
  std::string cut = *meta::to_protobuf(sample());
  cut.resize(cut.size() / 2);
  expect_status(send("POST", kConfigMaps, cut), 400, "BadRequest");
  expect_status(send("POST", kConfigMaps, ""), 400, "BadRequest");

  meta::Unknown json;
  json.api_version = "v1";
  json.kind = "ConfigMap";
  json.raw = "{}";
  json.content_type = "application/json";
  std::string body;
  meta::write_envelope(json, body);
  expect_status(send("POST", kConfigMaps, body), 400, "BadRequest");
}

TEST_F(Protobuf, RawBytesOfABodyAddNoMembersToTheObject) {
  apps::v1::ControllerRevision evil;
  evil.metadata.name = "innocent";
  evil.data.raw = R"({},"metadata":{"name":"evil"})";
  const std::string revisions = "/apis/apps/v1/namespaces/t/controllerrevisions";
  const Answer refused = send("POST", revisions, *meta::to_protobuf(evil));
  expect_status(refused, 400, "BadRequest");
  EXPECT_THAT(refused.at({"message"}), HasSubstr("data: expected one JSON value"));
  EXPECT_EQ(get(revisions + "/evil").status, 404);
  evil.data.raw = R"({"a":1})";
  EXPECT_EQ(send("POST", revisions, *meta::to_protobuf(evil)).status, 201);
}

TEST_F(Protobuf, SubresourcesAndDeleteOptionsTakeIt) {
  ASSERT_EQ(post("/api/v1/namespaces/t/pods", pod("p")).status, 201);
  const auto message = [](std::string_view kind, std::string_view api_version,
                          std::string_view raw) {
    meta::Unknown unknown;
    unknown.api_version = api_version;
    unknown.kind = kind;
    unknown.raw = raw;
    std::string out;
    meta::write_envelope(unknown, out);
    return out;
  };
  // A Binding: metadata 1 {name 1}, target 2 {kind 1, name 3}.
  const std::string binding("\x0a\x03\x0a\x01p\x12\x0a\x0a\x04Node\x1a\x02n1", 17);
  const Answer bound =
      send("POST", "/api/v1/namespaces/t/pods/p/binding", message("Binding", "v1", binding));
  EXPECT_EQ(bound.status, 201) << bound.body;
  EXPECT_EQ(get("/api/v1/namespaces/t/pods/p").at({"spec", "nodeName"}), "n1");

  // DeleteOptions of the client's own group and version, gracePeriodSeconds 1 = 0.
  const Answer deleted = send("DELETE", "/api/v1/namespaces/t/pods/p",
                              message("DeleteOptions", "apps/v1", {"\x08\0", 2}));
  EXPECT_EQ(deleted.status, 200) << deleted.body;
  EXPECT_EQ(get("/api/v1/namespaces/t/pods/p").status, 404);
}

TEST_F(Protobuf, API_002_ObjectsAreAnsweredInIt) {
  make_config_map("a", R"({"k":"v"})");
  const Answer answer = get(kItem, {{"Accept", kProtobufType + ",application/json"}});
  const ConfigMap object = decoded<ConfigMap>(answer);
  EXPECT_EQ(meta::to_json(object) + "\n", get(kItem).body);
  EXPECT_EQ(*meta::to_protobuf(object), answer.body);
}

TEST_F(Protobuf, ListsHoldTheBytesOfTheirItems) {
  for (const char* name : {"a", "b", "c"}) make_config_map(name, R"({"k":"v"})");
  const Answer whole = get_protobuf(kConfigMaps);
  const auto list = decoded<core::v1::ConfigMapList>(whole);
  EXPECT_EQ(list.items.size(), 3U);
  EXPECT_EQ(list.metadata.resource_version, revision());
  EXPECT_EQ(list.items[1].metadata.name, "b");
  EXPECT_EQ(*meta::to_protobuf(list), whole.body);

  const Answer page = get_protobuf(std::string(kConfigMaps) + "?limit=2");
  const auto first = decoded<core::v1::ConfigMapList>(page);
  EXPECT_EQ(first.items.size(), 2U);
  EXPECT_EQ(first.metadata.remaining_item_count, 1);
  EXPECT_EQ(*meta::to_protobuf(first), page.body);

  const Answer selected = get_protobuf(std::string(kConfigMaps) + "?fieldSelector=metadata.name=c");
  const auto one = decoded<core::v1::ConfigMapList>(selected);
  EXPECT_EQ(one.items.size(), 1U);
  EXPECT_EQ(*meta::to_protobuf(one), selected.body);
}

TEST_F(Protobuf, LongListsAreStreamedWhole) {
  for (int i = 0; i < 60; ++i) {
    make_config_map("m" + std::to_string(i), R"({"k":")" + std::string(8000, 'x') + "\"}");
  }
  EXPECT_EQ(decoded<core::v1::ConfigMapList>(get_protobuf(kConfigMaps)).items.size(), 60U);
}

TEST_F(Protobuf, API_292_API_293_MetadataAloneOfAnyKind) {
  make_config_map("a", R"({"k":"secret"})");
  const std::string_view one = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  const json::Value partial = document(get_protobuf(kItem, one).body);
  EXPECT_EQ(text_at_path(partial, {"kind"}), "PartialObjectMetadata");
  EXPECT_EQ(text_at_path(partial, {"metadata", "name"}), "a");
  EXPECT_EQ(text_at_path(partial, {"data"}), "");
  const json::Value list =
      document(get_protobuf(kConfigMaps, ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1").body);
  EXPECT_EQ(text_at_path(list, {"kind"}), "PartialObjectMetadataList");
  EXPECT_EQ(list.at_path({"items"})->if_array()->size(), 1U);
}

TEST_F(Protobuf, API_318_CustomResourcesHaveTheirMetadataOnly) {
  ASSERT_TRUE(server().load_text(R"({"apiVersion":"apiextensions.k8s.io/v1",
    "kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
    "spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},
    "versions":[{"name":"v1","served":true,"storage":true,
      "schema":{"openAPIV3Schema":{"type":"object"}}}]}})"));
  const std::string widgets = "/apis/example.com/v1/namespaces/t/widgets";
  ASSERT_EQ(post(widgets, R"({"apiVersion":"example.com/v1","kind":"Widget",
    "metadata":{"name":"w"}})")
                .status,
            201);
  expect_status(send("POST", widgets, *meta::to_protobuf(sample())), 415, "UnsupportedMediaType");
  const Answer whole = get(widgets + "/w", {{"Accept", kProtobufType}});
  EXPECT_EQ(whole.status, 406);
  EXPECT_EQ(
      get(widgets + "/w", {{"Accept", kProtobufType + ",application/json"}}).header("content-type"),
      "application/json");
  const json::Value partial =
      document(get_protobuf(widgets + "/w", ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1").body);
  EXPECT_EQ(text_at_path(partial, {"metadata", "name"}), "w");
}

TEST_F(Protobuf, ErrorsAreStatusesInIt) {
  const Answer answer = get_protobuf(kItem);
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.header("content-type"), kProtobufType);
  const json::Value status = document(answer.body);
  EXPECT_EQ(text_at_path(status, {"kind"}), "Status");
  EXPECT_EQ(text_at_path(status, {"message"}), "configmaps \"a\" not found");
  EXPECT_EQ(text_at_path(status, {"code"}), "404");
}

TEST_F(Protobuf, API_003_NoTableInIt) {
  make_config_map("a");
  EXPECT_EQ(get_protobuf(kItem, ";as=Table;g=meta.k8s.io;v=v1").status, 406);
  EXPECT_EQ(get("/apis", {{"Accept", kProtobufType + ",application/json"}}).header("content-type"),
            "application/json");
}

/// Events of a stream of frames: "ADDED a 105".
class FrameReader {
 public:
  FrameReader(std::uint16_t port, std::string_view target, const std::string& accept)
      : client_(port) {
    client_.write("GET " + std::string(target) + " HTTP/1.1\r\nHost: test\r\nAccept: " + accept +
                  "\r\n\r\n");
    head_ = client_.read_head();
  }
  const Answer& head() const { return head_; }
  std::string next(std::string_view member = "resourceVersion") {
    while (true) {
      if (const auto frame = whole_frame()) {
        const auto event = meta::read_watch_frame(*frame);
        const json::Value object = document(event->object);
        return std::string(event->type) + " " + text_at_path(object, {"metadata", "name"}) + " " +
               text_at_path(object, {"metadata", member});
      }
      const auto chunk = client_.read_chunk();
      if (!chunk) return "END";
      received_ += *chunk;
    }
  }

 private:
  std::optional<std::string> whole_frame() {
    if (received_.size() < meta::kWatchFrameHead) return std::nullopt;
    std::size_t length = 0;
    for (std::size_t i = 0; i < meta::kWatchFrameHead; ++i)
      length = length << 8 | static_cast<unsigned char>(received_[i]);
    if (received_.size() - meta::kWatchFrameHead < length) return std::nullopt;
    std::string frame = received_.substr(meta::kWatchFrameHead, length);
    received_.erase(0, meta::kWatchFrameHead + length);
    return frame;
  }

  HttpClient client_;
  Answer head_;
  std::string received_;  // and not handed out
};

using ProtobufWatch = Protobuf;

TEST_F(ProtobufWatch, FramesTellWhatJsonTells) {
  const std::string target = std::string(kConfigMaps) + "?watch=true&resourceVersion=" + revision();
  FrameReader frames(port(), target, kProtobufType + ";stream=watch");
  EXPECT_EQ(frames.head().header("content-type"), kProtobufType + ";stream=watch");
  WatchClient text(port(), target);
  make_config_map("a");
  merge(kItem, R"({"data":{"k":"v"}})");
  remove(kItem);
  for (int i = 0; i < 3; ++i) {
    const auto event = text.next();
    ASSERT_TRUE(event);
    EXPECT_EQ(frames.next(), text_at_path(*event, {"type"}) + " a " +
                                 text_at_path(*event, {"object", "metadata", "resourceVersion"}));
  }
}

TEST_F(ProtobufWatch, BookmarksAndErrorsAreFramesToo) {
  make_config_map("a");
  FrameReader initial(port(),
                      std::string(kConfigMaps) +
                          "?watch=true&sendInitialEvents=true&allowWatchBookmarks=true"
                          "&resourceVersionMatch=NotOlderThan",
                      kProtobufType);
  EXPECT_EQ(initial.next(), "ADDED a " + revision());
  EXPECT_EQ(initial.next(), "BOOKMARK  " + revision());
  FrameReader expired(port(), std::string(kConfigMaps) + "?watch=true&resourceVersion=1",
                      kProtobufType);
  EXPECT_THAT(expired.next(), StartsWith("ERROR"));
}

TEST_F(ProtobufWatch, MetadataAloneIsWatchedOfAnyKind) {
  make_config_map("a");
  FrameReader frames(port(), std::string(kConfigMaps) + "?watch=true",
                     kProtobufType + ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
  EXPECT_EQ(frames.next(), "ADDED a " + revision());
  remove(kItem);
  EXPECT_EQ(frames.next(), "DELETED a " + revision());
}

TEST_F(Protobuf, API_004_API_007_YamlBothWays) {
  const Answer made = call("POST", kConfigMaps,
                           "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n",
                           {{"Content-Type", "application/yaml"}, {"Accept", "application/yaml"}});
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.header("content-type"), "application/yaml");
  EXPECT_EQ(*yaml::parse(made.body), get(kItem).json());
  const Answer list = get(kConfigMaps, {{"Accept", "application/yaml"}});
  EXPECT_EQ(*yaml::parse(list.body), get(kConfigMaps).json());
  const Answer missing = get(std::string(kConfigMaps) + "/no", {{"Accept", "application/yaml"}});
  EXPECT_EQ(missing.header("content-type"), "application/yaml");
  EXPECT_EQ(get(std::string(kConfigMaps) + "?watch=true", {{"Accept", "application/yaml"}}).status,
            406);
}

TEST(ProtobufTypes, MetadataIsTheFirstFieldOfEveryServedKind) {
  for (const api::ResourceFacts& facts : api::all_resources()) {
    if (!facts.served || !facts.collection) continue;
    const auto* type = api::find_type(
        {std::string(facts.group), std::string(facts.version), std::string(facts.kind)});
    ASSERT_NE(type, nullptr) << facts.type;
    ASSERT_TRUE(meta::has_protobuf(*type)) << facts.type;
    EXPECT_EQ(type->wire.fields.front().tag, 10U) << facts.type;
    EXPECT_EQ(type->wire.fields.front().field->json, "metadata") << facts.type;
    if (facts.list_kind.empty()) continue;
    const auto* list = api::find_type(
        {std::string(facts.group), std::string(facts.version), std::string(facts.list_kind)});
    ASSERT_NE(list, nullptr) << facts.type;
    ASSERT_EQ(list->wire.fields.size(), 2U) << facts.type;
    EXPECT_EQ(list->wire.fields[1].tag, 18U) << facts.type;
  }
}

}  // namespace
}  // namespace kube::apiserver::test
