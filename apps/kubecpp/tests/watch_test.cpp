// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp watch` as people run it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <csignal>

#include <kube/apiserver/api_server.hpp>

#include "program.hpp"

namespace kubecpp {
namespace {

using kube::apiserver::ApiServer;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kNode = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})";

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(WatchCommand, PrintsEventsAndEndsOnASignal) {
  const auto server = ApiServer::start().value();
  Program watch({KUBECPP, "watch", "nodes", "--server", server->url()});
  ASSERT_TRUE(watch.prints("SYNCED 0\n")) << watch.err();
  ASSERT_TRUE(server->load_text(kNode));
  EXPECT_TRUE(watch.prints("ADDED n "));
  watch.send(SIGINT);
  EXPECT_EQ(watch.wait(), 0);
  EXPECT_THAT(watch.err(), IsEmpty());
}

TEST(WatchCommand, SaysOnceThatTheConnectionIsLostAndOnceThatItIsBack) {
  auto server = ApiServer::start().value();
  Program watch({KUBECPP, "watch", "nodes", "--server", server->url()});
  ASSERT_TRUE(watch.prints("SYNCED 0\n")) << watch.err();
  ApiServer::Options options;
  options.port = server->port();
  server.reset();
  ASSERT_TRUE(watch.complains("kubecpp: the connection is lost: ")) << watch.err();
  server = ApiServer::start(options).value();
  ASSERT_TRUE(server->load_text(kNode));
  EXPECT_TRUE(watch.complains("kubecpp: the connection is back\n"));
  EXPECT_TRUE(watch.prints("ADDED n "));
  watch.send(SIGTERM);
  EXPECT_EQ(watch.wait(), 0);
  EXPECT_EQ(count(watch.err(), "is lost"), 1) << watch.err();
  EXPECT_EQ(count(watch.err(), "is back"), 1) << watch.err();
}

TEST(WatchCommand, EndsSoonAfterItsReader) {
  const auto server = ApiServer::start().value();
  Program watch({KUBECPP, "watch", "namespaces", "--server", server->url()});
  ASSERT_TRUE(watch.prints("SYNCED 4\n")) << watch.err();
  watch.close_stdout();
  EXPECT_EQ(watch.wait(), 0) << "no event came";
}

TEST(WatchCommand, TellsOfANamespaceThatDoesNotExist) {
  const auto server = ApiServer::start().value();
  Program watch({KUBECPP, "watch", "pods", "-n", "nosuch", "--server", server->url()});
  EXPECT_TRUE(watch.complains("namespace \"nosuch\" does not exist yet")) << watch.err();
  EXPECT_TRUE(watch.prints("SYNCED 0\n"));
  watch.send(SIGINT);
  EXPECT_EQ(watch.wait(), 0) << watch.err();
}

TEST(WatchCommand, AResourceThatCannotBeWatchedIsAnErrorAtOnce) {
  const auto server = ApiServer::start().value();
  const auto watch = [&](const char* resource) {
    return run({KUBECPP, "watch", resource, "--server", server->url()});
  };
  const Outcome listed = watch("componentstatuses");
  EXPECT_EQ(listed.status, 1);
  EXPECT_EQ(listed.out, "");
  EXPECT_EQ(listed.err, "kubecpp: the server does not support watch for componentstatuses\n");
  const Outcome neither = watch("bindings");
  EXPECT_EQ(neither.status, 1);
  EXPECT_EQ(neither.err, "kubecpp: the server does not support list for bindings\n");
}

TEST(WatchCommand, ASilentServerIsWaitedForAloud) {
  const TcpServer silent;
  Program watch({KUBECPP, "watch", "pods", "--server", silent.url()});
  EXPECT_TRUE(watch.complains("kubecpp: still waiting for a response from " + silent.url()));
  watch.send(SIGINT);
  EXPECT_EQ(watch.wait(), 130);
}

TEST(WatchCommand, AnotherServerIsCalledWhatItIs) {
  const TcpServer pages(
      {"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n"
       "Connection: close\r\n\r\n<html>"});
  const Outcome outcome = run({KUBECPP, "watch", "pods", "--server", pages.url()});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err,
              HasSubstr("found HTTP 200 with an HTML page, which no Kubernetes API server sends"));
}

TEST(WatchCommand, AServerThatIsDownIsAnErrorAtOnce) {
  const auto server = ApiServer::start().value();
  const std::string url = server->url();
  server->stop();
  const Outcome outcome = run({KUBECPP, "watch", "pods", "--server", url});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(count(outcome.err, "\n"), 1) << outcome.err;
}

}  // namespace
}  // namespace kubecpp
