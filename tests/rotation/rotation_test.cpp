// SPDX-License-Identifier: Apache-2.0
//
// Informers whose certificates, authorities and tokens are replaced while they watch: every cache
// stays equal to the server, each event arrives once, and nothing is listed a second time.
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/api/core/v1/secret.hpp>
#include <kube/apiserver/api_server.hpp>
#include <kube/base/file.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/client/api.hpp>
#include <kube/client/client.hpp>
#include <kube/config/kubeconfig.hpp>
#include <kube/testing/eventually.hpp>

#include "identity_provider.hpp"
#include "plugin_folder.hpp"
#include "secured_front.hpp"

namespace rotation {
namespace {

using kube::core::v1::ConfigMap;
using kube::core::v1::Secret;
using kube::rest::Config;
using kube::rest::PluginFolder;
using kube::testing::eventually;
using kube::transport::PemPair;
using kube::transport::TestAuthority;

constexpr int kRotations = 5;

// How often the handlers of an informer were called, by the event and the object.
class EventCounts {
 public:
  template <class T>
  auto count(kube::SharedInformer<T>& informer) {
    return informer.add_event_handler(
        {.on_add = [this](const auto& object, bool) { this->note("add", object); },
         .on_update = [this](const auto&, const auto& object) { this->note("update", object); },
         .on_delete = [this](const auto& deleted) { this->note("delete", deleted.object); }});
  }
  std::map<std::string, int> counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  template <class Object>
  void note(const std::string& event, const Object& object) {
    const std::lock_guard lock(mutex_);
    ++counts_[event + " " + std::string(object.name())];
  }
  mutable std::mutex mutex_;
  std::map<std::string, int> counts_;
};

class Rotation : public ::testing::Test {
 protected:
  Rotation() {
    for (int i = 0; i < 20; ++i) write("before-" + std::to_string(i));
  }

  // A change of the server that both informers must see.
  void write(const std::string& name) {
    ConfigMap map;
    map.metadata.name = name;
    ASSERT_TRUE(direct.api<ConfigMap>("default").create(map));
    Secret secret;
    secret.metadata.name = name;
    ASSERT_TRUE(direct.api<Secret>("default").create(secret));
  }

  template <class T>
  std::map<std::string, std::string> versions_on_server() {
    std::map<std::string, std::string> out;
    const auto list = direct.api<T>("default").list();
    for (const T& object : list.value().items) {
      out[object.metadata.name] = object.metadata.resource_version;
    }
    return out;
  }
  template <class T>
  static std::map<std::string, std::string> versions_in(kube::SharedInformer<T>& informer) {
    std::map<std::string, std::string> out;
    for (const auto& object : informer.lister().list()) {
      out[std::string(object.name())] = std::string(object.resource_version());
    }
    return out;
  }

  // Runs two informers, and the rotation five times with changes before and after each.
  void rotate(
      const Config& config, const std::function<void(int)>& change,
      const std::function<void()>& check = [] {}) {
    const kube::Client client = kube::Client::create(config).value();
    kube::SharedInformer<ConfigMap> maps(client.rest(),
                                         {.namespace_ = "default", .watch_list = false});
    kube::SharedInformer<Secret> secrets(client.rest(),
                                         {.namespace_ = "default", .watch_list = false});
    EventCounts map_events;
    EventCounts secret_events;
    const auto map_handler = map_events.count(maps);
    const auto secret_handler = secret_events.count(secrets);
    ASSERT_TRUE(maps.start());
    ASSERT_TRUE(secrets.start());
    ASSERT_TRUE(maps.wait_for_sync({}));
    ASSERT_TRUE(secrets.wait_for_sync({}));
    const auto equal = [&] {
      return versions_in(maps) == versions_on_server<ConfigMap>() &&
             versions_in(secrets) == versions_on_server<Secret>();
    };
    const auto watches_reach = [&](int count) {
      return eventually([&] {
        return front.passed_on("watch configmaps") >= count &&
               front.passed_on("watch secrets") >= count;
      });
    };
    ASSERT_TRUE(watches_reach(1));
    for (int i = 1; i <= kRotations; ++i) {
      write("before-rotation-" + std::to_string(i));
      // A watch that is cut off before anything came is very short, and lists.
      ASSERT_TRUE(eventually(equal));
      change(i);
      write("after-rotation-" + std::to_string(i));
      // A program that only watches would notice within a minute.
      ASSERT_TRUE(
          eventually([&] { return client.api<ConfigMap>("default").get("before-1").has_value(); }));
      check();
      EXPECT_TRUE(eventually(equal)) << "rotation " << i;
      ASSERT_TRUE(watches_reach(i + 1)) << "on a new connection after rotation " << i;
    }
    // Nothing but additions was written, each of them once.
    const auto each_once = [](const std::map<std::string, std::string>& objects) {
      std::map<std::string, int> counts;
      for (const auto& [name, version] : objects) counts["add " + name] = 1;
      return counts;
    };
    const auto wanted_maps = each_once(versions_on_server<ConfigMap>());
    const auto wanted_secrets = each_once(versions_on_server<Secret>());
    EXPECT_TRUE(eventually([&] { return map_events.counts() == wanted_maps; }));
    EXPECT_TRUE(eventually([&] { return secret_events.counts() == wanted_secrets; }));
    EXPECT_EQ(map_events.counts(), wanted_maps);
    EXPECT_EQ(secret_events.counts(), wanted_secrets);
    EXPECT_EQ(front.passed_on("list configmaps"), 1);
    EXPECT_EQ(front.passed_on("list secrets"), 1);
  }

  const std::unique_ptr<kube::apiserver::ApiServer> server =
      std::move(kube::apiserver::ApiServer::start()).value();
  kube::Client direct = kube::Client::create(Config{.host = server->url()}).value();
  SecuredFront front{server->port()};
  PluginFolder folder;
};

TEST_F(Rotation, OfTheAuthorityAndTheClientCertificatesInFiles) {
  const auto file = [&](const std::string& name) { return folder.directory() / name; };
  const auto replace = [&](const std::string& name, const std::string& content) {
    std::filesystem::rename(folder.directory().write(name + ".new", content), file(name));
  };
  std::string name;
  const auto use = [&](int number) {
    name = "client-" + std::to_string(number);
    const TestAuthority authority("CA " + std::to_string(number));
    const PemPair pair = authority.client(name);
    front.use_authority(authority, true);
    replace("ca", authority.certificate());
    replace("certificate", pair.certificate);
    replace("key", pair.key);
  };
  use(0);
  rotate({.host = front.url(),
          .tls = {.ca = {.file = file("ca")},
                  .certificate = {.file = file("certificate")},
                  .key = {.file = file("key")}}},
         use, [&] { EXPECT_EQ(front.newest_client(), name); });
}

TEST_F(Rotation, OfTokensOfAPluginWithWatchesThatEndInA401) {
  const TestAuthority authority("CA");
  front.use_authority(authority, false);
  const auto use = [&](int number) {
    const std::string token = "token-" + std::to_string(number);
    folder.print_token(token);
    front.use_token(token);
    front.cut();
  };
  use(0);
  rotate({.host = front.url(),
          .tls = {.ca = {.data = authority.certificate()}},
          .exec_provider = folder.config()},
         use);
  EXPECT_EQ(folder.runs(), kRotations + 1);
  EXPECT_GE(front.refused(), kRotations);
}

// Tokens of two seconds, a tenth of the shortest ones that people use, so that the test is short:
// the server takes the newest one alone, until it expires.
TEST_F(Rotation, OfTokensOfAPluginThatExpire) {
  const TestAuthority authority("CA");
  front.use_authority(authority, false);
  folder.script("plugin",
                "here=$(dirname \"$0\")\necho run >> \"$here/runs\"\n"
                "now=$(date +%s)\nexpires=$((now + 2))\n"
                "token=\"$expires-$(wc -l < \"$here/runs\")\"\n"
                "echo \"$token\" > \"$here/newest.new\"\n"
                "mv \"$here/newest.new\" \"$here/newest\"\n"
                "echo '{\"kind\": \"ExecCredential\",'\n"
                "echo '\"apiVersion\": \"client.authentication.k8s.io/v1\",'\n"
                "echo '\"status\": {\"expirationTimestamp\":'\n"
                "echo \"\\\"$(date -u -d @$expires +%Y-%m-%dT%H:%M:%SZ)\\\",\"\n"
                "echo \"\\\"token\\\": \\\"$token\\\"}}\"\n");
  const auto newest = [&] {
    std::string token = folder.noted("newest");
    if (token.ends_with('\n')) token.pop_back();
    return token;
  };
  const auto is_expired = [](const std::string& token) {
    return std::chrono::system_clock::now() >
           std::chrono::system_clock::time_point(std::chrono::seconds(std::stoll(token)));
  };
  std::mutex mutex;
  std::set<std::string> used;
  front.use_token_check([&](const std::string& token) {
    if (token.empty() || token != newest() || is_expired(token)) return false;
    const std::lock_guard lock(mutex);
    used.insert(token);
    return true;
  });
  rotate({.host = front.url(),
          .tls = {.ca = {.data = authority.certificate()}},
          .exec_provider = folder.config()},
         [&](int) {
           ASSERT_TRUE(eventually([&] { return is_expired(newest()); }));
           front.cut();
         });
  const std::lock_guard lock(mutex);
  EXPECT_GE(used.size(), std::size_t{kRotations + 1});
}

// From a kubeconfig to the tokens in it: ID tokens that are used for two seconds (they are renewed
// ten seconds before they expire), and refresh tokens that are valid once.
TEST_F(Rotation, OfTokensOfAnIdentityProviderThatAreStoredInTheKubeconfig) {
  using std::chrono::system_clock;
  const TestAuthority authority("CA");
  front.use_authority(authority, false);
  kube::rest::IdentityProviderServer provider;
  const auto seconds_now = [] {
    return std::chrono::duration_cast<std::chrono::seconds>(system_clock::now().time_since_epoch())
               .count() -
           kube::rest::kStart;
  };
  std::mutex mutex;
  std::string newest;
  std::int64_t renewed_from = 0;
  int tokens = 0;
  provider.rotate("first", [&] {
    const std::lock_guard lock(mutex);
    renewed_from = seconds_now() + 2;
    newest = kube::rest::token_for(renewed_from + 10, "token " + std::to_string(++tokens));
    return newest;
  });
  std::set<std::string> used;
  front.use_token_check([&](const std::string& token) {
    const std::lock_guard lock(mutex);
    if (token != newest || seconds_now() > renewed_from + 10) return false;
    used.insert(token);
    return true;
  });
  const auto base64 = [](const std::string& bytes) {
    std::string text;
    kube::json::write_base64(bytes, text);
    return text;
  };
  const std::string file = folder.directory().write(
      "kubeconfig",
      "# mine\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
      "clusters: [{name: k, cluster: {server: '" +
          front.url() + "', certificate-authority-data: " + base64(authority.certificate()) +
          "}}]\nusers:\n- name: u\n  user:\n    auth-provider:\n      name: oidc\n"
          "      config:\n        client-id: me\n        idp-issuer-url: " +
          provider.issuer() + "\n        idp-certificate-authority-data: " + base64(provider.ca()) +
          "\n        refresh-token: first\n");
  const auto config = kube::kubeconfig::load({.path = file});
  ASSERT_TRUE(config) << config.error().to_string();
  rotate(*config, [&](int) {
    ASSERT_TRUE(eventually([&] {
      const std::lock_guard lock(mutex);
      return seconds_now() > renewed_from;
    }));
    front.cut();
  });
  const auto stored = kube::kubeconfig::load({.path = file}).value().auth_provider.value().config;
  const std::lock_guard lock(mutex);
  EXPECT_GE(used.size(), std::size_t{kRotations + 1});
  EXPECT_EQ(stored.at("id-token"), newest);
  EXPECT_EQ(stored.at("refresh-token"), "next " + std::to_string(tokens));
  EXPECT_THAT(kube::read_file(file).value(), ::testing::StartsWith("# mine\n"));
}

TEST_F(Rotation, OfCertificatesOfAPlugin) {
  const TestAuthority authority("CA");
  front.use_authority(authority, true);
  std::string name;
  const auto use = [&](int number) {
    name = "client-" + std::to_string(number);
    const PemPair pair = authority.client(name);
    folder.print_status({{"clientCertificateData", pair.certificate}, {"clientKeyData", pair.key}});
    front.use_client(name);
  };
  use(0);
  rotate({.host = front.url(),
          .tls = {.ca = {.data = authority.certificate()}},
          .exec_provider = folder.config()},
         use, [&] { EXPECT_EQ(front.newest_client(), name); });
  EXPECT_EQ(folder.runs(), kRotations + 1);
}

TEST_F(Rotation, OfATokenFileWithWatchesThatEndInA401) {
  const TestAuthority authority("CA");
  front.use_authority(authority, false);
  const auto use = [&](int number) {
    const std::string token = "token-" + std::to_string(number);
    std::filesystem::rename(folder.directory().write("token.new", token + "\n"),
                            folder.directory() / "token");
    front.use_token(token);
    front.cut();
  };
  use(0);
  rotate({.host = front.url(),
          .tls = {.ca = {.data = authority.certificate()}},
          .bearer_token_file = folder.directory() / "token"},
         use);
}

}  // namespace
}  // namespace rotation
