// SPDX-License-Identifier: Apache-2.0
//
// A document or a change that the server refuses, and the errors that its answer names.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "server_fixture.hpp"

namespace kube::apiserver::test {

struct Refusal {
  std::string_view target;
  std::string_view document;
  std::vector<std::string> errors{};  ///< "field: message", in their order.

  friend std::ostream& operator<<(std::ostream& out, const Refusal& refusal) {
    return out << refusal.target << ' ' << refusal.document;
  }
};

class Refusals : public ServerTest, public ::testing::WithParamInterface<Refusal> {};

/// Returns the name of a test: the resource and a number.
std::string name_of(const ::testing::TestParamInfo<Refusal>& refusal);
/// Returns the causes of a Status.
std::vector<std::string> errors_of(const Answer& answer);

/// Objects that are made and then changed by merge patches.
class ChangeTest : public ServerTest {
 protected:
  void make(std::string_view target, std::string_view document) {
    const Answer made = post(target, document);
    ASSERT_EQ(made.status, 201) << made.body;
  }
  /// Returns the errors of a change; none when it was made.
  std::vector<std::string> errors(std::string_view target, std::string_view patch) {
    const Answer answer = merge(target, patch);
    EXPECT_TRUE(answer.status == 200 || answer.status == 422) << answer.body;
    return errors_of(answer);
  }
};

}  // namespace kube::apiserver::test
