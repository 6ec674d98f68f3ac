// SPDX-License-Identifier: Apache-2.0
//
// Objects that do not have the form that a reader asked for: its answer ends with an error, and
// never looks whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "reading/list_response.hpp"
#include "reading/watch_session.hpp"

namespace kube::serving {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Writes names, and refuses the object "bad".
class Picky final : public Encoding {
 public:
  Picky() : Encoding(MediaType::Json) {}
  void object(const Resource&, const StoredObject& object, std::string& out) const override {
    out += "half of ";
    if (object.name == "bad") throw std::runtime_error("bad does not fit");
    out.append(std::size_t{100} << 10U, ' ').append(object.name);
  }
  void list_head(const Resource&, const ListFacts&, std::string&) const override {}
  void list_item(const Resource& resource, const StoredObject& each, bool,
                 std::string& out) const override {
    object(resource, each, out);
  }
  void list_tail(std::string& out) const override { out += "END"; }
  void event(const Resource& resource, EventType, const StoredObject& each, std::uint64_t, bool,
             std::string& out) const override {
    object(resource, each, out);
  }
  void bookmark(const Resource&, std::uint64_t, bool, bool, std::string&) const override {}
  void error_event(const json::Value& status, std::string& out) const override {
    json::dump_to(status, out);
  }
};

class UnfitObjectsTest : public ::testing::Test {
 protected:
  UnfitObjectsTest() {
    resource->gvk = {"", "v1", "Thing"};
    resource->stored_gvk = resource->gvk;
    for (const std::string_view name : {"a", "aa", "bad", "c"}) {
      const json::Value content = json::Object{{"metadata", json::Object{{"name", name}}}};
      EXPECT_TRUE(store.put(things, nullptr, prepare_object(content, *resource)));
    }
  }
  static std::string text(const std::vector<Slice>& slices) {
    std::string out;
    for (const Slice& each : slices) out += each.bytes;
    return out;
  }

  std::shared_ptr<Resource> resource = std::make_shared<Resource>();
  Store store{{}};
  Collection& things = store.collection("/things");
};

TEST_F(UnfitObjectsTest, AWatchEndsWithAnErrorThatNamesTheReason) {
  WatchSession::Start start;
  start.resource = resource;
  start.collection = &things;
  start.encoding = std::make_shared<const Picky>();
  start.frames = std::make_shared<EventFrames>();
  start.from = 2;
  WatchSession watch(std::move(start));
  std::vector<Slice> out;
  EXPECT_EQ(watch.pump(out), WatchSource::State::End);
  EXPECT_THAT(text(out), HasSubstr("bad does not fit"));
  EXPECT_THAT(text(out), HasSubstr("500"));
  EXPECT_THAT(text(out), Not(HasSubstr("half of")));
}

TEST_F(UnfitObjectsTest, AListIsLostOnceItsHeadIsSent) {
  SharedSnapshot all = things.shared_snapshot({});
  ListFacts facts;
  facts.revision = all.revision;
  const HttpResponse list =
      list_response(resource, things, all.objects, {}, facts, std::make_shared<const Picky>());
  ASSERT_TRUE(list.stream);
  Body body;
  EXPECT_EQ(list.stream->next(1, body), BodySource::State::More);
  EXPECT_EQ(list.stream->next(1, body), BodySource::State::Lost);
}

}  // namespace
}  // namespace kube::serving
