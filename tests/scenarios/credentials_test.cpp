// SPDX-License-Identifier: Apache-2.0
//
// Certificates and authorities of a running server that change, and informers that stay in step.
// The embedded server has no TLS: tests/rotation puts a front before it.
#include <cstdlib>
#include <map>
#include <string>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/api/rbac/v1/cluster_role_binding.hpp>
#include <kube/client/api.hpp>

#include "counted_maps.hpp"
#include "server_file.hpp"
#include "server_under_test.hpp"
#include "test_pki.hpp"
#include "tls_file.hpp"

namespace scenarios {
namespace {

using kube::core::v1::ConfigMap;
using kube::transport::PemPair;
using kube::transport::TestAuthority;
using kube::transport::TlsFile;

constexpr int kRotations = 5;
constexpr const char* kUser = "rotating-client";

class CredentialsScenario : public Scenario {
 protected:
  // Whatever certificate the server shows now.
  static kube::Client unverified_client() {
    kube::rest::Config config = server_config();
    config.tls.ca = {};
    config.tls.insecure_skip_verify = true;
    return kube::Client::create(config).value();
  }

  void permit_everything_to(const std::string& user) {
    kube::rbac::v1::ClusterRoleBinding binding;
    binding.metadata.name = namespace_ + "-" + user;
    binding.role_ref = {
        .api_group = "rbac.authorization.k8s.io", .kind = "ClusterRole", .name = "cluster-admin"};
    kube::rbac::v1::Subject subject;
    subject.kind = "User";
    subject.name = user;
    subject.api_group = "rbac.authorization.k8s.io";
    binding.subjects.push_back(std::move(subject));
    must(client_.api<kube::rbac::v1::ClusterRoleBinding>().create(binding));
  }

  static bool works(const kube::rest::Config& config, const std::string& ns) {
    const auto client = kube::Client::create(config);
    return client && client->api<ConfigMap>(ns).list().has_value();
  }
};

TEST_F(CredentialsScenario, CertificatesAndAuthoritiesChangeFiveTimesWithoutAList) {
  const char* run = std::getenv("KUBE_SCENARIO_SERVER_FILES");
  if (!on_real_server() || run == nullptr) {
    GTEST_SKIP() << "needs the files of a real server; tests/rotation has the embedded one";
  }
  const kube::Client direct = unverified_client();
  const auto maps = direct.api<ConfigMap>(namespace_);
  permit_everything_to(kUser);
  const std::string folder(run);
  const ServerFile certificate_of_server(folder + "/certs/apiserver.crt");
  const ServerFile key_of_server(folder + "/certs/apiserver.key");
  const ServerFile client_authorities(folder + "/pki/client-ca.crt");

  kube::rest::Config config{.host = server_config().host};
  const TlsFile ca("scenario-ca", "");
  const TlsFile certificate("scenario-crt", "");
  const TlsFile key("scenario-key", "");
  // The server first: when it has all of it, the client's files follow.
  const auto rotate = [&](int number) {
    const TestAuthority authority("scenario CA " + std::to_string(number));
    const PemPair shown = authority.server({"127.0.0.1", "localhost"});
    const PemPair own = authority.client(kUser);
    client_authorities.replace(client_authorities.before() + authority.certificate());
    certificate_of_server.replace(shown.certificate);
    key_of_server.replace(shown.key);
    kube::rest::Config probe = config;
    probe.tls = {.ca = {.data = authority.certificate()},
                 .certificate = {.data = own.certificate},
                 .key = {.data = own.key}};
    for (int i = 0; i < 4; ++i) {  // kube-apiserver looks at its files once a minute, at the latest
      if (eventually([&] { return works(probe, namespace_); })) break;
    }
    ca.replace(authority.certificate());
    certificate.replace(own.certificate);
    key.replace(own.key);
  };
  const auto create = [&](const std::string& name) {
    ConfigMap map;
    map.metadata.name = name;
    must(maps.create(map));
  };

  rotate(0);
  config.tls = {.ca = {.file = ca.path()},
                .certificate = {.file = certificate.path()},
                .key = {.file = key.path()}};
  const kube::Client client = must(kube::Client::create(config));
  const CountedMaps watched(client, namespace_);
  ASSERT_TRUE(eventually([&] { return watched.has_synced(); }));
  std::map<std::string, int> wanted;
  for (int i = 1; i <= kRotations; ++i) {
    const std::string number = std::to_string(i);
    create("before-" + number);
    rotate(i);
    create("after-" + number);
    wanted["before-" + number] = wanted["after-" + number] = 1;
    // A program that only watches would look at its files within a minute.
    must(client.api<ConfigMap>(namespace_).get("before-" + number));
    EXPECT_TRUE(eventually([&] { return watched.added() == wanted; })) << "rotation " << i;
    EXPECT_TRUE(eventually([&] { return watched.status().watches > std::uint64_t(i); }));
  }
  EXPECT_EQ(watched.status().lists, 1U);
}

}  // namespace
}  // namespace scenarios
