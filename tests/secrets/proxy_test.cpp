// SPDX-License-Identifier: Apache-2.0
//
// Passwords of proxies, in URLs of every shape that people write, wherever one may be configured.
#include <cstdlib>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <kube/config/kubeconfig.hpp>
#include <kube/json/value.hpp>

#include "canary.hpp"
#include "client_use.hpp"
#include "proxy_shapes.hpp"

namespace secrets {
namespace {

constexpr const char* kVariables[] = {"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy",
                                      "ALL_PROXY",  "all_proxy",  "NO_PROXY",    "REQUEST_METHOD"};

// The variable has this value, and no other of them has one, as long as it lives.
class OnlyVariable {
 public:
  OnlyVariable(const std::string& name, const std::string& value) {
    for (const char* each : kVariables) ::unsetenv(each);
    if (!name.empty()) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~OnlyVariable() {
    for (const char* each : kVariables) ::unsetenv(each);
  }
  OnlyVariable(const OnlyVariable&) = delete;
  OnlyVariable& operator=(const OnlyVariable&) = delete;
};

TEST(ProxySecrets, OfTheEnvironmentAreNotShown) {
  for (const std::string& shape : proxy_shapes()) {
    for (const auto& [variable, host] : {std::pair("HTTP_PROXY", "http://cluster.invalid"),
                                         std::pair("http_proxy", "http://cluster.invalid"),
                                         std::pair("HTTPS_PROXY", "https://cluster.invalid"),
                                         std::pair("https_proxy", "https://cluster.invalid")}) {
      const OnlyVariable set(variable, with_canary(shape));
      Outputs outputs;
      use({.host = host}, outputs);
      EXPECT_GT(outputs.size(), 4U);
      outputs.expect_no_canary(std::string(variable) + "=" + shape);
    }
  }
}

TEST(ProxySecrets, OfAConfigAreNotShown) {
  const OnlyVariable none("", "");
  for (const std::string& shape : proxy_shapes()) {
    Outputs outputs;
    use({.host = "https://cluster.invalid", .proxy_url = with_canary(shape)}, outputs);
    EXPECT_GT(outputs.size(), 2U);
    outputs.expect_no_canary("proxy_url=" + shape);
  }
}

TEST(ProxySecrets, OfAKubeconfigAreNotShown) {
  const OnlyVariable none("", "");
  for (const std::string& shape : proxy_shapes()) {
    Outputs outputs;
    kube::json::Value cluster = kube::json::Object{{"server", "https://cluster.invalid"},
                                                   {"proxy-url", with_canary(shape)}};
    const kube::json::Value file = kube::json::Object{
        {"kind", "Config"},
        {"apiVersion", "v1"},
        {"current-context", "c"},
        {"clusters", kube::json::Array{kube::json::Object{{"name", "c"}, {"cluster", cluster}}}},
        {"contexts", kube::json::Array{kube::json::Object{
                         {"name", "c"}, {"context", kube::json::Object{{"cluster", "c"}}}}}}};
    auto config = kube::kubeconfig::parse(kube::json::dump(file), "", "/", "the file");
    if (config) {
      use(*config, outputs);
    } else {
      outputs.add("kubeconfig", config.error());
    }
    EXPECT_GT(outputs.size(), 2U);
    outputs.expect_no_canary("proxy-url: " + shape);
  }
}

}  // namespace
}  // namespace secrets
