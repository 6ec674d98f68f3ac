// SPDX-License-Identifier: Apache-2.0
#include <kube/certificate/self_signed.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/file.hpp>
#include <kube/testing/fake_clock.hpp>
#include <kube/testing/matchers.hpp>

#include "pki_fixture.hpp"

namespace kube::certificate {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::FailsWith;
using testing::FakeClock;
using testing::HasMessage;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;

constexpr auto kDay = 24h;

KeyPair pair_of(const PemPair& pair) {
  return KeyPair::from_pem(pair.certificate, pair.key).value();
}

TEST(SelfSigned, CERT_04_IsALeafFollowedByItsAuthority) {
  const auto clock = std::make_shared<FakeClock>();
  const auto made = self_signed_pair({.host = "web.example",
                                      .alternate_ips = {"10.0.0.1", "fd00::1"},
                                      .alternate_dns = {"www.example"},
                                      .clock = clock});
  ASSERT_THAT(made, IsOk());
  const KeyPair pair = pair_of(*made);
  ASSERT_EQ(pair.chain().size(), 2U);
  const Certificate& ca = pair.chain()[1];
  EXPECT_TRUE(ca.is_ca());
  EXPECT_FALSE(pair.leaf().is_ca());
  EXPECT_EQ(pair.key().type(), KeyType::Rsa);
  EXPECT_EQ(pair.key().bits(), 2048);
  EXPECT_EQ(ca.public_key().bits(), 2048);
  EXPECT_THAT(pair.leaf().dns_names(), ElementsAre("web.example", "www.example"));
  EXPECT_THAT(pair.leaf().ip_addresses(), ElementsAre("10.0.0.1", "fd00::1"));
  for (const Certificate& certificate : pair.chain()) {
    EXPECT_EQ(certificate.not_before(), clock->wall_now() - 1h);
    EXPECT_EQ(certificate.not_after(), clock->wall_now() - 1h + 365 * kDay);
  }
  const auto pool = Pool::from_pem(ca.pem()).value();
  EXPECT_THAT(pool.verify({pair.leaf()}, clock->wall_now()), IsOk());
}

TEST(SelfSigned, CERT_04_AnAddressAsHostAndAnAgeAreTaken) {
  const auto clock = std::make_shared<FakeClock>();
  const auto made = self_signed_pair({.host = "127.0.0.1", .max_age = 5h, .clock = clock});
  ASSERT_THAT(made, IsOk());
  const KeyPair pair = pair_of(*made);
  EXPECT_THAT(pair.leaf().ip_addresses(), ElementsAre("127.0.0.1"));
  EXPECT_THAT(pair.leaf().dns_names(), IsEmpty());
  EXPECT_EQ(pair.leaf().not_after(), clock->wall_now() + 4h);
  EXPECT_FALSE(self_signed_pair({.host = "a", .alternate_ips = {"b"}}));
}

TEST(SelfSigned, CERT_04_AFixtureFolderKeepsPairsForAHundredYears) {
  const TestFolder folder;
  const auto clock = std::make_shared<FakeClock>();
  const SelfSignedOptions options{.host = "web",
                                  .alternate_ips = {"10.0.0.1", "10.0.0.2"},
                                  .alternate_dns = {"a", "b"},
                                  .max_age = 1h,
                                  .fixture_folder = folder.path(""),
                                  .clock = clock};
  const auto made = self_signed_pair(options);
  ASSERT_THAT(made, IsOk());
  EXPECT_EQ(pair_of(*made).leaf().not_after(), clock->wall_now() - 1h + 100 * 365 * kDay);
  const std::string base = folder.path("web_10.0.0.1-10.0.0.2_a-b");
  EXPECT_THAT(read_file(base + ".crt"), testing::IsOkAndHolds(made->certificate));
  EXPECT_THAT(read_file(base + ".key"), testing::IsOkAndHolds(made->key.reveal()));

  const auto again = self_signed_pair(options);
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->certificate, made->certificate);
  EXPECT_EQ(again->key, made->key);

  std::filesystem::remove(base + ".key");
  EXPECT_THAT(self_signed_pair(options),
              FailsWith(HasMessage(HasSubstr("cert " + base + ".crt can be read, but key " + base +
                                             ".key cannot: "))));
  EXPECT_FALSE(self_signed_pair({.host = "../web", .fixture_folder = folder.path("")}));
}

TEST(SelfSignedAuthority, CERT_05_IsValidForTenYearsAndNamedByDns) {
  const auto clock = std::make_shared<FakeClock>();
  const PrivateKey key = PrivateKey::generate().value();
  const auto made =
      self_signed_authority(key, {.common_name = "my-ca", .organizations = {"me"}, .clock = clock});
  ASSERT_THAT(made, IsOk());
  EXPECT_TRUE(made->is_ca());
  EXPECT_EQ(made->common_name(), "my-ca");
  EXPECT_THAT(made->organizations(), ElementsAre("me"));
  EXPECT_THAT(made->dns_names(), ElementsAre("my-ca"));
  EXPECT_EQ(made->not_before(), clock->wall_now());
  EXPECT_EQ(made->not_after(), clock->wall_now() + 10 * 365 * kDay);
  EXPECT_EQ(made->public_key(), key.public_key());

  const WallTime start = clock->wall_now() - 48h;
  const auto earlier = self_signed_authority(key, {.not_before = start, .clock = clock});
  ASSERT_THAT(earlier, IsOk());
  EXPECT_EQ(earlier->not_before(), start);
  EXPECT_EQ(earlier->not_after(), clock->wall_now() + 10 * 365 * kDay);
  EXPECT_THAT(earlier->dns_names(), IsEmpty());
}

TEST(SignRequest, RefusesAnotherAuthoritysKey) {
  const TestCa ca("one");
  const TestCa other("two");
  const auto request =
      Request::parse(make_request(other.key, {.common_name = "a"}).value()).value();
  EXPECT_THAT(sign_request(request, ca.certificate, other.key),
              FailsWith(HasMessage("the private key is not that of the authority CN=one")));
}

}  // namespace
}  // namespace kube::certificate
