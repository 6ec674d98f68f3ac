// SPDX-License-Identifier: Apache-2.0
//
// The auth provider "oidc" with an identity provider that speaks TLS.
#include "auth/oidc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/config/transport_for.hpp>
#include <kube/json/base64.hpp>
#include <kube/json/value.hpp>
#include <kube/testing/fake_clock.hpp>
#include <kube/testing/round_trip.hpp>
#include <kube/testing/scripted_transport.hpp>
#include <kube/transport/exchange_failure.hpp>

#include "identity_provider.hpp"
#include "recording.hpp"
#include "temporary_directory.hpp"

namespace kube::rest {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ScriptedCall;
using testing::ScriptedTransport;
using transport::error_text;

class Oidc : public ::testing::Test {
 protected:
  using Settings = AuthProviderSettings;

  Config config(Settings settings) {
    std::string ca;
    json::write_base64(provider.ca(), ca);
    settings.insert({{"idp-issuer-url", provider.issuer()},
                     {"client-id", "me"},
                     {"idp-certificate-authority-data", ca}});
    return {.host = "https://h",
            .auth_provider =
                AuthProviderConfig{.name = "oidc",
                                   .config = std::move(settings),
                                   .persist = [this](const Settings& changed) -> Result<void> {
                                     if (!disk_works)
                                       return Error(ErrorCode::Config, "the disk is full");
                                     stored = changed;
                                     requests_when_stored = base->requests().size();
                                     return {};
                                   }}};
  }
  std::string sent(const Config& config, transport::Headers headers = {}) {
    const auto made = transport_for(config, runtime, base);
    if (!made) return made.error().to_string();
    base->once("", "/", [](ScriptedCall call) { call.respond(200, "{}"); });
    const auto response =
        testing::round_trip(**made, {.url = "https://h/", .headers = std::move(headers)}, {});
    if (!response) return response.error().to_string();
    const auto requests = base->requests();
    return std::string(requests.back().headers.find("Authorization").value_or("none"));
  }
  void answer(const std::string& token, const std::string& refresh_token = "") {
    json::Object body{{"access_token", "secret-access"}, {"id_token", token}};
    if (!refresh_token.empty()) body.set("refresh_token", refresh_token);
    provider.answer(json::dump(std::move(body)));
  }

  IdentityProviderServer provider;
  Settings stored;
  std::size_t requests_when_stored = 99;
  bool disk_works = true;
  std::shared_ptr<testing::FakeClock> clock = std::make_shared<testing::FakeClock>();
  Runtime runtime{
      .executor = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 1, .clock = clock})};
  std::shared_ptr<ScriptedTransport> base = std::make_shared<ScriptedTransport>();
};

TEST_F(Oidc, AUTH_27_AnIssuerAndAClientIdAreNeeded) {
  for (const char* key : {"idp-issuer-url", "client-id"}) {
    Config without = config({});
    without.auth_provider->config.erase(key);
    EXPECT_EQ(sent(without), std::string("Must provide ") + key);
    without.auth_provider->config[key] = "";
    EXPECT_EQ(sent(without), std::string("Must provide ") + key);
  }
}

TEST_F(Oidc, NoTokenIsSentToAProviderWithoutTls) {
  for (const char* issuer : {"http://idp.invalid", "http://localhost.evil.invalid/realm"}) {
    EXPECT_THAT(sent(config({{"refresh-token", "secret"}, {"idp-issuer-url", issuer}})),
                AllOf(HasSubstr("the idp-issuer-url " + std::string(issuer)),
                      HasSubstr("expected https"), Not(HasSubstr("secret"))));
  }
  provider.name_token_endpoint("http://idp.invalid/token");
  EXPECT_THAT(sent(config({{"refresh-token", "secret"}})),
              HasSubstr("the token_endpoint http://idp.invalid/token is not https"));
  EXPECT_EQ(provider.take_requests().size(), 1U) << "the discovery document alone";
}

TEST_F(Oidc, AUTH_28_ATokenIsUsedUntilTenSecondsBeforeItExpires) {
  EXPECT_EQ(id_token_expiry(token_for(11)).value(), WallTime(std::chrono::seconds(kStart + 11)));
  EXPECT_EQ(id_token_expiry(id_token(R"({"exp":1767225611.75})")).value(),
            WallTime(std::chrono::seconds(kStart + 11)));
  const Config fresh = config({{"id-token", token_for(11)}});
  EXPECT_EQ(sent(fresh), "Bearer " + token_for(11));
  EXPECT_EQ(sent(fresh, {{"Authorization", "Mine"}}), "Mine");
  clock->advance(2s);
  EXPECT_THAT(sent(fresh), HasSubstr("No valid id-token"));
  EXPECT_TRUE(provider.take_requests().empty());

  const std::string payload = base64_url(R"({"exp":5})");
  for (const std::string& token :
       {std::string("secret"), std::string("secret.secret"), "secret." + payload,
        "secret.secret." + payload + ".secret", std::string("secret.!!.secret"),
        "secret." + base64_url("secret") + ".secret", id_token("{}"), id_token(R"({"exp":"5"})"),
        "se\ncret." + payload + ".x"}) {
    const auto expiry = id_token_expiry(token);
    ASSERT_FALSE(expiry) << token;
    EXPECT_THAT(error_text(expiry),
                AllOf(HasSubstr("the ID token is malformed"), Not(HasSubstr("secret"))));
  }
  Config malformed = config({{"id-token", "secret"}, {"client-id", "malformed"}});
  EXPECT_THAT(sent(malformed), AllOf(HasSubstr("getting credentials: the ID token is malformed"),
                                     Not(HasSubstr("secret"))));
}

TEST_F(Oidc, AUTH_29_AnExpiredTokenIsRefreshedAtTheEndpointThatTheIssuerNames) {
  const std::string next = token_for(100);
  answer(next);
  for (const std::string& old : {std::string(), token_for(10)}) {
    Config expired = config({{"id-token", old},
                             {"refresh-token", "secret refresh"},
                             {"client-secret", "p&w"},
                             {"client-id", "client" + std::to_string(old.size())}});
    EXPECT_EQ(sent(expired), "Bearer " + next);
    std::string basic = "Basic ";
    json::write_base64("client" + std::to_string(old.size()) + ":p%26w", basic);
    EXPECT_THAT(
        provider.take_requests(),
        ::testing::ElementsAre(
            "GET /realm/.well-known/openid-configuration - ",
            "POST /token " + basic + " grant_type=refresh_token&refresh_token=secret%20refresh"));
  }
  // Without a password, and for a provider that wants it in the form.
  EXPECT_EQ(sent(config({{"refresh-token", "r"}})), "Bearer " + next);
  EXPECT_THAT(provider.take_requests().back(),
              "POST /token - grant_type=refresh_token&refresh_token=r&client_id=me");
  provider.want_password_in_the_form();
  EXPECT_EQ(sent(config({{"refresh-token", "r"}, {"client-secret", "p"}, {"client-id", "form"}})),
            "Bearer " + next);
  EXPECT_THAT(
      provider.take_requests().back(),
      "POST /token - grant_type=refresh_token&refresh_token=r&client_id=form&client_secret=p");

  provider.answer(R"({"access_token":"secret"})");
  EXPECT_THAT(
      sent(config({{"refresh-token", "r"}, {"client-id", "no id"}})),
      AllOf(HasSubstr("token response did not contain an id_token"), Not(HasSubstr("secret"))));
  provider.answer(R"({"error":"invalid_grant","error_description":"secret"})", 400);
  EXPECT_THAT(sent(config({{"refresh-token", "secret"}, {"client-id", "refused"}})),
              AllOf(HasSubstr("failed to refresh token"), HasSubstr("responded 400: invalid_grant"),
                    Not(HasSubstr("secret"))));
}

TEST_F(Oidc, AFailureAtTheProviderIsNotOneOfTheRequest) {
  const auto failure = [&](Settings settings) {
    const auto made = transport_for(config(std::move(settings)), runtime, base);
    EXPECT_TRUE(made) << error_text(made);
    const auto response =
        testing::round_trip(**made, {.method = "DELETE", .url = "https://h/"}, {});
    EXPECT_FALSE(response);
    return response ? Error(ErrorCode::Internal, "none") : response.error();
  };
  provider.drop_refreshes();
  const Error dropped = failure({{"refresh-token", "r"}, {"client-id", "dropped"}});
  EXPECT_EQ(dropped.code(), ErrorCode::Unreachable);
  EXPECT_EQ(transport::exchange_failure(dropped), transport::ExchangeFailure::NoCredentials)
      << "the provider has got its request; the server has not got this one";
  EXPECT_EQ(provider.take_requests().size(), 2U) << "the refresh token is sent once";

  const transport::HeldPort nobody;
  const Error refused =
      failure({{"refresh-token", "r"},
               {"client-id", "refused"},
               {"idp-issuer-url", "https://127.0.0.1:" + std::to_string(nobody.number())}});
  EXPECT_EQ(transport::exchange_failure(refused), transport::ExchangeFailure::NoCredentials);
  EXPECT_EQ(transport::refusing_host(refused), "") << "the host of the provider, not of the server";
  EXPECT_THAT(refused.to_string(), HasSubstr("getting credentials: "));
}

TEST_F(Oidc, AUTH_30_WithoutARefreshTokenNothingIsAsked) {
  EXPECT_THAT(sent(config({})),
              HasSubstr("No valid id-token, and cannot refresh without refresh-token"));
  EXPECT_TRUE(provider.take_requests().empty());
}

TEST_F(Oidc, AUTH_31_NewTokensAreStoredBeforeTheyAreUsed) {
  answer(token_for(100), "second refresh");
  const Config expired =
      config({{"id-token", token_for(0)}, {"refresh-token", "first"}, {"client-id", "stores"}});
  EXPECT_EQ(sent(expired), "Bearer " + token_for(100));
  EXPECT_EQ(requests_when_stored, 0U) << "stored before the request was sent";
  EXPECT_EQ(stored["id-token"], token_for(100));
  EXPECT_EQ(stored["refresh-token"], "second refresh");
  EXPECT_EQ(stored["client-id"], "stores");
  (void)provider.take_requests();

  // The new refresh token is the next one that is used; one that does not come again stays.
  answer(token_for(200));
  clock->advance(95s);
  disk_works = false;
  EXPECT_THAT(sent(expired), HasSubstr("could not persist new tokens: "));
  disk_works = true;
  EXPECT_EQ(sent(expired), "Bearer " + token_for(200));
  EXPECT_EQ(stored["refresh-token"], "second refresh");
  EXPECT_THAT(provider.take_requests().back(), HasSubstr("refresh_token=second%20refresh"));
}

TEST_F(Oidc, RCFG_25_TheProviderAddsItsHeaderOrItsErrorAndAnUnknownOneIsNamed) {
  EXPECT_EQ(sent(config({{"id-token", token_for(100)}})), "Bearer " + token_for(100));
  const std::size_t before = base->requests().size();
  EXPECT_THAT(sent(config({{"client-id", "without tokens"}})), HasSubstr("No valid id-token"));
  EXPECT_EQ(base->requests().size(), before) << "its error is the result of the request";
  Config unknown = config({});
  unknown.auth_provider->name = "x";
  EXPECT_EQ(sent(unknown), "no Auth Provider found for name \"x\"");
}

TEST_F(Oidc, RCFG_26_WithoutAPersisterNewTokensAreUsedAndNotStored) {
  answer(token_for(100));
  Config transient = config({{"refresh-token", "r"}, {"client-id", "transient"}});
  transient.auth_provider->persist = nullptr;
  EXPECT_EQ(sent(transient), "Bearer " + token_for(100));
  EXPECT_TRUE(stored.empty());
}

TEST_F(Oidc, RCFG_27_TheNextClientOfAConfigFindsWhatWasStored) {
  answer(token_for(100), "second");
  Config shared = config({{"id-token", token_for(0)}, {"refresh-token", "first"}});
  shared.auth_provider->persist = [&shared](const Settings& changed) -> Result<void> {
    shared.auth_provider->config = changed;
    return {};
  };
  EXPECT_EQ(sent(shared), "Bearer " + token_for(100));
  EXPECT_EQ(provider.take_requests().size(), 2U);
  shared.host = "https://other";  // sources are kept by their cluster: this one is new
  EXPECT_EQ(sent(shared), "Bearer " + token_for(100));
  EXPECT_TRUE(provider.take_requests().empty()) << "its token is the stored one";
  clock->advance(95s);
  answer(token_for(200));
  EXPECT_EQ(sent(shared), "Bearer " + token_for(200));
  EXPECT_THAT(provider.take_requests().back(), HasSubstr("refresh_token=second"));
}

TEST_F(Oidc, OnlyClientsOfOneClusterAndUserShareAProvider) {
  const auto source = [&](const Config& config) {
    return auth_provider_source(config, runtime).value();
  };
  const Config alice = config({{"id-token", token_for(100, "alice")}});
  const Config bob = config({{"id-token", token_for(100, "bob")}});
  EXPECT_EQ(source(alice), source(alice));
  EXPECT_EQ(sent(alice), "Bearer " + token_for(100, "alice"));
  EXPECT_EQ(sent(bob), "Bearer " + token_for(100, "bob"))
      << "of the same cluster, issuer and client";
  EXPECT_EQ(sent(alice), "Bearer " + token_for(100, "alice"));
  for (const char* key : {"idp-issuer-url", "client-id", "refresh-token", "extra-scopes"}) {
    Config other = alice;
    other.auth_provider->config[key] = "https://other";
    EXPECT_NE(source(other), source(alice)) << key;
  }
  Config elsewhere = alice;
  elsewhere.host = "https://other";
  EXPECT_NE(source(elsewhere), source(alice));
}

TEST_F(Oidc, TheProvidersAuthorityIsVerifiedAndMayBeAFile) {
  answer(token_for(100));
  const transport::TestAuthority stranger("another CA");
  std::string other;
  json::write_base64(stranger.certificate(), other);
  EXPECT_THAT(sent(config({{"refresh-token", "r"},
                           {"idp-certificate-authority-data", other},
                           {"client-id", "stranger"}})),
              HasSubstr("certificate"));
  const TemporaryDirectory directory;
  EXPECT_EQ(sent(config({{"refresh-token", "r"},
                         {"idp-certificate-authority-data", ""},
                         {"idp-certificate-authority", directory.write("ca", provider.ca())},
                         {"client-id", "file"}})),
            "Bearer " + token_for(100));
}

TEST_F(Oidc, TheCertificateOfTheConfigIsShownBesideTheToken) {
  const transport::TestAuthority authority("CA");
  transport::LoopbackServer server(
      [](transport::Peer& peer) {
        const std::string name = peer.client_name();
        while (peer.read_request()) {
          peer.write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(name.size()) +
                     "\r\n\r\n" + name);
        }
      },
      {.tls = transport::ServerTls{.certificate = authority.server({"127.0.0.1"}),
                                   .client_ca = authority.certificate()}});
  const transport::PemPair alice = authority.client("alice");
  Config both = config({{"id-token", token_for(100)}, {"client-id", "both"}});
  both.host = server.url();
  both.tls = {.ca = {.data = authority.certificate()},
              .certificate = {.data = alice.certificate},
              .key = {.data = alice.key}};
  const auto made = transport_for(both, runtime);
  ASSERT_TRUE(made) << error_text(made);
  EXPECT_EQ(transport::body_or_error(testing::round_trip(**made, {.url = server.url()}, {})),
            "alice");
}

TEST_F(Oidc, RemovedAndUnknownProvidersSaySo) {
  Config other = config({});
  other.auth_provider->name = "gcp";
  EXPECT_THAT(sent(other), AllOf(HasSubstr("The gcp auth plugin has been removed"),
                                 HasSubstr("gke-gcloud-auth-plugin")));
  other.auth_provider->name = "azure";
  EXPECT_THAT(sent(other),
              AllOf(HasSubstr("The azure auth plugin has been removed"), HasSubstr("kubelogin")));
  other.auth_provider->name = "mine";
  EXPECT_EQ(sent(other), "no Auth Provider found for name \"mine\"");
  other.exec_provider = ExecConfig{};
  EXPECT_EQ(sent(other), "execProvider and authProvider cannot be used in combination");
}

}  // namespace
}  // namespace kube::rest
