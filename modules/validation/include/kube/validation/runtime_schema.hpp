// SPDX-License-Identifier: Apache-2.0
//
// Types that are known at run time only: the descriptors of CRDs' and OpenAPI documents' kinds,
// without structs. Dynamic objects are checked by them and read by field path as typed ones are.
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
#include <kube/codec/codec.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/codec/field_facts.hpp>
#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>
#include <kube/names/group_version.hpp>

namespace kube::meta {

/// Owns descriptors. They have no struct: their size is 0, and they are for check_json() and
/// FieldLocator (JSON) only, not for read_json() and write_json(). Objects that keep unknown fields
/// end with a field without a key, a Map of RawJson: all other fields.
///
/// @par Thread safety   Immutable. Descriptors, and paths and views made from them, live as long as
///   the schema; a move does not move them.
class RuntimeSchema {
 public:
  /// The kinds of all versions of a CustomResourceDefinition; of all in a text of YAML or JSON.
  /// @par Errors   Decode: names the definition, the path in it and the rule of structural schemas
  /// that it breaks.
  static Result<RuntimeSchema> from_crd(const json::Value& definition);
  static Result<RuntimeSchema> from_crds(std::string_view text);
  /// The kinds of an OpenAPI v3 document of one group and version, as a server has it under
  /// /openapi/v3/.
  /// @par Errors   Decode: names the component and the path in it.
  static Result<RuntimeSchema> from_openapi(const json::Value& document);

  RuntimeSchema(RuntimeSchema&&) noexcept;
  RuntimeSchema& operator=(RuntimeSchema&&) noexcept;
  ~RuntimeSchema();

  /// Null when there is no such kind.
  const TypeDescriptor* find(const GroupVersionKind& kind) const&;
  const TypeDescriptor* find(const GroupVersionKind& kind) const&& = delete;  // Name it first.
  /// All kinds, lists too.
  std::vector<const TypeDescriptor*> kinds() const&;
  std::vector<const TypeDescriptor*> kinds() const&& = delete;  // Give the schema a name first.
  /// Of the fields of a type of this schema, in their order; empty for others.
  std::span<const FieldFacts> field_facts(const TypeDescriptor& type) const&;
  std::span<const FieldFacts> field_facts(const TypeDescriptor& type) const&& = delete;

  /// What is wrong with an object of one of kinds(), as a server's 422 lists it: required fields,
  /// enumerations, ranges, patterns and so on (SchemaValidator). Nothing for other types.
  /// @par Cost   One walk over the object.
  FieldErrors validate(const TypeDescriptor& kind, const json::Value& object) const;
  /// check_json() and validate(): everything that a server has against an object's text. Strict
  /// reading finds repeated fields everywhere, in the parts that may hold anything as well.
  /// @par Errors   Decode as check_json(); InvalidArgument with all that validate() says.
  Result<void> check(std::string_view text, const TypeDescriptor& kind,
                     const ReadOptions& options = {}) const;
  /// What the kind's schema asks for and validate() doesn't look at.
  std::vector<std::string> unchecked(const TypeDescriptor& kind) const;

 private:
  class Arena;
  explicit RuntimeSchema(std::unique_ptr<const Arena> arena);

  std::unique_ptr<const Arena> arena_;
};

}  // namespace kube::meta
