// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/net.hpp>

#include <gtest/gtest.h>

namespace kube::transport {
namespace {

Error unreachable(std::string message) {
  return Error(ErrorCode::Unreachable, std::move(message)).with_context("get pods: GET http://h");
}

TEST(JoinPath, NET_02_KeepsASlashAtTheEndOfTheLastPart) {
  EXPECT_EQ(join_path("", ""), "");
  EXPECT_EQ(join_path("", "/"), "/");
  EXPECT_EQ(join_path("", "foo"), "foo");
  EXPECT_EQ(join_path("", "/foo"), "/foo");
  EXPECT_EQ(join_path("", "/foo/"), "/foo/");
  EXPECT_EQ(join_path("/foo/", ""), "/foo/");
  EXPECT_EQ(join_path("/", "/"), "/");
  EXPECT_EQ(join_path("/", "foo"), "/foo");
  EXPECT_EQ(join_path("foo", "foo"), "foo/foo");
  EXPECT_EQ(join_path("/foo", "/foo"), "/foo/foo");
  EXPECT_EQ(join_path("/foo", "foo/"), "/foo/foo/");
  EXPECT_EQ(join_path("/foo/", "/foo/"), "/foo/foo/");
}

TEST(NetErrors, NET_03_ProbableEndsAreTold) {
  for (const char* text :
       {"EOF", "unexpected EOF", "http: can't write HTTP request on broken connection",
        "http2: server sent GOAWAY and closed the connection; LastStreamID=1",
        "read tcp 127.0.0.1: connection reset by peer", "Recv failure: Connection reset by peer",
        "Use Of Closed Network Connection", "Empty reply from server",
        "transfer closed with 12 bytes remaining to read", "Send failure: Broken pipe"}) {
    EXPECT_TRUE(is_probable_eof(unreachable(text))) << text;
    EXPECT_TRUE(is_probable_eof(unreachable(text).with_context("GET https://h/x"))) << text;
  }
  EXPECT_FALSE(is_probable_eof(unreachable("connection refused")));
  EXPECT_FALSE(is_probable_eof(unreachable("Could not resolve host: h")));
  EXPECT_FALSE(is_probable_eof(Error(ErrorCode::Server, "unexpected EOF")));
  EXPECT_FALSE(is_probable_eof(Error(ErrorCode::Cancelled, "connection reset by peer")));
}

TEST(NetErrors, ResetRefusedLostAndTimeoutAreToldApart) {
  const Error reset = unreachable("Recv failure: Connection reset by peer");
  const Error refused =
      unreachable("Failed to connect to 127.0.0.1 port 1 after 0 ms: Connection refused");
  const Error lost = unreachable("http2: client connection lost");
  const Error late = Error(ErrorCode::Timeout, "no answer within 5s").with_context("get pods");
  EXPECT_TRUE(is_connection_reset(reset));
  EXPECT_TRUE(is_connection_refused(refused));
  EXPECT_TRUE(is_http2_connection_lost(lost));
  EXPECT_TRUE(is_timeout(late));
  EXPECT_TRUE(is_timeout(unreachable("connect to 10.0.0.1 port 1: Connection timed out")));
  for (const Error& error : {refused, lost, late}) EXPECT_FALSE(is_connection_reset(error));
  for (const Error& error : {reset, lost, late}) EXPECT_FALSE(is_connection_refused(error));
  for (const Error& error : {reset, refused, late}) EXPECT_FALSE(is_http2_connection_lost(error));
  for (const Error& error : {reset, refused, lost}) EXPECT_FALSE(is_timeout(error));
}

}  // namespace
}  // namespace kube::transport
