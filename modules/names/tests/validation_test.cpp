// SPDX-License-Identifier: Apache-2.0
#include <kube/names/validation.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube::meta {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Validation, AcceptsDnsLabels) {
  for (const char* text : {"a", "ab", "abc", "a1", "a-1", "a--1--2--b", "0", "01", "0a", "0-a"}) {
    EXPECT_THAT(validate_dns1123_label(text), IsEmpty()) << text;
  }
  EXPECT_THAT(validate_dns1123_label(repeat("a", 63)), IsEmpty());
}

TEST(Validation, RejectsWhatIsNoDnsLabel) {
  for (const char* text : {"", "A", "ABC", "aBc", "A1", "-", "a-", "-a", "1-", "-1", "_", "a_",
                           "a@b", " ", "a ", "a b", "\xc3\xa4"}) {
    EXPECT_THAT(validate_dns1123_label(text), ElementsAre(HasSubstr("RFC 1123 label"))) << text;
  }
  EXPECT_THAT(validate_dns1123_label("a.b"), ElementsAre("must not contain dots"));
  EXPECT_THAT(validate_dns1123_label(repeat("a", 64)),
              ElementsAre("must be no more than 63 characters"));
}

TEST(Validation, ChecksDnsSubdomains) {
  for (const char* text : {"a", "a.b", "0.a", "a-1.b--2.c", "example.com"}) {
    EXPECT_THAT(validate_dns1123_subdomain(text), IsEmpty()) << text;
  }
  for (const char* text : {"", ".", "a.", ".a", "a..b", "a.-b", "A.b", "a_b", "a/b"}) {
    EXPECT_THAT(validate_dns1123_subdomain(text), ElementsAre(HasSubstr("RFC 1123 subdomain")))
        << text;
  }
  EXPECT_THAT(validate_dns1123_subdomain(repeat("a", 254)), Not(IsEmpty()));
}

TEST(Validation, Dns1035LabelsStartWithALetter) {
  EXPECT_THAT(validate_dns1035_label("a-1"), IsEmpty());
  EXPECT_THAT(validate_dns1035_label("1-a"), ElementsAre(HasSubstr("DNS-1035 label")));
  EXPECT_THAT(validate_dns1035_label(""), Not(IsEmpty()));
}

TEST(Validation, ChecksQualifiedNames) {
  for (const char* text :
       {"simple", "now-with-dashes", "1-starts-with-num", "1234", "simple/simple",
        "example.com/A_b.c-1", "now-with-dashes/now-with-dashes", "1.2.3.4/5678",
        "Uppercase_Is_OK_123"}) {
    EXPECT_THAT(validate_qualified_name(text), IsEmpty()) << text;
  }
  EXPECT_THAT(validate_qualified_name(repeat("a", 63)), IsEmpty());
  EXPECT_THAT(validate_qualified_name(repeat("a", 253) + "/b"), IsEmpty());

  for (const char* text :
       {"nospecialchars%^=@", "cantendwithadash-", "-cantstartwithadash-", "only/one/slash",
        "Example.com/abc", "example_com/abc", "a..b/c", "a/", "/a", "", "a b"}) {
    EXPECT_THAT(validate_qualified_name(text), Not(IsEmpty())) << text;
  }
  EXPECT_THAT(validate_qualified_name("/a"), ElementsAre("prefix part must be non-empty"));
  EXPECT_THAT(validate_qualified_name("a/"),
              ElementsAre("name part must be non-empty", HasSubstr("name part must consist of")));
  EXPECT_THAT(validate_qualified_name(repeat("a", 64)),
              ElementsAre("name part must be no more than 63 bytes"));
  EXPECT_THAT(validate_qualified_name(repeat("a", 254) + "/b"),
              ElementsAre("prefix part must be no more than 253 bytes"));
  EXPECT_THAT(
      validate_qualified_name("a/b/c"),
      ElementsAre(
          "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and "
          "must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name', "
          " or '123-abc', regex used for validation is "
          "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix "
          "and '/' (e.g. 'example.com/MyName')"));
}

TEST(Validation, ChecksLabelValues) {
  for (const char* text :
       {"", "simple", "now-with-dashes", "1-starts-with-num", "end-with-num-1", "A_b.c"}) {
    EXPECT_THAT(validate_label_value(text), IsEmpty()) << text;
  }
  for (const char* text : {"nospecialchars%^=@", "Tama-nui-te-r\xc4\x81.is.M\xc4\x81ori.sun", "a/b",
                           "-a", "a-", ".a", "a_", "a b"}) {
    EXPECT_THAT(validate_label_value(text), Not(IsEmpty())) << text;
  }
  EXPECT_THAT(validate_label_value(repeat("a", 64)), ElementsAre("must be no more than 63 bytes"));
}

TEST(Validation, ChecksPathSegments) {
  EXPECT_THAT(validate_path_segment_name("system:node"), IsEmpty());
  EXPECT_THAT(validate_path_segment_name("."), ElementsAre("may not be '.'"));
  EXPECT_THAT(validate_path_segment_name(".."), ElementsAre("may not be '..'"));
  EXPECT_THAT(validate_path_segment_name("a/b%"),
              ElementsAre("may not contain '/'", "may not contain '%'"));
  EXPECT_THAT(validate_path_segment_prefix("."), IsEmpty());
}

TEST(Validation, ChecksConfigMapKeysAndPortNames) {
  for (const char* text : {"a", "good", "good-good", "still.good", "this.is.also.good",
                           ".so.is.this", "THIS_IS_GOOD"}) {
    EXPECT_THAT(validate_config_map_key(text), IsEmpty()) << text;
  }
  for (const char* text : {".", "..", "..bad", "b*d", "bad!&bad", ""}) {
    EXPECT_THAT(validate_config_map_key(text), Not(IsEmpty())) << text;
  }
  EXPECT_THAT(validate_port_name("http-alt"), IsEmpty());
  for (const char* text : {"", "longerthan15chars", "12345", "-a", "a-", "a--b", "Http"}) {
    EXPECT_THAT(validate_port_name(text), Not(IsEmpty())) << text;
  }
}

TEST(Validation, APrefixMayEndInADash) {
  EXPECT_THAT(validate_name(NameRule::DnsSubdomain, "web-", true), IsEmpty());
  EXPECT_THAT(validate_name(NameRule::DnsSubdomain, "web-", false), Not(IsEmpty()));
  EXPECT_THAT(validate_name(NameRule::DnsLabel, "a.b-", true),
              ElementsAre("must not contain dots"));
  EXPECT_THAT(validate_name(NameRule::Dns1035Label, "1b-", true), Not(IsEmpty()));
  // The character before the dash is not looked at, as in the reference server.
  EXPECT_THAT(validate_name(NameRule::Dns1035Label, "1-", true), IsEmpty());
  EXPECT_THAT(validate_name(NameRule::PathSegment, "..", true), IsEmpty());
  EXPECT_THAT(validate_name(NameRule::PathSegment, "..", false), Not(IsEmpty()));
}

TEST(Validation, GeneratedNamesEndInFiveRandomCharacters) {
  double next = 0;
  const RandomSource random = [&next] {
    const double value = next;
    next += 0.25;
    if (next >= 1) next = 0;
    return value;
  };
  EXPECT_EQ(generate_name("web-", random), "web-bjr2b");
  const std::string longest = generate_name(repeat("a", 100), random);
  EXPECT_EQ(longest.size(), 63U);
  EXPECT_EQ(longest.substr(0, 58), repeat("a", 58));
  EXPECT_EQ(random_name_suffix(2, [] { return 0.999999; }), "99");
}

}  // namespace
}  // namespace kube::meta
