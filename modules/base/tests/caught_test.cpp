// SPDX-License-Identifier: Apache-2.0
#include <kube/base/caught.hpp>

#include <stdexcept>

#include <gtest/gtest.h>

namespace kube {
namespace {

TEST(Caught, ReturnsWhatACallThrowsAndNullForNothing) {
  int calls = 0;
  EXPECT_EQ(caught([&] { ++calls; }), nullptr);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(exception_text(caught([] { throw std::runtime_error("boom"); })), "boom");
  EXPECT_EQ(exception_text(caught([] { throw 7; })), "not a std::exception");
}

TEST(Caught, CallsTheFunctionItself) {
  auto counts = [calls = 0]() mutable { return ++calls; };
  EXPECT_EQ(caught(counts), nullptr);
  EXPECT_EQ(counts(), 2) << "not a copy";
  const auto constant = [] { throw std::runtime_error("constant"); };
  EXPECT_EQ(exception_text(caught(constant)), "constant");
}

}  // namespace
}  // namespace kube
