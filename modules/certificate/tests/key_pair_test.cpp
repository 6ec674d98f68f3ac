// SPDX-License-Identifier: Apache-2.0
#include <kube/certificate/key_pair.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/matchers.hpp>

#include "pki_fixture.hpp"

namespace kube::certificate {
namespace {

using ::testing::AllOf;
using testing::FailsWith;
using testing::HasMessage;
using ::testing::HasSubstr;
using testing::IsOkAndHolds;

TEST(KeyPairFiles, CERT_02_ACertificateAndItsKeyAreReadableTogetherOrNotAtAll) {
  const TestFolder folder;
  const std::string certificate = folder.write("tls.crt", "x");
  const std::string key = folder.write("tls.key", "x");
  const std::string absent = folder.path("absent");
  EXPECT_THAT(can_read_pair(certificate, key), IsOkAndHolds(true));
  EXPECT_THAT(can_read_pair(absent, absent), IsOkAndHolds(false));
  const std::string text =
      "error reading " + absent + ", certificate and key must be supplied as a pair";
  EXPECT_THAT(can_read_pair(certificate, absent), FailsWith(HasMessage(text)));
  EXPECT_THAT(can_read_pair(absent, key), FailsWith(HasMessage(text)));
}

TEST(KeyPair, IsReadFromOneTextOrTwoFiles) {
  const TestFolder folder;
  const TestCa ca("authority");
  const KeyPair pair = ca.pair({.common_name = "node"});
  const std::string both = folder.write(
      "both.pem", pair.key().pem().reveal() + pair.leaf().pem() + ca.certificate.pem());
  const auto found = KeyPair::from_files(both, both);
  ASSERT_TRUE(found) << found.error().to_string();
  EXPECT_EQ(found->chain().size(), 2U);
  EXPECT_EQ(found->leaf(), pair.leaf());

  const std::string stranger = folder.write("stranger.key", ca.key.pem().reveal());
  const auto mixed = KeyPair::from_files(both, stranger);
  EXPECT_THAT(mixed, FailsWith(HasMessage(AllOf(
                         HasSubstr(both + " and " + stranger),
                         HasSubstr("the private key is not that of the certificate of CN=node")))));
}

}  // namespace
}  // namespace kube::certificate
