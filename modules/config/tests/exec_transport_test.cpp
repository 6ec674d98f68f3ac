// SPDX-License-Identifier: Apache-2.0
//
// Requests whose credentials come from a plugin that is a real program.
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/config/transport_for.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/fake_clock.hpp>
#include <kube/testing/round_trip.hpp>
#include <kube/testing/scripted_transport.hpp>
#include <kube/transport/connection_retired.hpp>
#include <kube/transport/exchange_failure.hpp>

#include "auth/exec_source.hpp"
#include "auth/source_transport.hpp"
#include "http2_server.hpp"
#include "loopback_server.hpp"
#include "plugin_folder.hpp"
#include "recording.hpp"
#include "tls_file.hpp"

namespace kube::rest {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::ScriptedCall;
using testing::ScriptedTransport;
using transport::body_or_error;
using transport::error_text;

class CountingMetrics final : public metrics::Provider {
 public:
  struct Value final : metrics::CounterImpl, metrics::GaugeImpl {
    void add(double amount) override { value = value + amount; }
    void set(double to) override { value = to; }
    std::atomic<double> value{0};
  };
  std::shared_ptr<metrics::CounterImpl> counter(std::string_view name,
                                                const metrics::Labels& labels) override {
    return series(name, labels);
  }
  std::shared_ptr<metrics::GaugeImpl> gauge(std::string_view name,
                                            const metrics::Labels& labels) override {
    return series(name, labels);
  }
  std::shared_ptr<metrics::HistogramImpl> histogram(std::string_view,
                                                    const metrics::Labels&) override {
    return nullptr;
  }
  double value(const std::string& series) {
    const std::lock_guard lock(mutex_);
    const auto found = series_.find(series);
    return found == series_.end() ? -1 : found->second->value.load();
  }

 private:
  std::shared_ptr<Value> series(std::string_view name, const metrics::Labels& labels) {
    std::string text(name);
    for (const auto& [label, value] : labels) text += " " + label + "=" + value;
    const std::lock_guard lock(mutex_);
    auto& found = series_[text];
    if (!found) found = std::make_shared<Value>();
    return found;
  }
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Value>> series_;
};

class ExecTransport : public ::testing::Test {
 protected:
  Config config() const { return {.host = "https://h", .exec_provider = folder.config()}; }
  std::shared_ptr<transport::RoundTripper> make(const Config& config) {
    auto made = transport_for(config, runtime, base);
    EXPECT_TRUE(made) << error_text(made);
    return made ? *made : nullptr;
  }
  // The Authorization header that reached the server, or the error.
  std::string sent_by(transport::RoundTripper& transport, int status = 200,
                      transport::Headers headers = {}) {
    base->once("", "/", [status](ScriptedCall call) { call.respond(status, "answer"); });
    const auto response =
        testing::round_trip(transport, {.url = "https://h/", .headers = std::move(headers)}, {});
    if (!response) return response.error().to_string();
    EXPECT_EQ(response->status, status);
    EXPECT_EQ(response->body, "answer");
    const auto requests = base->requests();
    return std::string(requests.back().headers.find("Authorization").value_or("none"));
  }
  std::string sent(const Config& config) { return sent_by(*make(config)); }
  bool runs_reach(long runs) {
    return testing::eventually([&] { return folder.runs() >= runs; });
  }

  PluginFolder folder;
  std::shared_ptr<testing::FakeClock> clock = std::make_shared<testing::FakeClock>();
  std::shared_ptr<CountingMetrics> metrics = std::make_shared<CountingMetrics>();
  std::shared_ptr<ThreadPool> executor =
      std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 2, .clock = clock});
  Runtime runtime{.executor = executor, .metrics = metrics};
  std::shared_ptr<ScriptedTransport> base = std::make_shared<ScriptedTransport>();
};

TEST_F(ExecTransport, AUTH_02_EqualPluginsAndClustersShareCredentialsAndOthersDoNot) {
  folder.print_token("abc");
  Config plain = config();
  plain.exec_provider->provide_cluster_info = true;
  plain.exec_provider->config = R"({"a":1})";
  const auto source = [&](const Config& config) { return exec_source(config, runtime).value(); };
  EXPECT_EQ(source(plain), source(plain));
  Config same = plain;
  same.user_agent = "other";
  EXPECT_EQ(source(plain), source(same));

  const auto differs = [&](const std::function<void(Config&)>& change) {
    Config other = plain;
    change(other);
    return source(other) != source(plain);
  };
  EXPECT_TRUE(differs([](Config& c) { c.exec_provider->command += "2"; }));
  EXPECT_TRUE(differs([](Config& c) { c.exec_provider->args = {"x"}; }));
  EXPECT_TRUE(differs([](Config& c) { c.exec_provider->env = {{"A", "b"}}; }));
  EXPECT_TRUE(differs(
      [](Config& c) { c.exec_provider->api_version = "client.authentication.k8s.io/v1beta1"; }));
  EXPECT_TRUE(differs([](Config& c) { c.host = "https://other"; }));
  EXPECT_TRUE(differs([](Config& c) { c.exec_provider->config = R"({"a":2})"; }));
  EXPECT_TRUE(differs([](Config& c) { c.exec_provider->provide_cluster_info = false; }));
  EXPECT_TRUE(
      differs([](Config& c) { c.exec_provider->interactive_mode = ExecInteractiveMode::Always; }));
  EXPECT_TRUE(differs([](Config& c) { c.exec_provider->stdin_unavailable = true; }));
  EXPECT_TRUE(
      differs([](Config& c) { c.exec_provider->policy.type = ExecPluginPolicy::Type::DenyAll; }));

  EXPECT_EQ(sent(plain), "Bearer abc");
  folder.print_token("def");
  EXPECT_EQ(sent(plain), "Bearer abc") << "another transport, the same credentials";
  EXPECT_EQ(folder.runs(), 1);
}

TEST_F(ExecTransport, AUTH_06_FailuresReachTheCallerWithAPrefix) {
  folder.print(R"({"kind":"ExecCredential","status":{"token":"secret"}})");
  const auto transport = make(config());
  EXPECT_THAT(sent_by(*transport),
              HasSubstr("getting credentials: exec: " + folder.command() + ": decoding stdout: "));
  EXPECT_THAT(sent_by(*transport), ::testing::Not(HasSubstr("secret")));
  folder.print_status({{"token", "secret"}}, "client.authentication.k8s.io/v1beta1");
  EXPECT_THAT(sent_by(*transport),
              HasSubstr("getting credentials: exec: " + folder.command() +
                        ": exec plugin is configured to use API version "
                        "client.authentication.k8s.io/v1, plugin returned version "
                        "client.authentication.k8s.io/v1beta1"));
  folder.print_status({});
  EXPECT_THAT(sent_by(*transport), HasSubstr(": exec plugin didn't return"));
  Config missing = config();
  missing.exec_provider->command = "no-such-plugin";
  EXPECT_THAT(sent(missing), HasSubstr("getting credentials: exec: executable no-such-plugin"));
  Config failing = config();
  failing.exec_provider->command = folder.script("failing", "exit 3");
  EXPECT_THAT(sent(failing), HasSubstr("failed with exit code 3"));
}

TEST_F(ExecTransport, AUTH_07_AnExpiredTokenIsRefreshedWithoutARefusal) {
  folder.print_token("one", "2026-01-01T00:00:20Z");
  const auto transport = make(config());
  EXPECT_EQ(sent_by(*transport), "Bearer one");
  folder.print_token("two", "2026-01-01T00:00:40Z");
  clock->advance(20s);
  EXPECT_EQ(sent_by(*transport), "Bearer one");
  clock->advance(1s);
  EXPECT_EQ(sent_by(*transport), "Bearer two");
  folder.print_token("three", "2025-01-01T00:00:00Z");
  clock->advance(20s);
  EXPECT_EQ(sent_by(*transport), "Bearer three") << "used once, though it has expired";
  folder.print_token("four");
  EXPECT_EQ(sent_by(*transport), "Bearer four");
  clock->advance(10'000h);
  EXPECT_EQ(sent_by(*transport), "Bearer four") << "never expires";
  EXPECT_EQ(folder.runs(), 4);
}

TEST_F(ExecTransport, AUTH_08_ATokenIsUsedAgainWhateverThePluginWouldSay) {
  folder.print_token("one");
  const auto transport = make(config());
  EXPECT_EQ(sent_by(*transport), "Bearer one");
  folder.print_token("two");
  EXPECT_EQ(sent_by(*transport), "Bearer one");
  EXPECT_EQ(folder.runs(), 1);
}

TEST_F(ExecTransport, AUTH_09_ARefusalIsPassedOnAndTheNextRequestHasANewToken) {
  folder.print_token("one");
  const auto transport = make(config());
  EXPECT_EQ(sent_by(*transport), "Bearer one");
  folder.print_token("two");
  EXPECT_EQ(sent_by(*transport, 401), "Bearer one");
  EXPECT_TRUE(runs_reach(2)) << "without another request";
  EXPECT_EQ(sent_by(*transport), "Bearer two");
  EXPECT_EQ(folder.runs(), 2);

  // A late refusal of the first token refreshes nothing: newer credentials are there.
  std::optional<ScriptedCall> late;
  base->once("", "/late", [&](ScriptedCall call) { late = std::move(call); });
  const auto handler = std::make_shared<transport::Recording>();
  transport->start({.url = "https://h/late"}, handler, {});
  folder.print_token("three");
  EXPECT_EQ(sent_by(*transport, 401), "Bearer two");
  EXPECT_EQ(sent_by(*transport), "Bearer three");
  late->respond(401);
  EXPECT_EQ(sent_by(*transport), "Bearer three");
  EXPECT_EQ(folder.runs(), 3);
}

TEST_F(ExecTransport, AUTH_10_ARequestWithCredentialsDoesNotRunThePlugin) {
  folder.print_token("one");
  EXPECT_EQ(sent_by(*make(config()), 200, {{"Authorization", "Mine"}}), "Mine");
  EXPECT_EQ(folder.runs(), 0);
}

TEST_F(ExecTransport, AUTH_11_ConfiguredCredentialsTakePrecedence) {
  folder.print_token("one");
  Config token = config();
  token.bearer_token = "mine";
  EXPECT_EQ(sent(token), "Bearer mine");
  Config basic = config();
  basic.username = "user";
  EXPECT_EQ(sent(basic), "Basic dXNlcjo=");
  Config certificate = config();
  certificate.tls.certificate.data = "certificate";
  certificate.tls.key.data = "key";
  EXPECT_EQ(sent(certificate), "none");
  EXPECT_EQ(folder.runs(), 0);
}

TEST_F(ExecTransport, AUTH_13_CertificatesOfThePluginAreUsedAndTheirChangeRetiresConnections) {
  const transport::TestAuthority authority("CA");
  std::atomic<int> connections{0};
  transport::LoopbackServer server(
      [&](transport::Peer& peer) {
        const std::string name = peer.client_name();
        ++connections;
        transport::http2([&name](const transport::Http2Request& request) {
          if (request.path == "/watch") return transport::Http2Answer{.body = name, .open = true};
          return transport::Http2Answer{.status = request.path == "/refused" ? 401 : 200,
                                        .body = name};
        })(peer);
      },
      {.tls = transport::ServerTls{.certificate = authority.server({"127.0.0.1"}),
                                   .client_ca = authority.certificate(),
                                   .protocols = {"h2"}}});
  const transport::PemPair alice = authority.client("alice");
  const transport::PemPair bob = authority.client("bob");
  const auto print = [&](const transport::PemPair& pair, const std::string& token) {
    folder.print_status({{"token", token},
                         {"clientCertificateData", pair.certificate},
                         {"clientKeyData", pair.key}});
  };
  Config config = this->config();
  config.host = server.url();
  config.tls.ca.data = authority.certificate();
  auto transport = transport_for(config, runtime);
  ASSERT_TRUE(transport) << error_text(transport);
  const auto get = [&](const std::string& path) {
    return body_or_error(testing::round_trip(**transport, {.url = server.url(path)}, {}));
  };
  print(alice, "one");
  EXPECT_EQ(get("/"), "alice");
  const auto watch = std::make_shared<transport::Recording>();
  (*transport)->start({.url = server.url("/watch"), .is_watch = true}, watch, {});
  EXPECT_EQ(watch->await_body(5), "alice");

  print(alice, "two");
  EXPECT_EQ(get("/refused"), "alice");
  EXPECT_TRUE(runs_reach(2));
  EXPECT_EQ(get("/"), "alice");
  EXPECT_EQ(connections, 1) << "another token closes nothing";
  EXPECT_FALSE(watch->ended());

  print(bob, "two");
  EXPECT_EQ(get("/refused"), "alice");
  EXPECT_TRUE(runs_reach(3));
  EXPECT_EQ(get("/"), "bob");
  EXPECT_EQ(watch->await_end(), ErrorCode::Unreachable);
  EXPECT_EQ(connections, 2);
}

// The callback for certificates of client-go's transport is the source of a plugin's here.
TEST_F(ExecTransport, TRN_08_CertificatesOfTheSourceTheirErrorNoneAndThoseOfTheConfig) {
  const transport::TestAuthority authority("CA");
  const auto serve = [&](const std::string& client_ca) {
    return std::make_unique<transport::LoopbackServer>(
        [](transport::Peer& peer) {
          const std::string name = peer.client_name();
          while (peer.read_request()) {
            peer.write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(name.size() + 2) +
                       "\r\n\r\n<" + name + ">");
          }
        },
        transport::LoopbackServer::Options{
            .tls = transport::ServerTls{.certificate = authority.server({"127.0.0.1"}),
                                        .client_ca = client_ca},
            .linger = true});
  };
  const auto demanding = serve(authority.certificate());
  const auto undemanding = serve("");
  const auto get = [&](const transport::LoopbackServer& server, const Config& config) {
    const auto made = transport_for(config, runtime);
    if (!made) return made.error().to_string();
    return body_or_error(testing::round_trip(**made, {.url = server.url()}, {}));
  };
  int plugins = 0;
  const auto with_plugin = [&](const std::string& body) {
    Config config = this->config();
    config.tls.ca.data = authority.certificate();
    config.exec_provider->command = folder.script("plugin-" + std::to_string(++plugins), body);
    return config;
  };
  const std::string print = "cat \"$(dirname \"$0\")/answer\"\n";
  const transport::PemPair alice = authority.client("alice");
  folder.print_status({{"clientCertificateData", alice.certificate}, {"clientKeyData", alice.key}});
  EXPECT_EQ(get(*demanding, with_plugin(print)), "<alice>");

  EXPECT_THAT(get(*demanding, with_plugin("exit 3\n")), HasSubstr("getting credentials: "));

  folder.print_token("abc");
  EXPECT_EQ(get(*undemanding, with_plugin(print)), "<>") << "no certificate is shown";
  const auto refused = get(*demanding, with_plugin(print));
  EXPECT_THAT(refused, HasSubstr("certificate"));

  const transport::PemPair bob = authority.client("bob");
  folder.print_status({{"clientCertificateData", alice.certificate}, {"clientKeyData", alice.key}});
  for (const std::string& body : {print, std::string("exit 3\n")}) {
    Config fixed = with_plugin(body);
    fixed.tls.certificate.data = bob.certificate;
    fixed.tls.key.data = bob.key;
    EXPECT_EQ(get(*demanding, fixed), "<bob>");
  }
}

// Connections, one for each request, to a server that names its client. The CA is a file.
TEST_F(ExecTransport, ABrokenCaFileDoesNotStopRequestsWhenThePluginRunsAgain) {
  const transport::TestAuthority authority("CA");
  transport::LoopbackServer server(
      [](transport::Peer& peer) {
        const std::string name = peer.client_name();
        while (const auto request = peer.read_request()) {
          peer.write("HTTP/1.1 " +
                     std::string(request->target == "/refused" ? "401 Unauthorized" : "200 OK") +
                     "\r\nContent-Length: " + std::to_string(name.size() + 2) + "\r\n\r\n<" + name +
                     ">");
        }
      },
      {.tls = transport::ServerTls{.certificate = authority.server({"127.0.0.1"}),
                                   .client_ca = authority.certificate(),
                                   .client_is_optional = true}});
  const transport::TlsFile ca("plugin-ca.crt", authority.certificate());
  Config config = this->config();
  config.host = server.url();
  config.tls.ca.file = ca.path();
  const auto transport = transport_for(config, runtime);
  ASSERT_TRUE(transport) << error_text(transport);
  const auto get = [&](const std::string& path) {
    return body_or_error(testing::round_trip(**transport, {.url = server.url(path)}, {}));
  };
  folder.print_token("one");
  EXPECT_EQ(get("/refused"), "<>");
  EXPECT_TRUE(runs_reach(2));
  ca.replace("garbage");
  folder.print_token("two");
  EXPECT_EQ(get("/refused"), "<>");
  EXPECT_TRUE(runs_reach(3));
  EXPECT_EQ(get("/"), "<>");
  ca.replace("");
  for (const std::string name : {"alice", "bob"}) {
    const transport::PemPair pair = authority.client(name);
    folder.print_status({{"clientCertificateData", pair.certificate}, {"clientKeyData", pair.key}});
    const long runs = folder.runs();
    (void)get("/refused");
    EXPECT_TRUE(runs_reach(runs + 1));
    EXPECT_EQ(get("/"), "<" + name + ">");
  }
  EXPECT_EQ(folder.runs(), 5) << "no request failed and ran it again";
}

TEST_F(ExecTransport, ACertificateThatTheTransportCannotUseIsAnError) {
  const transport::PemPair alice = transport::TestAuthority("CA").client("alice");
  folder.print_status({{"clientCertificateData", alice.certificate}, {"clientKeyData", alice.key}});
  EXPECT_THAT(sent(config()), HasSubstr("which this transport can't use"));
}

TEST_F(ExecTransport, AUTH_24_CallsAndTheEarliestExpiryAreCounted) {
  const std::string calls = "rest_client_exec_plugin_call_total ";
  folder.print_token("abc");
  EXPECT_EQ(sent(config()), "Bearer abc");
  EXPECT_EQ(metrics->value(calls + "code=0 call_status=no_error"), 1);
  const std::string expiry = "rest_client_exec_plugin_certificate_expiration_timestamp_seconds";

  Config failing = config();
  failing.exec_provider->command = folder.script("failing", "exit 3");
  (void)sent(failing);
  EXPECT_EQ(metrics->value(calls + "code=3 call_status=plugin_execution_error"), 1);
  Config missing = config();
  missing.exec_provider->command = "no-such-plugin";
  (void)sent(missing);
  EXPECT_EQ(metrics->value(calls + "code=1 call_status=plugin_not_found_error"), 1);
  Config broken = config();
  broken.exec_provider->command = folder.script("broken", "");
  folder.directory().write("broken",
                           "\x7f"
                           "ELF");
  (void)sent(broken);
  EXPECT_EQ(metrics->value(calls + "code=1 call_status=client_internal_error"), 1);

  const transport::TestAuthority authority("CA");
  const auto now = [] {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  const double begin = now();
  for (const auto& [argument, lifetime] :
       {std::pair("long", 3600s), std::pair("short", 60s), std::pair("another", 600s)}) {
    const transport::PemPair pair = authority.client(argument, lifetime);
    folder.print_status({{"token", "abc"},
                         {"clientCertificateData", pair.certificate},
                         {"clientKeyData", pair.key}});
    Config other = config();
    other.exec_provider->args = {argument};
    (void)sent(other);
    const double shortest = lifetime < 1h ? 60 : 3600;
    EXPECT_LE(metrics->value(expiry), now() + shortest) << argument;
    if (lifetime < 1h) {
      EXPECT_GE(metrics->value(expiry), begin + shortest - 1) << argument << ", of whole seconds";
    }
  }
}

TEST_F(ExecTransport, AUTH_25_RequestsAtTheSameTimeRunThePluginOnce) {
  folder.print_token("abc");
  Config config = this->config();
  config.exec_provider->command =
      folder.script("slow",
                    "here=$(dirname \"$0\")\necho >> \"$here/runs\"\n"
                    "while ! test -e \"$here/go\"; do sleep 0.01; done\n"
                    "cat \"$here/answer\"\n");
  const auto transport = make(config);
  base->on("", "/", [](ScriptedCall call) { call.respond(200, "answer"); });
  std::vector<std::shared_ptr<transport::Recording>> handlers;
  for (int i = 0; i < 50; ++i) {
    handlers.push_back(std::make_shared<transport::Recording>());
    transport->start({.url = "https://h/"}, handlers.back(), {});
  }
  EXPECT_EQ(base->requests().size(), 0U) << "start() does not wait, and no request is sent early";
  ASSERT_TRUE(runs_reach(1));
  folder.directory().write("go", "");
  for (const auto& handler : handlers) EXPECT_EQ(handler->await_end(), std::nullopt);
  EXPECT_EQ(folder.runs(), 1);
  EXPECT_EQ(base->requests().size(), 50U);
}

TEST_F(ExecTransport, AStoppedRequestEndsAtOnceAndWithTheLastOneThePlugin) {
  Config config = this->config();
  config.exec_provider->command = folder.script("hanging",
                                                "here=$(dirname \"$0\")\necho >> \"$here/runs\"\n"
                                                "trap 'echo > \"$here/killed\"; exit 1' TERM\n"
                                                "while :; do sleep 0.01; done\n");
  const auto transport = make(config);
  std::stop_source stop;
  const auto first = std::make_shared<transport::Recording>();
  const auto second = std::make_shared<transport::Recording>();
  const auto third = std::make_shared<transport::Recording>();
  transport->start({.url = "https://h/"}, first, stop.get_token());
  const auto exchange = transport->start({.url = "https://h/"}, second, {});
  transport->start({.url = "https://h/", .timeout = 5s}, third, {});
  ASSERT_TRUE(runs_reach(1));
  stop.request_stop();
  EXPECT_EQ(first->await_end(), ErrorCode::Cancelled);
  exchange->cancel();
  EXPECT_EQ(second->await_end(), ErrorCode::Cancelled);
  EXPECT_FALSE(third->ended());
  clock->advance(5s);
  EXPECT_EQ(third->await_end(), ErrorCode::Timeout);
  EXPECT_THAT(third->await_error(),
              HasSubstr("getting credentials: exec: " + config.exec_provider->command +
                        ": the credentials were not there in time"));
  EXPECT_TRUE(testing::eventually([&] { return !folder.noted("killed").empty(); }));
  // The next request starts it again.
  folder.script("hanging", "cat \"$(dirname \"$0\")/answer\"");
  folder.print_token("abc");
  EXPECT_EQ(sent_by(*transport), "Bearer abc");
}

TEST_F(ExecTransport, AFailureOfThePluginIsNotOneOfTheRequest) {
  Config config = this->config();
  config.exec_provider->command = folder.script("failing", "exit 3");
  const auto response =
      testing::round_trip(*make(config), {.method = "DELETE", .url = "https://h/"}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(transport::exchange_failure(response.error()),
            transport::ExchangeFailure::NoCredentials);
}

TEST_F(ExecTransport, EachRefusalRunsThePluginOnce) {
  const auto transport = make(config());
  folder.print_token("token-1");
  EXPECT_EQ(sent_by(*transport), "Bearer token-1");
  for (int i = 1; i <= 5; ++i) {
    folder.print_token("token-" + std::to_string(i + 1));
    EXPECT_EQ(sent_by(*transport, 401), "Bearer token-" + std::to_string(i));
    EXPECT_EQ(sent_by(*transport), "Bearer token-" + std::to_string(i + 1));
    EXPECT_EQ(folder.runs(), i + 1);
  }
}

}  // namespace
}  // namespace kube::rest
