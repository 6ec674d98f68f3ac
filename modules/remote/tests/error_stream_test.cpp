// SPDX-License-Identifier: Apache-2.0
#include "error_stream.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube::remotecommand {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kV4 = "v4.channel.k8s.io";

std::string outcome(std::string_view protocol, std::string_view bytes) {
  const Result<int> code = decode_error_stream(protocol, bytes);
  return code ? std::to_string(*code) : code.error().to_string();
}

TEST(ErrorStream, EXEC_04_AStatusIsTheExitCodeOrTheError) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({})", "error stream protocol error: unknown error"},
      {R"({"status":"Success"})", "0"},
      {R"({"status":"Failure","message":"no such container"})", "no such container"},
      {R"({"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[)"
       R"({"reason":"foo"},{"reason":"ExitCode","message":"42"}]}})",
       "42"},
      {R"({"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"foo"}]}})",
       "error stream protocol error: no ExitCode cause given"},
      {R"({"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[)"
       R"({"reason":"ExitCode","message":""}]}})",
       R"(error stream protocol error: invalid exit code value "")"},
      {R"({"status":"Failure","reason":"NonZeroExitCode"})",
       "error stream protocol error: details must be set"},
      {"", "0"},
  };
  for (const char* protocol : {"v4.channel.k8s.io", "v5.channel.k8s.io"}) {
    for (const auto& [bytes, expected] : cases) EXPECT_EQ(outcome(protocol, bytes), expected);
    EXPECT_THAT(outcome(protocol, "{"), StartsWith("error stream protocol error: "));
    EXPECT_THAT(outcome(protocol, "{"), HasSubstr("in \"{\""));
  }
}

TEST(ErrorStream, AnExitCodeBeyondAByteIsRefused) {
  for (const char* code : {"-1", "256", "99999999999", "7x"}) {
    const std::string bytes =
        R"({"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[)"
        R"({"reason":"ExitCode","message":")" +
        std::string(code) + R"("}]}})";
    EXPECT_EQ(outcome(kV4, bytes),
              "error stream protocol error: invalid exit code value \"" + std::string(code) + "\"");
  }
}

TEST(ErrorStream, EXEC_05_BeforeV4ItIsAText) {
  for (const char* protocol : {"channel.k8s.io", "v2.channel.k8s.io", "v3.channel.k8s.io"}) {
    EXPECT_EQ(outcome(protocol, "exit\x1b 1"), "error executing remote command: exit\\x1b 1");
    EXPECT_EQ(outcome(protocol, ""), "0");
  }
}

}  // namespace
}  // namespace kube::remotecommand
