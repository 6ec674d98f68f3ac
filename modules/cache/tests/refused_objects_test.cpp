// SPDX-License-Identifier: Apache-2.0
//
// Objects that a cache can't hold: names that no path can have, names that are missing or too long,
// metadata that can't be read. Each is refused alone, however it comes.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/codec/watch_frames.hpp>
#include <kube/testing/recording_logger.hpp>

#include "informer_fixture.hpp"

namespace kube::cache {
namespace {

using core::v1::Pod;
using testing::bookmark_text;
using ::testing::ElementsAre;
using testing::event_text;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list_text;
using testing::object_text;
using testing::Recorder;
using testing::ScriptedCall;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

/// An object of any namespace and name; both as JSON writes them.
std::string object_of(std::string_view namespace_, std::string_view name,
                      std::string_view version = "11") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":")" + std::string(namespace_) +
         R"(","name":")" + std::string(name) + R"(","uid":"u-)" + std::string(name) +
         R"(","resourceVersion":")" + std::string(version) + R"("}})";
}

struct NoName {
  std::string object;
  std::string why;
};
const std::vector<NoName>& objects_without_a_possible_name() {
  static const std::vector<NoName> objects = {
      {object_of("a", "b/c"), R"(metadata.name "b/c" may not contain '/')"},
      {object_of("a/b", "c"), R"(metadata.namespace "a/b" may not contain '/')"},
      {object_of("a", "."), R"(metadata.name "." may not be '.')"},
      {object_of("a", ".."), R"(metadata.name ".." may not be '..')"},
      {object_of("..", "b"), R"(metadata.namespace ".." may not be '..')"},
      {object_of("a", "b%2fc"), R"(metadata.name "b%2fc" may not contain '%')"},
      {object_of("a", ""), "metadata.name"},
      {object_of("", ""), "metadata.name"},
      {R"({"metadata":{"name":7}})", "metadata.name"},
      {R"({"metadata":{}})", "metadata.name"},
      {R"({"metadata":7})", "metadata"},
      {R"({"spec":{}})", "metadata"},
      {object_of("a", std::string(65'536, 'n')), "65535"},
      {object_of(std::string(65'536, 'n'), "a"), "65535"},
  };
  return objects;
}

class RefusedObjects : public testing::InformerFixture {
 protected:
  void SetUp() override {
    make();
    ASSERT_TRUE(informer->set_watch_error_handler(
        [this](const Error& error) { errors.push_back(error.to_string()); }));
    ASSERT_TRUE(informer->add_index(
        "all", [](const Cached<Unstructured>&) { return std::vector<std::string>{"all"}; }));
  }
  std::vector<std::string> keys() const {
    std::vector<std::string> keys = informer->indexer().index_keys("all", "all").value();
    std::vector<std::string> listed;
    for (const auto& object : informer->lister().list()) listed.emplace_back(object.key());
    EXPECT_THAT(listed, ::testing::UnorderedElementsAreArray(keys));
    return keys;
  }
  std::vector<std::string> errors;
};

TEST_F(RefusedObjects, KeysThatWouldBeTheSameCrashNothing) {
  Recorder recorder;
  const auto registration = add(recorder);
  ScriptedCall watch = start();
  watch.data(event_text("ADDED", object_of("a", "b/c", "11")) +
             event_text("ADDED", object_of("a/b", "c", "12")) + added("x/b", "13"));
  run();
  EXPECT_THAT(keys(), UnorderedElementsAre("x/a", "x/b"));
  EXPECT_THAT(recorder.take(), ElementsAre("*add x/a@5", "add x/b@13"));
  EXPECT_EQ(informer->status().processing_errors, 2U);
  EXPECT_FALSE(watch.cancelled());
  EXPECT_EQ(informer->lister().in_namespace("a").list().size(), 0U);
}

TEST_F(RefusedObjects, AWatchRefusesThemAloneAndGoesOn) {
  Recorder recorder;
  const auto registration = add(recorder);
  ScriptedCall watch = start();
  recorder.take();
  std::uint64_t refused = 0;
  for (const NoName& none : objects_without_a_possible_name()) {
    for (const char* type : {"ADDED", "MODIFIED", "DELETED"}) {
      watch.data(event_text(type, none.object));
    }
    run();
    refused += 3;
    EXPECT_EQ(informer->status().processing_errors, refused) << none.why;
    const auto error = informer->status().last_error;
    ASSERT_TRUE(error) << none.why;
    EXPECT_THAT(error->to_string(), HasSubstr(none.why));
    EXPECT_THAT(error->to_string(), HasSubstr("watch pods in all namespaces: "));
    EXPECT_LT(error->to_string().size(), 500U);
  }
  EXPECT_THAT(recorder.take(), IsEmpty());
  watch.data(modified("x/a", "20"));
  run();
  EXPECT_THAT(recorder.take(), ElementsAre("update x/a@5 -> x/a@20"));
  EXPECT_FALSE(watch.cancelled());
  EXPECT_THAT(errors, ::testing::SizeIs(std::min<std::uint64_t>(refused, 10)))
      << "the handler hears of each, but not of a flood";
}

// Members of metadata behind all that a cell is made of, which no scan looks at.
const std::vector<std::string>& objects_of_two_names() {
  static const std::string head = R"({"apiVersion":"v1","kind":"Pod","metadata":{)";
  static const std::string whole = R"("namespace":"d","name":"a","uid":"u","resourceVersion":"11")";
  static const std::vector<std::string> objects = {
      head + whole + R"(},"metadata":{"name":"../../b"}})",
      head + whole + R"(,"name":"z/z"}})",
      head + whole + R"(,"name":null}})",
      head + whole + R"(,"namespace":"e"}})",
  };
  return objects;
}

TEST_F(RefusedObjects, NoObjectThatIsReadHasAnotherNameThanItsKey) {
  for (const StoragePolicy policy : {StoragePolicy::Wire, StoragePolicy::Decoded}) {
    for (const std::string& object : objects_of_two_names()) {
      make({.storage = policy});
      ScriptedCall watch = start({});
      watch.data(event_text("ADDED", object));
      run();
      const auto read = informer->lister().get("d/a");
      const Cached<Unstructured> cached = read.value();
      ASSERT_FALSE(cached.get()) << object;
    }
  }
}

TEST_F(RefusedObjects, ARepeatedMemberDoesNotHideTheOnesBehindIt) {
  ScriptedCall watch = start();
  watch.data(event_text("ADDED", R"({"metadata":{"namespace":"d","name":"x","name":"y","uid":"u",)"
                                 R"("name":"z/z","resourceVersion":"11"}})"));
  run();
  EXPECT_THAT(keys(), UnorderedElementsAre("x/a"));
  EXPECT_THAT(informer->status().last_error.value().to_string(), HasSubstr("may not contain '/'"));
  watch.data(event_text("ADDED", R"({"metadata":{"namespace":"d","name":"x","name":"y","uid":"u",)"
                                 R"("resourceVersion":"12"}})"));
  run();
  EXPECT_THAT(keys(), UnorderedElementsAre("x/a", "d/y"));
  for (const auto& object : informer->lister().list()) EXPECT_TRUE(object.get()) << object.key();
}

// What a server sends and nobody can use must not fill the log as fast as it comes.
struct UnusableEvents : RefusedObjects {
  UnusableEvents() { runtime.logger = log; }
  std::shared_ptr<kube::testing::RecordingLogger> log =
      std::make_shared<kube::testing::RecordingLogger>(LogLevel::Warning);
};

TEST_F(UnusableEvents, RefusedObjectsAreAllCountedAndLoggedInPart) {
  ScriptedCall watch = start();
  for (int second = 0; second < 60; ++second) {
    for (int i = 0; i < 20; ++i) watch.data(event_text("ADDED", object_of("a", "b/c", "11")));
    run_for(1s);
  }
  EXPECT_EQ(informer->status().processing_errors, 1200U);
  const auto logged = log->entries();
  EXPECT_EQ(std::ranges::count(logged, "object dropped or not indexed",
                               &kube::testing::RecordingLogger::Entry::message),
            10 + 5)
      << "10 at once, 1 each 10 s";
}

TEST_F(RefusedObjects, AListLeavesThemOutAndSaysSoOnce) {
  std::vector<std::string> items = {object_text("x/a", "5")};
  for (const NoName& none : objects_without_a_possible_name()) items.push_back(none.object);
  items.push_back(object_text("x/b", "6"));
  start(items);
  EXPECT_TRUE(informer->has_synced());
  EXPECT_THAT(keys(), UnorderedElementsAre("x/a", "x/b"));
  EXPECT_EQ(informer->status().processing_errors, items.size() - 2);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors[0], HasSubstr("list pods in all namespaces: objects refused: " +
                                   std::to_string(items.size() - 2) + ", the first: "));
  EXPECT_THAT(errors[0], HasSubstr(objects_without_a_possible_name()[0].why));
  ASSERT_TRUE(informer->status().last_error) << "the store lacks objects, so something is wrong";
  EXPECT_EQ(informer->status().last_error.value().to_string(), errors[0]);
}

TEST_F(RefusedObjects, AStreamedInitialStateLeavesThemOut) {
  streams = true;
  make();
  ASSERT_TRUE(informer->set_watch_error_handler(
      [this](const Error& error) { errors.push_back(error.to_string()); }));
  ASSERT_TRUE(informer->start());
  ScriptedCall watch = next_watch();
  watch.data(added("x/a", "5"));
  for (const NoName& none : objects_without_a_possible_name()) {
    watch.data(event_text("ADDED", none.object));
    watch.data(event_text("DELETED", none.object));
  }
  watch.data(added("x/b", "6") + bookmark_text("10", "true"));
  run();
  EXPECT_TRUE(informer->has_synced());
  EXPECT_EQ(informer->lister().list().size(), 2U);
  EXPECT_EQ(informer->status().processing_errors, 2 * objects_without_a_possible_name().size());
  EXPECT_EQ(errors.size(), 1U);
}

// What could not be read may have been a change of anything: once the watch has ended, a list says.
TEST_F(RefusedObjects, AListFollowsAWatchThatHadAnObjectWithoutAReadableName) {
  ScriptedCall watch = start();
  watch.data(event_text("MODIFIED", R"({"metadata":{"resourceVersion":"12"}})") +
             added("x/b", "13"));
  run_for(5s);
  EXPECT_FALSE(watch.cancelled());
  watch.end();
  run_for(60s);
  ScriptedCall list = next_list();
  list.respond(200, list_text({object_text("x/a", "12")}, "14"));
  watch = next_watch();
  EXPECT_THAT(keys(), UnorderedElementsAre("x/a"));
  run_for(5s);
  watch.data(event_text("MODIFIED", object_of("a", "b/c")) + added("x/b", "15")).end();
  EXPECT_EQ(next_watch().query("resourceVersion"), "15") << "nothing of the cache is in doubt";
}

TEST_F(RefusedObjects, BytesOfZeroAreALegalPartOfAName) {
  ScriptedCall watch = start();
  watch.data(event_text("ADDED", object_of("a", R"(n\u0000)", "11")) +
             event_text("ADDED", object_of("a", R"(n\u0000m)", "12")) +
             event_text("ADDED", object_of("a", "n", "13")));
  run();
  EXPECT_EQ(keys().size(), 4U);
  EXPECT_TRUE(informer->lister().get(ObjectKey{"a", std::string("n\0m", 3)}));
}

TEST_F(RefusedObjects, MetadataThatComesTwiceBreaksNoIndex) {
  const std::string twice =
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"a","name":"b","uid":"1","resourceVersion":"VERSION"},)"
      R"("metadata":{"namespace":"c","name":"d","name":"e","uid":"2","resourceVersion":"VERSION"}})";
  const auto at = [&](std::string version) {
    std::string text = twice;
    for (std::size_t i = 0; (i = text.find("VERSION")) != std::string::npos;) {
      text.replace(i, 7, version);
    }
    return text;
  };
  ScriptedCall watch = start();
  watch.data(event_text("ADDED", at("11")) + event_text("MODIFIED", at("12")));
  run();
  EXPECT_EQ(keys().size(), 2U);
  watch.data(event_text("DELETED", at("13")));
  run();
  EXPECT_THAT(keys(), ElementsAre("x/a"));
}

TEST_F(RefusedObjects, AnObjectThatComesTwiceInOneListIsThereOnce) {
  Recorder recorder;
  const auto registration = add(recorder);
  ScriptedCall watch = start({object_text("x/a", "5"), object_text("x/a", "5")});
  EXPECT_THAT(recorder.take(), ElementsAre("*add x/a@5"));
  // The second list finds the stored cell twice.
  watch = relist(watch, {object_text("x/a", "5"), object_text("x/a", "5")}, "11");
  EXPECT_THAT(recorder.take(), ElementsAre("update x/a@5 -> x/a@5"));
  EXPECT_EQ(informer->status().objects, 1U);
  for (int version = 12; version < 40; ++version) {
    watch.data(deleted("x/a", std::to_string(version)));
    watch.data(added("x/a", std::to_string(++version)));
    run();
    EXPECT_THAT(keys(), ElementsAre("x/a"));
  }
}

TEST_F(RefusedObjects, ATransformMayNotMoveTheSlashOfTheKey) {
  make();
  ASSERT_TRUE(informer->set_transform([](Unstructured object) -> Result<Unstructured> {
    if (object.name() == "c") {
      object.set_namespace("");
      object.set_name("b/c");
    }
    return object;
  }));
  ScriptedCall watch = start();
  watch.data(event_text("ADDED", object_of("b", "c")) +
             event_text("MODIFIED", object_of("b", "c")));
  run();
  EXPECT_EQ(informer->status().processing_errors, 2U);
  EXPECT_EQ(informer->status().objects, 1U);
}

TEST_F(RefusedObjects, InProtobufTheyAreRefusedAlike) {
  const transport::Headers protobuf_watch{
      {"Content-Type", "application/vnd.kubernetes.protobuf;stream=watch"}};
  const auto pod = [](std::string namespace_, std::string name, std::string version) {
    Pod made;
    made.metadata.namespace_ = std::move(namespace_);
    made.metadata.name = std::move(name);
    made.metadata.resource_version = std::move(version);
    return made;
  };
  const auto event = [](std::string_view type, const Pod& object) {
    std::string out;
    meta::write_watch_frame({type, meta::to_protobuf(object).value()}, out);
    return out;
  };
  const std::vector<std::pair<std::string, std::string>> impossible = {
      {"a", "b/c"},
      {"a/b", "c"},
      {"a", ""},
      {"", ""},
      {"a", ".."},
      {"a", "%"},
      {"a", std::string(65'536, 'n')}};

  SharedInformer<Pod> pods(client(), {.watch_list = false});
  ASSERT_TRUE(pods.start());
  core::v1::PodList list;
  list.metadata.resource_version = "10";
  list.items.push_back(pod("x", "a", "5"));
  for (const auto& [namespace_, name] : impossible)
    list.items.push_back(pod(namespace_, name, "6"));
  next_list().respond(200, meta::to_protobuf(list).value(),
                      {{"Content-Type", "application/vnd.kubernetes.protobuf"}});
  ScriptedCall watch = next_watch();
  run();
  EXPECT_TRUE(pods.has_synced());
  EXPECT_EQ(pods.status().objects, 1U);
  EXPECT_EQ(pods.status().processing_errors, impossible.size());

  watch.head(200, protobuf_watch);
  for (const auto& [namespace_, name] : impossible) {
    watch.data(event("ADDED", pod(namespace_, name, "11")));
  }
  // Of another kind.
  core::v1::PodList other;
  other.metadata.resource_version = "12";
  std::string frame;
  meta::write_watch_frame({"ADDED", meta::to_protobuf(other).value()}, frame);
  watch.data(frame);
  watch.data(event("ADDED", pod("x", "b", "13")));
  run();
  EXPECT_FALSE(watch.cancelled());
  EXPECT_EQ(pods.status().objects, 2U);
  EXPECT_EQ(pods.status().processing_errors, 2 * impossible.size() + 1);
}

// Whoever looks at a broken object hears that it is broken, under either policy.
TEST_F(RefusedObjects, AnObjectThatCanNotBeDecodedBlindsNoInformerThatHoldsThemDecoded) {
  SharedInformer<Pod> pods(
      client(), {.protobuf = false, .storage = StoragePolicy::Decoded, .watch_list = false});
  ASSERT_TRUE(pods.start());
  const std::string broken = object_text("x/b", "6", {}, R"("spec":7)");
  next_list().respond(200, list_text({object_text("x/a", "5"), broken}, "10"));
  ScriptedCall watch = next_watch();
  run();
  EXPECT_TRUE(pods.has_synced());
  EXPECT_EQ(pods.status().objects, 2U);
  const auto whole = pods.lister().find("x/a");
  const auto cut = pods.lister().find("x/b");
  ASSERT_TRUE(whole && cut);
  EXPECT_TRUE(whole.get());
  EXPECT_EQ(cut.get().error().code(), ErrorCode::Decode);
  watch.data(event_text("ADDED", object_text("x/c", "11", {}, R"("spec":7)")));
  run();
  EXPECT_FALSE(watch.cancelled());
  EXPECT_EQ(pods.status().objects, 3U);
}

}  // namespace
}  // namespace kube::cache
