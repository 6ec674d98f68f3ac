// SPDX-License-Identifier: Apache-2.0
//
// What a kind's type says about a document: which members it knows, and which values they take.
#pragma once

#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/json/value.hpp>

namespace kube::apiserver {

/// Brings a document into the form that a read into the type and a write from it would give it:
/// nulls and empty values go where the type leaves them out, those that it always writes are added,
/// quantities are in their canonical form. So two documents are equal when their values are, in
/// whatever encoding they came. Members that the type doesn't have are removed.
/// @param path   Where the value stands; empty for a whole document, which alone has kind and
///   apiVersion.
/// @return       the paths of what was removed ("spec.containers[0].x"), which begin with `path`;
///   of many the first ones (UnknownPaths).
/// @par Errors   Decode names the first value of a wrong type, and what was expected.
Result<std::vector<std::string>> normalize_to_type(const meta::TypeDescriptor& type,
                                                   json::Value& document,
                                                   const std::string& path = {});

}  // namespace kube::apiserver
