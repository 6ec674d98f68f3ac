// SPDX-License-Identifier: Apache-2.0
//
// Credentials that a real server refuses after a while, and the ways by which a kubeconfig gets new
// ones: an informer goes on with them where it was. tests/rotation has the embedded server.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include <kube/api/authentication/v1/self_subject_review.hpp>
#include <kube/api/authentication/v1/token_request.hpp>
#include <kube/api/core/v1/secret.hpp>
#include <kube/api/core/v1/service_account.hpp>
#include <kube/api/rbac/v1/role_binding.hpp>
#include <kube/meta/errors.hpp>

#include "counted_maps.hpp"
#include "identity_provider.hpp"
#include "kubeconfig_scenario.hpp"
#include "server_file.hpp"
#include "signing_key.hpp"

namespace scenarios {
namespace {

namespace json = kube::json;
using kube::authentication::v1::BoundObjectReference;
using kube::authentication::v1::SelfSubjectReview;
using kube::authentication::v1::TokenRequest;
using kube::core::v1::ConfigMap;
using kube::core::v1::Secret;
using kube::core::v1::ServiceAccount;
using kube::rest::IdentityProviderServer;
using kube::rest::PluginFolder;
using kube::transport::PemPair;
using kube::transport::TestAuthority;

using Demand = SecuredServer::Demand;
using Protocol = NamingProxy::Protocol;

constexpr int kRenewals = 3;
constexpr std::chrono::seconds kTokenLife{20};
constexpr const char* kAccount = "watcher";

std::string file_of_server(const std::string& name) {
  return std::string(std::getenv("KUBE_SCENARIO_SERVER_FILES")) + "/" + name;
}

class RenewedCredentialsScenario : public KubeconfigScenario {
 protected:
  void SetUp() override {
    if (!on_real_server()) GTEST_SKIP() << "tests/rotation has the embedded server";
    KubeconfigScenario::SetUp();
  }

  void permit_everything_here_to(const std::string& user) {
    kube::rbac::v1::RoleBinding binding;
    binding.metadata.generate_name = "everything-";
    binding.role_ref = {
        .api_group = "rbac.authorization.k8s.io", .kind = "ClusterRole", .name = "cluster-admin"};
    kube::rbac::v1::Subject subject;
    subject.kind = "User";
    subject.name = user;
    subject.api_group = "rbac.authorization.k8s.io";
    binding.subjects.push_back(std::move(subject));
    must(client_.api<kube::rbac::v1::RoleBinding>(namespace_).create(binding));
  }

  // What the server says to a client with these credentials alone.
  kube::Result<void> asked_as(const SecuredServer& server, kube::rest::Config credentials) const {
    credentials.host = server.url();
    credentials.tls.ca.data = server.authority();
    const auto list = kube::Client::create(credentials).value().api<ConfigMap>(namespace_).list();
    if (!list) return list.error();
    return {};
  }
  kube::Result<void> asked_by_token(const SecuredServer& server, const std::string& token) const {
    return asked_as(server, {.bearer_token = token});
  }
  static bool is_refusal(const kube::Result<void>& result) {
    return !result && kube::is_unauthorized(result.error());
  }

  using Renew =
      std::function<void(int number, const kube::Client& client, const CountedMaps& maps)>;

  // An informer, and the renewals with an event before and after each: every event arrives once, by
  // watches that go on where the former ended.
  void expect_one_list(const std::string& kubeconfig, const Renew& renew) {
    const kube::Client client = client_of(kubeconfig);
    const CountedMaps maps(client, namespace_);
    ASSERT_TRUE(eventually([&] { return maps.has_synced(); }));
    std::map<std::string, int> wanted = maps.added();  // a real server may put one into each
    const auto create_and_see = [&](const std::string& name) {
      // By another client, so that the informer alone needs the credentials.
      must(client_.api<ConfigMap>(namespace_).create(map_named(name)));
      wanted[name] = 1;
      return eventually([&] { return maps.added() == wanted; });
    };
    for (int i = 1; i <= kRenewals; ++i) {
      ASSERT_TRUE(create_and_see("before-" + std::to_string(i)));
      ASSERT_NO_FATAL_FAILURE(renew(i, client, maps));
      ASSERT_TRUE(create_and_see("after-" + std::to_string(i)));
      ASSERT_TRUE(eventually([&] { return maps.status().watches > std::uint64_t(i); }));
    }
    EXPECT_EQ(maps.status().lists, 1U);
    EXPECT_EQ(maps.status().watches, std::uint64_t{kRenewals + 1});
  }
};

// Tokens of a service account, each of which the server accepts as long as its secret exists.
class BoundTokensScenario : public RenewedCredentialsScenario {
 protected:
  void create_account() {
    ServiceAccount account;
    account.metadata.name = kAccount;
    must(client_.api<ServiceAccount>(namespace_).create(account));
    permit_everything_here_to("system:serviceaccount:" + namespace_ + ":" + kAccount);
  }
  std::string new_token() {
    Secret secret;
    secret.metadata.name = "of-token-" + std::to_string(++tokens_);
    secret = must(client_.api<Secret>(namespace_).create(secret));
    TokenRequest request;
    request.spec.bound_object_ref = BoundObjectReference{.kind = "Secret",
                                                         .api_version = "v1",
                                                         .name = secret.metadata.name,
                                                         .uid = secret.metadata.uid};
    return must(client_.api<ServiceAccount>(namespace_)
                    .create_subresource<TokenRequest>(kAccount, "token", request))
        .status.token;
  }
  // The server may know for ten seconds that it was valid.
  void revoke(const SecuredServer& server, int number, const std::string& token) {
    must(client_.api<Secret>(namespace_).delete_("of-token-" + std::to_string(number)));
    ASSERT_TRUE(eventually([&] { return is_refusal(asked_by_token(server, token)); }));
  }

 private:
  int tokens_ = 0;
};

// These tokens say no expiry: the plugin runs again because of the 401 alone.
TEST_F(BoundTokensScenario, AWatchThatGetsA401GoesOnWithTheNextTokenOfThePlugin) {
  const SecuredServer server(Demand::Token);
  NamingProxy proxy(Protocol::HttpConnect, server.port());
  create_account();
  const PluginFolder plugin;
  std::string token = new_token();
  plugin.print_token(token);
  expect_one_list(kubeconfig(by_proxy(server, proxy), user_of(plugin)),
                  [&](int number, const auto&, const auto&) {
                    const std::string next = new_token();
                    plugin.print_token(next);
                    revoke(server, number, token);
                    token = next;
                    proxy.cut();
                  });
  EXPECT_EQ(plugin.runs(), kRenewals + 1);
}

TEST_F(BoundTokensScenario, AWatchThatGetsA401GoesOnWhenTheTokenFileIsRewritten) {
  const SecuredServer server(Demand::Token);
  NamingProxy proxy(Protocol::HttpConnect, server.port());
  create_account();
  std::string token = new_token();
  folder_.write("token", token + "\n");
  expect_one_list(kubeconfig(by_proxy(server, proxy), {{"tokenFile", "token"}}),
                  [&](int number, const auto&, const CountedMaps& maps) {
                    revoke(server, number, token);
                    const int refusals = maps.refusals();
                    proxy.cut();
                    ASSERT_TRUE(eventually([&] { return maps.refusals() > refusals; }));
                    token = new_token();
                    std::filesystem::rename(folder_.write("token.new", token + "\n"),
                                            folder_.path("token"));
                  });
}

// The server forgets the authority of each certificate. Nothing is cut: the connection is left for
// one with the next certificate.
TEST_F(RenewedCredentialsScenario, AWatchGoesOnWithTheNextCertificateOfThePlugin) {
  const SecuredServer server(Demand::Certificate);
  const ServerFile authorities(file_of_server("pki/client-ca.crt"));
  const PluginFolder plugin;
  const auto name_of = [](int number) { return "plugin-user-" + std::to_string(number); };
  PemPair pair;
  const auto answer = [&](const PemPair& shown) {
    return asked_as(
        server, {.tls = {.certificate = {.data = shown.certificate}, .key = {.data = shown.key}}});
  };
  const auto renew = [&](int number) {
    const PemPair former = pair;
    const TestAuthority authority("plugin CA " + std::to_string(number));
    pair = authority.client(name_of(number));
    permit_everything_here_to(name_of(number));
    print_pair(plugin, pair);
    authorities.replace(authorities.before() + authority.certificate());
    ASSERT_TRUE(eventually([&] { return answer(pair).has_value(); }));
    ASSERT_TRUE(former.key.empty() || eventually([&] { return is_refusal(answer(former)); }));
  };
  ASSERT_NO_FATAL_FAILURE(renew(0));
  expect_one_list(kubeconfig(cluster_of(server), user_of(plugin)),
                  [&](int number, const kube::Client& client, const auto&) {
                    ASSERT_NO_FATAL_FAILURE(renew(number));
                    // A program that only watches would go on until its watch ends.
                    ASSERT_TRUE(eventually([&] {
                      const auto review = client.api<SelfSubjectReview>().create({});
                      return review && review->status.user_info.username == name_of(number);
                    }));
                  });
  EXPECT_EQ(plugin.runs(), kRenewals + 1);
}

// An identity provider whose tokens live for twenty seconds.
class ShortLivedTokens {
 public:
  static constexpr const char* kAudience = "kube-cpp-scenario";
  static constexpr const char* kSubject = "me";

  ShortLivedTokens() {
    provider.publish_keys(key_.key_set());
    provider.rotate("first", [this] {
      const std::string token = new_token();
      const std::lock_guard lock(mutex_);
      ++handed_out_;
      newest_ = token;
      return token;
    });
  }

  // What kube-apiserver has to know of it.
  std::string configuration(const std::string& prefix_of_users) const {
    const json::Object issuer{{"url", provider.issuer()},
                              {"audiences", json::Array{kAudience}},
                              {"certificateAuthority", provider.ca()}};
    const json::Object user{{"claim", "sub"}, {"prefix", prefix_of_users}};
    const json::Object authenticator{{"issuer", issuer},
                                     {"claimMappings", json::Object{{"username", user}}}};
    return json::dump(json::Object{{"apiVersion", "apiserver.config.k8s.io/v1"},
                                   {"kind", "AuthenticationConfiguration"},
                                   {"jwt", json::Array{authenticator}}});
  }
  std::string new_token() {
    using std::chrono::system_clock;
    const auto now = system_clock::to_time_t(system_clock::now());
    return key_.sign(json::dump(json::Object{{"iss", provider.issuer()},
                                             {"aud", kAudience},
                                             {"sub", kSubject},
                                             {"jti", std::to_string(++tokens_)},
                                             {"iat", now},
                                             {"exp", now + kTokenLife.count()}}));
  }
  // Of those that were handed out for a refresh token.
  std::string newest() const {
    const std::lock_guard lock(mutex_);
    return newest_;
  }
  int handed_out() const {
    const std::lock_guard lock(mutex_);
    return handed_out_;
  }

 private:
  const SigningKey key_;
  std::atomic<int> tokens_{0};
  mutable std::mutex mutex_;
  std::string newest_;
  int handed_out_ = 0;

 public:
  IdentityProviderServer provider;  // which ends first: it makes tokens
};

class ShortLivedTokensScenario : public RenewedCredentialsScenario {
 protected:
  // From now on the server takes these tokens, each until it expires.
  void use(const SecuredServer& server, const ServerFile& authentication,
           ShortLivedTokens& tokens) {
    const std::string prefix = namespace_ + ":";
    permit_everything_here_to(prefix + ShortLivedTokens::kSubject);
    authentication.replace(tokens.configuration(prefix));
    const auto is_known = [&] { return asked_by_token(server, tokens.new_token()).has_value(); };
    ASSERT_TRUE(eventually(is_known) || eventually(is_known));
  }
  void outlive_the_newest(const SecuredServer& server, const ShortLivedTokens& tokens) {
    const std::string token = tokens.newest();
    ASSERT_TRUE(eventually([&] { return is_refusal(asked_by_token(server, token)); }));
  }
};

// As kubelogin does: it spends a refresh token for each ID token.
TEST_F(ShortLivedTokensScenario, AWatchOutlivesTheTokensOfAPlugin) {
  const SecuredServer server(Demand::Token);
  NamingProxy proxy(Protocol::HttpConnect, server.port());
  ShortLivedTokens tokens;
  const ServerFile authentication(file_of_server("authentication.yaml"));
  ASSERT_NO_FATAL_FAILURE(use(server, authentication, tokens));
  const PluginFolder plugin;
  plugin.directory().write("ca", tokens.provider.ca());
  plugin.directory().write("refresh-token", "first");
  plugin.script("plugin", "life=" + std::to_string(kTokenLife.count()) +
                              "\nendpoint=" + tokens.provider.token_endpoint() + R"sh(
set -e
here=$(dirname "$0")
echo run >> "$here/runs"
expires=$(date -u -d "$life seconds" +%Y-%m-%dT%H:%M:%SZ)
answer=$(curl -fsS --cacert "$here/ca" -d grant_type=refresh_token \
  --data-urlencode "refresh_token@$here/refresh-token" "$endpoint")
member() { printf '%s' "$answer" | sed 's/.*"'"$1"'":"\([^"]*\)".*/\1/'; }
token=$(member id_token)
printf '%s' "$(member refresh_token)" > "$here/refresh-token"
cat <<END
{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1",
 "status": {"token": "$token", "expirationTimestamp": "$expires"}}
END
)sh");
  expect_one_list(kubeconfig(by_proxy(server, proxy), user_of(plugin)), [&](auto&&...) {
    outlive_the_newest(server, tokens);
    proxy.cut();
  });
  EXPECT_EQ(plugin.runs(), tokens.handed_out());
  EXPECT_GT(tokens.handed_out(), kRenewals);
}

TEST_F(ShortLivedTokensScenario, AWatchOutlivesTheTokensOfAnIdentityProvider) {
  const SecuredServer server(Demand::Token);
  NamingProxy proxy(Protocol::HttpConnect, server.port());
  ShortLivedTokens tokens;
  const ServerFile authentication(file_of_server("authentication.yaml"));
  ASSERT_NO_FATAL_FAILURE(use(server, authentication, tokens));
  const json::Object settings{{"client-id", ShortLivedTokens::kAudience},
                              {"idp-issuer-url", tokens.provider.issuer()},
                              {"idp-certificate-authority-data", in_base64(tokens.provider.ca())},
                              {"refresh-token", "first"}};
  const std::string file =
      kubeconfig(by_proxy(server, proxy),
                 {{"auth-provider", json::Object{{"name", "oidc"}, {"config", settings}}}});
  const auto expect_that_the_newest_is_stored = [&] {
    const auto stored = kube::kubeconfig::load({.path = file}).value().auth_provider.value().config;
    EXPECT_EQ(stored.at("id-token"), tokens.newest());
    EXPECT_EQ(stored.at("refresh-token"), "next " + std::to_string(tokens.handed_out()));
  };
  expect_one_list(file, [&](auto&&...) {
    outlive_the_newest(server, tokens);
    proxy.cut();
  });
  EXPECT_GT(tokens.handed_out(), kRenewals);
  expect_that_the_newest_is_stored();

  // Each program goes on from what the other has stored: a refresh token is valid once.
  const auto expect_a_renewal_by = [&](const std::function<programs::Outcome()>& get) {
    ASSERT_NO_FATAL_FAILURE(outlive_the_newest(server, tokens));
    const int before = tokens.handed_out();
    EXPECT_EQ(printed_by(get()), "configmap/after-1\n");
    EXPECT_EQ(tokens.handed_out(), before + 1);
    expect_that_the_newest_is_stored();
  };
  expect_a_renewal_by([&] { return kubectl_get(file, "after-1"); });
  expect_a_renewal_by([&] { return kubecpp_get(file, "after-1"); });
}

}  // namespace
}  // namespace scenarios
