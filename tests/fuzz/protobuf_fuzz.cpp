// SPDX-License-Identifier: Apache-2.0
//
// A typed object from a bare message is an error, or is written to a message that reads back the
// same, and to JSON that says nothing but what the type has.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <kube/api/example/v1.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/protobuf.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using kube::example::v1::Everything;
  using namespace kube::meta;
  const std::string_view message(reinterpret_cast<const char*>(data), size);
  Everything value;
  if (!read_protobuf(message, Everything::descriptor(), &value)) return 0;
  std::string written;
  write_protobuf(&value, Everything::descriptor(), written);
  Everything again;
  if (!read_protobuf(written, Everything::descriptor(), &again)) std::abort();
  std::string twice;
  write_protobuf(&again, Everything::descriptor(), twice);
  if (twice != written) std::abort();
  if (!from_json<Everything>(to_json(value), {.strict = true})) std::abort();
  return 0;
}
