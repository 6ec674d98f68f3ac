// SPDX-License-Identifier: Apache-2.0
//
// Watches of a type whose definition goes while their clients have not read everything.
#include "reading/watch_session.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "resources/custom_resources.hpp"
#include "resources/resource_table.hpp"

namespace kube::serving {
namespace {

/// "Widget a;"
class KindsAndNames final : public Encoding {
 public:
  KindsAndNames() : Encoding(MediaType::Json) {}
  void object(const Resource& resource, const StoredObject& object,
              std::string& out) const override {
    out += resource.gvk.kind + " " + object.name + ";";
  }
  void list_head(const Resource&, const ListFacts&, std::string&) const override {}
  void list_item(const Resource&, const StoredObject&, bool, std::string&) const override {}
  void list_tail(std::string&) const override {}
  void event(const Resource& resource, EventType, const StoredObject& each, std::uint64_t, bool,
             std::string& out) const override {
    object(resource, each, out);
  }
  void bookmark(const Resource&, std::uint64_t, bool, bool, std::string&) const override {}
  void error_event(const json::Value&, std::string& out) const override { out += "error;"; }
};

class WatchOfADefinition : public ::testing::Test {
 protected:
  WatchOfADefinition() {
    define("first", "Widget");
    resource_ = registry_.table()->find("example.com", "v1", "widgets");
    WatchSession::Start start;
    start.resource = resource_;
    start.collection = &store_.collection(resource_->storage);
    start.encoding = std::make_shared<const KindsAndNames>();
    start.frames = std::make_shared<EventFrames>();
    start.presence = [this] { return registry_.table()->presence_of(*resource_); };
    watch_ = std::make_shared<WatchSession>(std::move(start));
  }
  void define(std::string_view uid, std::string_view kind, std::string_view list_kind = "List") {
    const json::Value definition = json::Object{
        {"metadata", json::Object{{"name", "widgets.example.com"}, {"uid", uid}}},
        {"spec", json::Object{
                     {"group", "example.com"},
                     {"scope", "Namespaced"},
                     {"names",
                      json::Object{{"kind", kind}, {"listKind", list_kind}, {"plural", "widgets"}}},
                     {"versions", json::Array{json::Object{
                                      {"name", "v1"}, {"served", true}, {"storage", true}}}}}}};
    defined_ = read_definition(definition, *registry_.table());
    registry_.set_custom(custom_groups({&defined_}));
  }
  void put(std::string_view name) {
    const json::Value content = json::Object{{"metadata", json::Object{{"name", name}}}};
    EXPECT_TRUE(store_.put(store_.collection(resource_->storage), nullptr,
                           prepare_object(content, *resource_)));
  }
  /// Returns all until the end, or until there is no more.
  std::string read() {
    std::string text;
    for (;;) {
      std::vector<Slice> out;
      const WatchSource::State state = watch_->pump(out);
      for (const Slice& each : out) text += each.bytes;
      if (state == WatchSource::State::End) return text + "END";
      if (state == WatchSource::State::Idle) return text;
    }
  }

  ResourceRegistry registry_;
  DefinedResources defined_;
  Store store_{{}};
  std::shared_ptr<const Resource> resource_;
  std::shared_ptr<WatchSession> watch_;
};

TEST_F(WatchOfADefinition, GoesOnWhenTheDefinitionChanges) {
  put("a");
  define("first", "Widget", "WidgetList");
  EXPECT_EQ(read(), "Widget a;");
  put("b");
  EXPECT_EQ(read(), "Widget b;");
}

TEST_F(WatchOfADefinition, EndsAfterTheEventsOfATypeThatIsGone) {
  put("a");
  registry_.set_custom({});
  EXPECT_EQ(read(), "Widget a;END");
}

TEST_F(WatchOfADefinition, EndsBeforeTheObjectsOfAnotherTypeWithItsName) {
  put("a");
  EXPECT_EQ(read(), "Widget a;");
  registry_.set_custom({});
  define("second", "Gadget");
  put("of the second");
  EXPECT_EQ(read(), "END");
}

TEST_F(WatchOfADefinition, EndsWhenAnotherTypeWithItsNameHasNoObjects) {
  define("second", "Widget");
  EXPECT_EQ(read(), "END");
}

}  // namespace
}  // namespace kube::serving
