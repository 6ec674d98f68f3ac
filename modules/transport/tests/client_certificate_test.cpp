// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/client_certificate.hpp>

#include <gtest/gtest.h>

#include "test_pki.hpp"
#include "tls_file.hpp"

namespace kube::transport {
namespace {

TEST(ClientCertificate, ReturnsItsExpiryWhenTheKeyBelongsToIt) {
  using std::chrono::system_clock;
  constexpr std::chrono::seconds kLifetime{600};
  constexpr std::chrono::seconds kUnit{1};  // of a certificate's times
  const TestAuthority authority("CA");
  const auto before = system_clock::now();
  const PemPair pair = authority.client("alice", kLifetime);
  const auto after = system_clock::now();
  const auto expiry = check_client_certificate(pair.certificate, pair.key);
  ASSERT_TRUE(expiry) << expiry.error().to_string();
  EXPECT_GT(*expiry, before + kLifetime - kUnit);
  EXPECT_LE(*expiry, after + kLifetime);
}

TEST(ClientCertificate, AForeignOrUnreadableKeyIsAnErrorThatDoesNotQuoteIt) {
  const TestAuthority authority("CA");
  const PemPair alice = authority.client("alice");
  for (const std::string& key :
       {authority.client("bob").key, encrypted(alice.key), std::string("secret"), std::string()}) {
    const auto checked = check_client_certificate(alice.certificate, key);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code(), ErrorCode::Credentials);
    EXPECT_EQ(checked.error().to_string().find("secret"), std::string::npos);
  }
  EXPECT_FALSE(check_client_certificate("secret", alice.key));
}

TEST(ClientCertificate, AnErrorSaysWhichOfTheTwoIsWrong) {
  const TestAuthority authority("CA");
  const PemPair alice = authority.client("alice");
  const PemSource certificate{.data = alice.certificate};
  const KeySource key{.data = alice.key};
  const auto is_key = [](const PemSource& cert, const KeySource& private_key) {
    const auto checked = check_client_certificate(cert, private_key);
    return checked ? std::optional<bool>() : is_of_client_key(checked.error());
  };
  EXPECT_EQ(is_key(certificate, key), std::nullopt);
  EXPECT_EQ(is_key({.data = "no PEM"}, key), false);
  EXPECT_EQ(is_key({.file = "/nowhere/tls.crt"}, key), false);
  EXPECT_EQ(is_key(certificate, {}), false) << "the certificate has no key";
  EXPECT_EQ(is_key(certificate, {.data = "no PEM"}), true);
  EXPECT_EQ(is_key(certificate, {.file = "/nowhere/tls.key"}), true);
  EXPECT_EQ(is_key(certificate, {.data = encrypted(alice.key)}), true);
  EXPECT_EQ(is_key(certificate, {.data = authority.client("bob").key}), true);
  EXPECT_EQ(is_key({}, key), true) << "the key has no certificate";
}

TEST(ClientCertificate, SourcesAreCheckedAndTheirFilesNamed) {
  const TestAuthority authority("CA");
  const PemPair alice = authority.client("alice");
  const TlsFile key("checked.key", alice.key);
  EXPECT_TRUE(check_client_certificate(PemSource{.data = alice.certificate},
                                       KeySource{.file = key.path()}));
  key.replace("secret");
  const auto checked =
      check_client_certificate(PemSource{.data = alice.certificate}, KeySource{.file = key.path()});
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message(),
            "the client key file " + key.path() + " contains no PEM private key");
  EXPECT_TRUE(check_client_certificate(PemSource{}, KeySource{}));

  const TlsFile ca("checked-ca.crt", authority.certificate());
  EXPECT_TRUE(check_ca({.file = ca.path()}));
  EXPECT_TRUE(check_ca({}));
  ca.replace("secret");
  EXPECT_EQ(check_ca({.file = ca.path()}).error().message(),
            "the CA file " + ca.path() + " contains no PEM certificate");
  EXPECT_FALSE(check_ca({.data = "secret"}));
  ca.replace("");
  EXPECT_TRUE(check_ca({.file = ca.path()})) << "to be filled later";
}

}  // namespace
}  // namespace kube::transport
