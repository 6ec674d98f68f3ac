// SPDX-License-Identifier: Apache-2.0
//
// The tables of defaults: what pkg/apis/*/v*/defaults.go and the markers of the types say, as rows.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include <kube/json/value.hpp>

namespace kube::apiserver {

/// A value that is no text, number or boolean.
struct JsonText {
  std::string_view text;
};
using DefaultValue = std::variant<std::string_view, std::int64_t, bool, JsonText>;

/// The value of a field that is unset.
struct FieldDefault {
  /// The name of the type's descriptor; with "*" as the version, the types of all versions.
  std::string_view type;
  /// A field, or a path of fields for a default that the type gives to a part of itself only. The
  /// structs on the way that are always there are created; without an optional one there is no
  /// default.
  std::string_view field;
  DefaultValue value;
  /// The row applies only when the text at this path is `equals`.
  std::string_view when{};
  std::string_view equals{};
};

/// A default that takes more than a row. It is applied after the rows of its type and before the
/// objects in it.
struct TypeDefault {
  std::string_view type;
  void (*apply)(json::Object& object);
};

/// A field that the server does not keep.
struct DroppedField {
  std::string_view type;
  std::string_view field;
};

struct DefaultTable {
  std::span<const FieldDefault> fields;
  std::span<const TypeDefault> types;
  std::span<const DroppedField> dropped{};
};

/// Containers, volumes and pods.
DefaultTable pod_defaults();
/// The rest of the group without a name.
DefaultTable core_defaults();
/// Groups apps, batch and autoscaling.
DefaultTable workload_defaults();
/// All other groups.
DefaultTable group_defaults();
/// What features that are off leave out.
DefaultTable feature_defaults();

inline std::array<DefaultTable, 5> default_tables() {
  return {pod_defaults(), core_defaults(), workload_defaults(), group_defaults(),
          feature_defaults()};
}

}  // namespace kube::apiserver
