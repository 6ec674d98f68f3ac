// SPDX-License-Identifier: Apache-2.0
//
// Requests that a browser sends for web pages of other sites.
#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::HasSubstr;

class ForeignSites : public ServerTest {
 protected:
  /// Returns the status of a request with these lines in its head.
  int status(std::string_view method, std::string_view lines,
             std::string_view target = kConfigMaps) {
    const std::string body = method == "GET" ? "" : config_map("a" + std::to_string(++count_));
    HttpClient client(port());
    std::string text(method);
    text.append(" ").append(target).append(" HTTP/1.1\r\n").append(lines);
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    client.write(text);
    last_ = client.read_answer();
    return last_.status;
  }
  int get_with_host(std::string_view host) {
    return status("GET", "Host: " + std::string(host) + "\r\n");
  }

  int count_ = 0;
  Answer last_;
};

TEST_F(ForeignSites, APageOfAnotherOriginChangesNothing) {
  const std::string own = "Host: localhost:8080\r\n";
  EXPECT_EQ(status("POST", own), 201) << "kubectl and client libraries send no Origin";
  for (const std::string_view origin :
       {"https://evil.example.com", "http://localhost:3000", "http://localhost", "null",
        "http://127.0.0.1:8080", "https://localhost:8080.evil.com",
        "http://localhost:8080@evil.com", "http://evil.com/http://localhost:8080"}) {
    EXPECT_EQ(status("POST", own + "Origin: " + std::string(origin) + "\r\n"), 403) << origin;
  }
  expect_status(last_, 403, "Forbidden");
  EXPECT_THAT(last_.at({"message"}), HasSubstr("evil.com"));
  EXPECT_EQ(status("POST", own + "Origin: http://localhost:8080\r\n"), 201);
  EXPECT_EQ(status("POST", own + "Sec-Fetch-Site: cross-site\r\n"), 403);
  EXPECT_EQ(status("POST", own + "Sec-Fetch-Site: same-site\r\n"), 403);
  EXPECT_EQ(status("POST", own + "Sec-Fetch-Site: Cross-Site\r\n"), 403);
  EXPECT_EQ(status("POST", own + "Sec-Fetch-Site: SAME-SITE\r\n"), 403);
  EXPECT_EQ(status("POST", own + "Sec-Fetch-Site: same-origin\r\n"), 201);
  EXPECT_EQ(status("POST", own + "Sec-Fetch-Site: none\r\n"), 201);
  for (const std::string_view method : {"PUT", "PATCH", "DELETE"}) {
    EXPECT_EQ(status(method, own + "Origin: https://evil.example.com\r\n",
                     std::string(kConfigMaps) + "/a1"),
              403)
        << method;
  }
  EXPECT_EQ(get(std::string(kConfigMaps) + "/a1").status, 200);
}

TEST_F(ForeignSites, WhoAsksIsToldOnce) {
  const std::string host = "Host: localhost\r\n";
  const std::string own = "Origin: http://localhost\r\n";
  const std::string foreign = "origin: https://evil.example.com\r\n";
  EXPECT_EQ(status("POST", host + own), 201);
  for (const std::string& origins : {own + foreign, foreign + own, own + own})
    EXPECT_EQ(status("POST", host + origins), 400) << origins;
  EXPECT_EQ(status("POST", host + "Sec-Fetch-Site: none\r\nsec-fetch-site: cross-site\r\n"), 400);
}

TEST_F(ForeignSites, TheFormThatABrowserSendsWithoutAskingIsRefused) {
  // These need no preflight: a form, or a fetch in the mode no-cors without a type.
  EXPECT_EQ(status("POST",
                   "Host: 127.0.0.1:8080\r\nOrigin: https://evil.example.com\r\n"
                   "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"),
            403);
}

TEST_F(ForeignSites, ReadingIsLeftToTheBrowser) {
  // The page sees nothing, because no response allows it.
  const std::string lines =
      "Host: localhost\r\nOrigin: https://evil.example.com\r\nSec-Fetch-Site: cross-site\r\n";
  EXPECT_EQ(status("GET", lines), 200);
  EXPECT_EQ(last_.header("access-control-allow-origin"), "");
}

TEST_F(ForeignSites, ANameThatIsNotTheServersIsRefusedWhateverTheMethod) {
  for (const std::string_view host :
       {"localhost", "LOCALHOST:80", "localhost.", "127.0.0.1", "127.0.0.1:34567", "10.1.2.3",
        "[::1]", "[::1]:80", "[fe80::1%25eth0]", "api", "a.localhost:1", "host.docker.internal:80",
        "", "test:80"}) {
    EXPECT_EQ(get_with_host(host), 200) << host;
  }
  for (const std::string_view host :
       {"evil.example.com", "evil.example.com:80", "127.0.0.1.evil.com", "localhost.evil.com",
        "evil.com.", "127.0.0.1:80.evil.com:80", "xlocalhost.com", "[evil.com]", "1.2.3.4.5"}) {
    EXPECT_EQ(get_with_host(host), 403) << host;
    expect_status(last_, 403, "Forbidden");
  }
  EXPECT_EQ(status("GET", "Host: localhost\r\n", "http://evil.example.com/healthz"), 403);
  EXPECT_EQ(status("GET", "Host: localhost\r\n", "http://localhost/healthz"), 200);
}

class NamedServer : public ForeignSites {
 protected:
  ApiServer::Options options() const override {
    auto options = ForeignSites::options();
    options.host_names = {"api.example.com"};
    return options;
  }
};

TEST_F(NamedServer, HasTheNamesThatItWasStartedWith) {
  EXPECT_EQ(get_with_host("API.example.com:8080"), 200);
  EXPECT_EQ(get_with_host("www.example.com"), 403);
  EXPECT_EQ(status("POST", "Host: localhost\r\nOrigin: https://api.example.com\r\n"), 201);
}

class ServerOfAnyName : public ForeignSites {
 protected:
  ApiServer::Options options() const override {
    auto options = ForeignSites::options();
    options.host_names = {"*"};
    return options;
  }
};

TEST_F(ServerOfAnyName, RefusesNobody) {
  EXPECT_EQ(get_with_host("evil.example.com"), 200);
  EXPECT_EQ(status("POST", "Host: localhost\r\nOrigin: https://evil.example.com\r\n"), 201);
  EXPECT_EQ(status("POST", "Host: localhost\r\nOrigin: null\r\n"), 201);
  EXPECT_EQ(status("POST", "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n"), 201);
}

}  // namespace
}  // namespace kube::apiserver::test
