// SPDX-License-Identifier: Apache-2.0
//
// kube::meta::RawExtension: JSON of a type that the enclosing object doesn't know.
#pragma once

#include <string>

#include <kube/base/result.hpp>

namespace kube::json {
class Value;
}

namespace kube::meta {

/// The text of one JSON value, unchanged; empty when unset, which is null on the wire. JSON is
/// written without white space. In protobuf it may also be an object in its envelope
/// (is_protobuf()), which JSON can't express.
///
/// Text that isn't one JSON value never gets into JSON: readers reject it, and write_json() writes
/// null for it and for an envelope. Protobuf writes `raw` as it is.
///
/// @par Thread safety   A value.
struct RawExtension {
  std::string raw{};

  static RawExtension from(const json::Value& value);
  bool is_set() const { return !raw.empty(); }
  /// Returns the value; null when unset.
  /// @par Errors   Decode when `raw` is not JSON.
  Result<json::Value> value() const;
  bool operator==(const RawExtension&) const = default;
};

/// The set of fields that a manager owns.
using FieldsV1 = RawExtension;

}  // namespace kube::meta
