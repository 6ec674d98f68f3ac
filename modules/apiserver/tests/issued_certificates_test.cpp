// SPDX-License-Identifier: Apache-2.0
//
// What kube-apiserver 1.37.1 says of the certificate of a PodCertificateRequest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <kube/api/types.hpp>
#include <kube/names/time.hpp>

#include "certificates.hpp"
#include "validation/type_validation.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kNow = "2030-01-01T00:00:00Z";

/// Times are in seconds from kNow.
struct Leaf {
  std::int64_t start = 0;
  std::int64_t end = 86400;
  std::string name{};  ///< A DNS name.
};

std::string certificate_of(EVP_PKEY* key, const Leaf& leaf) {
  const std::int64_t now = meta::Time::parse(kNow).value().unix_seconds();
  return make_certificate(key, now + leaf.start, now + leaf.end, leaf.name);
}

struct Times {
  std::string_view start = kNow;
  std::string_view end = "2030-01-02T00:00:00Z";
  std::string_view refresh = "2030-01-01T12:00:00Z";
};

class IssuedCertificates : public ::testing::Test {
 protected:
  std::vector<std::string> errors_of(std::string chain, const Times& times = {}) {
    json::Value before =
        json::Object{{"spec", json::Object{{"stubPKCS10Request", make_signing_request(key_.get())},
                                           {"maxExpirationSeconds", 86400}}}};
    json::Value after = before;
    after.ensure_path({"status"}) =
        json::Object{{"conditions", json::Array{json::Object{{"type", "Issued"},
                                                             {"status", "True"},
                                                             {"reason", "R"},
                                                             {"lastTransitionTime", kNow}}}},
                     {"certificateChain", std::move(chain)},
                     {"notBefore", times.start},
                     {"notAfter", times.end},
                     {"beginRefreshAt", times.refresh}};
    const auto* type = api::find_type("certificates.k8s.io/v1", "PodCertificateRequest");
    std::vector<std::string> out;
    for (const meta::FieldError& error :
         validate_status(*type, {.object = after, .before = before, .now = kNow}))
      out.push_back(error.field + ": " + error.detail);
    return out;
  }
  std::vector<std::string> errors_of(const Leaf& leaf, const Times& times = {}) {
    return errors_of(certificate_of(key_.get(), leaf), times);
  }

  Key key_ = new_key();
};

TEST_F(IssuedCertificates, AreTakenWithTheTimesTheyHave) {
  EXPECT_THAT(errors_of(Leaf{}), IsEmpty());
  EXPECT_THAT(errors_of(Leaf{.name = "a.example.com"}), IsEmpty());
}

TEST_F(IssuedCertificates, AreOfTheRequestedKey) {
  const Key other = new_key();
  EXPECT_THAT(errors_of(certificate_of(other.get(), {})),
              ElementsAre("status.certificateChain: leaf certificate was not issued to the "
                          "requested public key"));
}

TEST_F(IssuedCertificates, HaveDnsNamesWithoutEmptyLabels) {
  EXPECT_THAT(errors_of(Leaf{.name = "a..b"}),
              ElementsAre("status.certificateChain: leaf certificate's DNSName should not contain "
                          "'..'"));
  EXPECT_THAT(errors_of(Leaf{.name = ".a"}),
              ElementsAre("status.certificateChain: leaf certificate's DNSName should not start or "
                          "end with '.'"));
}

TEST_F(IssuedCertificates, HaveTheTimesThatTheStatusSays) {
  EXPECT_THAT(errors_of(Leaf{}, {.start = "2030-01-01T00:00:01Z"}),
              ElementsAre("status.notBefore: must be set to the NotBefore time encoded in the leaf "
                          "certificate"));
  EXPECT_THAT(errors_of(Leaf{}, {.end = "2030-01-02T00:00:01Z"}),
              ElementsAre("status.notAfter: must be set to the NotAfter time encoded in the leaf "
                          "certificate"));
}

TEST_F(IssuedCertificates, BeginWithinFiveMinutes) {
  constexpr std::string_view kWhy =
      "status.notBefore: must be set to within 5 minutes of kube-apiserver's current time";
  EXPECT_THAT(errors_of(Leaf{.start = -300}, {.start = "2029-12-31T23:55:00Z"}), ElementsAre(kWhy));
  EXPECT_THAT(errors_of(Leaf{.start = 300}, {.start = "2030-01-01T00:05:00Z"}), ElementsAre(kWhy));
  EXPECT_THAT(errors_of(Leaf{.start = 299}, {.start = "2030-01-01T00:04:59Z"}), IsEmpty());
}

TEST_F(IssuedCertificates, LastAnHourAndNoLongerThanAsked) {
  EXPECT_THAT(errors_of(Leaf{.end = 3599}, {.end = "2030-01-01T00:59:59Z"}),
              ElementsAre("status.certificateChain: leaf certificate lifetime must be >= 1 hour"));
  EXPECT_THAT(errors_of(Leaf{.end = 86401}, {.end = "2030-01-02T00:00:01Z"}),
              ElementsAre("status.certificateChain: leaf certificate lifetime must be <= "
                          "spec.maxExpirationSeconds (86400)"));
}

TEST_F(IssuedCertificates, AreRenewedTenMinutesFromEachEnd) {
  EXPECT_THAT(errors_of(Leaf{}, {.refresh = "2030-01-01T00:09:59Z"}),
              ElementsAre("status.beginRefreshAt: must be at least 10 minutes after "
                          "status.notBefore"));
  EXPECT_THAT(errors_of(Leaf{}, {.refresh = "2030-01-01T23:50:01Z"}),
              ElementsAre("status.beginRefreshAt: must be at least 10 minutes before "
                          "status.notAfter"));
}

TEST_F(IssuedCertificates, AreFollowedByCertificatesAlone) {
  const std::string leaf = certificate_of(key_.get(), {});
  EXPECT_THAT(errors_of(leaf + leaf), IsEmpty());
  EXPECT_THAT(
      errors_of(leaf + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
      ElementsAre("status.certificateChain: intermediate certificate does not parse as valid "
                  "X.509"));
  EXPECT_THAT(errors_of(leaf + "-----BEGIN A-----\nAAAA\n-----END A-----\n"),
              ElementsAre("status.certificateChain: issued certificate chain must consist entirely "
                          "of CERTFICATE PEM blocks"));
}

}  // namespace
}  // namespace kube::apiserver::test
