// SPDX-License-Identifier: Apache-2.0
//
// The tokens of the auth provider "oidc" in the kubeconfig that several processes use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/config/kubeconfig.hpp>
#include <kube/config/modify.hpp>
#include <kube/config/transport_for.hpp>
#include <kube/testing/fake_clock.hpp>
#include <kube/testing/recording_logger.hpp>
#include <kube/testing/round_trip.hpp>
#include <kube/testing/scripted_transport.hpp>

#include "identity_provider.hpp"
#include "recording.hpp"
#include "temporary_directory.hpp"

namespace kube::rest {
namespace {

using namespace std::chrono_literals;
using kubeconfig::FileLock;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Each context is one of a process: sources are kept by their cluster.
class OidcStorage : public ::testing::Test {
 protected:
  OidcStorage() {
    std::string ca;
    json::write_base64(provider.ca(), ca);
    file = directory.write(
        "config",
        "contexts:\n- {name: one, context: {cluster: one, user: u}}\n"
        "- {name: two, context: {cluster: two, user: u}}\n"
        "clusters:\n- {name: one, cluster: {server: 'https://one'}}\n"
        "- {name: two, cluster: {server: 'https://two'}}\n"
        "users:\n- name: u\n  user:\n    auth-provider:\n      name: oidc\n      config:\n"
        "        client-id: me\n        idp-issuer-url: " +
            provider.issuer() + "\n        idp-certificate-authority-data: " + ca +
            "\n        id-token: " + token_for(0) + "\n        refresh-token: first\n");
    provider.rotate("first", [this] { return token_for(lifetime += 100); });
    base->on("", "/", [](testing::ScriptedCall call) { call.respond(200, "{}"); });
  }
  Config process(const std::string& context) const {
    return kubeconfig::load({.path = file, .context = context}).value();
  }
  std::shared_ptr<transport::Recording> start(const Config& config, std::stop_token stop = {}) {
    auto handler = std::make_shared<transport::Recording>();
    transports.push_back(transport_for(config, runtime, base).value());
    transports.back()->start({.url = config.host + "/"}, handler, std::move(stop));
    return handler;
  }
  // The Authorization header that reached the server, or the error.
  std::string sent(const Config& config) {
    const auto handler = start(config);
    if (handler->await_end()) return handler->await_error();
    const auto requests = base->requests();
    return std::string(requests.back().headers.find("Authorization").value_or("none"));
  }
  std::string stored(const std::string& setting) const {
    return process("one").auth_provider.value().config.at(setting).reveal();
  }

  IdentityProviderServer provider;
  TemporaryDirectory directory;
  std::string file;
  std::int64_t lifetime = 0;
  std::shared_ptr<testing::FakeClock> clock = std::make_shared<testing::FakeClock>();
  std::shared_ptr<testing::RecordingLogger> logger =
      std::make_shared<testing::RecordingLogger>(LogLevel::Warning);
  Runtime runtime{
      .executor = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 1, .clock = clock}),
      .logger = logger};
  std::shared_ptr<testing::ScriptedTransport> base = std::make_shared<testing::ScriptedTransport>();
  std::vector<std::shared_ptr<transport::RoundTripper>> transports;
};

TEST_F(OidcStorage, ARefreshTokenIsSpentByOneOfTheProcessesAndTheOthersUseWhatItStored) {
  const Config one = process("one");
  const Config two = process("two");
  std::optional<Result<FileLock>> lock = FileLock::acquire(file);
  ASSERT_TRUE(*lock);
  const auto waiting = start(one);
  ASSERT_TRUE(clock->await_deadline(clock->now() + 50ms)) << "another process holds the lock";
  EXPECT_THAT(provider.take_requests(), IsEmpty());
  lock.reset();
  clock->advance(50ms);
  EXPECT_EQ(waiting->await_end(), std::nullopt) << waiting->await_error();
  EXPECT_EQ(provider.take_requests().size(), 2U);
  EXPECT_EQ(stored("id-token"), token_for(100));
  EXPECT_EQ(stored("refresh-token"), "next 1");

  EXPECT_EQ(sent(two), "Bearer " + token_for(100)) << "it has read the file before";
  EXPECT_THAT(provider.take_requests(), IsEmpty());
  clock->advance(95s);
  EXPECT_EQ(sent(two), "Bearer " + token_for(200));
  EXPECT_EQ(stored("refresh-token"), "next 2");
  clock->advance(100s);
  EXPECT_EQ(sent(one), "Bearer " + token_for(300)) << "with the token that two has stored";
  EXPECT_FALSE(std::filesystem::exists(file + ".lock"));
}

TEST_F(OidcStorage, ALockThatStaysSpendsNothing) {
  const Config config = process("one");
  std::optional<Result<FileLock>> lock = FileLock::acquire(file);
  ASSERT_TRUE(*lock);
  const auto waiting = start(config);
  ASSERT_TRUE(clock->await_deadline(clock->now() + 50ms));
  clock->advance(5s);
  EXPECT_EQ(waiting->await_end(), ErrorCode::Credentials);
  EXPECT_THAT(waiting->await_error(),
              HasSubstr("cannot renew the tokens: " + file + ".lock: File exists"));

  std::stop_source stop;
  const auto stopped = start(config, stop.get_token());
  ASSERT_TRUE(clock->await_deadline(clock->now() + 50ms));
  stop.request_stop();
  EXPECT_EQ(stopped->await_end(), ErrorCode::Cancelled);
  EXPECT_THAT(provider.take_requests(), IsEmpty());
  lock.reset();
  EXPECT_EQ(sent(config), "Bearer " + token_for(100));
}

TEST_F(OidcStorage, TokensThatCannotBeStoredAreUsedAndStoredLater) {
  Config config = process("one");
  bool disk_works = false;
  config.auth_provider->begin_renewal = [begin = config.auth_provider->begin_renewal, &disk_works](
                                            Clock& renewal_clock,
                                            std::stop_token stop) -> Result<TokenRenewal> {
    Result<TokenRenewal> renewal = begin(renewal_clock, std::move(stop));
    if (renewal && !disk_works) {
      renewal->persist = [](const auto&) -> Result<void> {
        return Error(ErrorCode::Config, "the disk is full");
      };
    }
    return renewal;
  };
  EXPECT_THAT(sent(config), HasSubstr("could not persist new tokens: the disk is full; this "
                                      "process uses them until it ends"));
  EXPECT_EQ(stored("refresh-token"), "first");
  EXPECT_EQ(sent(config), "Bearer " + token_for(100));
  EXPECT_THAT(logger->take_lines(),
              ElementsAre("warning config: new tokens could not be stored error=the disk is full"));
  clock->advance(95s);
  disk_works = true;
  EXPECT_EQ(sent(config), "Bearer " + token_for(200)) << "with the refresh token that it kept";
  EXPECT_EQ(stored("refresh-token"), "next 2");
}

TEST_F(OidcStorage, ANewLoginIsUsed) {
  const Config config = process("one");
  EXPECT_EQ(sent(config), "Bearer " + token_for(100));
  auto settings = process("one").auth_provider.value();
  settings.config["id-token"] = token_for(900, "again");
  settings.config["refresh-token"] = "second login";
  ASSERT_TRUE(settings.persist(settings.config));
  clock->advance(95s);
  EXPECT_EQ(sent(config), "Bearer " + token_for(900, "again"));
  EXPECT_EQ(provider.take_requests().size(), 2U) << "those of the first refresh";
}

}  // namespace
}  // namespace kube::rest
