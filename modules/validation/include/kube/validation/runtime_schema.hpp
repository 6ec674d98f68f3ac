// SPDX-License-Identifier: Apache-2.0
//
// Types that are known at run time only: descriptors of the kinds of CRDs and OpenAPI documents,
// without structs. They check dynamic objects, and read them by field path as typed ones.
//
//   auto schema = RuntimeSchema::from_crds(yaml);
//   if (!schema) return schema.error();
//   const TypeDescriptor* widget = schema->find({"acme.io", "v1", "Widget"});
//   if (widget == nullptr) return Error(ErrorCode::Config, "the definitions have no Widget");
//   if (auto fits = schema->check(text, *widget, {.strict = true}); !fits) return fits.error();
//   auto color = FieldLocator::compile(*widget, "spec.color");
//   if (!color) return color.error();
//   auto found = color->find(text);
//   if (!found) return found.error();
//   std::string scratch;
//   auto value = found->text(scratch);
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/codec/field_facts.hpp>
#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>
#include <kube/names/group_version.hpp>

namespace kube::meta {

/// Owns descriptors. They have no struct: their size is 0, and they are for check_json() and
/// FieldLocator (JSON) only, not for read_json() and write_json(). The last field of an object that
/// preserves unknown fields has no key; it is a Map of RawJson that has all other fields.
/// Descriptors, and paths and views made from them, live as long as the schema; a move does not
/// invalidate them.
///
/// @par Thread safety   Immutable.
class RuntimeSchema {
 public:
  /// Reads the kinds of all versions of a CustomResourceDefinition, or of all definitions in a text
  /// of YAML or JSON.
  /// @par Errors   Decode, naming the definition, the path in it and the rule of structural schemas
  ///   that it breaks.
  static Result<RuntimeSchema> from_crd(const json::Value& definition);
  static Result<RuntimeSchema> from_crds(std::string_view text);
  template <AnyText T>
  static Result<RuntimeSchema> from_crd(const T& text) = delete;  // Use from_crds().
  /// Reads the kinds of an OpenAPI v3 document of one group and version, as a server publishes it
  /// under /openapi/v3/.
  /// @par Errors   Decode, naming the component and the path in it.
  static Result<RuntimeSchema> from_openapi(const json::Value& document);
  template <AnyText T>
  static Result<RuntimeSchema> from_openapi(const T& text) = delete;  // json::parse() it first.

  RuntimeSchema(RuntimeSchema&&) noexcept;
  RuntimeSchema& operator=(RuntimeSchema&&) noexcept;
  ~RuntimeSchema();

  /// Returns the descriptor of a kind; null if the schema has no such kind.
  const TypeDescriptor* find(const GroupVersionKind& kind) const&;
  const TypeDescriptor* find(const GroupVersionKind& kind) const&& = delete;  // Name it first.
  /// Returns all kinds, including lists.
  std::vector<const TypeDescriptor*> kinds() const&;
  std::vector<const TypeDescriptor*> kinds() const&& = delete;  // Give the schema a name first.
  /// Returns the facts of the fields of a type of this schema, in their order; empty for another
  /// type.
  std::span<const FieldFacts> field_facts(const TypeDescriptor& type) const&;
  std::span<const FieldFacts> field_facts(const TypeDescriptor& type) const&& = delete;

  /// Returns the errors of an object of one of kinds(), as a server's 422 lists them: required
  /// fields, enumerations, ranges, patterns and so on (SchemaValidator). Empty for other types.
  /// @par Cost   One walk over the object.
  FieldErrors validate(const TypeDescriptor& kind, const json::Value& object) const;
  template <AnyText T>
  FieldErrors validate(const TypeDescriptor& kind, const T& text) const = delete;  // Use check().
  /// check_json() and validate(): all checks of a server. Strict reading finds duplicate fields
  /// everywhere, also in values that may have any fields.
  /// @par Errors   Decode as check_json(); InvalidArgument with all errors of validate().
  Result<void> check(std::string_view text, const TypeDescriptor& kind,
                     const ReadOptions& options = {}) const;
  /// Returns the rules of the kind's schema that validate() doesn't check.
  std::vector<std::string> unchecked(const TypeDescriptor& kind) const;

 private:
  class Arena;
  explicit RuntimeSchema(std::unique_ptr<const Arena> arena);

  std::unique_ptr<const Arena> arena_;
};

}  // namespace kube::meta
