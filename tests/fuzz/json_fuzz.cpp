// SPDX-License-Identifier: Apache-2.0
//
// A typed object from JSON is an error, or is written to JSON and protobuf that read back the same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <kube/api/example/v1.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/protobuf.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using kube::example::v1::Everything;
  using namespace kube::meta;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = from_json<Everything>(text);
  std::vector<std::string> problems;
  const auto strict = from_json<Everything>(text, {.strict = true, .problems = &problems});
  // Strict reading only refuses more.
  if (strict && (!value || !(*strict == *value) || !problems.empty())) std::abort();
  if (!value) return 0;
  const std::string written = to_json(*value);
  const auto again = from_json<Everything>(written);
  if (!again || to_json(*again) != written) std::abort();
  const auto protobuf = to_protobuf(*value);
  const auto back = from_protobuf<Everything>(*protobuf);
  if (!back || *to_protobuf(*back) != *protobuf) std::abort();
  return 0;
}
