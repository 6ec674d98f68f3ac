// SPDX-License-Identifier: Apache-2.0
//
// Finds single fields in a protobuf message. The functions return false for an invalid message,
// with the reason in `fault`.
#pragma once

#include <cstdint>
#include <string_view>

#include <kube/codec/wire.hpp>

namespace kube::meta::wire {

/// Whether `fields` has reached the end of its message; copies its fault if not.
inline bool is_whole(const Fields& fields, Fault& fault) {
  if (fields.fault()) fault = fields.fault();
  return !fields.fault();
}

/// Sets `out` to the value of the last field with the number.
inline bool find_bytes(std::string_view message, std::uint32_t number, Fault& fault,
                       std::string_view& out) {
  Fields fields(message);
  for (const Field& field : fields) {
    if (field.number() == number && fields.expect_bytes(field)) out = field.value;
  }
  return is_whole(fields, fault);
}

inline bool read_map_entry(std::string_view entry, Fault& fault, std::string_view& key,
                           Field& value) {
  Fields fields(entry);
  for (const Field& field : fields) {
    if (field.number() == 1 && fields.expect_bytes(field)) key = field.value;
    if (field.number() == 2) value = field;
  }
  return is_whole(fields, fault);
}

}  // namespace kube::meta::wire
