// SPDX-License-Identifier: Apache-2.0
#include <kube/base/dns_names.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kLabelForm =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kLabel1035Form =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kSubdomainForm =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

TEST(DnsNames, LabelsAreLowerCaseAndAlphanumericAtBothEnds) {
  for (const std::string& text : {std::string("a"), std::string("0"), std::string("a-1"),
                                  std::string("1--a"), std::string(63, 'a')}) {
    EXPECT_THAT(dns1123_label_problems(text), IsEmpty()) << text;
  }
  for (const std::string text : {"", "-", "-a", "a-", "A", "a_b", "a b", "\xc3\xa4", "a..b", ".a"})
    EXPECT_THAT(dns1123_label_problems(text), ElementsAre(kLabelForm)) << text;
  EXPECT_THAT(dns1123_label_problems("a.b"), ElementsAre("must not contain dots"));
}

TEST(DnsNames, LabelsOf1035StartWithALetter) {
  EXPECT_THAT(dns1035_label_problems("a-1"), IsEmpty());
  for (const std::string text : {"", "1-a", "-a", "a-", "A", "a.b"})
    EXPECT_THAT(dns1035_label_problems(text), ElementsAre(kLabel1035Form)) << text;
}

TEST(DnsNames, SubdomainsAreLabelsWithDotsBetween) {
  for (const std::string text : {"a", "a.b", "1.example-x.com"})
    EXPECT_THAT(dns1123_subdomain_problems(text), IsEmpty()) << text;
  for (const std::string text : {"", ".", "a.", ".a", "a..b", "a.-b", "a-.b", "a.B"})
    EXPECT_THAT(dns1123_subdomain_problems(text), ElementsAre(kSubdomainForm)) << text;
  // Here a label may be longer than 63.
  EXPECT_THAT(dns1123_subdomain_problems(std::string(253, 'a')), IsEmpty());
}

TEST(DnsNames, TooLongIsToldBeforeTheForm) {
  EXPECT_THAT(dns1123_label_problems(std::string(64, 'a')),
              ElementsAre("must be no more than 63 characters"));
  EXPECT_THAT(dns1123_label_problems(std::string(64, '-')),
              ElementsAre("must be no more than 63 characters", kLabelForm));
  EXPECT_THAT(dns1035_label_problems(std::string(64, '1')),
              ElementsAre("must be no more than 63 characters", kLabel1035Form));
  EXPECT_THAT(dns1123_subdomain_problems(std::string(254, '-')),
              ElementsAre("must be no more than 253 characters", kSubdomainForm));
  EXPECT_THAT(dns1123_subdomain_problems(std::string(254, 'a'), "bytes"),
              ElementsAre("must be no more than 253 bytes"));
}

}  // namespace
}  // namespace kube
