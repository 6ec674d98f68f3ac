// SPDX-License-Identifier: Apache-2.0
//
// Lists, watches and cells in protobuf: split at every byte, broken in every way, and as informers
// hold them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/cache/shared_informer_factory.hpp>
#include <kube/codec/watch_frames.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/status_type.hpp>

#include "list_decoder.hpp"
#include "object_parts.hpp"
#include "scripted_run.hpp"
#include "watch_decoder.hpp"

namespace kube::cache {
namespace {

using core::v1::Pod;
using core::v1::PodList;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ScriptedCall;

constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";
const transport::Headers kAsProtobuf{{"Content-Type", kProtobuf}};
const transport::Headers kAsWatch{
    {"Content-Type", "application/vnd.kubernetes.protobuf;stream=watch"}};

Pod pod_named(std::string name, std::string version, std::string node = "n1") {
  Pod pod;
  pod.metadata.name = std::move(name);
  pod.metadata.namespace_ = "x";
  pod.metadata.uid = "uid-" + pod.metadata.name;
  pod.metadata.resource_version = std::move(version);
  pod.metadata.labels = {{"app", "web"}, {"name", "no"}};
  pod.metadata.finalizers = {"one", "two"};
  pod.spec.node_name = std::move(node);
  return pod;
}

std::string list_bytes(std::vector<Pod> pods, std::string version = "10") {
  PodList list;
  list.metadata.resource_version = std::move(version);
  list.metadata.continue_ = "tok";
  list.metadata.remaining_item_count = 3;
  list.items = std::move(pods);
  return meta::to_protobuf(list).value();
}

template <class T>
std::string event_bytes(std::string_view type, const T& object) {
  std::string out;
  meta::write_watch_frame({type, meta::to_protobuf(object).value()}, out);
  return out;
}

std::string error_bytes(int code, std::string reason) {
  meta::Status status;
  status.status = "Failure";
  status.code = code;
  status.reason = std::move(reason);
  return event_bytes("ERROR", status);
}

struct FedList {
  std::vector<CellRef> cells{};
  Result<void> fed{};
  std::optional<Result<ListInfo>> meta{};
};

FedList read_list(std::string_view body, std::size_t piece,
                  StoragePolicy policy = StoragePolicy::Wire) {
  FedList run;
  ListDecoder decoder(cell_type<Pod>(), policy,
                      [&](Arrived item) { run.cells.push_back(std::move(item.delta.cell)); });
  for (std::size_t at = 0; at < body.size(); at += piece) {
    run.fed = decoder.feed(body.substr(at, piece));
    if (!run.fed) return run;
  }
  run.meta = decoder.finish();
  return run;
}

TEST(ProtobufList, IsSplitIntoItsObjectsHoweverItArrives) {
  const std::string body = list_bytes({pod_named("a", "5"), pod_named("b", "6")}, "77");
  for (std::size_t piece = 1; piece <= body.size(); ++piece) {
    const FedList run = read_list(body, piece);
    ASSERT_TRUE(run.fed) << run.fed.error().to_string() << " in pieces of " << piece;
    ASSERT_TRUE(*run.meta) << run.meta->error().to_string();
    ASSERT_EQ(run.cells.size(), 2U);
    EXPECT_EQ(run.cells[0]->key(), "x/a");
    EXPECT_EQ(run.cells[0]->uid(), "uid-a");
    EXPECT_EQ(run.cells[1]->resource_version(), "6");
    EXPECT_EQ(run.cells[0]->encoding(), Encoding::Protobuf);
    EXPECT_EQ(*Cached<Pod>(run.cells[1]), pod_named("b", "6"));
    EXPECT_EQ((*run.meta)->resource_version, "77");
    EXPECT_EQ((*run.meta)->continue_, "tok");
    EXPECT_EQ((*run.meta)->remaining_item_count, 3);
  }
}

TEST(ProtobufList, ThatIsCutOffAnywhereEndedEarly) {
  const std::string body = list_bytes({pod_named("a", "5")});
  // The fields behind the list say nothing that is missed.
  const std::string_view needed = std::string_view(body).substr(0, body.size() - 4);
  for (std::size_t size = 1; size < needed.size(); ++size) {
    const FedList run = read_list(needed.substr(0, size), 7);
    if (!run.fed) continue;
    ASSERT_FALSE(*run.meta) << size;
    EXPECT_EQ(run.meta->error().code(), ErrorCode::Unreachable) << size;
  }
}

TEST(ProtobufList, ThatIsBrokenIsADecodeErrorOrAnotherListButNeverACrash) {
  const std::string body = list_bytes({pod_named("a", "5"), pod_named("b", "6")});
  for (std::size_t at = 0; at < body.size(); ++at) {
    for (const unsigned change : {0x01U, 0x80U, 0xffU}) {
      std::string broken = body;
      broken[at] = static_cast<char>(static_cast<unsigned char>(broken[at]) ^ change);
      const FedList run = read_list(broken, 11);
      if (!run.fed) {
        EXPECT_EQ(run.fed.error().code(), ErrorCode::Decode);
      }
    }
  }
}

TEST(ProtobufList, MetadataInPiecesIsOneMessage) {
  std::string body = list_bytes({pod_named("a", "5")}, "77");
  const meta::Unknown unknown = meta::open_envelope(body).value();
  const std::string raw = std::string(unknown.raw) + std::string("\x0a\x05\x1a\x03new", 7);
  std::string again;
  meta::write_envelope({.api_version = "v1",
                        .kind = "PodList",
                        .raw = raw,
                        .content_encoding = "",
                        .content_type = ""},
                       again);
  const FedList run = read_list(again, 3);
  ASSERT_TRUE(run.fed);
  EXPECT_EQ((*run.meta)->continue_, "new");
  EXPECT_EQ((*run.meta)->resource_version, "77");
}

TEST(ProtobufList, ANumberThatGoesBeyondItsListIsTheSameErrorHoweverItIsCut) {
  std::string body;
  meta::write_envelope({.api_version = "v1",
                        .kind = "PodList",
                        .raw = std::string_view("\x39zzz", 4),  // field 7, 64 bits
                        .content_encoding = "",
                        .content_type = ""},
                       body);
  body += "behind it";
  const std::string whole = read_list(body, body.size()).fed.error().to_string();
  EXPECT_THAT(whole, HasSubstr("a list that ends inside a field at byte "));
  for (std::size_t size = 1; size < body.size(); ++size)
    EXPECT_EQ(read_list(body, size).fed.error().to_string(), whole);
}

TEST(ProtobufList, AKnownFieldOfAnotherWireTypeIsADecodeError) {
  const std::string message = list_bytes({pod_named("a", "5")});
  const FedList envelope = read_list(message + "\x10\x05", 1000);
  ASSERT_FALSE(envelope.fed);
  EXPECT_THAT(envelope.fed.error().to_string(),
              HasSubstr("expected a length-delimited value, found a varint"));
  std::string body;
  meta::write_envelope({.api_version = "v1",
                        .kind = "PodList",
                        .raw = std::string_view("\x10\x05", 2),
                        .content_encoding = "",
                        .content_type = ""},
                       body);
  EXPECT_FALSE(read_list(body, 1000).fed);
}

TEST(ProtobufList, ASecondListIsADecodeError) {
  const std::string body = list_bytes({pod_named("a", "5")}) + std::string("\x12\x00", 2);
  const FedList run = read_list(body, 1000);
  ASSERT_FALSE(run.fed);
  EXPECT_THAT(run.fed.error().to_string(), HasSubstr("a second list"));
}

TEST(ProtobufList, AnotherKindIsADecodeError) {
  const FedList pod = read_list(meta::to_protobuf(pod_named("a", "5")).value(), 1000);
  ASSERT_FALSE(pod.fed);
  EXPECT_THAT(pod.fed.error().to_string(), HasSubstr("expected a PodList, found kind \"Pod\""));
}

TEST(ProtobufList, ALengthThatIsClaimedTakesNoMemory) {
  std::string body(meta::kProtobufMagic);
  body += "\x0a\x0d\x0a\x02v1\x12\x07PodList\x12";
  body += "\xff\xff\xff\xff\x7f";      // the list: 32 GiB
  body += "\x12\xff\xff\xff\xff\x07";  // an item of 2 GiB
  const FedList run = read_list(body, 5);
  ASSERT_TRUE(run.fed);
  EXPECT_EQ(run.meta->error().code(), ErrorCode::Unreachable) << "it never came";
}

TEST(ProtobufList, DecodedIsReadOnArrival) {
  const FedList run = read_list(list_bytes({pod_named("a", "5")}), 9, StoragePolicy::Decoded);
  ASSERT_EQ(run.cells.size(), 1U);
  EXPECT_TRUE(run.cells[0]->body().empty());
  EXPECT_EQ(*Cached<Pod>(run.cells[0]), pod_named("a", "5"));
}

struct FedWatch {
  std::vector<Arrived> events{};
  Result<void> fed{};
  Result<void> end{};
};

FedWatch read_watch(std::string_view body, std::size_t piece) {
  FedWatch run;
  WatchDecoder decoder(cell_type<Pod>(), StoragePolicy::Wire,
                       [&](Arrived event) { run.events.push_back(std::move(event)); });
  for (std::size_t at = 0; at < body.size(); at += piece) {
    run.fed = decoder.feed(body.substr(at, piece));
    if (!run.fed) return run;
  }
  run.end = decoder.finish();
  return run;
}

TEST(ProtobufWatch, IsSplitIntoEventsHoweverItArrives) {
  Pod bookmark;
  bookmark.metadata.resource_version = "9";
  bookmark.metadata.annotations = {{"k8s.io/initial-events-end", "true"}};
  const std::string body =
      event_bytes("ADDED", pod_named("a", "5")) + event_bytes("BOOKMARK", bookmark) +
      event_bytes("DELETED", pod_named("b", "6")) + error_bytes(410, "Expired");
  for (std::size_t piece = 1; piece <= body.size(); piece += piece < 40 ? 1 : 17) {
    const FedWatch run = read_watch(body, piece);
    ASSERT_TRUE(run.fed) << run.fed.error().to_string();
    ASSERT_TRUE(run.end);
    ASSERT_EQ(run.events.size(), 4U);
    EXPECT_EQ(run.events[0].delta.type, DeltaType::Added);
    EXPECT_EQ(*Cached<Pod>(run.events[0].delta.cell), pod_named("a", "5"));
    EXPECT_EQ(run.events[1].delta.type, DeltaType::Bookmark);
    EXPECT_EQ(run.events[1].delta.cell->resource_version(), "9");
    EXPECT_TRUE(run.events[1].delta.is_initial);
    EXPECT_EQ(run.events[2].delta.cell->key(), "x/b");
    ASSERT_TRUE(run.events[3].ends_watch());
    EXPECT_TRUE(is_resource_expired(run.events[3].refused->error));
  }
}

TEST(ProtobufWatch, CODEC_24_ThatEndsInsideAFrameLosesIt) {
  const std::string body = event_bytes("ADDED", pod_named("a", "5"));
  const FedWatch run = read_watch(body + body.substr(0, body.size() / 2), 13);
  ASSERT_TRUE(run.fed);
  EXPECT_EQ(run.events.size(), 1U);
  EXPECT_EQ(run.end.error().code(), ErrorCode::Unreachable);
}

// Why the first object of a watch is refused.
Error refusal(const FedWatch& run) {
  EXPECT_TRUE(run.fed) << "others may still be had";
  EXPECT_FALSE(run.events.at(0).delta.cell);
  return run.events.at(0).refused->error;
}

TEST(ProtobufWatch, CODEC_21_OfAnotherKindOrContentIsADecodeError) {
  const Error other = refusal(read_watch(event_bytes("ADDED", meta::Status{}), 1000));
  EXPECT_EQ(other.code(), ErrorCode::Decode);
  EXPECT_THAT(other.to_string(), HasSubstr("expected kind \"Pod\""));
  std::string object;
  meta::write_envelope({.api_version = "v1",
                        .kind = "Pod",
                        .raw = "{}",
                        .content_encoding = "",
                        .content_type = "application/json"},
                       object);
  std::string frame;
  meta::write_watch_frame({"ADDED", object}, frame);
  EXPECT_THAT(refusal(read_watch(frame, 1000)).to_string(),
              HasSubstr("found \"application/json\""));
}

TEST(ProtobufWatch, ABrokenEventIsNamedByItsPlaceHoweverItArrives) {
  const std::string good = event_bytes("ADDED", pod_named("a", "5"));
  for (const std::string& broken :
       {event_bytes("BOOKMARK", meta::Status{}), event_bytes("NEWS", pod_named("c", "7"))}) {
    const std::string body = good + broken;
    for (const std::size_t piece : {1U, 7U, 10000U}) {
      const FedWatch run = read_watch(body + good, piece);
      ASSERT_FALSE(run.fed);
      EXPECT_EQ(run.events.size(), 1U);
      EXPECT_THAT(
          run.fed.error().to_string(),
          HasSubstr("event that ends at byte " + std::to_string(body.size()) + " of the watch"));
    }
  }
}

TEST(ProtobufCell, ARepeatedFieldGivesNoOtherNameThanTheKeys) {
  Pod other = pod_named("z", "6");
  other.metadata.namespace_.clear();
  Pod impossible = pod_named("../b", "6");
  std::string body;
  encode_body(pod_named("a", "5"), Encoding::Protobuf, body);
  CellMaker maker(cell_type<Pod>(), StoragePolicy::Wire);
  for (const Pod& more : {pod_named("a", "6"), pod_named("z", "6"), other}) {
    std::string twice = body;
    encode_body(more, Encoding::Protobuf, twice);
    const auto cell = maker.make(Encoding::Protobuf, twice);
    ASSERT_TRUE(cell) << cell.error().to_string();
    const Cached<Pod> pod(*cell);
    if (const auto read = pod.get()) {
      EXPECT_EQ((*read)->metadata.namespace_, pod.namespace_());
      EXPECT_EQ((*read)->metadata.name, pod.name());
    } else {
      EXPECT_EQ(read.error().code(), ErrorCode::Decode);
    }
  }
  encode_body(impossible, Encoding::Protobuf, body);
  EXPECT_FALSE(maker.make(Encoding::Protobuf, body));
}

TEST(ProtobufCell, GivesOneFieldWithoutDecoding) {
  const auto path = meta::FieldLocator::compile<Pod>("spec.nodeName");
  for (const StoragePolicy policy : {StoragePolicy::Wire, StoragePolicy::Decoded}) {
    const FedList run = read_list(list_bytes({pod_named("a", "5")}), 9, policy);
    const Cached<Pod> pod(run.cells.front());
    EXPECT_EQ(pod.read<std::string>(*path).value(), "n1");
    EXPECT_EQ(pod.read<bool>(*path).error().code(), ErrorCode::InvalidArgument);
  }
}

TEST(ProtobufCell, IndexesByAField) {
  const FedList run = read_list(list_bytes({pod_named("a", "5"), pod_named("b", "5", "")}), 9);
  const auto by_node = index_by_field<Pod>("spec.nodeName");
  ASSERT_TRUE(by_node);
  EXPECT_THAT((*by_node)(Cached<Pod>(run.cells[0])), ElementsAre("n1"));
  EXPECT_THAT((*by_node)(Cached<Pod>(run.cells[1])), ElementsAre());
  EXPECT_THAT((*index_by_field<Pod>("metadata.finalizers"))(Cached<Pod>(run.cells[0])),
              ElementsAre("one", "two"));
  EXPECT_FALSE(index_by_field<Pod>("spec.nothing"));
  EXPECT_FALSE(index_by_field<Pod>("spec.containers"));
}

// protobuf allows any order; API servers write the order of the numbers.
TEST(ProtobufCell, FindsLabelsWhereverTheyAreInMetadata) {
  const auto field = [](int number, const std::string& bytes) {
    return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
  };
  const auto label = [&](const std::string& key) {
    return field(11, field(1, key) + field(2, "yes"));
  };
  const std::string name = field(1, "a");
  const std::string finalizer = field(14, "example.com/f");
  CellMaker maker(cell_type<Pod>(), StoragePolicy::Wire);
  struct Case {
    std::string metadata;
    bool in_order;
  };
  for (const auto& [metadata, in_order] : {Case{name + label("x") + label("y") + finalizer, true},
                                           Case{name + finalizer + label("x") + label("y"), false},
                                           Case{name + label("x") + finalizer + label("y"), false},
                                           Case{label("x") + name + label("y"), false}}) {
    const auto cell = maker.make(Encoding::Protobuf, field(1, metadata));
    ASSERT_TRUE(cell) << cell.error().to_string();
    EXPECT_EQ((*cell)->metadata_in_order(), in_order);
    EXPECT_TRUE(matches_labels(**cell, *labels::parse("x=yes,y=yes")).value()) << metadata;
    EXPECT_FALSE(matches_labels(**cell, *labels::parse("z")).value()) << metadata;
  }
}

TEST(ProtobufCell, MatchesLabelsOnTheWire) {
  const FedList run = read_list(list_bytes({pod_named("a", "5")}), 9);
  EXPECT_TRUE(matches_labels(*run.cells[0], *labels::parse("app=web,name in (no)")).value());
  EXPECT_FALSE(matches_labels(*run.cells[0], *labels::parse("app=db")).value());
  EXPECT_TRUE(matches_labels(*run.cells[0], *labels::parse("!tier")).value());
}

class ProtobufInformer : public ::testing::Test, public testing::ScriptedRun {
 protected:
  static std::string accept(ScriptedCall& call) {
    return std::string(call.request().headers.find("Accept").value_or(""));
  }
};

TEST_F(ProtobufInformer, CS_08_AsksForProtobufAndHoldsIt) {
  SharedInformer<Pod> pods(client(), {.watch_list = false});
  ASSERT_TRUE(pods.add_index("node", *index_by_field<Pod>("spec.nodeName")));
  ASSERT_TRUE(pods.start());
  ScriptedCall list = next_list();
  EXPECT_EQ(accept(list), "application/vnd.kubernetes.protobuf,application/json");
  PodList first;
  first.metadata.resource_version = "10";
  first.items = {pod_named("a", "5")};
  list.respond(200, meta::to_protobuf(first).value(), kAsProtobuf);
  ScriptedCall watch = next_watch();
  watch.head(200, kAsWatch);
  watch.data(event_bytes("MODIFIED", pod_named("a", "11", "n2")));
  watch.data(event_bytes("ADDED", pod_named("b", "12")));
  run();
  ASSERT_TRUE(pods.has_synced());
  EXPECT_EQ(pods.last_sync_resource_version(), "12");
  const auto pod = pods.lister().get("x/a");
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->cell().encoding(), Encoding::Protobuf);
  EXPECT_EQ(**pod, pod_named("a", "11", "n2"));
  EXPECT_EQ(pods.indexer().count("node", "n2"), 1U);
  EXPECT_EQ(pods.lister().list(*labels::parse("app=web")).value().size(), 2U);
}

TEST_F(ProtobufInformer, TakesWhatAServerAnswersInJson) {
  SharedInformer<Pod> pods(client(), {.watch_list = false});
  ASSERT_TRUE(pods.start());
  next_list().respond(200, testing::list_text({testing::object_text("x/a", "5")}, "10"));
  next_watch().head(200, kAsWatch).data(event_bytes("MODIFIED", pod_named("a", "11")));
  run();
  const auto pod = pods.lister().get("x/a");
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->resource_version(), "11");
  EXPECT_EQ((*pod)->spec.node_name, "n1");
}

TEST_F(ProtobufInformer, AsksForJsonAtOnceWhenItIsRefused) {
  SharedInformer<Pod> pods(client(), {.watch_list = false});
  int errors = 0;
  ASSERT_TRUE(pods.set_watch_error_handler([&](const Error&) { ++errors; }));
  ASSERT_TRUE(pods.start());
  ScriptedCall refused = next_list();
  testing::respond_status(refused, 406, "NotAcceptable", "only JSON");
  ScriptedCall list = next_list();
  EXPECT_EQ(accept(list), "application/json");
  list.respond(200, testing::list_text({testing::object_text("x/a", "5")}, "10"));
  ScriptedCall watch = next_watch();
  EXPECT_EQ(accept(watch), "application/json") << "remembered";
  run();
  EXPECT_TRUE(pods.has_synced());
  EXPECT_EQ(errors, 0);
}

TEST_F(ProtobufInformer, SpeaksJsonWhenToldTo) {
  SharedInformer<Pod> pods(client(), {.protobuf = false, .watch_list = false});
  ASSERT_TRUE(pods.start());
  ScriptedCall list = next_list();
  EXPECT_EQ(accept(list), "application/json");
  SharedInformer<Unstructured> any(client(), testing::pods(), {.watch_list = false});
  list.respond(500);
  ASSERT_TRUE(any.start());
  ScriptedCall other = next_list();
  EXPECT_EQ(accept(other), "application/json");
}

TEST_F(ProtobufInformer, CODEC_07_AnUnknownTypeEndsTheListWithAnError) {
  SharedInformer<Pod> pods(client(), {.watch_list = false});
  std::string seen;
  ASSERT_TRUE(pods.set_watch_error_handler([&](const Error& error) { seen = error.to_string(); }));
  ASSERT_TRUE(pods.start());
  next_list().respond(200, "<html>", {{"Content-Type", "text/html"}});
  run();
  EXPECT_THAT(seen, HasSubstr("got \"text/html\""));
}

TEST_F(ProtobufInformer, ATransformedPodStaysProtobuf) {
  for (const StoragePolicy storage : {StoragePolicy::Wire, StoragePolicy::Decoded}) {
    SharedInformer<Pod> pods(client(), {.storage = storage, .watch_list = false});
    ASSERT_TRUE(pods.set_transform([](Pod pod) -> Result<Pod> {
      pod.metadata.labels = {{"app", "changed"}};
      return pod;
    }));
    ASSERT_TRUE(pods.start());
    next_list().respond(200, list_bytes({pod_named("a", "5")}), kAsProtobuf);
    ScriptedCall rest = next_list();  // there is more, the list said
    PodList last;
    last.metadata.resource_version = "10";
    rest.respond(200, meta::to_protobuf(last).value(), kAsProtobuf);
    next_watch();
    run();
    EXPECT_EQ(pods.lister().list(*labels::parse("app=changed")).value().size(), 1U);
    const auto pod = pods.lister().get("x/a");
    EXPECT_EQ((*pod)->spec.node_name, "n1");
  }
}

TEST_F(ProtobufInformer, StreamsItsInitialStateInProtobuf) {
  SharedInformer<Pod> pods(client(), {.watch_list = true});
  ASSERT_TRUE(pods.start());
  Pod bookmark;
  bookmark.metadata.resource_version = "9";
  bookmark.metadata.annotations = {{"k8s.io/initial-events-end", "true"}};
  next_watch()
      .head(200, kAsWatch)
      .data(event_bytes("ADDED", pod_named("a", "5")) + event_bytes("BOOKMARK", bookmark));
  run();
  EXPECT_TRUE(pods.has_synced());
  EXPECT_TRUE(pods.lister().get("x/a"));
}

TEST_F(ProtobufInformer, AListThatATypeCanNotReadHasFailed) {
  SharedInformer<Unstructured> objects(client(), testing::pods(), {.watch_list = false});
  ASSERT_TRUE(objects.start());
  const auto expect_failed = [&] {
    run();
    EXPECT_FALSE(objects.has_synced());
    EXPECT_THAT(objects.status().last_error.value().to_string(),
                HasSubstr("expected JSON, found protobuf"));
  };
  next_list().respond(200, list_bytes({pod_named("a", "5")}), kAsProtobuf);
  expect_failed();
  run_for(std::chrono::seconds(60));
  next_list().respond(200, list_bytes({pod_named("a", "5")}), {});  // which says nothing of it
  expect_failed();
}

}  // namespace
}  // namespace kube::cache
