// SPDX-License-Identifier: Apache-2.0
//
// How a package becomes C++: members and their types, and which header holds what.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <kube/base/result.hpp>

#include "choices.hpp"
#include "schema.hpp"

namespace kube::gen {

/// Where the types of a package live: "kube::core::v1" and "kube/api/core/v1"; those of a user's
/// namespace in its folder.
struct Place {
  std::string namespace_;
  std::string directory;
};
Place place_of(const std::string& package, const std::string& users_namespace);
inline Place place_of(const Type& type) {
  return place_of(type.package, type.namespace_);
}
/// What stands in front of names of ours in the headers of a package: "" inside of kube.
inline std::string_view kube_prefix(const std::string& users_namespace) {
  return users_namespace.empty() ? "" : "kube::";
}

/// A member of a struct, or an inlined type whose members stand in its place.
struct Member {
  const Field* field = nullptr;
  std::string name;         ///< Of the C++ member.
  std::string type;         ///< "std::vector<Container>"
  std::string value_kind;   ///< Enumerator of meta::ValueKind.
  std::string cardinality;  ///< Enumerator of meta::Cardinality.
  bool nullable = false;
  const Type* message = nullptr;  ///< With the kind Message.
  std::vector<Member> inlined;    ///< Of an inlined field: the members of its type.
  std::string initializer = "{}";
};

struct Struct {
  const Type* type = nullptr;
  std::vector<Member> members;
  std::set<std::string>
      needs;  ///< References of types that must be known before: messages and string types.
  std::set<std::string> by_value;  ///< Those of them that a member is: defined before.
  /// Those in a vector, which wants complete types where its member has an initializer: clang
  /// instantiates the destructor there, constexpr in C++20.
  std::set<std::string> in_vectors;
  std::set<std::string> headers;  ///< Of the project's other headers: <kube/names/time.hpp>, ...
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
  std::map<std::string, Struct> by_hand;         ///< Likewise: those that only get descriptors.
  std::vector<Header> headers;                   ///< By path.
  std::map<std::string, std::string> header_of;  ///< Path of the header that defines a reference.
};

/// Lays out packages and remembers them: others refer to their types.
class Planner {
 public:
  Planner(Schema& schema, Choices choices) : schema_(schema), choices_(std::move(choices)) {}

  /// @par Errors   Decode, naming file, type and field.
  Result<const Layout*> layout(const std::string& name);
  const Choices& choices() const { return choices_; }

 private:
  Result<void> add_members(const Type& type, std::vector<Member>& members, Struct& owner);
  /// The message type of a field; null for scalars.
  Result<const Type*> find_type(const Type& type, const Field& field);
  Result<Member> make_member(const Type& type, const Field& field, Struct& owner);
  Result<void> add_struct(const Type& type, std::map<std::string, Struct>& structs);

  Schema& schema_;
  Choices choices_;
  std::map<std::string, Layout> layouts_;
};

}  // namespace kube::gen
