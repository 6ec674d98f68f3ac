// SPDX-License-Identifier: Apache-2.0
#include "refusal_fixture.hpp"

namespace kube::apiserver::test {

std::string name_of(const ::testing::TestParamInfo<Refusal>& refusal) {
  const std::string_view target = refusal.param.target;
  return std::string(target.substr(target.rfind('/') + 1)) + "_" + std::to_string(refusal.index);
}

std::vector<std::string> errors_of(const Answer& answer) {
  std::vector<std::string> out;
  const json::Value status = answer.json();
  for (const json::Value& cause : status.array_at({"details", "causes"}))
    out.push_back(text_at_path(cause, {"field"}) + ": " + text_at_path(cause, {"message"}));
  return out;
}

TEST_P(Refusals, NameAllErrorsInTheServersOrder) {
  const Refusal& refusal = GetParam();
  const Answer answer = post(refusal.target, refusal.document);
  expect_status(answer, 422, "Invalid");
  EXPECT_THAT(errors_of(answer), ::testing::ElementsAreArray(refusal.errors)) << answer.body;
}

}  // namespace kube::apiserver::test
