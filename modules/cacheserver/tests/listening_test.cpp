// SPDX-License-Identifier: Apache-2.0
//
// Where a cache server listens, and who may read from it.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/recording_logger.hpp>

#include "cluster_fixture.hpp"
#include "server_files.hpp"

namespace kube::cacheserver::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Error refused(CacheServer::Options options) {
  const auto server = CacheServer::start(std::move(options));
  EXPECT_FALSE(server);
  return server ? Error(ErrorCode::Internal, "it started") : server.error();
}

TEST(CacheServerListening, OtherAddressesThanLoopbackNeedTlsTokensAndRules) {
  const Folder folder;
  write_certificate(folder / "cert", folder / "key");
  const CacheServer::Options all{
      .listen = "0.0.0.0:0",
      .tls_cert_file = folder / "cert",
      .tls_key_file = folder / "key",
      .token_auth_file = folder.write("tokens", "t,u,1\n"),
      .authorization_rules_file = folder.write("rules", "[]"),
  };
  EXPECT_TRUE(CacheServer::start(all));
  const std::string why =
      "listen address \"0.0.0.0:0\": expected loopback or a unix socket: for others on the "
      "network, give a certificate and key (TLS), a file of tokens, and one of authorization rules";
  CacheServer::Options without = all;
  without.tls_cert_file = without.tls_key_file = "";
  EXPECT_EQ(refused(without).message(), why);
  without = all;
  without.token_auth_file = "";
  EXPECT_EQ(refused(without).message(), why);
  without = all;
  without.authorization_rules_file = "";
  EXPECT_EQ(refused(without).message(), why);
  without = all;
  without.tls_key_file = "";
  EXPECT_EQ(refused(without).message(),
            "TLS: expected a certificate file and a key file, or neither");
}

TEST(CacheServerListening, WrongAddressesAndFilesAreNamed) {
  const Folder folder;
  EXPECT_EQ(refused({.listen = "8080"}).message(),
            "listen address \"8080\": expected ADDRESS:PORT with an IP address or localhost, or "
            "unix:PATH");
  EXPECT_EQ(refused({.listen = "127.0.0.1:70000"}).message(),
            "listen address \"127.0.0.1:70000\": expected a port up to 65535");
  for (const Duration none : {Duration::zero(), Duration(-1)}) {
    EXPECT_EQ(refused({.max_age = none}).message(),
              "CacheServer option max_age: expected more than 0");
  }
  EXPECT_THAT(refused({.listen = "unix:"}).message(), HasSubstr("expected a path after unix:"));
  EXPECT_THAT(refused({.listen = "127.0.0.1:0", .token_auth_file = folder / "none"}).message(),
              HasSubstr("/none: No such file or directory"));
  EXPECT_THAT(
      refused({.token_auth_file = folder.write("bad", "# comment\nsecret\n")}).message(),
      ::testing::AllOf(HasSubstr("line 2: expected token,user,uid"), Not(HasSubstr("secret"))));
  EXPECT_THAT(refused({.token_auth_file = folder.write("empty", "\n")}).message(),
              HasSubstr("has no token"));
  const std::string tokens = folder.write("tokens", "t,u,1\n");
  EXPECT_EQ(
      refused({.token_auth_file = tokens, .authorization_rules_file = folder / "none"}).message(),
      "rules file \"" + (folder / "none") + "\": " + (folder / "none") +
          ": No such file or directory");
  const std::string wrong = folder.write("c", "x");
  EXPECT_EQ(refused({.tls_cert_file = wrong, .tls_key_file = "/none"}).message(),
            "key file /none: No such file or directory");
  EXPECT_EQ(refused({.tls_cert_file = wrong, .tls_key_file = wrong}).message(),
            "certificate file \"" + wrong + "\": expected a certificate in PEM: no start line");
}

TEST(CacheServerListening, RulesThatAllowNothingAreLogged) {
  const Folder folder;
  const auto logger = std::make_shared<testing::RecordingLogger>();
  CacheServer::Options options{.token_auth_file = folder.write("tokens", "t,u,1\n"),
                               .authorization_rules_file = folder.write("rules", "[]")};
  options.runtime.logger = logger;
  ASSERT_TRUE(CacheServer::start(options));
  EXPECT_THAT(logger->lines(),
              ::testing::Contains(HasSubstr("has no rule: no token may read anything")));
}

// Without it, a body that ends with its connection looks cut off to clients of OpenSSL 3.
TEST(CacheServerListening, AConnectionThatEndsWellSaysSoInTls) {
  const Folder folder;
  write_certificate(folder / "cert", folder / "key");
  const auto server = CacheServer::start(
      {.listen = "127.0.0.1:0", .tls_cert_file = folder / "cert", .tls_key_file = folder / "key"});
  ASSERT_TRUE(server) << server.error().to_string();
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                  SSL_CTX_free);
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> client(BIO_new_ssl_connect(context.get()),
                                                             BIO_free_all);
  const std::string address = "127.0.0.1:" + std::to_string((*server)->port());
  BIO_set_conn_hostname(client.get(), address.c_str());
  ASSERT_EQ(BIO_puts(client.get(), "GET /livez HTTP/1.0\r\n\r\n"), 23);
  std::string answer;
  std::array<char, 1000> piece{};
  for (int n = 0; (n = BIO_read(client.get(), piece.data(), piece.size())) > 0;) {
    answer.append(piece.data(), static_cast<std::size_t>(n));
  }
  EXPECT_THAT(answer, HasSubstr("200 OK"));
  SSL* ssl = nullptr;
  BIO_get_ssl(client.get(), &ssl);
  EXPECT_EQ(SSL_get_shutdown(ssl), SSL_RECEIVED_SHUTDOWN);
}

TEST(CacheServerListening, LocalhostIsTheLoopbackAddress) {
  const auto server = CacheServer::start({.listen = "localhost:0"});
  ASSERT_TRUE(server) << server.error().to_string();
  EXPECT_THAT((*server)->url(), HasSubstr("http://127.0.0.1:"));
}

class TokenTest : public ClusterTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = ClusterTest::cache_options();
    options.token_auth_file =
        folder.write("tokens", "right,reader,1,\"readers\"\nother,reader2,2\n");
    return options;
  }
  Folder folder;
};

TEST_F(TokenTest, RequestsNeedOneOfTheTokensExceptForHealth) {
  load(pod_json("a"));
  serve(pods());
  EXPECT_EQ(ask_cache(kPods).status, 401);
  EXPECT_EQ(ask_cache(kPods, {{"Authorization", "Bearer wrong"}}).status, 401);
  EXPECT_EQ(ask_cache("/metrics").status, 401);
  EXPECT_EQ(ask_cache(kPods, {{"Authorization", "Bearer right"}}).status, 200);
  EXPECT_EQ(ask_cache(kPods, {{"Authorization", "Bearer other"}}).status, 200);
  for (const char* scheme : {"bearer ", "BEARER "}) {
    EXPECT_EQ(ask_cache(kPods, {{"Authorization", scheme + std::string("right")}}).status, 200);
  }
  for (const char* wrong : {"right", "Basic right", "Bearer", "Bearer ", "Bearerright",
                            "Bearer Right", "Bearer right ight", "Bearer righ"}) {
    EXPECT_EQ(ask_cache(kPods, {{"Authorization", wrong}}).status, 401) << wrong;
  }
  EXPECT_EQ(ask_cache("/readyz").status, 200);
}

class TlsTest : public ClusterTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = ClusterTest::cache_options();
    write_certificate(folder / "cert", folder / "key");
    options.tls_cert_file = folder / "cert";
    options.tls_key_file = folder / "key";
    return options;
  }
  Folder folder;
};

TEST_F(TlsTest, AnInformerSyncsOverTls) {
  const std::string big(40'000, 'x');
  load(
      pod_json("a", {}, "\"hostname\":\"h\"") + "\n---\n" +
      R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"web"},"stringData":{"k":")" +
      big + "\"}}");
  serve(pods());
  serve(secrets());
  EXPECT_THAT(cache->url(), HasSubstr("https://127.0.0.1:"));
  rest::Config config;
  config.host = cache->url();
  config.tls.ca.file = folder / "cert";
  const Client reader = Client::create(config).value();
  PodInformer informer(reader.rest());
  AnyInformer second(reader.rest(), secrets());
  ASSERT_TRUE(informer.start() && second.start());
  ASSERT_TRUE(wait_for_cache_sync({}, informer, second));
  EXPECT_TRUE(informer.lister().find("web/a"));
  const auto secret = second.lister().find("web/s");
  EXPECT_GT(secret.cell().body().size(), big.size());
  load(pod_json("later"));
  while (!informer.lister().find("web/later")) std::this_thread::yield();
}

/// Sends a request over a unix socket and returns all of the response.
std::string ask_unix(const std::string& path, const std::string& target) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  EXPECT_EQ(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const std::string request =
      "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  EXPECT_EQ(::write(socket, request.data(), request.size()), static_cast<ssize_t>(request.size()));
  std::string out;
  char piece[4096];
  for (ssize_t n = 0; (n = ::read(socket, piece, sizeof piece)) > 0;) {
    out.append(piece, static_cast<std::size_t>(n));
  }
  ::close(socket);
  return out;
}

class UnixTest : public ClusterTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = ClusterTest::cache_options();
    options.listen = "unix:" + (folder / "cache.sock");
    return options;
  }
  Folder folder;
};

TEST_F(UnixTest, ServesOnASocketOfItsUserAndRemovesItAtItsEnd) {
  load(pod_json("a"));
  serve(pods());
  const std::string path = folder / "cache.sock";
  EXPECT_EQ(cache->url(), "unix://" + path);
  EXPECT_THAT(ask_unix(path, std::string(kPods) + "/a"), HasSubstr("\"name\":\"a\""));
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_THAT(refused({.listen = "unix:" + path}).message(), HasSubstr("can't listen on " + path))
      << "another one listens there";
  cache->stop();
  EXPECT_NE(::stat(path.c_str(), &status), 0);
  const auto again = CacheServer::start({.listen = "unix://" + path});
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ((*again)->url(), "unix://" + path);
  const auto relative =
      CacheServer::start({.listen = "unix:" + std::filesystem::relative(path + "2").string()});
  ASSERT_TRUE(relative) << relative.error().to_string();
  EXPECT_EQ(std::filesystem::weakly_canonical((*relative)->url().substr(7)), path + "2");
}

TEST_F(UnixTest, ASocketThatNobodyListensOnIsReplaced) {
  cache->stop();
  const std::string path = folder / "cache.sock";
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::close(socket);
  EXPECT_TRUE(CacheServer::start({.listen = "unix:" + path}));
}

TEST_F(UnixTest, WhatIsNotASocketIsNamedAndStays) {
  const std::string file = folder.write("file", "text");
  const std::string link = folder / "link";
  std::filesystem::create_symlink(file, link);
  for (const std::string& path : {file, link}) {
    EXPECT_EQ(refused({.listen = "unix:" + path}).message(),
              "can't listen on " + path +
                  ": it is not a socket; expected a path that does not exist, or the socket of a "
                  "server that has ended");
  }
  EXPECT_TRUE(std::filesystem::exists(file));
}

class WritingTest : public ClusterTest {
 protected:
  apiserver::ApiServer::Options cluster_options() const override {
    apiserver::ApiServer::Options options = ClusterTest::cluster_options();
    options.tokens = {{"writer", {"w", {}, ""}}, {"server", {"s", {}, ""}}};
    return options;
  }
  void SetUp() override {
    cluster = apiserver::ApiServer::start(cluster_options()).value();
    rest::Config config;
    config.host = cluster->url();
    config.bearer_token = "server";
    client = std::make_unique<Client>(Client::create(config).value());
    CacheServer::Options options = ClusterTest::cache_options();
    options.writes_to = config;
    cache = CacheServer::start(options).value();
  }
};

TEST_F(WritingTest, WritesGoToTheClusterAsTheirSender) {
  load(pod_json("a"));
  serve(pods());
  HttpClient sender(cache->port());
  const std::string target = std::string(kPods) + "?fieldValidation=Strict";
  const Answer anonymous = sender.send("POST", target, pod_json("b"));
  EXPECT_EQ(anonymous.status, 401) << "the server's own token is not used";
  const Headers token = {{"Authorization", "Bearer writer"}};
  const Answer created = sender.send("POST", target, pod_json("b"), token);
  EXPECT_EQ(created.status, 201) << created.body;
  EXPECT_EQ(created.at({"metadata", "name"}), "b");
  EXPECT_EQ(created.header("age"), "") << "it is not from the cache";
  const Answer again = sender.send("POST", target, pod_json("b"), token);
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.at({"reason"}), "AlreadyExists");
  const Headers merge = {{"Authorization", "Bearer writer"},
                         {"Content-Type", "application/merge-patch+json"}};
  const Answer patched = sender.send("PATCH", std::string(kPods) + "/b",
                                     R"({"metadata":{"labels":{"x":"y"}}})", merge);
  EXPECT_EQ(patched.status, 200);
  const Answer read = sender.send("GET", std::string(kPods) + "/b?resourceVersion=" +
                                             patched.at({"metadata", "resourceVersion"}));
  EXPECT_EQ(read.at({"metadata", "labels", "x"}), "y");
  const Answer other = sender.send("POST", "/api/v1/namespaces/web/secrets", "{}", token);
  EXPECT_EQ(other.status, 404) << "only of served resources";
}

TEST_F(WritingTest, AWriteToAClusterThatIsGoneSaysSo) {
  load(pod_json("a"));
  serve(pods());
  cluster->stop();
  const Answer answer = HttpClient(cache->port()).send("POST", kPods, pod_json("b"));
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.at({"message"}), HasSubstr("passed on to the cluster, which may have"));
}

}  // namespace
}  // namespace kube::cacheserver::test
