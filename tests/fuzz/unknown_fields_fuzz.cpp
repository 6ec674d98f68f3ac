// SPDX-License-Identifier: Apache-2.0
//
// What is kept beside a value is written with it, and read again as it was.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <kube/api/example/v1.hpp>
#include <kube/codec/unknown_fields.hpp>

namespace {

using namespace kube::meta;
using kube::example::v1::Everything;

void keep_json(std::string_view text) {
  const auto kept = from_json_with_unknown<Everything>(text);
  const auto plain = from_json<Everything>(text);
  if (kept && (!plain || !(kept->value == *plain))) std::abort();
  if (!kept) return;
  const std::string written = to_json(*kept);
  if (kept->unknown.empty() && written != to_json(kept->value)) std::abort();
  const auto again = from_json_with_unknown<Everything>(written);
  if (!again || to_json(*again) != written) std::abort();
  if (again->unknown.paths() != kept->unknown.paths()) std::abort();
}

void keep_message(std::string_view bytes) {
  WithUnknown<Everything> kept;
  if (!read_protobuf(bytes, Everything::descriptor(), &kept.value, kept.unknown)) return;
  std::string written;
  write_protobuf(&kept.value, Everything::descriptor(), kept.unknown, written);
  WithUnknown<Everything> again;
  if (!read_protobuf(written, Everything::descriptor(), &again.value, again.unknown)) std::abort();
  if (!(again.unknown == kept.unknown)) std::abort();
  std::string rewritten;
  write_protobuf(&again.value, Everything::descriptor(), again.unknown, rewritten);
  if (rewritten != written) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  keep_json(bytes);
  keep_message(bytes);
  return 0;
}
