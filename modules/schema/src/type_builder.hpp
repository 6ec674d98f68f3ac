// SPDX-License-Identifier: Apache-2.0
//
// Makes the types of a package from schema nodes.
#pragma once

#include <map>
#include <optional>
#include <string>

#include <kube/schema/model.hpp>

#include "node.hpp"

namespace kube::schema {

/// Makes the types of one package. Objects without a name are named after their path; if two paths
/// lead to the same name, the later one gets a number.
class TypeBuilder {
 public:
  /// Finds the type of a document's reference ("#/components/schemas/...").
  class References {
   public:
    References() = default;
    References(const References&) = delete;
    References& operator=(const References&) = delete;
    virtual ~References() = default;
    virtual Field resolve(const Node& node, const std::string& reference) = 0;
  };

  /// `references` is null for documents that may not have any. In documents with references, which
  /// need not be structural, an object without fields may have any content.
  TypeBuilder(Package& package, References* references);

  /// Adds the type of a kind. Without references metadata is implied.
  void add_kind(const Node& node, const std::string& kind);
  /// Adds the list kind, which a definition does not describe but names in `names`.
  void add_list(const std::string& kind, const std::string& list_kind, const Node& names);
  /// Adds a type with a name of its own that is not a kind.
  void add_object(const Node& node, const std::string& name);
  /// Returns the type of a schema; objects and enumerations in it get `name`.
  Field shape(const Node& node, const std::string& name, int depth = 0);

  /// Reserves a name; returns false when another type has it. Case is ignored, because files are
  /// named after types.
  bool take(const std::string& name);
  /// Reserves the name of a kind: a part of another kind that has it gets a number. Returns false
  /// when another kind has it.
  bool take_kind(const std::string& name);

 private:
  Field array(const Node& node, const std::string& name, int depth);
  Field object(const Node& node, const std::string& name, int depth);
  Field text(const Node& node, const std::string& name);
  Field untyped(const Node& node, const std::string& name, int depth);
  /// Returns the field for an element of a list or map; it wraps a list or map in a type.
  Field element(const Node& node, const std::string& name, int depth);
  Field wrapped(const Node& node, Field held, std::string name);
  std::string build_object(const Node& node, const std::string& name, bool embedded, int depth);
  void add_properties(const Node& node, Type& type, int depth);
  std::string unique(const std::string& name);

  Package& package_;
  References* references_;
  std::map<std::string, bool> names_;  // in small letters; whether it is a kind's
  bool wrapping_ = false;              // in a list or map that is an element of another one
};

/// Returns "Parts" for "parts", "PodIPs" for "podIPs", "XRef" for "$x-ref".
std::string type_name_of(std::string_view key);

}  // namespace kube::schema
