// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/url.hpp>

#include <gtest/gtest.h>

namespace kube::transport {
namespace {

TEST(PrintableUrl, HasNoQueryFragmentUserOrPassword) {
  EXPECT_EQ(printable_url("https://user:pass@host:6443/api/v1?token=x#y"),
            "https://host:6443/api/v1");
  EXPECT_EQ(printable_url("https://host/a@b?c"), "https://host/a@b");
  EXPECT_EQ(printable_url("http://u:p@ss@host"), "http://host");
  EXPECT_EQ(printable_url("http://host/a\r\nb\x7f"), "http://host/a%0D%0Ab%7F");
}

TEST(PrintableUrl, ShowsNothingOfWhatIsNoUrl) {
  for (const char* text : {"", "user:pass@proxy:3128", "http://user:pass", "http://user:p/ss@host",
                           "http://user:pass@[::1", "http://user:pass@ho st", "://user:pass@host",
                           "//user:pass@host", "http:/user:pass@host", "user:p://ss@host"}) {
    EXPECT_EQ(printable_url(text), "(not a URL)") << text;
  }
}

TEST(PrintableServerUrl, ShowsThatThereIsAPasswordAndNotWhich) {
  EXPECT_EQ(printable_server_url(""), "");
  EXPECT_EQ(printable_server_url("https://host:6443/prefix?x#y"), "https://host:6443/prefix");
  EXPECT_EQ(printable_server_url("http://user:pass@proxy:3128"), "http://***@proxy:3128");
  EXPECT_EQ(printable_server_url("user:pass@proxy:3128"), "***@proxy:3128");
  EXPECT_EQ(printable_server_url("host:6443"), "host:6443");
}

// By the grammar its host is a part of the password.
TEST(PrintableServerUrl, ShowsNothingWhenAPasswordMayEndBehindTheHost) {
  for (const char* text : {"http://user:80/secret@host", "http://user:80?secret@host",
                           "http://user:80#secret@host", "http://user:a@80/secret@host",
                           "user:80/secret@host", "user:secret", "http://user:secret@host "}) {
    EXPECT_EQ(printable_server_url(text), "(not a URL)") << text;
  }
}

TEST(Loopback, IsAnExactNameOrAnAddress) {
  for (const char* host :
       {"localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(is_loopback_host(host)) << host;
  }
  for (const char* host : {"", "localhost.evil.com", "127.evil.com", "127.0.0.1.evil.com", "127.1",
                           "10.0.0.1", "::2", "[::1]", "xlocalhost"}) {
    EXPECT_FALSE(is_loopback_host(host)) << host;
  }
  EXPECT_TRUE(is_loopback_url("http://localhost:80/x"));
  EXPECT_TRUE(is_loopback_url("http://u:p@[::1]:80"));
  EXPECT_FALSE(is_loopback_url("http://localhost.evil.com/"));
  EXPECT_FALSE(is_loopback_url("http://localhost@evil.com/"));
  EXPECT_FALSE(is_loopback_url("localhost"));
}

TEST(ParseUrl, TakesThePartsApart) {
  const Result<Url> url = parse_url("HTTPS://u:p@[::1]:6443/a/b?q=1#f");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->user_info, "u:p");
  EXPECT_TRUE(url->has_user_info);
  EXPECT_EQ(url->authority, "[::1]:6443");
  EXPECT_TRUE(url->has_port);
  EXPECT_EQ(url->path, "/a/b");
  EXPECT_EQ(url->query, "q=1");
  EXPECT_TRUE(parse_url("http://host/a@b"));
  EXPECT_FALSE(parse_server_url("http://host/a@b"));
}

}  // namespace
}  // namespace kube::transport
