// SPDX-License-Identifier: Apache-2.0
#include "error_stream.hpp"

#include <charconv>
#include <string>

#include <kube/base/printable.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/errors.hpp>

namespace kube::remotecommand {
namespace {

constexpr int kHighestExitCode = 255;

Error protocol_error(const std::string& text) {
  return {ErrorCode::Decode, "error stream protocol error: " + text};
}

Result<int> exit_code_of(const json::Value& status) {
  const json::Value* details = status.at_path({"details"});
  if (details == nullptr || !details->is_object()) return protocol_error("details must be set");
  for (const json::Value& cause : details->array_at({"causes"})) {
    if (cause.string_at({"reason"}) != "ExitCode") continue;
    const std::string_view text = cause.string_at({"message"});
    int code = -1;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), code);
    if (failed != std::errc() || end != text.data() + text.size() || code < 0 ||
        code > kHighestExitCode) {
      return protocol_error("invalid exit code value \"" + printable(text) + "\"");
    }
    return code;
  }
  return protocol_error("no ExitCode cause given");
}

Result<int> decode_status(std::string_view bytes) {
  const Result<json::Value> status = json::parse(bytes);
  if (!status) {
    return protocol_error(status.error().message() + " in \"" + printable(bytes) + "\"");
  }
  const std::string_view outcome = status->string_at({"status"});
  if (outcome == "Success") return 0;
  if (outcome != "Failure") return protocol_error("unknown error");
  if (status->string_at({"reason"}) == "NonZeroExitCode") return exit_code_of(*status);
  return meta::error_from_status(*status);
}

}  // namespace

Result<int> decode_error_stream(std::string_view protocol, std::string_view bytes) {
  if (bytes.empty()) return 0;
  const bool is_text = protocol == "channel.k8s.io" || protocol == "v2.channel.k8s.io" ||
                       protocol == "v3.channel.k8s.io";
  if (!is_text) return decode_status(bytes);
  return Error(ErrorCode::Server, "error executing remote command: " + printable(bytes));
}

}  // namespace kube::remotecommand
