// SPDX-License-Identifier: Apache-2.0
#include "proxy.hpp"

#include <map>

#include <gtest/gtest.h>

namespace kube::transport {
namespace {

ProxyRules rules(std::map<std::string, std::string> variables) {
  return ProxyRules::from_environment([&variables](const char* name) { return variables[name]; });
}

// Whether https://host:port goes around the proxy with this NO_PROXY.
bool direct(const std::string& no_proxy, std::string_view host, std::uint16_t port = 443) {
  return rules({{"HTTPS_PROXY", "http://proxy:3128"}, {"NO_PROXY", no_proxy}})
      .proxy_for(true, host, port)
      .empty();
}

TEST(ProxyRules, NoVariablesMeanNoProxy) {
  EXPECT_EQ(rules({}).proxy_for(true, "example.com", 443), "");
}

TEST(ProxyRules, EachSchemeHasItsVariableInCapitalsOrSmallLetters) {
  const ProxyRules both = rules({{"HTTP_PROXY", "http://a"}, {"https_proxy", "http://b"}});
  EXPECT_EQ(both.proxy_for(false, "example.com", 80), "http://a");
  EXPECT_EQ(both.proxy_for(true, "example.com", 443), "http://b");
  EXPECT_EQ(rules({{"HTTP_PROXY", "http://a"}, {"http_proxy", "http://b"}})
                .proxy_for(false, "example.com", 80),
            "http://a");
}

TEST(ProxyRules, ACgiProgramDoesNotTrustHttpProxy) {
  const ProxyRules cgi = rules({{"HTTP_PROXY", "http://evil"}, {"REQUEST_METHOD", "GET"}});
  EXPECT_EQ(cgi.proxy_for(false, "example.com", 80), "");
}

TEST(ProxyRules, LoopbackIsNeverProxiedByTheEnvironment) {
  EXPECT_TRUE(direct("", "localhost"));
  EXPECT_TRUE(direct("", "127.0.0.1"));
  EXPECT_TRUE(direct("", "127.8.9.1"));
  EXPECT_TRUE(direct("", "::1"));
  EXPECT_FALSE(direct("", "10.0.0.1"));
}

TEST(ProxyRules, AProxyThatWasAskedForServesEverything) {
  EXPECT_EQ(ProxyRules::always("http://p").proxy_for(true, "localhost", 1), "http://p");
}

TEST(ProxyRules, DomainsInNoProxyCoverWhatIsBelowThem) {
  EXPECT_TRUE(direct("example.com", "example.com"));
  EXPECT_TRUE(direct("example.com", "API.Example.COM"));
  EXPECT_FALSE(direct("example.com", "badexample.com"));
  EXPECT_FALSE(direct(".example.com", "example.com"));
  EXPECT_TRUE(direct(".example.com", "a.example.com"));
  EXPECT_TRUE(direct("*.example.com", "a.b.example.com"));
  EXPECT_TRUE(direct(" x.y , Example.com", "example.com"));
  EXPECT_TRUE(direct("*", "anything"));
  EXPECT_FALSE(direct(",, ,", "example.com"));
}

TEST(ProxyRules, PortsInNoProxyRestrictTheEntry) {
  EXPECT_TRUE(direct("example.com:6443", "example.com", 6443));
  EXPECT_FALSE(direct("example.com:6443", "example.com", 443));
  EXPECT_TRUE(direct("10.0.0.1:6443", "10.0.0.1", 6443));
  EXPECT_FALSE(direct("[2001:db8::1]:6443", "2001:db8::1", 443));
}

TEST(ProxyRules, TRN_42_BlocksInNoProxyMatchAddressesOnly) {
  const std::string blocks = "192.168.0.0/16,10.96.0.0/12,2001:db8::/48";
  EXPECT_TRUE(direct(blocks, "192.168.3.4"));
  EXPECT_TRUE(direct(blocks, "10.97.1.1"));
  EXPECT_TRUE(direct(blocks, "10.111.255.255", 8443));
  EXPECT_FALSE(direct(blocks, "10.112.0.1"));
  EXPECT_FALSE(direct(blocks, "some.host"));
  EXPECT_TRUE(direct(blocks, "2001:db8::1"));
  EXPECT_TRUE(direct(blocks, "2001:db8::1", 8443));
  EXPECT_FALSE(direct(blocks, "2001:db8:1::1"));
  EXPECT_FALSE(direct("10.0.0.0/x,10.0.0.0/33,/8", "10.0.0.1"));
  EXPECT_FALSE(direct("::/0", "10.0.0.1"));
  EXPECT_TRUE(direct("10.0.0.1", "10.0.0.1"));
}

}  // namespace
}  // namespace kube::transport
