// SPDX-License-Identifier: Apache-2.0
#include "proxy.hpp"

#include <map>

#include <gtest/gtest.h>

namespace kube::transport {
namespace {

ProxyRules rules(std::map<std::string, std::string> variables) {
  return ProxyRules::from_environment([&variables](const char* name) { return variables[name]; });
}

// The proxy's URL, "" for none, or why there is none.
std::string proxy_for(const ProxyRules& rules, bool https, std::string_view host,
                      std::uint16_t port) {
  const Result<const Proxy*> proxy = rules.proxy_for(https, host, port);
  if (!proxy) return proxy.error().to_string();
  return *proxy != nullptr ? (*proxy)->url : "";
}

// Whether https://host:port goes around the proxy with this NO_PROXY.
bool direct(const std::string& no_proxy, std::string_view host, std::uint16_t port = 443) {
  return proxy_for(rules({{"HTTPS_PROXY", "http://proxy:3128"}, {"NO_PROXY", no_proxy}}), true,
                   host, port)
      .empty();
}

TEST(ProxyRules, NoVariablesMeanNoProxy) {
  EXPECT_EQ(proxy_for(rules({}), true, "example.com", 443), "");
}

TEST(ProxyRules, EachSchemeHasItsVariableInCapitalsOrSmallLetters) {
  const ProxyRules both = rules({{"HTTP_PROXY", "http://a"}, {"https_proxy", "http://b"}});
  EXPECT_EQ(proxy_for(both, false, "example.com", 80), "http://a:80");
  EXPECT_EQ(proxy_for(both, true, "example.com", 443), "http://b:80");
  EXPECT_EQ(proxy_for(rules({{"HTTP_PROXY", "http://a"}, {"http_proxy", "http://b"}}), false,
                      "example.com", 80),
            "http://a:80");
}

TEST(ProxyRules, ACgiProgramDoesNotTrustHttpProxy) {
  const ProxyRules cgi = rules({{"HTTP_PROXY", "http://evil"}, {"REQUEST_METHOD", "GET"}});
  EXPECT_EQ(proxy_for(cgi, false, "example.com", 80), "");
}

TEST(ProxyRules, LoopbackIsNeverProxiedByTheEnvironment) {
  EXPECT_TRUE(direct("", "localhost"));
  EXPECT_TRUE(direct("", "127.0.0.1"));
  EXPECT_TRUE(direct("", "127.8.9.1"));
  EXPECT_TRUE(direct("", "::1"));
  EXPECT_FALSE(direct("", "10.0.0.1"));
}

TEST(ProxyRules, AProxyThatWasAskedForServesEverything) {
  EXPECT_EQ(proxy_for(ProxyRules::always({.url = "http://p:1"}), true, "localhost", 1),
            "http://p:1");
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
  EXPECT_FALSE(direct("", "10.0.0.1"));
  EXPECT_FALSE(direct("other.host,.example.com", "10.0.0.1"));
  EXPECT_TRUE(direct("10.0.0.1", "10.0.0.1"));
}

TEST(ProxyRules, AVariableThatHoldsNoProxyFailsWhatWouldGoThroughIt) {
  const ProxyRules broken =
      rules({{"https_proxy", "http://user:hunter2@proxy:port"}, {"NO_PROXY", "direct.example"}});
  EXPECT_EQ(
      proxy_for(broken, true, "example.com", 443),
      "the proxy in the environment variable https_proxy is invalid: the port is not a number "
      "up to 65535; expected [SCHEME://][user:password@]host[:port], where SCHEME is http (the "
      "default), https or socks5");
  EXPECT_EQ(proxy_for(broken, true, "direct.example", 443), "");
  EXPECT_EQ(proxy_for(broken, false, "example.com", 80), "");
}

// URL, user and password, or why it is none.
std::string parsed_proxy(std::string_view text) {
  const Result<Proxy> proxy = Proxy::parse(text);
  if (!proxy) return proxy.error().to_string();
  if (!proxy->has_credentials) return proxy->url;
  return proxy->url + " user " + proxy->user + " password " + proxy->password.reveal();
}

TEST(Proxy, IsTakenApartSoThatItsUrlHasNoPassword) {
  EXPECT_EQ(parsed_proxy("http://host"), "http://host:80");
  EXPECT_EQ(parsed_proxy("HTTPS://host"), "https://host:443");
  EXPECT_EQ(parsed_proxy("socks5://[::1]"), "socks5h://[::1]:1080");
  EXPECT_EQ(parsed_proxy("http://u:p@host:3128/"), "http://host:3128 user u password p");
  EXPECT_EQ(parsed_proxy("http://u@host:3128"), "http://host:3128 user u password ");
  EXPECT_EQ(parsed_proxy("http://u%3a:p%40%2F%25:q@host:3128"),
            "http://host:3128 user u: password p@/%:q");
  EXPECT_EQ(parsed_proxy("http://u:p@ss@host:3128"), "http://host:3128 user u password p@ss");
}

TEST(Proxy, ThatIsNoneIsRefusedWithoutAnyPartOfIt) {
  for (const char* text :
       {"host:3128", "ftp://u:secret@host", "http://u:secret%@host", "http://u:secret%zz@host",
        "http://u:secret%00@host", "http://u:secret%1@host", "http://u:s/secret@host",
        "http://u:s?secret@host", "http://u:s#secret@host", "http://u:secret@", "http://u:secret",
        "http://u:secret @host", "http://u:secret@host\n", "http://u:secret@host:x",
        "http://u:secret@[::1"}) {
    EXPECT_FALSE(Proxy::parse(text)) << text;
    EXPECT_EQ(parsed_proxy(text).find("secret"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace kube::transport
