// SPDX-License-Identifier: Apache-2.0
//
// The schema facts (modules/api/schema) in kube-gen's types.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>

namespace kube::gen {

/// The JSON form of a type; builtins.json of the schema describes the forms.
enum class Form {
  Object,               ///< The object of its fields.
  List,                 ///< The array of the one field.
  SchemaOrArray,        ///< The object of the first field or the array of the second.
  SchemaOrBool,         ///< A boolean or the object of the second field.
  SchemaOrStringArray,  ///< As SchemaOrArray.
  Raw,                  ///< Any JSON, kept as text in the one field.
  Other,                ///< A form that can't be generated.
};

/// What JSON shows for an unset field.
enum class Zero { Omit, Null, Value };

/// The facts of a field beyond its type, for meta::FieldFacts.
struct FieldFacts {
  bool required = false;
  bool nullable = false;
  std::string default_json{};
  std::vector<std::string> values{};
  std::string list_type{};
  std::vector<std::string> list_map_keys{};
  std::string map_type{};
};

struct Field {
  std::optional<std::string> json;  ///< Key; "" with inline_; none: the type's form has no keys.
  std::string name;                 ///< The name in protobuf; the Go name when there is none.
  std::uint32_t number = 0;         ///< In protobuf; 0: none.
  std::string type;                 ///< "string", "Time", ... or "core.v1.Container".
  bool repeated = false;
  bool map = false;
  bool pointer = false;
  bool inline_ = false;
  Zero zero_json = Zero::Null;
  bool zero_proto = false;
  std::string alias;  ///< "core.v1.PodPhase"
  std::string patch_merge_key;
  bool patch_merge = false;
  bool patch_retain_keys = false;
  std::string member{};               ///< The struct's member; empty: derived from the key.
  std::optional<FieldFacts> facts{};  ///< For the fields of a CRD.

  /// The name in errors.
  std::string label() const { return json && !json->empty() ? *json : name; }
};

struct Type {
  std::string package;
  std::string name;
  std::string namespace_{};  ///< For a user's types: "acme::v1"; empty: derived from the package.
  bool kind = false;         ///< Has kind and apiVersion when it is a document.
  std::string item;          ///< For a list kind: its item's type name in the same package.
  Form form = Form::Object;
  std::vector<Field> fields;
  std::string source{};  ///< The source of its package.

  std::string reference() const { return package + "." + name; }
  /// The name in errors.
  std::string label() const {
    return (source.empty() ? package + ".json" : source) + ": type " + name;
  }
};

struct Constant {
  std::string name;
  std::string value;
  std::optional<std::int64_t> number{};  ///< Set instead of a text.
  std::string member{};                  ///< The struct's member; empty: derived from the value.
};

/// Named values of strings: a Go type with constants.
struct StringType {
  std::string package;
  std::string name;
  std::vector<Constant> constants;
};

struct Package {
  std::string name;          ///< "core.v1"
  std::string namespace_{};  ///< The namespace of its types.
  std::string source{};      ///< The file that it was read from; empty: <name>.json.
  std::string group;         ///< As on the wire; "" for core.
  std::string version;
  std::vector<Type> types;
  std::vector<StringType> string_types;
  std::vector<Constant> constants;  ///< The constants without a type of the package.
};

/// A REST resource of a kind.
struct Resource {
  std::string plural;
  std::string singular;
  bool namespaced = false;
};

/// The packages of several directories, read on first use. A package is read from the first
/// directory that has it, so that a schema can build on another one.
///
/// @par Errors   Decode: names the file, and the type and field where there is one.
class Schema {
 public:
  explicit Schema(std::vector<std::filesystem::path> directories)
      : directories_(std::move(directories)) {}

  Result<const Package*> package(const std::string& name);
  /// Adds a package that is not in a file, with its resources by type.
  void add(Package package, std::map<std::string, Resource> resources);
  /// Null when there is none.
  Result<const Type*> find(const std::string& reference);
  /// Null for a type that is not a resource. @pre a package has been read
  Result<const Resource*> resource(const std::string& reference);

 private:
  std::vector<std::filesystem::path> directories_;
  std::map<std::string, Package> packages_;
  std::map<std::string, Resource> added_resources_;
  std::optional<std::map<std::string, Resource>> resources_;
};

/// Returns "core.v1" and "Pod" for "core.v1.Pod".
std::pair<std::string, std::string> split_reference(std::string_view reference);

}  // namespace kube::gen
