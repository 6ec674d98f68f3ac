// SPDX-License-Identifier: Apache-2.0
//
// Reading CustomResourceDefinitions and OpenAPI v3 documents.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>
#include <kube/schema/model.hpp>

namespace kube::schema {

/// A CustomResourceDefinition in a text, and where it is: "w.yaml: document 1: items[2]".
struct Definition {
  json::Value value;
  std::string where;
};

/// All CustomResourceDefinitions in a text of YAML or JSON documents. The items of a v1 List or a
/// CustomResourceDefinitionList count as documents. Objects of other groups are passed over, since
/// manifests hold an operator beside its definitions; a text with nothing but such objects is an
/// error.
///
/// @par Errors   Decode, naming `file` and the document.
Result<std::vector<Definition>> find_crds(std::string_view text, const std::string& file);

/// The packages of the definitions (apiextensions.k8s.io/v1) that find_crds() finds: one for each
/// group and version, those of one group and version together, appended to `packages` or to what is
/// there of their group and version.
///
/// @par Errors   Decode. They name `file`, the document (and the item of a list: "document 1:
/// items[2]"), the definition and the path in its schema, as "w.yaml: document 1: CRD
/// widgets.acme.io: spec.versions[0].schema.openAPIV3Schema .properties[spec].type: Required value:
/// ...": the rule of structural schemas that is broken, in the API server's words where it has
/// some. `packages` is as it was, then.
Result<void> read_crds(std::string_view text, const std::string& file,
                       std::vector<Package>& packages);

/// The same for one definition; `where` begins its errors.
Result<void> read_crd(const json::Value& definition, const std::string& where,
                      std::vector<Package>& packages);

/// Returns all rules of structural schemas that an openAPIV3Schema breaks, in the API server's
/// words; of many the first ones (meta::has_enough()). `path` is where it is.
/// @par Cost   Linear in the schema, and in the paths of its parts.
meta::FieldErrors structural_errors(const json::Value& schema, const meta::FieldPath& path);

/// Whether a type that an OpenAPI document refers to is known elsewhere: "core.v1.PodSpec",
/// "meta.v1.LabelSelector". ObjectMeta and ListMeta of meta.v1 always have to be.
using KnownType = std::function<bool(const std::string& reference)>;

/// The package of an OpenAPI v3 document of one group and version, as the API server serves it
/// under /openapi/v3/: the kinds that aren't known elsewhere and what they are made of, and the
/// resources of its paths. Unlike a CRD's it need not be structural: what has no type, or several,
/// becomes ValueType::Any.
/// @par Errors   Decode, naming `file`, the component and the path in it.
Result<Package> read_openapi(const json::Value& document, const std::string& file,
                             const KnownType& known);

}  // namespace kube::schema
