// SPDX-License-Identifier: Apache-2.0
//
// API objects in files, in JSON, YAML or protobuf: read through the typed values of built-in kinds,
// and unchanged for other kinds.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/json/value.hpp>

namespace kubecpp {

/// One object, or a v1 List of objects. Cheap to copy.
class ObjectDocument {
 public:
  const std::string& where() const { return where_; }  ///< "pods.yaml: document 2"
  /// The problems of strict reading: `unknown field "spec.foo"`; in a List preceded by the item.
  const std::vector<std::string>& problems() const { return problems_; }
  /// The objects of a List.
  const std::vector<ObjectDocument>& items() const { return items_; }
  bool is_list() const { return list_; }

  /// @par Errors   Decode.
  kube::Result<kube::json::Value> to_value() const;
  /// Returns the fields that are set, without the zero values of JSON: for applying an object from
  /// protobuf.
  /// @par Errors   Decode.
  kube::Result<kube::json::Value> to_apply() const;
  /// Returns the object in its envelope; the objects of a List have their own.
  /// @par Errors   Decode, naming the document: a kind that isn't known, or has no protobuf.
  kube::Result<std::string> to_protobuf() const;

 private:
  friend class DocumentReader;
  std::string where_{};
  std::vector<std::string> problems_{};
  const kube::meta::TypeDescriptor* type_ = nullptr;
  std::shared_ptr<const void> object_{};  // has the type type_
  kube::json::Value value_{};             // for an unknown kind
  bool list_ = false;
  std::vector<ObjectDocument> items_{};
};

/// The content of a file.
struct ObjectFile {
  std::vector<ObjectDocument> documents{};
  /// The problems of the whole file: duplicate keys in its YAML.
  std::vector<std::string> problems{};
};

/// Reads an object in protobuf, JSON documents, or YAML documents, whichever the text is. Errors
/// begin with `name`.
/// @par Errors   Decode, naming file, document and field; also for a text without any object.
kube::Result<ObjectFile> read_objects(const std::string& text, const std::string& name);

/// Returns `strict decoding error: a, b`, in the words of API servers.
std::string strict_message(const std::vector<std::string>& problems);

}  // namespace kubecpp
