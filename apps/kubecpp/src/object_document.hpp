// SPDX-License-Identifier: Apache-2.0
//
// API objects as files hold them, in JSON, YAML or protobuf: read through the typed values of the
// built-in kinds, or as they are for kinds that the program doesn't know.
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
  /// What strict reading complains of: `unknown field "spec.foo"`; of a List with the item in
  /// front.
  const std::vector<std::string>& problems() const { return problems_; }
  /// The objects of a List.
  const std::vector<ObjectDocument>& items() const { return items_; }
  bool is_list() const { return list_; }

  /// @par Errors   Decode.
  kube::Result<kube::json::Value> to_value() const;
  /// What is set in it, without what JSON shows of the rest: for applying what came in protobuf.
  /// @par Errors   Decode.
  kube::Result<kube::json::Value> to_apply() const;
  /// With its envelope; the objects of a List have theirs.
  /// @par Errors   Decode, naming the document: a kind that isn't known, or has no protobuf.
  kube::Result<std::string> to_protobuf() const;

 private:
  friend class DocumentReader;
  std::string where_{};
  std::vector<std::string> problems_{};
  const kube::meta::TypeDescriptor* type_ = nullptr;
  std::shared_ptr<const void> object_{};  // of type_
  kube::json::Value value_{};             // of a kind that isn't known
  bool list_ = false;
  std::vector<ObjectDocument> items_{};
};

/// What a file holds.
struct ObjectFile {
  std::vector<ObjectDocument> documents{};
  /// Of the whole file: a key that comes twice in its YAML.
  std::vector<std::string> problems{};
};

/// Reads an object in protobuf, JSON documents, or YAML documents, whichever the text is. `name`
/// stands in front of errors.
/// @par Errors   Decode, naming file, document and field; also for a text without any object.
kube::Result<ObjectFile> read_objects(const std::string& text, const std::string& name);

/// `strict decoding error: a, b`, as API servers word it.
std::string strict_message(const std::vector<std::string>& problems);

}  // namespace kubecpp
