// SPDX-License-Identifier: Apache-2.0
#include <kube/certificate/certificate.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/file.hpp>
#include <kube/certificate/self_signed.hpp>
#include <kube/testing/matchers.hpp>

#include "pki_fixture.hpp"

namespace kube::certificate {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::FailsWith;
using testing::HasCode;
using testing::HasMessage;
using ::testing::HasSubstr;
using testing::IsOk;

constexpr const char* kNone = "data does not contain any valid RSA or ECDSA certificates";
const std::string kBroken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

TEST(Bundle, CERT_01_KeepsCertificatesWithoutHeadersAndSkipsOtherBlocks) {
  const TestCa first("one");
  const TestCa second("two");
  const std::string with_headers =
      "-----BEGIN CERTIFICATE-----\nProc-Type: 4,CLEAR\n\n" + first.certificate.pem().substr(28);
  const std::string text = "a comment\n" + first.key.pem().reveal() + first.certificate.pem() +
                           with_headers + "-----BEGIN CERTIFICATE-----\n!!!\n" +
                           "-----END CERTIFICATE-----\n" + second.certificate.pem();
  const Bundle bundle = parse_bundle(text);
  ASSERT_THAT(bundle.result, IsOk());
  EXPECT_THAT(bundle.certificates, ElementsAre(first.certificate, second.certificate));
  EXPECT_EQ(encode_certificates(bundle.certificates),
            first.certificate.pem() + second.certificate.pem());
}

TEST(Bundle, CERT_01_ABrokenCertificateIsAnErrorWithThoseBeforeIt) {
  const TestCa first("one");
  const Bundle bundle = parse_bundle(first.certificate.pem() + kBroken + first.certificate.pem());
  EXPECT_THAT(bundle.certificates, ElementsAre(first.certificate));
  EXPECT_THAT(bundle.result,
              FailsWith(AllOf(HasCode(ErrorCode::Decode),
                              HasMessage("PEM block 2: the bytes are not an X.509 certificate"))));
}

TEST(Bundle, CERT_01_WithoutACertificateItSaysWhatIsMissing) {
  for (const std::string& text :
       {std::string(), std::string("no PEM"), TestCa("one").key.pem().reveal()}) {
    EXPECT_THAT(parse_certificates(text), FailsWith(HasMessage(kNone)));
  }
}

TEST(Certificate, TellsWhatItIsAbout) {
  const TestCa ca("authority");
  const KeyPair pair = ca.pair({.common_name = "node",
                                .organizations = {"nodes", "all"},
                                .dns_names = {"a.example"},
                                .ip_addresses = {"10.0.0.1", "FD00:0::1"}},
                               {.lifetime = 1h, .not_before = WallTime(1'700'000'000s)});
  const Certificate& leaf = pair.leaf();
  EXPECT_EQ(leaf.common_name(), "node");
  EXPECT_THAT(leaf.organizations(), ::testing::UnorderedElementsAre("nodes", "all"));
  EXPECT_EQ(leaf.issuer(), "CN=authority");
  EXPECT_THAT(leaf.dns_names(), ElementsAre("a.example"));
  EXPECT_THAT(leaf.ip_addresses(), ElementsAre("10.0.0.1", "fd00::1"));
  EXPECT_EQ(leaf.not_before(), WallTime(1'700'000'000s));
  EXPECT_EQ(leaf.not_after(), WallTime(1'700'003'600s));
  EXPECT_FALSE(leaf.is_ca());
  EXPECT_TRUE(ca.certificate.is_ca());
  EXPECT_EQ(leaf.public_key(), pair.key().public_key());
  EXPECT_THAT(Certificate::from_der(leaf.der()), testing::IsOkAndHolds(leaf));
  EXPECT_FALSE(Certificate::from_der(leaf.der() + "x"));
}

TEST(Pool, CERT_02_IsReadFromFilesAndBytesAndNamesTheFile) {
  const TestFolder folder;
  const TestCa ca("authority");
  const std::string good = folder.write("ca.crt", ca.certificate.pem());
  const std::string bad = folder.write("bad.crt", "nothing");

  const auto pool = Pool::from_file(good);
  ASSERT_THAT(pool, IsOk());
  EXPECT_THAT(pool->certificates(), ElementsAre(ca.certificate));
  const auto same = Pool::from_pem(ca.certificate.pem());
  ASSERT_THAT(same, IsOk());
  EXPECT_THAT(same->certificates(), ElementsAre(ca.certificate));
  EXPECT_THAT(Pool::from_pem("nothing"), FailsWith(HasMessage(kNone)));
  EXPECT_THAT(Pool::from_file(bad),
              FailsWith(HasMessage("error creating pool from " + bad + ": " + kNone)));
  EXPECT_THAT(Pool::from_file(folder.path("absent")),
              FailsWith(HasMessage(HasSubstr(folder.path("absent") + ": "))));
  EXPECT_THAT(certificates_from_file(good), testing::IsOkAndHolds(ElementsAre(ca.certificate)));
  EXPECT_THAT(certificates_from_file(bad),
              FailsWith(HasMessage("error reading " + bad + ": " + kNone)));
}

TEST(Pool, VerifiesChains) {
  const TestCa ca("authority");
  const TestCa other("other");
  const KeyPair pair = ca.pair({.common_name = "node"}, {.lifetime = 1h});
  const WallTime now = pair.leaf().not_before() + 1min;
  const Pool pool = Pool::from_pem(ca.certificate.pem()).value();
  EXPECT_THAT(pool.verify(pair.chain(), now), IsOk());
  EXPECT_THAT(
      pool.verify(pair.chain(), now + 2h),
      FailsWith(HasMessage("the certificate of CN=node is not trusted: certificate has expired")));
  EXPECT_FALSE(Pool::from_pem(other.certificate.pem()).value().verify(pair.chain(), now));
  EXPECT_FALSE(pool.verify({}, now));
}

unsigned mode_of(const std::string& path) {
  struct stat found {};
  EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
  return found.st_mode & 0777U;
}

TEST(Writing, CERT_03_CertificatesKeysAndFoldersHaveTheirModes) {
  const mode_t before = ::umask(0);
  const TestFolder folder;
  const TestCa ca("authority");
  ASSERT_THAT(write_certificate(folder.path("a/b/ca.crt"), ca.certificate.pem()), IsOk());
  ASSERT_THAT(write_key(folder.path("c/d/ca.key"), ca.key.pem()), IsOk());
  ::umask(before);
  EXPECT_EQ(mode_of(folder.path("a/b/ca.crt")), 0644U);
  EXPECT_EQ(mode_of(folder.path("c/d/ca.key")), 0600U);
  for (const char* made : {"a", "a/b", "c", "c/d"}) EXPECT_EQ(mode_of(folder.path(made)), 0755U);
  EXPECT_THAT(read_file(folder.path("c/d/ca.key")), testing::IsOkAndHolds(ca.key.pem().reveal()));
}

}  // namespace
}  // namespace kube::certificate
