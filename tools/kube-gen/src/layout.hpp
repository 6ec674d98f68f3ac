// SPDX-License-Identifier: Apache-2.0
//
// The C++ form of a package: members and their types, and the headers that contain them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <kube/base/result.hpp>

#include "choices.hpp"
#include "schema.hpp"

namespace kube::gen {

/// The place of the types of a package: "kube::core::v1" and "kube/api/core/v1"; for a user's
/// namespace its own folder.
struct Place {
  std::string namespace_;
  std::string directory;
};
Place place_of(const std::string& package, const std::string& users_namespace);
inline Place place_of(const Type& type) {
  return place_of(type.package, type.namespace_);
}
/// The prefix of our names in the headers of a package: "" inside of kube.
inline std::string_view kube_prefix(const std::string& users_namespace) {
  return users_namespace.empty() ? "" : "kube::";
}

/// A member of a struct, or an inlined type with its members.
struct Member {
  const Field* field = nullptr;
  std::string name;         ///< The C++ member's name.
  std::string type;         ///< "std::vector<Container>"
  std::string value_kind;   ///< Enumerator of meta::ValueKind.
  std::string cardinality;  ///< Enumerator of meta::Cardinality.
  bool nullable = false;
  const Type* message = nullptr;  ///< Set for the kind Message.
  std::vector<Member> inlined;    ///< For an inlined field, the members of its type.
  std::string initializer = "{}";
  std::string go_type{};  ///< Go's name for the type, if it has one of its own.
};

struct Struct {
  const Type* type = nullptr;
  std::vector<Member> members;
  /// References to the messages and string types that must be declared earlier.
  std::set<std::string> needs;
  std::set<std::string> by_value;  ///< The types that members have directly: defined earlier.
  /// The types in a vector, which must be complete where the member has an initializer: clang
  /// instantiates the destructor there, constexpr in C++20.
  std::set<std::string> in_vectors;
  std::set<std::string> headers;  ///< Other headers of the project: <kube/names/time.hpp>, ...
};

/// One header: structs and string types in the order of their definition.
struct Header {
  std::string path;  ///< "kube/api/core/v1/pod.hpp"
  std::vector<const Struct*> structs;
  std::vector<const StringType*> string_types;
  std::vector<const Struct*> declared_first;  ///< Used before their definition (recursion).
};

struct Layout {
  const Package* package = nullptr;
  Place place;
  std::map<std::string, Struct> structs;         ///< By reference.
  std::map<std::string, Struct> by_hand;         ///< By reference: types that only get descriptors.
  std::vector<Header> headers;                   ///< By path.
  std::map<std::string, std::string> header_of;  ///< Path of the header that defines a reference.
};

/// Lays out packages and keeps the layouts: other packages refer to their types.
class Planner {
 public:
  Planner(Schema& schema, Choices choices) : schema_(schema), choices_(std::move(choices)) {}

  /// @par Errors   Decode, naming file, type and field.
  Result<const Layout*> layout(const std::string& name);
  const Choices& choices() const { return choices_; }

 private:
  Result<void> add_members(const Type& type, std::vector<Member>& members, Struct& owner);
  /// Returns the message type of a field; null for scalars.
  Result<const Type*> find_type(const Type& type, const Field& field);
  Result<Member> make_member(const Type& type, const Field& field, Struct& owner);
  Result<void> add_struct(const Type& type, std::map<std::string, Struct>& structs);

  Schema& schema_;
  Choices choices_;
  std::map<std::string, Layout> layouts_;
};

}  // namespace kube::gen
