// SPDX-License-Identifier: Apache-2.0
#include <kube/certificate/manager.hpp>

#include <mutex>
#include <utility>

#include <gmock/gmock.h>

#include <kube/meta/errors.hpp>
#include <kube/testing/matchers.hpp>
#include <kube/testing/scripted_transport.hpp>

#include "manager_fixture.hpp"

namespace kube::certificate {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using testing::eventually;
using testing::FailsWith;
using testing::HasMessage;
using ::testing::HasSubstr;
using testing::ScriptedCall;
using testing::ScriptedTransport;

TEST_F(ManagerTest, CERT_10_RotatesBetween70And90PercentOfTheLifetime) {
  store->pair = ca.pair({.common_name = "node"}, {.lifetime = 100h, .clock = clock});
  for (const auto& [drawn, share] :
       {std::pair(0.0, 70h), std::pair(0.5, 80h), std::pair(0.999'999, 90h)}) {
    random = drawn;
    const auto manager = start(options());
    const Duration after =
        await_deadline(*manager).value_or(WallTime()) - store->pair->leaf().not_before();
    EXPECT_LT(after - share, 1s);
    EXPECT_GT(after - share, -1s);
  }
  EXPECT_EQ(attempts, 0);
}

TEST_F(ManagerTest, CERT_10_AMissingOrMismatchingCertificateRotatesAtOnce) {
  reachable = false;
  const RequestTemplate whole{.common_name = "node",
                              .organizations = {"nodes"},
                              .dns_names = {"a"},
                              .ip_addresses = {"10.0.0.1"}};
  int expected = 0;
  const auto rotates_with = [&](const Optional<RequestTemplate>& certificate) {
    store->pair = std::nullopt;
    if (certificate) store->pair = ca.pair(*certificate, {.lifetime = 100h, .clock = clock});
    ManagerOptions wanted = options();
    wanted.request = whole;
    const auto manager = start(std::move(wanted));
    await_attempts(++expected);
    manager->stop_and_wait();
    attempts = expected;
  };
  rotates_with(std::nullopt);
  for (const auto& less : {RequestTemplate{"other", {"nodes"}, {"a"}, {"10.0.0.1"}},
                           RequestTemplate{"node", {}, {"a"}, {"10.0.0.1"}},
                           RequestTemplate{"node", {"nodes"}, {"b"}, {"10.0.0.1"}},
                           RequestTemplate{"node", {"nodes"}, {"a"}, {"10.0.0.2"}}}) {
    rotates_with(less);
  }
}

TEST_F(ManagerTest, CERT_10_ExtraNamesDoNotRotate) {
  store->pair = ca.pair({"node", {"nodes", "more"}, {"a", "b"}, {"fd00::1", "10.0.0.1"}},
                        {.lifetime = 100h, .clock = clock});
  ManagerOptions wanted = options();
  wanted.request = {"node", {"nodes"}, {"b"}, {"FD00:0::1"}};
  const auto manager = start(std::move(wanted));
  EXPECT_TRUE(await_deadline(*manager));
  EXPECT_EQ(attempts, 0);
}

TEST_F(ManagerTest, CERT_11_AnExpiredCertificateIsReplacedByTheBootstrapPairAndRotated) {
  const KeyPair bootstrap =
      ca.pair({.common_name = "bootstrap"}, {.lifetime = 50h, .clock = clock});
  const auto with_bootstrap = [&] {
    ManagerOptions wanted = options();
    wanted.bootstrap_certificate = bootstrap.leaf().pem();
    wanted.bootstrap_key = bootstrap.key().pem();
    return wanted;
  };
  store->pair = ca.pair({.common_name = "node"}, {.lifetime = 1h, .clock = clock});
  EXPECT_EQ(Manager::create(with_bootstrap()).value()->current(), store->pair) << "it is valid";
  clock->advance(1h);
  ManagerOptions wanted = with_bootstrap();
  wanted.request = {.common_name = "bootstrap"};  // what it has would do
  const auto manager = Manager::create(std::move(wanted)).value();
  EXPECT_EQ(manager->current(), bootstrap);
  EXPECT_EQ(store->pair, bootstrap) << "it is stored";
  manager->start();
  approve_and_issue(await_request());
  EXPECT_TRUE(eventually([&] { return !(manager->current() == bootstrap); }));
  EXPECT_EQ(attempts, 1);
}

TEST_F(ManagerTest, CERT_11_ErrorsOfTheStoreAreFatalAndAnExpiredPairIsNone) {
  store->failure = Error(ErrorCode::Config, "the disk is on fire");
  EXPECT_THAT(Manager::create(options()), FailsWith(HasMessage("the disk is on fire")));
  store->failure.reset();
  EXPECT_FALSE(Manager::create(options()).value()->current()) << "none yet is no error";

  store->pair = ca.pair({.common_name = "node"}, {.lifetime = 1h, .clock = clock});
  const auto manager = Manager::create(options()).value();
  clock->advance(1h);
  EXPECT_TRUE(manager->current()) << "the last second";
  clock->advance(1s);
  EXPECT_FALSE(manager->current());
}

TEST_F(ManagerTest, CERT_12_FiveAttemptsWithBackoffThenOneEvery32Seconds) {
  reachable = false;
  const auto manager = start(options());
  int expected = 0;
  for (const Duration pause : {0s, 2s, 4s, 8s, 16s, 32s, 32s, 32s}) {
    if (pause > 0s) {
      ASSERT_TRUE(clock->await_deadline(clock->now() + pause)) << expected;
      EXPECT_EQ(attempts, expected);
      clock->advance(pause);
    }
    await_attempts(++expected);
  }
  reachable = true;
  ASSERT_TRUE(clock->await_deadline(clock->now() + 32s));
  clock->advance(32s);
  approve_and_issue(await_request());
  await_rotation_of(*manager, "node");
}

TEST_F(ManagerTest, CERT_12_AnAttemptWaits15MinutesForTheCertificate) {
  const auto manager = start(options());
  await_request();
  await_watch();
  clock->advance(15min - 1s);
  EXPECT_EQ(names().size(), 1U);
  clock->advance(1s);
  ASSERT_TRUE(clock->await_deadline(clock->now() + 2s));
  EXPECT_THAT(log->lines(), Contains(HasSubstr("timed out waiting for the condition")));
  clock->advance(2s);
  EXPECT_TRUE(eventually([&] { return names().size() == 2; })) << "a new key, a new request";
}

TEST_F(ManagerTest, CERT_12_AChangedTemplateEndsTheWait) {
  std::mutex mutex;
  std::string name = "first";
  ManagerOptions wanted = options();
  wanted.get_template = [&]() -> Optional<RequestTemplate> {
    const std::scoped_lock lock(mutex);
    return RequestTemplate{.common_name = name};
  };
  const auto manager = start(std::move(wanted));
  await_request();
  await_watch();
  {
    const std::scoped_lock lock(mutex);
    name = "second";
  }
  ASSERT_TRUE(clock->await_deadline(clock->now() + 1s));  // the look at the template
  clock->advance(1s);
  ASSERT_TRUE(clock->await_deadline(clock->now() + 2s)) << "the first wait is over";
  clock->advance(2s);
  ASSERT_TRUE(eventually([&] { return names().size() == 2; }));
  approve_and_issue(names().back());
  await_rotation_of(*manager, "second");

  // And while it waits for the next rotation.
  EXPECT_TRUE(clock->await_waiters(2));
  {
    const std::scoped_lock lock(mutex);
    name = "third";
  }
  EXPECT_TRUE(eventually([&] {
    clock->advance(1s);
    return names().size() == 3;
  }));
  approve_and_issue(names().back());
  await_rotation_of(*manager, "third");
}

TEST_F(ManagerTest, WithoutATemplateNothingIsRequested) {
  std::atomic<int> looks{0};
  ManagerOptions wanted = options();
  wanted.get_template = [&]() -> Optional<RequestTemplate> {
    if (++looks % 2 == 0) throw std::runtime_error("not yet");
    return std::nullopt;
  };
  const auto manager = start(std::move(wanted));
  EXPECT_TRUE(eventually([&] {
    clock->advance(1s);
    return looks > 10;
  }));
  EXPECT_EQ(attempts, 0);
  EXPECT_THAT(log->lines(), Contains(HasSubstr("get_template threw: not yet")));
}

TEST_F(ManagerTest, CERT_16_SomeErrorsOfTheServerAreHealthy) {
  const auto respond = [](int code, const std::string& reason) {
    return [=](ScriptedCall call) {
      call.respond(code, R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":")" +
                             reason + R"(","code":)" + std::to_string(code) + "}");
    };
  };
  const std::vector<std::pair<ScriptedTransport::Rule, bool>> cases = {
      {respond(401, "Unauthorized"), true},
      {respond(500, "InternalError"), false},
      {respond(403, "Forbidden"), true},
      {[](ScriptedCall call) { call.refuse(); }, false},
      {respond(404, "NotFound"), true},
      {[](ScriptedCall call) {
         call.respond(502, "<html>a proxy</html>", {{"Content-Type", "text/html"}});
       },
       false},
  };
  for (const auto& [rule, healthy] : cases) {
    const auto transport = std::make_shared<ScriptedTransport>();
    transport->on("", "*", rule);
    ClientOptions scripted;
    scripted.runtime.executor = pool;
    scripted.transport = transport;
    ManagerOptions wanted = options();
    wanted.client = [&](const Optional<KeyPair>&) {
      return Client::create({.host = "https://h"}, scripted);
    };
    log->take_lines();
    const auto manager = start(std::move(wanted));
    EXPECT_FALSE(manager->server_healthy() && !healthy);
    EXPECT_TRUE(clock->await_deadline(clock->now() + 2s)) << "the first attempt has failed";
    EXPECT_EQ(manager->server_healthy(), healthy) << ::testing::PrintToString(log->lines());
    transport->stop();
  }
  const auto manager = start(options());
  EXPECT_FALSE(manager->server_healthy()) << "nothing is known yet";
  approve_and_issue(await_request());
  EXPECT_TRUE(eventually([&] { return manager->server_healthy(); }));
}

TEST_F(ManagerTest, CERT_17_WeakKeysAreRejected) {
  for (const auto& [key, why] :
       {std::pair(PrivateKey::generate_rsa(1024).value(),
                  "the new key is insecure: RSA key size 1024 bits is below the minimum of 2048"),
        std::pair(
            key_on_curve("P-224"),
            "the new key is insecure: ECDSA key size 224 bits is below the minimum of 256")}) {
    ManagerOptions wanted = options();
    wanted.generate_key = [key = key]() -> Result<PrivateKey> { return key; };
    const auto manager = start(std::move(wanted));
    ASSERT_TRUE(clock->await_deadline(clock->now() + 2s));
    EXPECT_THAT(log->lines(), Contains(HasSubstr(why)));
  }
  EXPECT_EQ(attempts, 0);

  const PrivateKey rsa = PrivateKey::generate_rsa(2048).value();
  ManagerOptions wanted = options();
  wanted.generate_key = [&]() -> Result<PrivateKey> { return rsa; };
  wanted.usages.clear();
  wanted.get_usages = client_usages;
  const auto manager = start(std::move(wanted));
  const std::string name = await_request();
  EXPECT_EQ(requests.get(name).value().spec.usages,
            (std::vector<std::string>{"digital signature", "key encipherment", "client auth"}));
  approve_and_issue(name);
  await_rotation_of(*manager, "node");
  EXPECT_EQ(serving_usages(PrivateKey::generate().value()),
            (std::vector<std::string>{"digital signature", "server auth"}));
}

TEST_F(ManagerTest, CERT_17_ExactlyOneOfUsagesAndTheirFunctionIsSet) {
  ManagerOptions both = options();
  both.get_usages = client_usages;
  EXPECT_THAT(Manager::create(std::move(both)),
              FailsWith(HasMessage("cannot specify both get_usages and usages")));
  ManagerOptions neither = options();
  neither.usages.clear();
  EXPECT_THAT(Manager::create(std::move(neither)),
              FailsWith(HasMessage("either get_usages or usages should be specified")));
  ManagerOptions no_store = options();
  no_store.store = nullptr;
  EXPECT_FALSE(Manager::create(std::move(no_store)));
}

TEST_F(ManagerTest, StopEndsTheWaitForACertificate) {
  const auto manager = start(options());
  await_request();
  await_watch();
  manager->stop_and_wait();
  EXPECT_FALSE(manager->current());
  EXPECT_THAT(log->lines(), ::testing::IsEmpty()) << "a stop is not a failure";
}

}  // namespace
}  // namespace kube::certificate
