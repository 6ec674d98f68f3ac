// SPDX-License-Identifier: Apache-2.0
//
// Reads maps of strings in the metadata of a protobuf message that is not decoded.
#pragma once

#include <cstdint>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/codec/wire.hpp>

namespace kube::cache {

/// Field numbers that are the same in every object.
namespace field {
inline constexpr std::uint32_t kMetadata = 1;
// ObjectMeta
inline constexpr std::uint32_t kLabels = 11;
inline constexpr std::uint32_t kAnnotations = 12;
}  // namespace field

/// Calls `visit(key, value)` for the members of a map of strings (field `map` of the object's
/// metadata). Reads nothing behind the map when the metadata is in order: managed fields are long,
/// and each of them misses the processor's caches.
/// @par Errors   Decode.
template <class Visit>
Result<void> for_each_in_metadata_map(std::string_view object, bool in_order, std::uint32_t map,
                                      Visit&& visit) {
  namespace wire = meta::wire;
  wire::Fields fields(object);
  for (const wire::Field& top : fields) {
    if (top.number() != field::kMetadata || !top.is_bytes()) continue;
    wire::Fields metadata(top.value);
    for (const wire::Field& member : metadata) {
      if (in_order && member.number() > map) return {};
      if (member.number() != map || !member.is_bytes()) continue;
      std::string_view key;
      std::string_view value;
      wire::Fields entry(member.value);
      for (const wire::Field& part : entry) {
        if (part.number() == 1 && part.is_bytes()) key = part.value;
        if (part.number() == 2 && part.is_bytes()) value = part.value;
      }
      if (entry.fault()) return entry.error().with_context("metadata");
      visit(key, value);
    }
    if (metadata.fault()) return metadata.error().with_context("metadata");
    return {};
  }
  if (fields.fault()) return fields.error();
  return {};
}

}  // namespace kube::cache
