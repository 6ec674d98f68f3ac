// SPDX-License-Identifier: Apache-2.0
//
// The mapper of the clients of one configuration, and the calls of Client that use it, on a server
// whose resources change.
#include <atomic>
#include <functional>
#include <optional>
#include <utility>

#include <kube/client/client.hpp>
#include <kube/client/deferred_rest_mapper.hpp>

#include "client_fixture.hpp"

namespace kube {
namespace {

using ::testing::HasSubstr;

class SharedMapperTest : public ClientTest {
 protected:
  SharedMapperTest() {
    server->on("", "*", [this](ScriptedCall call) {
      const std::string url = call.request().url;
      const std::size_t path = url.find('/', 8);
      respond(call, url.substr(path, url.find('?') - path));
    });
  }

  void respond(ScriptedCall& call, const std::string& path) {
    const auto found = [&](const std::string& body) {
      call.respond(
          200, body,
          {{"Content-Type", "application/json"}, {"Warning", warns ? "299 - \"old\"" : ""}});
    };
    const auto not_found = [&](const std::string& body, const char* type) {
      call.respond(404, body, {{"Content-Type", type}});
    };
    if (path == "/version")
      return found(R"({"major":"1","minor":"37","gitVersion":"v1.37.1","platform":"x"})");
    if (path == "/api") {
      ++discoveries;
      return found(R"({"kind":"APIVersions","versions":["v1"]})");
    }
    if (path == "/apis") {
      const char* version = R"({"groupVersion":"acme.com/v1","version":"v1"})";
      return found(R"({"kind":"APIGroupList","apiVersion":"v1","groups":[)" +
                   (listed ? R"({"name":"acme.com","versions":[)" + std::string(version) +
                                 R"(],"preferredVersion":)" + version + "}"
                           : std::string()) +
                   "]}");
    }
    if (path == "/api/v1") return found(resources("v1", "pods", "Pod"));
    if (path == "/apis/acme.com/v1") {
      if (down) return call.respond(503, "", {});
      return found(resources("acme.com/v1", "widgets", "Widget"));
    }
    if (!path.starts_with("/apis/acme.com/v1/namespaces/shop/widgets"))
      return not_found(missing_object("mine", "namespaces"), "application/json");
    if (!served) return not_found("404 page not found\n", "text/plain");
    if (path.ends_with("/none"))
      return not_found(missing_object("none", "widgets"), "application/json");
    found(R"({"kind":"WidgetList","apiVersion":"acme.com/v1","metadata":{},"items":[]})");
  }
  static std::string resources(const std::string& version, const std::string& plural,
                               const std::string& kind) {
    return R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":")" + version +
           R"(","resources":[{"name":")" + plural +
           R"(","singularName":"","namespaced":true,"kind":")" + kind +
           R"(","verbs":["get"],"shortNames":["wi"]}]})";
  }
  static std::string missing_object(const std::string& name, const std::string& resource) {
    return R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound",)"
           R"("message":"no","code":404,"details":{"name":")" +
           name + R"(","kind":")" + resource + R"("}})";
  }
  Client make_client(const rest::Config& from) {
    return Client::create(from, {.runtime = runtime, .transport = server}).value();
  }
  static bool has_no_widgets(const Client& client) {
    const auto widgets = client.api("acme.com/v1", "Widget", "shop");
    return !widgets && is_no_match(widgets.error());
  }
  void pass(Duration time) { executor->clock()->sleep_for(time, {}); }

  rest::Config config{.host = "https://h"};
  bool listed = true;  // discovery has the widgets
  bool served = true;  // their paths exist
  bool down = false;   // their group can't be discovered
  bool warns = false;  // with each response
  int discoveries = 0;
};

TEST_F(SharedMapperTest, AllClientsOfAConfigurationAskOnce) {
  const Client client = make_client(config);
  const Client copy = client;
  const Client other = make_client(rest::Config(config));
  for (const Client* each : {&client, &copy, &other}) {
    const auto widgets = each->api("acme.com/v1", "Widget", "shop");
    ASSERT_TRUE(widgets) << widgets.error().to_string();
    EXPECT_EQ(widgets->resource().plural, "widgets");
    EXPECT_EQ(widgets->namespace_(), "shop");
    EXPECT_EQ(each->mapper(), client.mapper());
    EXPECT_EQ(each->rest().mapper(), client.mapper());
  }
  EXPECT_EQ(discoveries, 1);
}

TEST_F(SharedMapperTest, ClientsThatDifferDoNotShareOne) {
  const Client client = make_client(config);
  rest::Config other_user = config;
  other_user.bearer_token = "t";
  EXPECT_NE(make_client(other_user).mapper(), client.mapper());
  EXPECT_NE(make_client({.host = "https://h"}).mapper(), client.mapper())
      << "not a copy of the configuration";
  const auto other_server =
      std::make_shared<ScriptedTransport>(ScriptedTransport::Options{.executor = executor});
  const auto elsewhere = Client::create(config, {.runtime = runtime, .transport = other_server});
  EXPECT_NE(elsewhere->mapper(), client.mapper());
  other_server->stop();
}

TEST_F(SharedMapperTest, TheMapperOutlivesTheClientThatAskedFirst) {
  std::optional<Client> first = make_client(config);
  const Client second = make_client(config);
  const std::weak_ptr<const DeferredRestMapper> mapper = first->mapper();
  ASSERT_EQ(second.mapper(), mapper.lock());
  first.reset();
  EXPECT_TRUE(second.api("acme.com/v1", "Widget", "shop"));
  EXPECT_EQ(second.mapper(), mapper.lock());
}

TEST_F(SharedMapperTest, TheMapperTellsTheHandlerOfNoClient) {
  struct Counting final : rest::WarningHandler {
    void handle_warning_header(int, std::string_view, std::string_view) override { ++count; }
    std::atomic<int> count = 0;
  };
  const auto handler = std::make_shared<Counting>();
  warns = true;
  const auto client =
      Client::create(config, {.runtime = runtime, .transport = server, .warning_handler = handler});
  const auto widgets = client->api("acme.com/v1", "Widget", "shop");
  ASSERT_TRUE(widgets);
  EXPECT_EQ(handler->count, 0) << "it may end before other clients that share the mapper";
  EXPECT_TRUE(widgets->list());
  EXPECT_EQ(handler->count, 1);
}

TEST_F(SharedMapperTest, TheMapperEndsWithItsClients) {
  std::optional<Client> client = make_client(config);
  const std::weak_ptr<const DeferredRestMapper> mapper = client->mapper();
  ASSERT_TRUE(client->api("acme.com/v1", "Widget", "shop"));
  EXPECT_FALSE(mapper.expired());
  client.reset();
  EXPECT_TRUE(mapper.expired());
}

TEST_F(SharedMapperTest, AResourceIsFoundByItsKindAndItsNames) {
  const Client client = make_client(config);
  for (const char* name : {"Widget", "widget", "widgets", "wi"}) {
    EXPECT_TRUE(client.api("acme.com/v1", name, "shop")) << name;
    EXPECT_EQ(client.has_api("acme.com/v1", name).value(), true) << name;
  }
  EXPECT_EQ(client.has_api("acme.com/v1", "gadgets").value(), false);
  EXPECT_EQ(client.has_api("acme.com/v2", "widgets").value(), false);
  EXPECT_EQ(client.has_api("v1", "pods").value(), true);
  EXPECT_EQ(client.api("acme.com/v1", "Gadget").error().message(),
            R"(no matches for "Gadget" in version "acme.com/v1")");
  for (const char* version : {"", "a/b/c"}) {
    EXPECT_EQ(client.api(version, "Pod").error().code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(client.has_api(version, "Pod").error().code(), ErrorCode::InvalidArgument);
  }
  EXPECT_EQ(client.has_api("v1", "").error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(client.server_version().value().git_version, "v1.37.1");
}

TEST_F(SharedMapperTest, WhetherAGroupThatIsDownHasAResourceIsNotKnown) {
  down = true;
  const Client client = make_client(config);
  const auto has = client.has_api("acme.com/v1", "widgets");
  ASSERT_FALSE(has);
  EXPECT_TRUE(is_group_discovery_failed(has.error()));
  EXPECT_THAT(has.error().message(), HasSubstr("acme.com/v1"));
  EXPECT_EQ(client.has_api("v1", "pods").value(), true);
}

TEST_F(SharedMapperTest, ADefinitionThatComesIsFound) {
  listed = served = false;
  const Client client = make_client(config);
  EXPECT_TRUE(has_no_widgets(client));
  EXPECT_EQ(discoveries, 1);
  pass(std::chrono::seconds(1));
  listed = served = true;
  const auto widgets = client.api("acme.com/v1", "Widget", "shop");
  ASSERT_TRUE(widgets) << widgets.error().to_string();
  EXPECT_TRUE(widgets->list());
  EXPECT_EQ(discoveries, 2);
}

TEST_F(SharedMapperTest, ADefinitionThatGoesIsForgotten) {
  const Client client = make_client(config);
  const auto widgets = client.api("acme.com/v1", "Widget", "shop").value();
  EXPECT_TRUE(is_not_found(widgets.get("none").error()));
  EXPECT_TRUE(is_not_found(client.api(widgets.resource(), "mine").list().error()));
  EXPECT_TRUE(client.api("acme.com/v1", "Widget", "shop"));
  EXPECT_EQ(discoveries, 1) << "an object and a namespace that are missing are no news";

  listed = served = false;
  EXPECT_TRUE(client.api("acme.com/v1", "Widget", "shop")) << "nothing has told the client";
  EXPECT_TRUE(is_not_found(widgets.list().error()));
  EXPECT_TRUE(has_no_widgets(client));
  EXPECT_EQ(client.has_api("acme.com/v1", "widgets").value(), false);
  EXPECT_EQ(discoveries, 2);
}

TEST_F(SharedMapperTest, A404FromBehindAnObjectIsNoNews) {
  const Client client = make_client(config);
  const auto widgets = client.api("acme.com/v1", "Widget", "shop").value();
  served = false;
  EXPECT_TRUE(is_not_found(widgets.get_subresource<Unstructured>("a", "proxy").error()));
  EXPECT_TRUE(client.api("acme.com/v1", "Widget", "shop"));
  EXPECT_EQ(discoveries, 1);
}

TEST_F(SharedMapperTest, EveryRequestForAResourceThatIsNotServedIsHeard) {
  const std::pair<const char*, std::function<bool(const Api<Unstructured>&)>> calls[] = {
      {"get", [](const auto& api) { return bool(api.get("a")); }},
      {"watch", [](const auto& api) { return bool(api.watch()); }},
      {"delete", [](const auto& api) { return bool(api.delete_("a")); }},
      {"create", [](const auto& api) { return bool(api.create(Unstructured())); }},
  };
  for (const auto& [name, call] : calls) {
    listed = served = true;
    const Client client = make_client({.host = "https://h"});
    const auto widgets = client.api("acme.com/v1", "Widget", "shop").value();
    listed = served = false;
    EXPECT_FALSE(call(widgets)) << name;
    EXPECT_TRUE(has_no_widgets(client)) << name;
  }
}

}  // namespace
}  // namespace kube
