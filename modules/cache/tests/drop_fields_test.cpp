// SPDX-License-Identifier: Apache-2.0
//
// InformerOptions::drop_fields: what is left out of objects, by list, watch and stream, before
// anything else sees them.
#include "drop_fields.hpp"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/reflector.hpp>
#include <kube/cache/shared_informer_factory.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/meta/partial_object_metadata.hpp>
#include <kube/testing/recording_logger.hpp>

#include "informer_fixture.hpp"
#include "object_parts.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using core::v1::Pod;
using testing::bookmark_text;
using ::testing::ElementsAre;
using testing::event_text;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list_text;
using testing::object_text;
using testing::ScriptedCall;

const std::vector<std::string> kPaths = {
    "metadata.managedFields",
    "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]",
    "spec.containers[*].env"};

std::string fat(std::string_view key, std::string_view version, std::string_view manager = "m") {
  return object_text(
      key, version,
      R"("annotations":{"a":"1","kubectl.kubernetes.io/last-applied-configuration":"{}"},)"
      R"("managedFields":[{"manager":")" +
          std::string(manager) + R"("}])",
      R"("spec":{"containers":[{"name":"c","env":[{"name":"E"}]},{"env":[]}],"nodeName":"n"})");
}
std::string lean(std::string_view key, std::string_view version) {
  return object_text(key, version, R"("annotations":{"a":"1"})",
                     R"("spec":{"containers":[{"name":"c"},{}],"nodeName":"n"})");
}
std::string body_of(const Cached<Unstructured>& object) {
  return std::string(object.cell().body());
}

class DropFields : public testing::InformerFixture {};

TEST_F(DropFields, AreInNoObjectOfAListAWatchOrADeletion) {
  make({.drop_fields = kPaths});
  std::vector<std::string> seen;
  const auto registration = informer->add_event_handler(
      {.on_add = [&](const auto& o, bool) { seen.push_back(body_of(o)); },
       .on_update = [&](const auto&, const auto& now) { seen.push_back(body_of(now)); },
       .on_delete = [&](const auto& gone) { seen.push_back(body_of(gone.object)); }});
  ScriptedCall watch = start({fat("x/a", "5")});
  watch.data(event_text("MODIFIED", fat("x/a", "11")) + event_text("ADDED", fat("x/b", "12")) +
             event_text("DELETED", fat("x/b", "13")));
  run();
  EXPECT_THAT(
      seen, ElementsAre(lean("x/a", "5"), lean("x/a", "11"), lean("x/b", "12"), lean("x/b", "13")));
  EXPECT_EQ(body_of(informer->lister().find("x/a")), lean("x/a", "11"));
}

TEST_F(DropFields, AreNotInAStreamedInitialStateEither) {
  streams = true;
  make({.drop_fields = kPaths});
  ASSERT_TRUE(informer->start());
  next_watch().data(event_text("ADDED", fat("x/a", "5")) + bookmark_text("10", "true"));
  run();
  EXPECT_TRUE(informer->has_synced()) << "the annotation of the bookmark is needed";
  EXPECT_EQ(body_of(informer->lister().find("x/a")), lean("x/a", "5"));
}

TEST_F(DropFields, DoNotMakeADifferenceAnyMore) {
  make({.drop_fields = kPaths});
  ScriptedCall watch = start({fat("x/a", "5")});
  const auto before = informer->lister().find("x/a");
  // The same version with other managers: without drop_fields, it would be stored again.
  watch.data(event_text("MODIFIED", fat("x/a", "5", "another")));
  run();
  EXPECT_EQ(informer->lister().find("x/a"), before) << "an event keeps the cell";
  relist(watch, {fat("x/a", "5", "a third")}, "20");
  EXPECT_EQ(informer->lister().find("x/a"), before) << "a relist keeps the cell";
}

TEST_F(DropFields, AreGoneBeforeATransformAndInAnyStorage) {
  for (const StoragePolicy storage : {StoragePolicy::Wire, StoragePolicy::Decoded}) {
    make({.storage = storage, .drop_fields = kPaths});
    ASSERT_TRUE(informer->set_transform([](Unstructured object) -> Result<Unstructured> {
      EXPECT_THAT(object.managed_fields(), IsEmpty());
      object.set_label("seen", "yes");
      return object;
    }));
    start({fat("x/a", "5")});
    const auto a = informer->lister().find("x/a");
    EXPECT_EQ(a->labels().at("seen"), "yes");
    EXPECT_EQ(a->annotations().size(), 1U);
    informer.reset();
    run();
  }
}

TEST_F(DropFields, AreNotTakenForInconsistencies) {
  streams = true;
  make({.drop_fields = kPaths, .detect_inconsistency = true});
  std::vector<std::string> errors;
  ASSERT_TRUE(informer->set_watch_error_handler(
      [&](const Error& error) { errors.push_back(error.to_string()); }));
  ASSERT_TRUE(informer->start());
  ScriptedCall watch = next_watch();
  watch.data(event_text("ADDED", fat("x/a", "5")) + bookmark_text("10", "true"));
  next_list().respond(200, list_text({fat("x/a", "5", "another")}, "10"));
  run_for(10s);
  EXPECT_THAT(errors, IsEmpty());
}

TEST_F(DropFields, GoWithTheKindThatItemsOfAListLack) {
  make({.drop_fields = {"spec"}});
  start({R"({"metadata":{"name":"a","namespace":"x","resourceVersion":"5"},"spec":{"n":1}})"});
  EXPECT_EQ(
      body_of(informer->lister().find("x/a")),
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"x","resourceVersion":"5"}})");
}

TEST_F(DropFields, RefuseAnObjectThatCanNotBeWalkedAlone) {
  make({.drop_fields = kPaths});
  const std::string broken = object_text("x/b", "5", {}, R"("spec":{"containers" []})");
  start({fat("x/a", "5"), broken});
  EXPECT_TRUE(informer->has_synced());
  EXPECT_THAT(informer->indexer().list_keys(), ElementsAre("x/a"));
  EXPECT_EQ(informer->status().processing_errors, 1U);
  EXPECT_THAT(informer->status().last_error.value().to_string(), HasSubstr("drop fields"));
}

TEST_F(DropFields, OfATypeThatDoesNotHaveThemFailTheStart) {
  SharedInformer<Pod> typed(client(), {.drop_fields = {"spec.nodeName", "spec.nope"}});
  const auto started = typed.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(started.error().to_string(),
            "drop_fields: path \"spec.nope\" of Pod: core.v1.PodSpec has no field "
            "\"nope\"");
  EXPECT_TRUE(typed.is_stopped());
  EXPECT_FALSE(typed.wait_for_sync({})) << "returns, as it never will";
  EXPECT_THAT(typed.status().last_error.value().to_string(), HasSubstr("spec.nope"));
  EXPECT_TRUE(transport->requests().empty());
}

TEST_F(DropFields, ThatACacheNeedsCanNotBeDropped) {
  for (const char* path : {"metadata", "metadata.name", "metadata.namespace", "metadata.uid",
                           "metadata.resourceVersion", "kind", "apiVersion"}) {
    EXPECT_FALSE(compile_drop_fields(cell_type<Pod>(), {path})) << path;
    const auto untyped = compile_drop_fields(cell_type<Unstructured>(), {"spec", path});
    ASSERT_FALSE(untyped) << path;
    EXPECT_EQ(untyped.error().code(), ErrorCode::InvalidArgument);
  }
  EXPECT_FALSE(compile_drop_fields(cell_type<Unstructured>(), {"[*].name"}));
  // Of other types the metadata alone is known.
  EXPECT_FALSE(compile_drop_fields(cell_type<Unstructured>(), {"metadata.nope"}));
  EXPECT_TRUE(compile_drop_fields(cell_type<Unstructured>(), {"metadata.labels.x", "spec.nope"}));
  EXPECT_FALSE(compile_drop_fields(cell_type<meta::PartialObjectMetadata>(), {"spec"}));
  EXPECT_EQ(compile_drop_fields(cell_type<Pod>(), {}).value(), nullptr);
}

TEST_F(DropFields, ThatAreInvalidAreLoggedWhereNobodyCallsStart) {
  const auto log = std::make_shared<kube::testing::RecordingLogger>(LogLevel::Warning);
  runtime.logger = log;
  SharedInformerFactory factory(client(), {.drop_fields = {"nope"}});
  const auto of_factory = factory.informer<Pod>();
  factory.start();
  EXPECT_FALSE(factory.wait_for_cache_sync({}));
  EXPECT_THAT(log->take_lines(), ElementsAre(HasSubstr("has no field \"nope\"")));

  SharedInformer<Pod> lazy(client(), {.drop_fields = {"nope"}, .start_on_first_use = true});
  EXPECT_FALSE(lazy.has_synced());
  EXPECT_FALSE(lazy.has_synced());
  EXPECT_THAT(log->take_lines(), ElementsAre(HasSubstr("has no field \"nope\""))) << "once";
}

TEST_F(DropFields, OfProtobufLeaveTheBareMessageWithItsLengths) {
  Pod pod;
  pod.metadata.name = "a";
  pod.metadata.namespace_ = "x";
  pod.metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"] =
      std::string(1000, 'c');
  pod.metadata.managed_fields.resize(3);
  pod.spec.containers.resize(2);
  pod.spec.containers[0].env.resize(40);
  pod.spec.node_name = "n";
  std::string message;
  meta::write_protobuf(&pod, Pod::descriptor(), message);
  for (const StoragePolicy storage : {StoragePolicy::Wire, StoragePolicy::Decoded}) {
    CellMaker maker(cell_type<Pod>(), storage,
                    {.drop_fields = compile_drop_fields(cell_type<Pod>(), kPaths).value()});
    const Cached<Pod> stored(maker.make(Encoding::Protobuf, message).value());
    Pod expected = pod;
    expected.metadata.annotations.clear();
    expected.metadata.managed_fields.clear();
    expected.spec.containers[0].env.clear();
    EXPECT_EQ(*stored, expected);
    if (storage == StoragePolicy::Decoded) continue;
    std::string rest;
    meta::write_protobuf(&expected, Pod::descriptor(), rest);
    EXPECT_EQ(stored.cell().body(), rest);
  }
}

TEST_F(DropFields, OfMetadataInformersAndReflectorsAreTheSame) {
  SharedInformer<meta::PartialObjectMetadata> metadata(
      client(), testing::pods(), {.drop_fields = {"metadata.annotations"}, .watch_list = false});
  ASSERT_TRUE(metadata.start());
  next_list().respond(
      200,
      R"({"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadataList",)"
      R"("metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a",)"
      R"("namespace":"x","resourceVersion":"5","annotations":{"a":"1"},"labels":{"b":"2"}}}]})");
  run();
  const auto a = metadata.lister().find("x/a");
  EXPECT_THAT(a->metadata.annotations, IsEmpty());
  EXPECT_EQ(a->metadata.labels.size(), 1U);
}

class Bodies final : public ReflectorStore<Unstructured> {
 public:
  Result<void> add(const Cached<Unstructured>& object) override {
    bodies.push_back(body_of(object));
    return {};
  }
  Result<void> update(const Cached<Unstructured>& object) override { return add(object); }
  Result<void> remove(const Cached<Unstructured>& object) override { return add(object); }
  Result<void> replace(std::vector<Cached<Unstructured>> objects, std::string_view) override {
    for (const auto& object : objects) bodies.push_back(body_of(object));
    return {};
  }
  Result<void> resync() override { return {}; }
  std::vector<std::string> bodies;
};

TEST_F(DropFields, DoNotReachTheStoreOfAReflector) {
  const auto store = std::make_shared<Bodies>();
  const auto source = rest_lister_watcher(client(), testing::pods(), "", "", "");
  kube::Reflector<Unstructured> reflector(runtime, source, testing::pods(), store,
                                          {.drop_fields = kPaths, .watch_list = false});
  ASSERT_TRUE(reflector.start());
  next_list().respond(200, list_text({fat("x/a", "5")}, "10"));
  next_watch().data(event_text("MODIFIED", fat("x/a", "11")));
  run();
  EXPECT_THAT(store->bodies, ElementsAre(lean("x/a", "5"), lean("x/a", "11")));

  kube::Reflector<Unstructured> wrong(runtime, source, testing::pods(), store,
                                      {.drop_fields = {"metadata.nope"}});
  const auto started = wrong.start();
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().to_string(), HasSubstr("has no field \"nope\""));
  EXPECT_FALSE(wrong.wait_for_sync({}));
}

}  // namespace
}  // namespace kube::cache
