// SPDX-License-Identifier: Apache-2.0
//
// Leaves fields and subtrees out of an object's JSON or protobuf bytes, by path, without decoding
// it: managedFields of what a cache stores, for example.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/codec/descriptor.hpp>

namespace kube::meta {

/// Compiled paths of fields. The paths are those of FieldLocator, but with [*] instead of [index]:
/// "metadata.managedFields", "metadata.annotations['a.example.com/b']",
/// "spec.containers[*].env". [*] means each element of a list, or each member of a map.
///
/// @par Thread safety   Immutable.
/// @par Cost   As much as it takes to skip the values of the object, and a copy of what remains. It
///   allocates only for an object that has one of the fields.
class FieldDropper {
 public:
  /// Looks the paths up in a type.
  /// @par Errors   InvalidArgument, naming the part of the path that the type doesn't have, or that
  ///   can't be dropped alone: an element of a list, and all members by a [*] at the end.
  static Result<FieldDropper> compile(const TypeDescriptor& type,
                                      std::span<const std::string> paths);
  /// Takes paths of JSON objects of any type, whose fields can't be looked up. A key that is a
  /// number is in quotes: nothing else tells it from an element of a list.
  /// @par Errors   InvalidArgument: it is not a path, or one that compile() refuses, or has a
  ///   number in brackets without quotes.
  static Result<FieldDropper> compile_untyped(std::span<const std::string> paths);

  /// Returns an object's JSON without the fields: `object` itself when it has none of them, else
  /// what was put into `scratch`. A field that is dropped need not exist, nor do those around it.
  /// @par Errors   Decode, with the offset, when the bytes that are read are invalid. Bytes inside
  ///   values that are skipped are not checked.
  Result<std::string_view> drop_in_json(std::string_view object, std::string& scratch) const;
  template <TemporaryText T>
  Result<std::string_view> drop_in_json(T&& object, std::string& scratch) const =
      delete;  // Give the object's text a name first.
  /// The same in a protobuf message without an envelope. Of paths that were compiled without a type
  /// it has none.
  Result<std::string_view> drop_in_message(std::string_view message, std::string& scratch) const;
  template <TemporaryText T>
  Result<std::string_view> drop_in_message(T&& message, std::string& scratch) const =
      delete;  // Give the message a name first.

 private:
  struct Node;
  class Builder;
  class JsonWalk;
  class MessageWalk;

  FieldDropper() = default;

  // Each path is a branch, once as JSON has it and once as protobuf does.
  std::shared_ptr<const Node> json_;
  std::shared_ptr<const Node> wire_;
};

}  // namespace kube::meta
