// SPDX-License-Identifier: Apache-2.0
//
// From schema nodes to the types of a package.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include <kube/schema/model.hpp>

#include "node.hpp"

namespace kube::schema {

/// Makes the types of one package. Objects without a name are called after the path to them; where
/// two paths give one name the later one gets a number.
class TypeBuilder {
 public:
  /// The type of a document's reference ("#/components/schemas/...").
  class References {
   public:
    References() = default;
    References(const References&) = delete;
    References& operator=(const References&) = delete;
    virtual ~References() = default;
    virtual Field resolve(const Node& node, const std::string& reference) = 0;
  };

  /// `references` is null for documents that may not have any.
  /// An object without fields holds anything in documents with references, which need not be
  /// structural.
  TypeBuilder(Package& package, References* references);

  /// The type of a kind. Without references metadata is implied.
  void add_kind(const Node& node, const std::string& kind);
  /// Its list kind, which a definition does not describe.
  void add_list(const std::string& kind, const std::string& list_kind);
  /// A type with a name of its own, that is no kind.
  void add_object(const Node& node, const std::string& name);
  /// The type of a schema; objects and enumerations in it get `name`.
  Field shape(const Node& node, const std::string& name, int depth = 0);

  /// Keeps a name from being given to another type; false when it has been given. Case doesn't
  /// count: files are called after types.
  bool take(const std::string& name);

 private:
  Field array(const Node& node, const std::string& name, int depth);
  Field object(const Node& node, const std::string& name, int depth);
  Field text(const Node& node, const std::string& name);
  Field untyped(const Node& node, const std::string& name, int depth);
  /// `element` as what a list or map holds: a type that wraps it when it's a list or map itself.
  Field element(const Node& node, const std::string& name, int depth);
  Field wrapped(const Node& node, Field held, std::string name);
  std::string build_object(const Node& node, const std::string& name, bool embedded, int depth);
  void add_properties(const Node& node, Type& type, int depth);
  std::string unique(const std::string& name);

  Package& package_;
  References* references_;
  std::set<std::string> names_;
  bool wrapping_ = false;  // in a list or map that is an element of another one
};

/// "Parts" for "parts", "PodIPs" for "podIPs", "XRef" for "$x-ref".
std::string type_name_of(std::string_view key);

}  // namespace kube::schema
