// SPDX-License-Identifier: Apache-2.0
//
// The search for secrets finds what it is meant to find.
#include "canary.hpp"

#include <gtest/gtest.h>

#include <kube/json/base64.hpp>

namespace secrets {
namespace {

TEST(Canary, IsFoundInEveryForm) {
  EXPECT_EQ(shown_by("http://user:proxy@host: refused"), "");
  EXPECT_EQ(shown_by(with_canary("http://user:CANARY@host")), "plain");
  EXPECT_EQ(shown_by("zq9canary4xw7"), "plain");
  EXPECT_EQ(shown_by("its end: RY4Xw7"), "plain");
  EXPECT_EQ(shown_by("%5a%719CanaRY4Xw%37"), "plain");
  EXPECT_EQ(shown_by("Z%719C%61%6Ea%52Y4%58w7"), "percent-encoded");
  EXPECT_EQ(shown_by("Z%25719C%2561%256Ea%2552Y4%2558w7"), "percent-encoded");
  EXPECT_EQ(shown_by("Z\\u00719C\\u0061n\\u0061RY\\u0034Xw7"), "escaped");
  EXPECT_EQ(shown_by("\\x5aq9\\x43an\\x61RY\\x34Xw7"), "escaped");
  EXPECT_EQ(shown_by("5A713943616e61525934587737"), "hexadecimal");
  EXPECT_EQ(shown_by("16-byte object <5A-71 39-43 61-6E 61-52 59-34 58-77 37-00>"), "hexadecimal");
}

TEST(Canary, IsFoundAtEveryPlaceInBase64) {
  for (std::string before; before.size() < 7; before += 'u') {
    for (std::string after; after.size() < 4; after += ':') {
      std::string encoded = "Basic ";
      kube::json::write_base64(before + std::string(kCanary) + after, encoded);
      EXPECT_EQ(shown_by(encoded), "base64") << encoded;
    }
  }
}

}  // namespace
}  // namespace secrets
