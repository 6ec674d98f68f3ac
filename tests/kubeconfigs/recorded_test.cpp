// SPDX-License-Identifier: Apache-2.0
//
// Kubeconfigs as the tools of clusters write them, with scripts in the place of their plugins. Each
// is ~/.kube/config of a user who lists pods: with the library, with kubecpp, and with kubectl.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/namespace.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/apiserver/api_server.hpp>
#include <kube/client/api.hpp>
#include <kube/client/client.hpp>
#include <kube/config/kubeconfig.hpp>
#include <kube/json/base64.hpp>
#include <kube/meta/errors.hpp>

#include "child_program.hpp"
#include "kubectl.hpp"
#include "secured_front.hpp"
#include "temporary_directory.hpp"

namespace kubeconfigs {
namespace {

using kube::core::v1::Pod;
using kube::transport::PemPair;
using kube::transport::TestAuthority;
using rotation::SecuredFront;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using Places = std::map<std::string, std::string>;

// A variable of this process, for as long as it lives. Made while no other thread runs.
class Variable {
 public:
  Variable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) const {
    value ? ::setenv(name_, value->c_str(), 1) : ::unsetenv(name_);
  }
  const char* name_;
  std::optional<std::string> before_;
};

std::string in_base64(const std::string& bytes) {
  std::string out;
  kube::json::write_base64(bytes, out);
  return out;
}

// As Rancher writes it: lines of a quoted string that end with a backslash.
std::string folded(std::string text) {
  for (std::size_t at = 85; at < text.size(); at += 85 + 8) text.insert(at, "\\\n      ");
  return text;
}

class RecordedKubeconfig : public ::testing::Test {
 protected:
  RecordedKubeconfig() {
    front.use_authority(authority, false);
    create("default", "front-0");
    create("store", "till-0");
  }

  void create(const std::string& ns, const std::string& name) {
    Pod pod;
    pod.metadata.name = name;
    pod.spec.containers.resize(1);
    pod.spec.containers[0].name = "c";
    pod.spec.containers[0].image = "i";
    const kube::Client direct = kube::Client::create({.host = server->url()}).value();
    if (ns != "default") {
      kube::core::v1::Namespace made;
      made.metadata.name = ns;
      EXPECT_TRUE(direct.api<kube::core::v1::Namespace>().create(made));
    }
    EXPECT_TRUE(direct.api<Pod>(ns).create(pod));
  }

  // The file of a tool, with "@SERVER@" and the like filled in, as the user's.
  void install(const std::string& tool, Places places = {}) {
    places.try_emplace("@SERVER@", front.url());
    places.try_emplace("@CA_DATA@", in_base64(authority.certificate()));
    std::ifstream file(FOLDER "/recorded/" + tool + ".yaml", std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    ASSERT_NE(text, "");
    for (const auto& [place, value] : places) {
      const std::size_t at = text.find(place);
      if (at != std::string::npos) text.replace(at, place.size(), value);
    }
    ASSERT_THAT(text, Not(ContainsRegex("@[A-Z_]+@")));
    home.write(".kube/config", text);
  }

  // What the server takes: a token, or the certificate of a user.
  void demand_token(const std::string& token) { front.use_token(token); }
  PemPair demand_certificate(const std::string& user) {
    front.use_authority(authority, true);
    front.use_client(user);
    certificates_ = true;
    return authority.client(user);
  }

  static kube::Result<std::vector<std::string>> list_pods() {
    const auto config = kube::kubeconfig::load();
    if (!config) return config.error();
    const auto client = kube::Client::create(*config);
    if (!client) return client.error();
    const std::string& ns = config->namespace_;
    const auto pods = client->api<Pod>(ns.empty() ? "default" : ns).list();
    if (!pods) return pods.error();
    std::vector<std::string> names;
    for (const Pod& pod : pods->items) names.push_back(pod.metadata.name);
    return names;
  }
  programs::Outcome run(const std::string& program) const {
    return programs::run({program, "get", "pods", "-o", "name"},
                         {.environment = {"HOME=" + home.path().string()}});
  }

  void expect_access(const std::string& pod) {
    const auto pods = list_pods();
    ASSERT_TRUE(pods) << pods.error().to_string();
    EXPECT_THAT(*pods, ElementsAre(pod));
    EXPECT_EQ(front.refused(), 0);
    for (const std::string& program : command_lines()) {
      const auto outcome = run(program);
      EXPECT_EQ(outcome.out, "pod/" + pod + "\n") << program << ": " << outcome.err;
    }
    EXPECT_EQ(front.refused(), 0);
    expect_others_are_refused();
  }

  // A user whom the server does not know, and a server that the user does not know.
  void expect_others_are_refused() {
    const int passed_on = front.passed_on("list pods");
    certificates_ ? front.use_client("another") : front.use_token("another");
    const auto unauthorized = list_pods();
    ASSERT_FALSE(unauthorized);
    EXPECT_TRUE(kube::is_unauthorized(unauthorized.error())) << unauthorized.error().to_string();
    for (const std::string& program : command_lines()) {
      EXPECT_THAT(run(program).err, HasSubstr("You must be logged in to the server (")) << program;
    }
    const int refused = front.refused();
    EXPECT_GE(refused, 1);

    front.use_authority(TestAuthority("another"), certificates_);
    const auto unknown = list_pods();
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code(), kube::ErrorCode::Credentials);
    EXPECT_THAT(unknown.error().to_string(), HasSubstr("certificate"));
    for (const std::string& program : command_lines()) {
      EXPECT_THAT(run(program).err, HasSubstr("certificate")) << program;
    }
    EXPECT_EQ(front.refused(), refused) << "no request without a handshake";
    EXPECT_EQ(front.passed_on("list pods"), passed_on);
  }

  static std::vector<std::string> command_lines() {
    if (programs::has_recent_kubectl()) return {KUBECPP, "kubectl"};
    return {KUBECPP};
  }

  const kube::rest::TemporaryDirectory home;
  const Variable home_variable{"HOME", home.path().string()};
  const Variable kubeconfig_variable{"KUBECONFIG", std::nullopt};
  const Variable path_variable{"PATH", FOLDER "/plugins:" + std::string(std::getenv("PATH"))};
  const std::unique_ptr<kube::apiserver::ApiServer> server =
      std::move(kube::apiserver::ApiServer::start()).value();
  const TestAuthority authority{"CA"};
  SecuredFront front{server->port()};

 private:
  bool certificates_ = false;
};

TEST_F(RecordedKubeconfig, OfEksHasATokenOfTheAwsCli) {
  install("eks");
  home.write(".aws/token", "k8s-aws-v1.aHR0cHM6Ly9zdHM");
  demand_token("k8s-aws-v1.aHR0cHM6Ly9zdHM");
  expect_access("front-0");
}

TEST_F(RecordedKubeconfig, OfGkeHasATokenOfItsPluginThatIsToldTheCluster) {
  install("gke");
  home.write(".config/gcloud/token", "ya29.a0AfB_byC");
  demand_token("ya29.a0AfB_byC");
  expect_access("front-0");
}

TEST_F(RecordedKubeconfig, OfAksHasATokenOfKubelogin) {
  install("aks");
  home.write(".kube/cache/kubelogin-token", "eyJ0eXAiOiJKV1QifQ.e30.c2ln");
  demand_token("eyJ0eXAiOiJKV1QifQ.e30.c2ln");
  expect_access("front-0");
}

TEST_F(RecordedKubeconfig, OfOpenShiftHasATokenAndANamespace) {
  install("openshift", {{"@TOKEN@", "sha256~QTYGVumELfyzLS9H9gOiDhVA2B1Vnls"}});
  demand_token("sha256~QTYGVumELfyzLS9H9gOiDhVA2B1Vnls");
  expect_access("till-0");
}

TEST_F(RecordedKubeconfig, OfOpenShiftWithAnIdentityProviderHasATokenOfOc) {
  install("openshift-oidc");
  home.write(".kube/cache/oc-token", "eyJhbGciOiJSUzI1NiJ9.e30.c2ln");
  demand_token("eyJhbGciOiJSUzI1NiJ9.e30.c2ln");
  expect_access("till-0");
}

// The certificate comes with that of its authority.
TEST_F(RecordedKubeconfig, OfK3sHasAChainOfCertificates) {
  const PemPair pair = demand_certificate("system:admin");
  install("k3s", {{"@CERTIFICATE_DATA@", in_base64(pair.certificate + authority.certificate())},
                  {"@KEY_DATA@", in_base64(pair.key)}});
  expect_access("front-0");
}

TEST_F(RecordedKubeconfig, OfKindHasACertificate) {
  const PemPair pair = demand_certificate("kubernetes-admin");
  install("kind", {{"@CERTIFICATE_DATA@", in_base64(pair.certificate)},
                   {"@KEY_DATA@", in_base64(pair.key)}});
  expect_access("front-0");
}

TEST_F(RecordedKubeconfig, OfMinikubeHasFilesBesideItsFolderAndExtensions) {
  const PemPair pair = demand_certificate("minikube-user");
  install("minikube");
  home.write(".minikube/ca.crt", authority.certificate());
  home.write(".minikube/profiles/minikube/client.crt", pair.certificate);
  home.write(".minikube/profiles/minikube/client.key", pair.key);
  expect_access("front-0");
}

TEST_F(RecordedKubeconfig, OfRancherHasAServerWithAPathAndFoldedText) {
  install("rancher", {{"@CA_DATA@", folded(in_base64(authority.certificate()))},
                      {"@TOKEN@", "kubeconfig-user-clv7s5hbvd:b8nmf5j2h9c8hk2sx9zrdnj"}});
  front.use_path("/k8s/clusters/c-m-8x2vqk4p");
  demand_token("kubeconfig-user-clv7s5hbvd:b8nmf5j2h9c8hk2sx9zrdnj");
  expect_access("front-0");
}

}  // namespace
}  // namespace kubeconfigs
