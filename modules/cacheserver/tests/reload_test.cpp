// SPDX-License-Identifier: Apache-2.0
//
// Certificates, keys and tokens that are replaced while the server runs.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/file.hpp>
#include <kube/client/rest_request.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/recording_logger.hpp>

#include "cluster_fixture.hpp"
#include "server_files.hpp"

namespace kube::cacheserver::test {
namespace {

using namespace std::chrono_literals;
using kube::testing::eventually;
using kube::testing::RecordingLogger;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ReloadTest : public ClusterTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = ClusterTest::cache_options();
    options.reload_period = 2ms;
    options.runtime.logger = logger;
    return options;
  }
  /// Waits for a line of the log, and returns it.
  std::string logged(std::string_view part) const {
    std::string found;
    EXPECT_TRUE(eventually([&] {
      for (const std::string& line : logger->lines()) {
        if (line.find(part) != std::string::npos) found = line;
      }
      return !found.empty();
    })) << part;
    return found;
  }
  std::size_t errors() const {
    std::size_t out = 0;
    for (const auto& each : logger->entries()) out += each.level == LogLevel::Error ? 1 : 0;
    return out;
  }
  Folder folder;
  const std::shared_ptr<RecordingLogger> logger = std::make_shared<RecordingLogger>(LogLevel::Info);
};

class TokenReloadTest : public ReloadTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = ReloadTest::cache_options();
    options.token_auth_file = folder.write("tokens", "old,reader,1\n");
    return options;
  }
  int status_of(const std::string& token) {
    return ask_cache(kPods, {{"Authorization", "Bearer " + token}}).status;
  }
};

TEST_F(TokenReloadTest, RequestsNeedTheNewTokensAndWatchesOfTheOthersEnd) {
  load(pod_json("a"));
  serve(pods());
  ASSERT_TRUE(replace_file(folder / "tokens",
                           "old,reader,1\nkept,reader,1\nmoved,reader,1\nraised,reader,1,g\n"));
  ASSERT_TRUE(eventually([&] { return status_of("kept") == 200; }));
  // As long as a client likes.
  const std::string target =
      std::string(kPods) + "?watch=1&timeoutSeconds=1000000&resourceVersion=" + revision();
  const auto open = [&](const char* token) {
    return std::make_unique<WatchClient>(
        cache->port(), target, Headers{{"Authorization", std::string("Bearer ") + token}});
  };
  const auto old = open("old");
  WatchClient page(cache->port(), "/page/rows/api/v1/namespaces/web/pods?watch=1",
                   {{"Authorization", "Bearer old"}});
  ASSERT_EQ(page.head().status, 200);
  const auto kept = open("kept");
  const auto moved = open("moved");
  const auto raised = open("raised");
  for (const auto* each : {&old, &kept, &moved, &raised}) ASSERT_EQ((*each)->head().status, 200);
  ASSERT_TRUE(replace_file(
      folder / "tokens", "new,reader,1\nkept,reader,1\nmoved,other,2\nraised,reader,1,\"g,h\"\n"));
  EXPECT_TRUE(eventually([&] { return status_of("new") == 200; }));
  EXPECT_EQ(status_of("old"), 401);
  for (const auto* each : {&old, &moved, &raised}) {
    EXPECT_EQ((*each)->next_text(), "END");
    EXPECT_TRUE((*each)->ended_cleanly());
  }
  while (page.next()) {
  }
  EXPECT_TRUE(page.ended_cleanly());
  load(pod_json("b"));
  EXPECT_EQ(kept->next_text(), "ADDED b");
}

TEST_F(TokenReloadTest, AWrongFileKeepsTheOldTokensAndIsLoggedOnce) {
  load(pod_json("a"));
  serve(pods());
  ASSERT_TRUE(replace_file(folder / "tokens", "# comment\nold,reader,1\nsecret-without-user\n"));
  EXPECT_THAT(logged("line 3: expected token,user,uid"),
              AllOf(HasSubstr(folder / "tokens"), Not(HasSubstr("secret-without-user"))));
  EXPECT_EQ(status_of("old"), 200);
  EXPECT_EQ(status_of("secret-without-user"), 401);
  // No tokens would admit everyone.
  ASSERT_TRUE(replace_file(folder / "tokens", "\n"));
  logged("has no token");
  EXPECT_EQ(status_of("any"), 401);
  std::filesystem::remove(folder / "tokens");
  logged("No such file");
  EXPECT_EQ(status_of("old"), 200);
  EXPECT_EQ(errors(), 3U) << "one for each state of the file";
  ASSERT_TRUE(replace_file(folder / "tokens", "new,reader,1\n"));
  logged("read again");
  EXPECT_EQ(status_of("new"), 200);
}

class CertificateReloadTest : public ReloadTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = ReloadTest::cache_options();
    write_certificate(folder / "cert", folder / "key");
    std::filesystem::copy_file(folder / "cert", folder / "first");
    options.tls_cert_file = folder / "cert";
    options.tls_key_file = folder / "key";
    return options;
  }
  void replace(const std::string& from, const std::string& to) {
    ASSERT_TRUE(replace_file(folder / to, read_file(folder / from).value()));
  }
  Client trusting(const std::string& authority) {
    rest::Config config;
    config.host = cache->url();
    config.tls.ca.file = folder / authority;
    return Client::create(config).value();
  }
  bool is_trusted_by(const std::string& authority) {
    return RestRequest(trusting(authority).rest()).abs_path({"version"}).do_raw().has_value();
  }
};

TEST_F(CertificateReloadTest, TheNextConnectionsGetTheNewOneAndWatchesGoOn) {
  load(pod_json("a"));
  serve(pods());
  const Client early = trusting("first");
  PodInformer informer(early.rest());
  ASSERT_TRUE(informer.start() && informer.wait_for_sync({}));
  ASSERT_TRUE(eventually([&] { return cache->statistics().watchers == 1; }));
  const auto before = cache->statistics().requests;

  write_certificate(folder / "second", folder / "second-key");
  replace("second", "cert");
  // Until the key follows, the two do not fit.
  logged("expected the key of the certificate in");
  EXPECT_TRUE(is_trusted_by("first"));
  replace("second-key", "key");
  EXPECT_TRUE(eventually([&] { return is_trusted_by("second"); }));
  EXPECT_FALSE(is_trusted_by("first"));

  load(pod_json("later"));
  EXPECT_TRUE(eventually([&] { return informer.lister().find("web/later") ? true : false; }));
  EXPECT_EQ(cache->statistics().watchers, 1U);
  EXPECT_EQ(cache->statistics().requests, before + 2) << "the two of /version";
  EXPECT_EQ(errors(), 1U);
}

TEST_F(CertificateReloadTest, AWrongFileKeepsTheOldOneAndIsLoggedWithItsLine) {
  serve(pods());
  const std::string first = read_file(folder / "first").value();
  std::string text = first + first;
  text[first.size() + 100] = '!';  // in the second certificate, which begins after nine lines
  ASSERT_TRUE(replace_file(folder / "cert", text));
  EXPECT_THAT(logged("expected a certificate in PEM"),
              HasSubstr("certificate file \"" + (folder / "cert") + "\": line 10: "));
  EXPECT_TRUE(is_trusted_by("first"));
  ASSERT_TRUE(replace_file(folder / "cert", "none\n"));
  logged("no start line");
  replace("first", "cert");
  const std::string key = read_file(folder / "key").value();
  ASSERT_TRUE(replace_file(folder / "key", key.substr(0, key.size() / 2)));
  EXPECT_THAT(logged("expected a key in PEM"), Not(HasSubstr(key.substr(30, 40))));
  EXPECT_TRUE(is_trusted_by("first"));
}

}  // namespace
}  // namespace kube::cacheserver::test
