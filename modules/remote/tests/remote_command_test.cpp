// SPDX-License-Identifier: Apache-2.0
//
// Remote commands against a server of the tests that speaks their protocols.
#include <kube/remote/remote_command.hpp>

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/executor.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/errors.hpp>
#include <kube/testing/recording_logger.hpp>

#include "loopback_server.hpp"
#include "websocket_server.hpp"

namespace kube::remotecommand {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using transport::WebSocketPeer;
using transport::WebSocketServer;

constexpr std::string_view kSuccess = R"({"metadata":{},"status":"Success"})";

std::string channel(char id, std::string_view bytes) {
  return std::string(1, id).append(bytes);
}
const std::string kInputClosed("\xff\x00", 2);

/// Ends a command as a server does.
void succeed(WebSocketPeer& peer) {
  peer.write(channel(3, kSuccess));
  peer.close(1000);
}

class RemoteCommand : public ::testing::Test {
 protected:
  /// Starts the server; `protocols` are those that it speaks.
  void serve(WebSocketServer::Script script,
             std::vector<std::string> protocols = {"v5.channel.k8s.io"}) {
    server = std::make_unique<WebSocketServer>(
        WebSocketServer::Options{.protocols = std::move(protocols)}, std::move(script));
  }
  RestClient client() {
    return RestClient::create({.host = server->url(""), .bearer_token = "t"},
                              {.executor = pool, .logger = logger})
        .value();
  }
  Result<Session> open(const core::v1::PodExecOptions& options,
                       const SessionOptions& session_options = {}, std::stop_token stop = {}) {
    return exec(client(), "web", "front-0", options, session_options, std::move(stop));
  }
  static core::v1::PodExecOptions options(bool in = true, bool tty = false) {
    core::v1::PodExecOptions options{.stdin_ = in, .stdout = true, .stderr = true, .tty = tty};
    options.command = {"sh", "-c", "a b"};
    return options;
  }
  static std::string text_of(const Result<int>& code) {
    return code ? std::to_string(*code) : code.error().to_string();
  }
  /// Everything that a session still sends: "out:...", "err:...".
  static std::vector<std::string> rest_of(Session& session) {
    std::vector<std::string> all;
    while (const auto output = session.next()) {
      if (!*output) {
        all.push_back(output->error().to_string());
        break;
      }
      all.push_back(((*output)->stream == Stream::Out ? "out:" : "err:") + (*output)->bytes);
    }
    return all;
  }

  std::shared_ptr<ThreadPool> pool = std::make_shared<ThreadPool>();
  std::shared_ptr<testing::RecordingLogger> logger = std::make_shared<testing::RecordingLogger>();
  std::unique_ptr<WebSocketServer> server;
};

TEST_F(RemoteCommand, TheRequestNamesPodContainerCommandAndStreams) {
  std::string target;
  std::string authorization;
  serve([&](WebSocketPeer& peer) {
    target = peer.target();
    authorization = peer.authorization();
    succeed(peer);
  });
  core::v1::PodExecOptions wanted = options();
  wanted.container = "app";
  Result<Session> session = open(wanted);
  ASSERT_TRUE(session) << session.error().to_string();
  EXPECT_THAT(rest_of(*session), ElementsAre());
  EXPECT_EQ(target,
            "/api/v1/namespaces/web/pods/front-0/exec?command=sh&command=-c&command=a+b"
            "&container=app&stderr=true&stdin=true&stdout=true");
  EXPECT_EQ(authorization, "Bearer t");
}

TEST_F(RemoteCommand, EXEC_01_InputComesBackAsOutput) {
  serve([&](WebSocketPeer& peer) {
    const char to = peer.target().find("command=err") != std::string::npos ? 2 : 1;
    while (const auto message = peer.read()) {
      if (*message == kInputClosed) break;
      if (message->front() == 0) peer.write(channel(to, message->substr(1)));
    }
    succeed(peer);
  });
  for (const std::string stream : {"out", "err"}) {
    for (const std::size_t size : {10U, 32U * 1024U - 1U, 32U * 1024U + 1U, 3'000'000U}) {
      core::v1::PodExecOptions wanted = options();
      wanted.command = {stream};
      Result<Session> session = open(wanted);
      ASSERT_TRUE(session) << session.error().to_string();
      std::string sent(size, '\0');
      for (std::size_t i = 0; i < size; ++i) sent[i] = static_cast<char>(i * 7 + i / 251);
      // A pipe: written while the output is read.
      std::jthread writer([&] {
        EXPECT_TRUE(session->write(sent));
        EXPECT_TRUE(session->close_input());
      });
      std::string out;
      std::string err;
      const auto code = copy_output(*session, {.out = [&](std::string_view bytes) -> Result<void> {
                                                 out.append(bytes);
                                                 return {};
                                               },
                                               .err = [&](std::string_view bytes) -> Result<void> {
                                                 err.append(bytes);
                                                 return {};
                                               }});
      EXPECT_EQ(text_of(code), "0");
      EXPECT_TRUE((stream == "out" ? out : err) == sent) << stream << " " << size;
      EXPECT_EQ((stream == "out" ? err : out), "");
    }
  }
}

TEST_F(RemoteCommand, EXEC_02_V5IsNegotiatedByDefaultAndOthersOnRequest) {
  serve(succeed,
        {"v5.channel.k8s.io", "v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io"});
  Result<Session> session = open(options());
  ASSERT_TRUE(session) << session.error().to_string();
  EXPECT_EQ(session->protocol(), "v5.channel.k8s.io");
  for (const std::string protocol :
       {"v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io"}) {
    Result<Session> older = open(options(), {.protocols = {protocol}});
    ASSERT_TRUE(older) << older.error().to_string();
    EXPECT_EQ(older->protocol(), protocol);
    EXPECT_THAT(older->close_input().error().message(), HasSubstr("can't close stdin"));
  }
}

TEST_F(RemoteCommand, EXEC_03_AServerWithoutTheOfferedProtocolIsABadHandshake) {
  server = std::make_unique<WebSocketServer>(
      WebSocketServer::Options{.refusal = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"},
      [](WebSocketPeer&) {});
  const Result<Session> session = open(options(), {.protocols = {"v4.channel.k8s.io"}});
  ASSERT_FALSE(session);
  EXPECT_THAT(session.error().to_string(), HasSubstr("bad handshake"));
}

TEST_F(RemoteCommand, TRN_47_ARefusalIsTheServersStatusOrItsText) {
  const std::string status =
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404,)"
      R"("message":"pods \"front-0\" not found"})";
  server = std::make_unique<WebSocketServer>(
      WebSocketServer::Options{.refusal = "HTTP/1.1 404 Not Found\r\nContent-Type: application/json"
                                          "\r\nContent-Length: " +
                                          std::to_string(status.size()) + "\r\n\r\n" + status},
      [](WebSocketPeer&) {});
  const Result<Session> refused = open(options());
  ASSERT_FALSE(refused);
  EXPECT_TRUE(is_not_found(refused.error()));
  EXPECT_THAT(refused.error().to_string(), HasSubstr("unable to upgrade streaming request"));
  EXPECT_THAT(refused.error().to_string(), HasSubstr("pods \"front-0\" not found"));

  server = std::make_unique<WebSocketServer>(
      WebSocketServer::Options{.refusal = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n welcome"},
      [](WebSocketPeer&) {});
  const Result<Session> text = open(options());
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().to_string(),
              HasSubstr("unable to upgrade streaming request: websocket: bad handshake (200): "
                        "welcome"));
}

TEST_F(RemoteCommand, TheExitCodeComesAfterAllOutput) {
  serve([](WebSocketPeer& peer) {
    peer.write(channel(1, "a"));
    peer.write(channel(2, "b"));
    peer.write(channel(1, ""));
    peer.write(channel(3, R"({"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[)"
                          R"({"reason":"ExitCode","message":"42"}]}})"));
    peer.close(1000);
  });
  Result<Session> session = open(options());
  ASSERT_TRUE(session) << session.error().to_string();
  EXPECT_EQ(text_of(session->exit_code()),
            "the exit code is known after next() has returned the end of the output");
  EXPECT_THAT(rest_of(*session), ElementsAre("out:a", "err:b", "out:"));
  EXPECT_EQ(text_of(session->exit_code()), "42");
  EXPECT_EQ(exit_code_text(42), "command terminated with exit code 42");
}

TEST_F(RemoteCommand, EXEC_08_OddMessagesAreErrorsOrDropped) {
  serve([](WebSocketPeer& peer) {
    peer.write(channel(9, "dropped"));
    peer.write(channel(9, "again"));
    peer.write(channel(1, "kept"));
    succeed(peer);
  });
  Result<Session> unknown = open(options());
  ASSERT_TRUE(unknown) << unknown.error().to_string();
  EXPECT_THAT(rest_of(*unknown), ElementsAre("out:kept"));
  EXPECT_THAT(logger->lines(), ::testing::Contains(HasSubstr("unknown stream id")).Times(1));

  serve([](WebSocketPeer& peer) {
    peer.write("");
    (void)peer.read();
  });
  Result<Session> empty = open(options());
  ASSERT_TRUE(empty) << empty.error().to_string();
  EXPECT_THAT(rest_of(*empty), ElementsAre());
  EXPECT_THAT(text_of(empty->exit_code()), HasSubstr("read stream id"));

  serve([](WebSocketPeer& peer) {
    peer.write_text("text");
    (void)peer.read();
  });
  Result<Session> text = open(options());
  ASSERT_TRUE(text) << text.error().to_string();
  EXPECT_THAT(rest_of(*text), ElementsAre());
  EXPECT_THAT(text_of(text->exit_code()), HasSubstr("unexpected message type: 1"));
}

TEST_F(RemoteCommand, EXEC_09_ANormalCloseIsTheEndAndOthersAreErrors) {
  serve([](WebSocketPeer& peer) { peer.close(1000); });
  Result<Session> normal = open(options());
  ASSERT_TRUE(normal) << normal.error().to_string();
  EXPECT_THAT(rest_of(*normal), ElementsAre());
  EXPECT_EQ(text_of(normal->exit_code()), "0");

  serve([](WebSocketPeer& peer) { peer.close(1011, "kubelet went away"); });
  Result<Session> broken = open(options());
  ASSERT_TRUE(broken) << broken.error().to_string();
  EXPECT_THAT(rest_of(*broken), ElementsAre());
  EXPECT_THAT(text_of(broken->exit_code()),
              HasSubstr("next reader: websocket: close 1011: kubelet went away"));
}

TEST_F(RemoteCommand, EXEC_10_WritesAndClosesOfAClosedStreamAreErrors) {
  serve([](WebSocketPeer& peer) {
    while (const auto message = peer.read()) {
    }
  });
  Result<Session> session = open(options());
  ASSERT_TRUE(session) << session.error().to_string();
  EXPECT_TRUE(session->close_input());
  EXPECT_EQ(session->write("late").error().message(), "write on closed stream 0");
  EXPECT_EQ(session->close_input().error().message(), "Close() on already closed stream 0");
}

TEST_F(RemoteCommand, StreamsThatWereNotRequestedAreRefused) {
  serve(succeed);
  Result<Session> session = open(options(false));
  ASSERT_TRUE(session) << session.error().to_string();
  EXPECT_THAT(session->write("x").error().message(), HasSubstr("no stdin"));
  EXPECT_THAT(session->close_input().error().message(), HasSubstr("no stdin"));
  EXPECT_THAT(session->resize({80, 24}).error().message(), HasSubstr("no terminal"));
}

TEST_F(RemoteCommand, EXEC_12_AStopEndsEveryWait) {
  std::promise<void> opened;
  serve([&](WebSocketPeer& peer) {
    opened.set_value();
    while (peer.read()) {
    }
  });
  std::stop_source stop;
  Result<Session> session = open(options(), {}, stop.get_token());
  ASSERT_TRUE(session) << session.error().to_string();
  opened.get_future().wait();
  std::stop_source only_next;
  only_next.request_stop();
  EXPECT_EQ(session->next(only_next.get_token()).value().error().code(), ErrorCode::Cancelled);
  stop.request_stop();
  EXPECT_THAT(rest_of(*session), ElementsAre());
  EXPECT_EQ(session->exit_code().error().code(), ErrorCode::Cancelled);

  std::stop_source before;
  before.request_stop();
  const Result<Session> never = open(options(), {}, before.get_token());
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().code(), ErrorCode::Cancelled);
}

TEST_F(RemoteCommand, EXEC_13_ATerminalHasNoStderr) {
  std::string target;
  std::promise<std::string> resized;
  serve([&](WebSocketPeer& peer) {
    target = peer.target();
    resized.set_value(peer.read().value_or("none"));
    succeed(peer);
  });
  Result<Session> session = open(options(true, true));
  ASSERT_TRUE(session) << session.error().to_string();
  EXPECT_TRUE(session->resize({.width = 80, .height = 24}));
  EXPECT_EQ(resized.get_future().get(), channel(4, "{\"Width\":80,\"Height\":24}\n"));
  EXPECT_THAT(target, HasSubstr("stdin=true&stdout=true&tty=true"));
  EXPECT_THAT(target, ::testing::Not(HasSubstr("stderr")));
}

TEST_F(RemoteCommand, EXEC_14_TheInputIsClosedOnce) {
  std::vector<std::string> seen;
  serve([&](WebSocketPeer& peer) {
    while (const auto message = peer.read()) {
      seen.push_back(*message);
      if (*message == kInputClosed) break;
    }
    peer.write(channel(1, "done"));
    succeed(peer);
    while (const auto message = peer.read()) seen.push_back(*message);
  });
  {
    Result<Session> session = open(options());
    ASSERT_TRUE(session) << session.error().to_string();
    EXPECT_TRUE(session->write("in"));
    EXPECT_TRUE(session->close_input());
    EXPECT_FALSE(session->close_input());
    EXPECT_THAT(rest_of(*session), ElementsAre("out:done"));
  }
  server.reset();
  EXPECT_THAT(seen, ElementsAre(channel(0, "in"), kInputClosed));

  serve([&](WebSocketPeer& peer) {
    peer.write(kInputClosed);  // the command has closed its input
    peer.write(channel(1, "closed"));
    (void)peer.read();
    succeed(peer);
  });
  Result<Session> session = open(options());
  ASSERT_TRUE(session) << session.error().to_string();
  EXPECT_EQ(session->next().value().value().bytes, "closed");
  EXPECT_EQ(session->write("late").error().message(), "write on closed stream 0");
}

TEST_F(RemoteCommand, EXEC_15_AFailedSinkDoesNotStopTheOutput) {
  std::promise<void> all_written;
  serve([&](WebSocketPeer& peer) {
    for (int i = 0; i < 50; ++i) peer.write(channel(1, std::string(100'000, 'x')));
    all_written.set_value();
    succeed(peer);
  });
  Result<Session> session = open(options());
  ASSERT_TRUE(session) << session.error().to_string();
  int calls = 0;
  const auto code = copy_output(*session, {.out = [&](std::string_view) -> Result<void> {
    ++calls;
    return Error(ErrorCode::Internal, "the disk is full");
  }});
  EXPECT_EQ(text_of(code), "the disk is full");
  EXPECT_EQ(calls, 1);
  all_written.get_future().wait();
}

TEST_F(RemoteCommand, OutputThatIsNotReadStopsTheServer) {
  std::atomic<int> written{0};
  serve([&](WebSocketPeer& peer) {
    for (int i = 0; i < 500; ++i) {
      peer.write(channel(1, std::string(100'000, 'x')));
      ++written;
    }
    succeed(peer);
  });
  Result<Session> session = open(options());
  ASSERT_TRUE(session) << session.error().to_string();
  EXPECT_EQ(session->next().value().value().bytes.size(), 100'000U);
  EXPECT_LT(written.load(), 400);
  EXPECT_EQ(rest_of(*session).size(), 499U);
  EXPECT_EQ(text_of(session->exit_code()), "0");
}

// A proxy that makes tunnels to 127.0.0.1, whatever the host, and notes the requests for them.
class TunnelProxy {
 public:
  explicit TunnelProxy(std::optional<transport::ServerTls> tls)
      : scheme_(tls ? "https" : "http"),
        server_([this](transport::Peer& peer) { serve(peer); }, {.tls = std::move(tls)}) {}
  std::string url() const { return scheme_ + "://127.0.0.1:" + std::to_string(server_.port()); }
  int tunnels() const { return tunnels_; }

 private:
  void serve(transport::Peer& peer) {
    const auto request = peer.read_request();
    if (!request || request->method != "CONNECT") return;
    ++tunnels_;
    peer.write("HTTP/1.1 200 Connection established\r\n\r\n");
    peer.forward_to(std::stoi(request->target.substr(request->target.find(':') + 1)));
  }
  const std::string scheme_;
  std::atomic<int> tunnels_{0};
  transport::LoopbackServer server_;
};

TEST_F(RemoteCommand, EXEC_18_ThroughHttpAndHttpsProxies) {
  const transport::TestAuthority authority("kube test CA");
  const transport::ServerTls tls{.certificate = authority.server({"127.0.0.1"})};
  serve([](WebSocketPeer& peer) {
    while (const auto message = peer.read()) {
      if (*message == kInputClosed) return succeed(peer);
      peer.write(channel(1, std::string_view(*message).substr(1)));
    }
  });
  const std::string plain = server->url("");
  const int port = std::stoi(plain.substr(plain.rfind(':') + 1));
  transport::LoopbackServer secured([&](transport::Peer& peer) { peer.forward_to(port); },
                                    {.tls = tls});
  TunnelProxy http(std::nullopt);
  TunnelProxy https(tls);
  const auto run_through = [&](TunnelProxy& proxy, const std::string& host,
                               const transport::TestAuthority& trusted) {
    const RestClient proxied = RestClient::create({.host = host,
                                                   .tls = {.ca = {.data = trusted.certificate()}},
                                                   .proxy_url = proxy.url()},
                                                  {.executor = pool, .logger = logger})
                                   .value();
    Result<Session> session = exec(proxied, "web", "front-0", options());
    if (!session) return std::vector<std::string>{session.error().to_string()};
    EXPECT_TRUE(session->write("the input"));
    EXPECT_TRUE(session->close_input());
    return rest_of(*session);
  };
  for (TunnelProxy* proxy : {&http, &https}) {
    for (const std::string& host : {plain, secured.url("")}) {
      const int before = proxy->tunnels();
      EXPECT_THAT(run_through(*proxy, host, authority), ElementsAre("out:the input"))
          << proxy->url() << " " << host;
      EXPECT_EQ(proxy->tunnels(), before + 1);
    }
  }
  // A proxy that can't be used differs from a server that refuses: its error names the proxy.
  const transport::TestAuthority stranger("another CA");
  EXPECT_THAT(run_through(https, plain, stranger),
              ElementsAre(HasSubstr("through the proxy " + https.url() + ": SSL certificate")));
}

TEST_F(RemoteCommand, EXEC_20_AServerThatGoesEndsABlockedClient) {
  std::promise<void> opened;
  serve([&](WebSocketPeer& peer) {
    opened.set_value();
    (void)peer.read();
  });
  Result<Session> session = open(options());
  ASSERT_TRUE(session) << session.error().to_string();
  std::jthread closer([&] {
    opened.get_future().wait();
    server.reset();
  });
  EXPECT_THAT(rest_of(*session), ElementsAre());
  EXPECT_THAT(text_of(session->exit_code()), HasSubstr("next reader: websocket: close 1006"));
}

TEST_F(RemoteCommand, EXEC_21_MessagesOfSeveralThreadsStayWhole) {
  constexpr std::size_t kWrites = 200;
  std::vector<std::string> seen;
  std::promise<void> done;
  serve([&](WebSocketPeer& peer) {
    while (seen.size() < 3 * kWrites) {
      auto message = peer.read();
      if (!message) break;
      seen.push_back(*std::move(message));
    }
    done.set_value();
    succeed(peer);
  });
  Result<Session> session = open(options(true, true));
  ASSERT_TRUE(session) << session.error().to_string();
  {
    std::vector<std::jthread> threads;
    for (const char letter : {'a', 'b'}) {
      threads.emplace_back([&session, letter] {
        for (std::size_t i = 0; i < kWrites; ++i) {
          EXPECT_TRUE(session->write(std::string(1'000, letter)));
        }
      });
    }
    threads.emplace_back([&session] {
      for (std::size_t i = 0; i < kWrites; ++i) EXPECT_TRUE(session->resize({1, 2}));
    });
  }
  done.get_future().wait();
  ASSERT_EQ(seen.size(), 3 * kWrites);
  for (const std::string& message : seen) {
    const bool whole = message == channel(0, std::string(1'000, 'a')) ||
                       message == channel(0, std::string(1'000, 'b')) ||
                       message == channel(4, "{\"Width\":1,\"Height\":2}\n");
    EXPECT_TRUE(whole) << message.substr(0, 20);
  }
}

TEST_F(RemoteCommand, AttachNeedsNoCommand) {
  std::string target;
  serve([&](WebSocketPeer& peer) {
    target = peer.target();
    succeed(peer);
  });
  Result<Session> session = attach(client(), "web", "front-0", {.stdout = true});
  ASSERT_TRUE(session) << session.error().to_string();
  EXPECT_THAT(rest_of(*session), ElementsAre());
  EXPECT_EQ(target, "/api/v1/namespaces/web/pods/front-0/attach?stdout=true");
}

TEST_F(RemoteCommand, WrongArgumentsAreNamed) {
  serve(succeed);
  core::v1::PodExecOptions no_command{.stdout = true};
  EXPECT_EQ(open(no_command).error().to_string(),
            "exec pods/exec \"front-0\" in namespace \"web\": expected a command");
  core::v1::PodExecOptions no_stream;
  no_stream.command = {"ls"};
  EXPECT_THAT(open(no_stream).error().to_string(), HasSubstr("at least one of stdin"));
  EXPECT_THAT(open(options(), {.protocols = {}}).error().to_string(),
              HasSubstr("expected a protocol to offer"));
  EXPECT_THAT(exec(client(), "web", "", options()).error().to_string(),
              HasSubstr("pod name may not be empty"));
  EXPECT_THAT(exec(client(), "web", "a/b", options()).error().to_string(), HasSubstr("a/b"));
}

}  // namespace
}  // namespace kube::remotecommand
