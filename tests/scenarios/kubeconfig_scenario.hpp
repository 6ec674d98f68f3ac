// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/client/api.hpp>
#include <kube/config/kubeconfig.hpp>
#include <kube/json/base64.hpp>
#include <kube/json/value.hpp>

#include "access_servers.hpp"
#include "kubecpp_scenario.hpp"
#include "plugin_folder.hpp"

namespace scenarios {

/// A test whose clients know nothing but a kubeconfig that it writes.
class KubeconfigScenario : public KubecppScenario {
 protected:
  void SetUp() override {
    if (!SecuredServer::exists()) GTEST_SKIP() << "needs the files of a server of tests/cluster";
  }

  static std::string in_base64(const std::string& bytes) {
    std::string out;
    kube::json::write_base64(bytes, out);
    return out;
  }
  /// The path of a new file.
  std::string kubeconfig(kube::json::Object cluster, kube::json::Object user) {
    using kube::json::Object;
    const Object context{{"cluster", "test"}, {"user", "test"}, {"namespace", namespace_}};
    const auto one = [](const char* kind, Object value) {
      return kube::json::Array{Object{{"name", "test"}, {kind, std::move(value)}}};
    };
    return folder_.write("kubeconfig-" + std::to_string(++files_),
                         kube::json::dump(Object{{"apiVersion", "v1"},
                                                 {"kind", "Config"},
                                                 {"current-context", "test"},
                                                 {"clusters", one("cluster", std::move(cluster))},
                                                 {"users", one("user", std::move(user))},
                                                 {"contexts", one("context", context)}}));
  }
  static kube::json::Object cluster_of(const SecuredServer& server) {
    return {{"server", server.url()},
            {"certificate-authority-data", in_base64(server.authority())}};
  }
  static kube::json::Object by_proxy(const SecuredServer& server, const NamingProxy& proxy) {
    return {{"server", proxy.server_url()},
            {"certificate-authority-data", in_base64(server.authority())},
            {"tls-server-name", SecuredServer::kName},
            {"proxy-url", proxy.url()}};
  }
  static kube::json::Object user_of(const kube::transport::PemPair& pair) {
    return {{"client-certificate-data", in_base64(pair.certificate)},
            {"client-key-data", in_base64(pair.key)}};
  }
  static kube::json::Object user_of(const kube::rest::PluginFolder& plugin) {
    using kube::json::Object;
    return {{"exec", Object{{"apiVersion", "client.authentication.k8s.io/v1"},
                            {"command", plugin.command()},
                            {"interactiveMode", "Never"},
                            {"provideClusterInfo", true},
                            {"env", kube::json::Array{
                                        Object{{"name", "SETTING"}, {"value", "of the file"}}}}}}};
  }
  static void print_pair(const kube::rest::PluginFolder& plugin,
                         const kube::transport::PemPair& pair) {
    plugin.print_status({{"clientCertificateData", pair.certificate}, {"clientKeyData", pair.key}});
  }

  static kube::Client client_of(const std::string& kubeconfig) {
    return kube::Client::create(kube::kubeconfig::load({.path = kubeconfig}).value()).value();
  }
  static kube::core::v1::ConfigMap map_named(const std::string& name) {
    kube::core::v1::ConfigMap map;
    map.metadata.name = name;
    return map;
  }

  static programs::Outcome kubecpp_get(const std::string& kubeconfig, const std::string& name,
                                       programs::Program::Options options = {}) {
    return programs::run(
        {KUBECPP, "get", "configmap", name, "-o", "name", "--kubeconfig", kubeconfig},
        std::move(options));
  }
  programs::Outcome kubectl_get(const std::string& kubeconfig, const std::string& name) const {
    return programs::run({"kubectl", "get", "configmap", name, "-o", "name", "--kubeconfig",
                          kubeconfig, "--cache-dir=" + folder_.path("kubectl-cache")});
  }

 private:
  int files_ = 0;
};

}  // namespace scenarios
