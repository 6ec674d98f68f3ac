// SPDX-License-Identifier: Apache-2.0
//
// Brings a document into the form in which its type writes it.
#pragma once

#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/json/value.hpp>

namespace kube::meta {

/// Brings a document into the form that a read into the type and a write from it would give it:
/// removes nulls and empty values where the type leaves them out, adds those that it always writes,
/// and writes quantities in their canonical form. So two documents are equal when their values are,
/// in whatever encoding they came. Removes members that the type doesn't have.
/// @param path   Where the value is; empty for a whole document, which alone has kind and
///   apiVersion.
/// @param emptied   Gets the paths of lists, maps and texts of bytes that are empty, also of those
///   that are left out; the first ones if there are many.
/// @return       the paths of the members that the type doesn't have ("spec.containers[0].x"),
///   beginning with `path`; the first ones if there are many (UnknownPaths).
/// @par Errors   Decode names the first value of a wrong type, and what was expected; also for more
///   than 100,000 objects in lists.
/// @par Cost   One walk over the document; nothing is decoded.
Result<std::vector<std::string>> normalize_to_type(const TypeDescriptor& type,
                                                   json::Value& document,
                                                   const std::string& path = {},
                                                   std::vector<std::string>* emptied = nullptr);

}  // namespace kube::meta
