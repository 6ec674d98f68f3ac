// SPDX-License-Identifier: Apache-2.0
//
// What a kind's type says about a document: which members it knows, and which values they take.
#pragma once

#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/descriptor.hpp>

namespace kube::apiserver {

/// Removes members that the type does not have and returns their paths ("spec.containers[0].x"),
/// which begin with `path`, where the value stands: of a whole document, which alone has kind and
/// apiVersion, it is empty.
/// Nulls are removed too, and quantities are written in their canonical form, as a read into the
/// type and a write from it would.
/// @par Errors   Decode names the first value of a wrong type, and what was expected.
Result<std::vector<std::string>> fit_to_type(const meta::TypeDescriptor& type,
                                             json::Value& document, const std::string& path = {});

}  // namespace kube::apiserver
