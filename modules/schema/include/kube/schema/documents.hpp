// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// Reads CustomResourceDefinitions and OpenAPI v3 documents.
//
// Any thread may call these functions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>
#include <kube/schema/model.hpp>

namespace kube::schema {

/// A CustomResourceDefinition of a text, with its location: "w.yaml: document 1: items[2]".
struct Definition {
  json::Value value;
  std::string where;
};

/// Returns all CustomResourceDefinitions in a text of YAML or JSON documents. The items of a v1
/// List or a CustomResourceDefinitionList count as documents. Objects of other groups are skipped:
/// manifests may contain an operator as well as its definitions.
///
/// @par Errors   Decode, naming `file` and the document; also for a text without any definition.
Result<std::vector<Definition>> find_crds(std::string_view text, const std::string& file);

/// Reads the definitions (apiextensions.k8s.io/v1) that find_crds() finds. There is one package for
/// each group and version: types are added to it in `packages`, or to a new one at the end.
///
/// @par Errors   Decode, with the place and the rule of structural schemas that is broken, in the
///   API server's words: "w.yaml: document 1: CRD widgets.acme.io: spec.versions[0].schema: ...".
///   `packages` is unchanged then.
Result<void> read_crds(std::string_view text, const std::string& file,
                       std::vector<Package>& packages);

/// Reads one definition; its errors begin with `where`.
/// @par Errors   As read_crds().
Result<void> read_crd(const json::Value& definition, const std::string& where,
                      std::vector<Package>& packages);
template <AnyText T>
Result<void> read_crd(const T& text, const std::string& where,
                      std::vector<Package>& packages) = delete;  // Use read_crds().

/// Returns the rules of structural schemas that an openAPIV3Schema breaks, in the API server's
/// words; the first ones if there are many (meta::has_enough()). `path` is the schema's path. The
/// list is empty for a structural schema.
/// @par Cost   Linear in the schema, and in the paths of its parts.
meta::FieldErrors structural_errors(const json::Value& schema, const meta::FieldPath& path);
template <AnyText T>
meta::FieldErrors structural_errors(const T& text, const meta::FieldPath& path) =
    delete;  // json::parse() it first.

/// How a path names a field: ".spec.a", or also ".spec['a']", which leads into maps.
enum class FieldPaths : std::uint8_t { Plain, WithKeys };

struct FoundField {
  const json::Value* schema = nullptr;  ///< Of the field; null: there is none.
  std::string problem{};                ///< Why, in the API server's words.
};

/// Returns where a JSON path leads in a schema, which must outlive the result.
FoundField find_field(const json::Value& schema, std::string_view path, FieldPaths form);

/// Whether an OpenAPI document may refer to a type that is generated elsewhere: "core.v1.PodSpec",
/// "meta.v1.LabelSelector". ObjectMeta and ListMeta of meta.v1 must be known.
using KnownType = std::function<bool(const std::string& reference)>;

/// Returns the package of an OpenAPI v3 document of one group and version, as the API server serves
/// it under /openapi/v3/: the kinds for which `known` is false, their parts, and the resources of
/// its paths. The schemas need not be structural: a value without a type, or with several, is
/// ValueType::Any.
/// @par Errors   Decode, naming `file`, the component and the path in it.
Result<Package> read_openapi(const json::Value& document, const std::string& file,
                             const KnownType& known);
template <AnyText T>
Result<Package> read_openapi(const T& text, const std::string& file,
                             const KnownType& known) = delete;  // json::parse() it first.

}  // namespace kube::schema
