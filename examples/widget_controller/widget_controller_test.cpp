// SPDX-License-Identifier: Apache-2.0
//
// The example on the embedded server.
#include "widget_controller.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include <acme/v1/resources.hpp>

#include <kube/apiserver/api_server.hpp>
#include <kube/base/mutex.hpp>
#include <kube/client/api.hpp>
#include <kube/codec/field_facts.hpp>
#include <kube/testing/eventually.hpp>

namespace example {
namespace {

using acme::v1::Widget;
using acme::v1::WidgetSpec;
using acme::v1::WidgetSpecColor;
using acme::v1::WidgetStatusPhase;

TEST(WidgetController, TypedObjectsOfAnOwnDefinitionAreWatchedAndTheirStatusWritten) {
  auto server = kube::apiserver::ApiServer::start();
  ASSERT_TRUE(server) << server.error().to_string();
  kube::rest::Config config;
  config.host = (*server)->url();
  auto client = kube::Client::create(config);
  ASSERT_TRUE(client) << client.error().to_string();
  std::ifstream file(WIDGETS_YAML);
  const std::string yaml{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto installed = install_definition(*client, yaml);
  ASSERT_TRUE(installed) << installed.error().to_string();
  EXPECT_TRUE(install_definition(*client, yaml)) << "a second time changes nothing";

  kube::Mutex mutex;
  std::optional<Widget> ready;
  kube::SharedInformer<Widget> watched(client->rest());
  const auto registration =
      watched.add_event_handler({.on_update = [&](const auto&, const auto& widget) {
        if (!widget->status || widget->status->phase != WidgetStatusPhase::Ready) return;
        const kube::MutexLock lock(mutex);
        ready = *widget;
      }});
  ASSERT_TRUE(watched.start());
  WidgetController controller(*client);
  ASSERT_TRUE(controller.start());

  Widget widget;
  widget.metadata.name = "first";
  widget.metadata.namespace_ = "default";
  widget.spec.port = kube::meta::IntOrString("http");
  widget.spec.labels["a"] = "b";
  widget.spec.options.raw = R"({"kept":[1,{"as":"it came"}]})";
  widget.spec.parts = {{.name = "wheel", .count = 4}, {.name = "door"}};
  const auto created = client->api<Widget>("default").create(widget);
  ASSERT_TRUE(created) << created.error().to_string();
  EXPECT_EQ(created->spec.color, WidgetSpecColor::Red) << "the default of the schema";
  EXPECT_EQ(created->spec.options.raw, widget.spec.options.raw);

  ASSERT_TRUE(kube::testing::eventually([&] {
    const kube::MutexLock lock(mutex);
    return ready.has_value();
  }));
  {
    const kube::MutexLock lock(mutex);
    EXPECT_EQ(ready->status->parts, 5);
    EXPECT_EQ(ready->status->observed_generation, ready->metadata.generation);
    EXPECT_EQ(ready->spec.port, kube::meta::IntOrString("http"));
  }
  controller.stop();
  watched.stop_and_wait();
}

TEST(WidgetController, TheFactsOfTheDefinitionAreThere) {
  const auto resources = acme::v1::all_resources();
  ASSERT_EQ(resources.size(), 1U);
  EXPECT_EQ(resources[0].plural, "widgets");
  EXPECT_EQ(resources[0].short_names[0], "wd");
  EXPECT_EQ(resources[0].subresources[0].name, "status");
  // [facts]
  const auto* color = kube::meta::find_facts<WidgetSpec>("color");
  // color->default_json is "\"Red\"", color->values are "\"Red\"" and "\"Blue\""
  // [facts]
  ASSERT_NE(color, nullptr);
  EXPECT_EQ(color->default_json, "\"Red\"");
  EXPECT_EQ(color->values.size(), 2U);
  EXPECT_EQ(kube::meta::find_facts<WidgetSpec>("parts")->list_map_keys[0], "name");
}

}  // namespace
}  // namespace example
