// SPDX-License-Identifier: Apache-2.0
//
// Users' own types: from CRDs and OpenAPI documents to the files of a target.
#pragma once

#include <string>
#include <vector>

#include <kube/schema/documents.hpp>
#include <kube/schema/model.hpp>

#include "emit.hpp"

namespace kube::gen {

struct CustomOptions {
  /// The types of version v1 are in <namespace>::v1; empty: the first part of the group.
  std::string namespace_{};
  /// The name of the source, <name>.cpp, and of the header <kube_gen/<name>.hpp>. All others
  /// include that header and it changes with any of them: a build can depend on it without knowing
  /// their names.
  std::string name = "types";
};

struct CustomFiles {
  std::vector<File> headers;  ///< The last one is <kube_gen/...>.
  File source;
};

/// Returns the types of `schema` that members in an OpenAPI document can have. Types that are only
/// inlined, or skipped, have no struct; the document's own types replace them.
/// @pre Both arguments outlive the result.
schema::KnownType known_types(Schema& schema, const Choices& choices);

/// `schema` has the built-in types to which these refer.
/// @par Errors   Decode for types that C++ can't have, with their place; Config for an invalid
///   namespace, or one that two groups would share.
Result<CustomFiles> emit_custom(const std::vector<schema::Package>& packages, Schema& schema,
                                const Choices& choices, const CustomOptions& options);

}  // namespace kube::gen
