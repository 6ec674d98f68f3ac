// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// The types of CustomResourceDefinitions and OpenAPI v3 documents in one form: named objects with
// fields of scalars, other objects, lists and maps. kube-gen turns them into C++,
// meta::RuntimeSchema into descriptors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kube::schema {

/// The type of a field, an element of a list or a value of a map.
enum class ValueType : std::uint8_t {
  Bool,
  Int32,
  Int64,
  Double,
  String,
  Bytes,  ///< base64
  Time,
  MicroTime,
  Duration,
  Quantity,
  IntOrString,
  Any,     ///< Any JSON, kept unchanged.
  Object,  ///< Another type.
};

enum class Holder : std::uint8_t { One, List, Map };

struct Field {
  std::string key{};  ///< The JSON key; empty in a type that wraps.
  ValueType type = ValueType::Any;
  Holder holder = Holder::One;
  /// For Object: a name in the same package, or a reference such as "meta.v1.ObjectMeta".
  std::string object{};
  bool external = false;  ///< `object` is a reference.
  bool required = false;
  bool nullable = false;
  std::string enum_name{};            ///< "WidgetSpecColor", for strings with known values.
  std::vector<std::string> values{};  ///< The known values, as JSON.
  std::string default_value{};        ///< JSON; empty: none.
  std::string list_type{};            ///< x-kubernetes-list-type
  std::vector<std::string> list_map_keys{};
  std::string map_type{};  ///< x-kubernetes-map-type
};

struct Type {
  std::string name{};  ///< "Widget", "WidgetSpecParts": the kind and the path below it.
  /// Its location: "widgets.yaml: document 2: CRD widgets.acme.io: spec.versions[0].schema...".
  std::string where{};
  /// In JSON the value of the only field replaces the type, as for a list in a list.
  bool wraps = false;
  bool keeps_unknown = false;  ///< x-kubernetes-preserve-unknown-fields beside known ones.
  bool kind = false;           ///< Has kind and apiVersion.
  std::string item{};          ///< For a list kind, the type of its items.
  std::vector<Field> fields{};
};

struct Column {
  std::string name{};
  std::string type{};
  std::string format{};
  std::int64_t priority = 0;
  std::string path{};
};

/// A REST resource of a kind of the package.
struct Resource {
  std::string kind{};
  std::string list_kind{};
  std::string plural{};
  std::string singular{};
  std::vector<std::string> short_names{};
  std::vector<std::string> categories{};
  bool namespaced = false;
  bool served = true;
  std::vector<std::string> subresources{};  ///< "status", "scale"
  std::vector<std::string> selectable_fields{};
  std::vector<Column> columns{};
};

/// The types of one group and version.
/// @par Thread safety   A value.
struct Package {
  std::string group{};
  std::string version{};
  std::string source{};  ///< Its location: "widgets.yaml: document 2: CRD widgets.acme.io".
  std::vector<Type> types{};
  std::vector<Resource> resources{};

  /// Returns "acme.io.v1"; "core.v1" for the group "".
  std::string name() const { return (group.empty() ? "core" : group) + "." + version; }
  const Type* find(const std::string& type_name) const& {
    for (const Type& type : types) {
      if (type.name == type_name) return &type;
    }
    return nullptr;
  }
  const Type* find(const std::string& type_name) const&& =
      delete;  // Give the Package a name first.
};

}  // namespace kube::schema
