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

/// The text of one JSON value, kept as it came; empty when unset, which is null on the wire. In
/// JSON it is written without the white space that it may have. Protobuf carries an object in its
/// envelope (is_protobuf()) here, too, which JSON has no form for.
///
/// What isn't one JSON value never gets into JSON: readers refuse it, and write_json() writes null
/// for it, an envelope included. In protobuf `raw` is written as it is.
struct RawExtension {
  std::string raw{};

  static RawExtension from(const json::Value& value);
  bool is_set() const { return !raw.empty(); }
  /// The value; null when unset.
  /// @par Errors   Decode when `raw` is not JSON.
  Result<json::Value> value() const;
  bool operator==(const RawExtension&) const = default;
};

/// The set of fields that a manager owns.
using FieldsV1 = RawExtension;

}  // namespace kube::meta
