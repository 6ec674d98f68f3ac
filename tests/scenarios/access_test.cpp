// SPDX-License-Identifier: Apache-2.0
//
// The ways into a cluster that a kubeconfig can describe: certificates, tokens, credential plugins
// and proxies, each for a client, an informer and the programs.
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include <kube/cache/shared_informer.hpp>
#include <kube/meta/errors.hpp>

#include "kubeconfig_scenario.hpp"

namespace scenarios {
namespace {

namespace json = kube::json;
using kube::core::v1::ConfigMap;
using kube::rest::PluginFolder;
using kube::transport::LoopbackServer;
using kube::transport::Peer;
using kube::transport::TestAuthority;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Demand = SecuredServer::Demand;
using Protocol = NamingProxy::Protocol;

class AccessScenario : public KubeconfigScenario {
 protected:
  static json::Object without(json::Object object, const char* member) {
    object.erase(member);
    return object;
  }
  void expect_access(const std::string& kubeconfig, bool kubectl_takes_it = true) {
    const std::string number = std::to_string(++objects_);
    const std::string listed = "listed-" + number;
    const std::string watched = "watched-" + number;
    const kube::Client client = client_of(kubeconfig);
    const auto maps = client.api<ConfigMap>(namespace_);
    must(maps.create(map_named(listed)));
    EXPECT_EQ(must(maps.get(listed)).metadata.name, listed);

    kube::SharedInformer<ConfigMap> informer(client.rest(), {.namespace_ = namespace_});
    const auto holds = [&](const std::string& name) {
      if (eventually([&] { return informer.lister().get(namespace_, name).has_value(); })) {
        return ::testing::AssertionSuccess();
      }
      const kube::InformerStatus status = informer.status();
      return ::testing::AssertionFailure()
             << (status.last_error ? status.last_error->to_string() : "no event");
    };
    must(informer.start());
    ASSERT_TRUE(holds(listed));
    must(maps.create(map_named(watched)));
    ASSERT_TRUE(holds(watched));
    EXPECT_EQ(informer.status().lists, 1U);

    EXPECT_EQ(printed_by(kubecpp_get(kubeconfig, listed)), "configmap/" + listed + "\n");
    if (!has_kubectl() || !kubectl_takes_it) return;
    EXPECT_EQ(printed_by(kubectl_get(kubeconfig, listed)), "configmap/" + listed + "\n");
  }

  // The server asks who it is.
  void expect_unauthorized(const std::string& kubeconfig) {
    const auto list = client_of(kubeconfig).api<ConfigMap>(namespace_).list();
    ASSERT_FALSE(list.has_value());
    EXPECT_TRUE(kube::is_unauthorized(list.error())) << list.error().to_string();
    expect_error(kubecpp_get(kubeconfig, "x"), "You must be logged in to the server (");
    if (has_kubectl()) {
      expect_error(kubectl_get(kubeconfig, "x"), "You must be logged in to the server (");
    }
  }
  // There is no answer of a server.
  void expect_unreachable(const std::string& kubeconfig, const std::string& why) {
    const auto list = client_of(kubeconfig).api<ConfigMap>(namespace_).list();
    ASSERT_FALSE(list.has_value());
    EXPECT_THAT(list.error().to_string(), HasSubstr(why));
    expect_error(kubecpp_get(kubeconfig, "x"), why);
  }
  static void expect_error(const programs::Outcome& outcome, const std::string& text) {
    EXPECT_EQ(outcome.status, 1) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(text));
  }

  // The server and its name are the proxy's; the certificate has another name.
  void expect_access_by(Protocol protocol) {
    const SecuredServer server(Demand::Token);
    const NamingProxy proxy(protocol, server.port());
    const json::Object cluster = by_proxy(server, proxy);
    const json::Object user{{"token", server.token()}};
    expect_access(kubeconfig(cluster, user));
    EXPECT_THAT(proxy.targets(),
                ElementsAre(std::string(kUnresolvedHost) + ":" + std::to_string(server.port())));
    expect_unreachable(kubeconfig(without(cluster, "proxy-url"), user), kUnresolvedHost);
    expect_unreachable(kubeconfig(without(cluster, "tls-server-name"), user), "certificate");
  }

 private:
  int objects_ = 0;
};

TEST_F(AccessScenario, ByAClientCertificate) {
  const SecuredServer server(Demand::Certificate);
  const json::Object cluster = cluster_of(server);
  expect_access(kubeconfig(cluster, user_of(server.certificate())));
  // Of files beside the kubeconfig.
  folder_.write("client.crt", server.certificate().certificate);
  folder_.write("client.key", server.certificate().key);
  expect_access(
      kubeconfig(cluster, {{"client-certificate", "client.crt"}, {"client-key", "client.key"}}));
  expect_unauthorized(kubeconfig(cluster, user_of(server.unknown_certificate())));
}

TEST_F(AccessScenario, ByAToken) {
  const SecuredServer server(Demand::Token);
  const json::Object cluster = cluster_of(server);
  expect_access(kubeconfig(cluster, {{"token", server.token()}}));
  expect_unauthorized(kubeconfig(cluster, {{"token", "wrong"}}));
  expect_unreachable(
      kubeconfig({{"server", server.url()},
                  {"certificate-authority-data", in_base64(TestAuthority("other").certificate())}},
                 {{"token", server.token()}}),
      "certificate");
}

TEST_F(AccessScenario, ByATokenInAFile) {
  const SecuredServer server(Demand::Token);
  const json::Object cluster = cluster_of(server);
  folder_.write("token", server.token() + "\n");
  folder_.write("wrong-token", "wrong\n");
  expect_access(kubeconfig(cluster, {{"tokenFile", "token"}}));
  expect_unauthorized(kubeconfig(cluster, {{"tokenFile", "wrong-token"}}));
}

TEST_F(AccessScenario, ByATokenOfAPlugin) {
  const SecuredServer server(Demand::Token);
  const json::Object cluster = cluster_of(server);
  const PluginFolder plugin;
  plugin.print_token(server.token());
  expect_access(kubeconfig(cluster, user_of(plugin)));
  EXPECT_EQ(plugin.runs(), has_kubectl() ? 3 : 2) << "once for each program";
  EXPECT_EQ(plugin.noted("setting"), "of the file");
  EXPECT_THAT(plugin.noted("info"), HasSubstr(server.url()));

  const PluginFolder late;
  late.print_token("wrong");
  const std::string refused = kubeconfig(cluster, user_of(late));
  expect_unauthorized(refused);
  const kube::Client client = client_of(refused);
  late.print_token(server.token());
  EXPECT_TRUE(eventually([&] { return client.api<ConfigMap>(namespace_).list().has_value(); }))
      << "a 401 runs the plugin again";
}

TEST_F(AccessScenario, ByACertificateOfAPlugin) {
  const SecuredServer server(Demand::Certificate);
  const json::Object cluster = cluster_of(server);
  const PluginFolder plugin;
  print_pair(plugin, server.certificate());
  expect_access(kubeconfig(cluster, user_of(plugin)));
  EXPECT_EQ(plugin.runs(), has_kubectl() ? 3 : 2) << "once for each program";
  const PluginFolder unknown;
  print_pair(unknown, server.unknown_certificate());
  expect_unauthorized(kubeconfig(cluster, user_of(unknown)));
}

TEST_F(AccessScenario, ByAUnixSocket) {
  const SecuredServer server(Demand::Token);
  const std::string socket = folder_.path("kube.sock");
  LoopbackServer forwarder([&](Peer& peer) { peer.forward_to(server.port()); },
                           {.unix_socket = socket});
  json::Object cluster = cluster_of(server);
  cluster.set("server", "unix://" + socket);
  cluster.set("tls-server-name", SecuredServer::kName);
  const json::Object user{{"token", server.token()}};
  expect_access(kubeconfig(cluster, user), /*kubectl_takes_it=*/false);
  EXPECT_GT(forwarder.accepted(), 0);
  cluster.set("server", "unix://" + folder_.path("no.sock"));
  expect_unreachable(kubeconfig(cluster, user), "can't connect: No such file or directory");
}

TEST_F(AccessScenario, ByAnHttpProxyWithAUser) {
  expect_access_by(Protocol::HttpConnect);
  const SecuredServer server(Demand::Token);
  const NamingProxy proxy(Protocol::HttpConnect, server.port());
  json::Object cluster = by_proxy(server, proxy);
  cluster.set("proxy-url", proxy.url_without_user());
  expect_unreachable(kubeconfig(cluster, {{"token", server.token()}}), "407");
}

TEST_F(AccessScenario, ByASocksProxy) {
  expect_access_by(Protocol::Socks5);
}

TEST_F(AccessScenario, ByAProxyOfTheEnvironment) {
  const SecuredServer server(Demand::Token);
  must(client_.api<ConfigMap>(namespace_).create(map_named("x")));
  for (const Protocol protocol : {Protocol::HttpConnect, Protocol::Socks5}) {
    const NamingProxy proxy(protocol, server.port());
    const std::string config =
        kubeconfig(without(by_proxy(server, proxy), "proxy-url"), {{"token", server.token()}});
    const std::string variable = "HTTPS_PROXY=" + proxy.url();
    EXPECT_EQ(printed_by(kubecpp_get(config, "x", {.environment = {variable}})), "configmap/x\n");
    expect_error(kubecpp_get(config, "x", {.environment = {variable, "NO_PROXY=.invalid"}}),
                 kUnresolvedHost);
  }
}

// A certificate of a plugin through a proxy: all of it at once.
TEST_F(AccessScenario, ByACertificateOfAPluginThroughAProxy) {
  const SecuredServer server(Demand::Certificate);
  const PluginFolder plugin;
  print_pair(plugin, server.certificate());
  for (const Protocol protocol : {Protocol::HttpConnect, Protocol::Socks5}) {
    const NamingProxy proxy(protocol, server.port());
    expect_access(kubeconfig(by_proxy(server, proxy), user_of(plugin)));
  }
}

}  // namespace
}  // namespace scenarios
