// SPDX-License-Identifier: Apache-2.0
//
// Objects larger than a cache takes: refused alone and by name, held by nobody.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/cache/detail/typed_cell.hpp>
#include <kube/codec/watch_frames.hpp>

#include "list_decoder.hpp"
#include "reflector_fixture.hpp"

namespace kube::cache {
namespace {

using core::v1::ConfigMap;
using testing::bookmark_text;
using ::testing::ElementsAre;
using testing::event_text;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list_text;
using testing::object_text;
using testing::ScriptedCall;
using namespace std::chrono_literals;

constexpr std::size_t kLimit = 200'000;
constexpr std::string_view kExpected = "expected at most 200000 bytes, found ";

std::string large_text() {
  return std::string(kLimit + 1000, 'z');
}
std::string large_object(std::string_view key, std::string_view version) {
  return object_text(key, version, {}, R"("data":")" + large_text() + '"');
}
ConfigMap map_named(std::string name, std::string value) {
  ConfigMap made;
  made.metadata.name = std::move(name);
  made.metadata.namespace_ = "x";
  made.metadata.resource_version = "5";
  made.data["key"] = std::move(value);
  return made;
}

class LargeObjects : public testing::ReflectorFixture,
                     public ::testing::WithParamInterface<std::size_t> {
 protected:
  LargeObjects() { max_object_bytes = kLimit; }
  /// Sends it in pieces as large as the parameter says.
  static void send(ScriptedCall& call, std::string_view bytes) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(GetParam(), bytes.size()))) {
      call.data(std::string(bytes.substr(0, GetParam())));
    }
  }
};

TEST_P(LargeObjects, AWatchRefusesOneByNameAndGoesOn) {
  ScriptedCall watch = start_watching();
  const std::string event = event_text("MODIFIED", large_object("x/a", "11"));
  send(watch, event + event_text("ADDED", object_text("x/b", "12")));
  run();
  EXPECT_FALSE(watch.cancelled());
  const std::string what =
      "watch pods in all namespaces: event that ends at byte " + std::to_string(event.size() - 1) +
      " of the watch: object x/a: " + std::string(kExpected) + std::to_string(event.size() - 1);
  EXPECT_EQ(reflector->progress().refusal.value().to_string(), what);
  EXPECT_THAT(target.take(), ElementsAre("refused: " + what.substr(what.rfind("expected")),
                                         "incomplete: " + what, "add x/b@12"));
  // What became of it is not known, so a list says.
  run_for(5s);
  watch.end();
  run_for(60s);
  target.last_known = testing::make_cell("x/a", "5");
  ScriptedCall list = next_list();
  send(list, list_text({large_object("x/a", "11"), object_text("x/b", "12")}, "13"));
  list.end();
  next_watch();
  EXPECT_THAT(
      target.take(),
      ElementsAre(HasSubstr("refused: "), "replace x/a@5 x/b@12 at 13",
                  AllOf(HasSubstr("objects refused: 1, the first: object that ends at byte "),
                        HasSubstr("of the list: object x/a: " + std::string(kExpected)))))
      << "the state that was known stays";
}

TEST_P(LargeObjects, ADeletionOfOneInAStreamedInitialStateDropsIt) {
  streams = true;
  start();
  target.last_known = testing::make_cell("x/a", "1");
  ScriptedCall watch = next_watch();
  send(watch, event_text("ADDED", object_text("x/a", "11")) +
                  event_text("ADDED", object_text("x/b", "12")) +
                  event_text("DELETED", large_object("x/a", "13")) + bookmark_text("14", "true"));
  run();
  EXPECT_THAT(target.take(), ElementsAre("replace x/b@12 at 14"));
  run_for(5s);
  watch.end();
  EXPECT_EQ(next_watch().query("resourceVersion"), "14") << "nothing is in doubt";
}

TEST_P(LargeObjects, ADeletionOfOneRemovesWhatIsKnownOfIt) {
  ScriptedCall watch = start_watching();
  target.last_known = testing::make_cell("x/a", "5");
  send(watch, event_text("DELETED", large_object("x/a", "11")));
  run();
  EXPECT_THAT(target.take(), ElementsAre(HasSubstr("refused: "), HasSubstr("incomplete: "),
                                         "remove x/a@5", "bookmark 11"));
  run_for(5s);
  watch.end();
  EXPECT_EQ(next_watch().query("resourceVersion"), "11") << "nothing is in doubt";
}

TEST_P(LargeObjects, AStreamThatDeletesOneLacksIt) {
  streams = true;
  start();
  target.last_known = testing::make_cell("x/b", "4");
  ScriptedCall watch = next_watch();
  send(watch, event_text("ADDED", object_text("x/b", "5")) +
                  event_text("DELETED", large_object("x/b", "6")) + bookmark_text("10", "true"));
  run();
  EXPECT_THAT(target.take(), ElementsAre("replace at 10"));
}

TEST_P(LargeObjects, OneWhoseNameHasNotComeIsNamedByItsPlace) {
  ScriptedCall watch = start_watching();
  const std::string object =
      R"({"metadata":{"annotations":{"a":")" + large_text() + R"("},"name":"b","namespace":"x"}})";
  send(watch, event_text("ADDED", object) + event_text("ADDED", object_text("x/b", "12")));
  run();
  EXPECT_THAT(target.take(),
              ElementsAre(HasSubstr("refused: "),
                          HasSubstr("of the watch: object without a name so far: expected at most"),
                          "add x/b@12"));
}

TEST_P(LargeObjects, AFirstListWithOneIsTaken) {
  start();
  ScriptedCall list = next_list();
  send(list, list_text({object_text("x/a", "5"), large_object("x/b", "6"), object_text("x/c", "7")},
                       "10"));
  list.end();
  next_watch();
  EXPECT_THAT(target.take(), ElementsAre(HasSubstr("refused: "), "replace x/a@5 x/c@7 at 10",
                                         HasSubstr("object x/b: expected at most")));
}

TEST_P(LargeObjects, AStreamedInitialStateWithOneIsTaken) {
  streams = true;
  start();
  target.last_known = testing::make_cell("x/b", "4");
  ScriptedCall watch = next_watch();
  send(watch, event_text("ADDED", object_text("x/a", "5")) +
                  event_text("ADDED", large_object("x/b", "6")) + bookmark_text("10", "true"));
  run();
  EXPECT_THAT(target.take(),
              ElementsAre(HasSubstr("refused: "), HasSubstr("x/b@4"), HasSubstr("object x/b: ")));
}

TEST_P(LargeObjects, InProtobufItIsRefusedAlike) {
  type = &cell_type<ConfigMap>();
  start();
  core::v1::ConfigMapList all;
  all.metadata.resource_version = "10";
  all.items = {map_named("a", "1"), map_named("b", large_text()), map_named("c", "3")};
  ScriptedCall list = next_list();
  list.head(200, {{"Content-Type", "application/vnd.kubernetes.protobuf"}});
  send(list, meta::to_protobuf(all).value());
  list.end();
  ScriptedCall watch = next_watch();
  EXPECT_THAT(target.take(), ElementsAre(HasSubstr("refused: "), "replace x/a@5 x/c@5 at 10",
                                         HasSubstr("of the list: object x/b: expected at most")));

  watch.head(200, {{"Content-Type", "application/vnd.kubernetes.protobuf;stream=watch"}});
  std::string large;
  meta::write_watch_frame({"ADDED", meta::to_protobuf(map_named("d", large_text())).value()},
                          large);
  std::string small;
  meta::write_watch_frame({"ADDED", meta::to_protobuf(map_named("e", "5")).value()}, small);
  send(watch, small + large + small + large);
  run();
  EXPECT_FALSE(watch.cancelled());
  const auto refused = [&](std::size_t end) {
    return "watch pods in all namespaces: event that ends at byte " + std::to_string(end) +
           " of the watch: object without a name so far: " + std::string(kExpected) +
           std::to_string(large.size() - meta::kWatchFrameHead);
  };
  const std::size_t first = small.size() + large.size();
  EXPECT_THAT(target.take(),
              ElementsAre("add x/e@5", HasSubstr("refused: "), HasSubstr(refused(first)),
                          "add x/e@5", HasSubstr("refused: "), HasSubstr(refused(2 * first))));
}

INSTANTIATE_TEST_SUITE_P(InPiecesOf, LargeObjects, ::testing::Values(1000U, 70'000U, 10'000'000U));

TEST(ListDecoder, HoldsAtMost64MebibytesOfAnObject) {
  std::vector<Error> refused;
  ListDecoder decoder(testing::text_type(), StoragePolicy::Wire, [&](const Arrived& item) {
    if (item.refused) refused.push_back(item.refused->error);
  });
  ASSERT_TRUE(decoder.feed(R"({"kind":"PodList","items":[{"metadata":{"name":"a"},"data":")"));
  const std::string piece(std::size_t{1} << 20, 'z');
  for (int i = 0; i < 65; ++i) ASSERT_TRUE(decoder.feed(piece));
  ASSERT_TRUE(decoder.feed(R"("}]})"));
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_THAT(refused[0].to_string(), HasSubstr("object a: expected at most 67108864 bytes"));
}

}  // namespace
}  // namespace kube::cache
