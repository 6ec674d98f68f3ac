// SPDX-License-Identifier: Apache-2.0
//
// Users' own types: from the model of CRDs and OpenAPI documents to the files of a target.
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
  /// Of the source, <name>.cpp, and of the header <kube_gen/<name>.hpp> that all others include and
  /// that changes with any of them: what a build can depend on without knowing their names.
  std::string name = "types";
};

struct CustomFiles {
  std::vector<File> headers;  ///< The last one is <kube_gen/...>.
  File source;
};

/// The types of `schema` that an OpenAPI document's can have as members. Some have no struct: those
/// that are only ever inlined, or skipped; what refers to them gets the document's own.
/// @pre both outlive the answer
schema::KnownType known_types(Schema& schema, const Choices& choices);

/// `schema` offers the built-in types that these refer to.
/// @par Errors   Decode for types that C++ can't have, naming where they were read; Config for a
/// wrong namespace, or one that two groups would share.
Result<CustomFiles> emit_custom(const std::vector<schema::Package>& packages, Schema& schema,
                                const Choices& choices, const CustomOptions& options);

}  // namespace kube::gen
