// SPDX-License-Identifier: Apache-2.0
#include <kube/certificate/request.hpp>

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <openssl/pem.h>
#include <openssl/x509.h>

#include <kube/testing/matchers.hpp>

#include "pki_fixture.hpp"

namespace kube::certificate {
namespace {

using testing::FailsWith;
using testing::HasMessage;
using ::testing::HasSubstr;
using testing::IsOk;

// The name of the algorithm that has signed the request.
std::string algorithm_of(const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509_REQ* request = PEM_read_bio_X509_REQ(bio, nullptr, nullptr, nullptr);
  const std::string name = OBJ_nid2ln(X509_REQ_get_signature_nid(request));
  X509_REQ_free(request);
  BIO_free(bio);
  return name;
}

TEST(Request, CERT_09_HasTheTemplatesSubjectAndAlternativeNames) {
  const PrivateKey key = PrivateKey::generate().value();
  const std::string long_name = "system:node:" + std::string(100, 'n');
  const RequestTemplate wanted{.common_name = long_name,
                               .organizations = {"system:nodes", "others"},
                               .dns_names = {"a.example", "*.b.example"},
                               .ip_addresses = {"10.0.0.1", "fd00::1"}};
  const auto pem = make_request(key, wanted);
  ASSERT_THAT(pem, IsOk());
  const auto request = Request::parse(*pem);
  ASSERT_THAT(request, IsOk());
  RequestTemplate found = request->names();
  std::sort(found.organizations.begin(), found.organizations.end());
  EXPECT_EQ(found,
            (RequestTemplate{
                long_name, {"others", "system:nodes"}, wanted.dns_names, wanted.ip_addresses}));
  EXPECT_EQ(request->public_key(), key.public_key());
  EXPECT_TRUE(request->signed_by(key.public_key()));
  EXPECT_FALSE(request->signed_by(PrivateKey::generate().value().public_key()));

  const auto bare = make_request(key, {});
  ASSERT_THAT(bare, IsOk());
  EXPECT_EQ(Request::parse(*bare).value().names(), RequestTemplate{});
  EXPECT_THAT(
      make_request(key, {.ip_addresses = {"10.0.0"}}),
      FailsWith(HasMessage("\"10.0.0\" is not an IP address, such as 10.0.0.1 or fd00::1")));
}

TEST(Request, CERT_09_IsSignedWithTheKeysDefaultAlgorithm) {
  const std::vector<std::pair<PrivateKey, std::string>> cases = {
      {PrivateKey::generate_rsa(2048).value(), "sha256WithRSAEncryption"},
      {PrivateKey::generate_rsa(3072).value(), "sha384WithRSAEncryption"},
      {PrivateKey::generate_rsa(4096).value(), "sha512WithRSAEncryption"},
      {PrivateKey::generate().value(), "ecdsa-with-SHA256"},
      {key_on_curve("P-384"), "ecdsa-with-SHA384"},
      {key_on_curve("P-521"), "ecdsa-with-SHA512"},
  };
  for (const auto& [key, algorithm] : cases) {
    EXPECT_EQ(algorithm_of(make_request(key, {.common_name = "a"}).value()), algorithm);
  }
}

TEST(Request, OnlyARequestIsParsed) {
  EXPECT_THAT(Request::parse("x"),
              FailsWith(HasMessage("PEM block type must be CERTIFICATE REQUEST")));
  EXPECT_FALSE(Request::parse(TestCa("one").certificate.pem()));
  EXPECT_THAT(Request::parse("-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n"
                             "-----END CERTIFICATE REQUEST-----\n"),
              FailsWith(HasMessage("the block is not a certificate signing request")));
}

}  // namespace
}  // namespace kube::certificate
