// SPDX-License-Identifier: Apache-2.0
//
// What the reference server warns of in an object that it takes. The warnings belong to types, as
// the rules of validation do, so a pod has the same ones in each template.
#pragma once

#include <string>
#include <vector>

#include <kube/codec/descriptor.hpp>
#include <kube/json/value.hpp>

namespace kube::apiserver {

/// Returns the warnings of an object after a write; none for kinds that have none. `before` is null
/// for a new object.
std::vector<std::string> object_warnings(const meta::TypeDescriptor& kind,
                                         const json::Value& object,
                                         const json::Value* before = nullptr);

/// Returns the warnings of an object after a write of its status.
std::vector<std::string> status_warnings(const meta::TypeDescriptor& kind,
                                         const json::Value& object);

/// Returns the warnings of a new object as it was sent, before its old annotations become fields.
std::vector<std::string> sent_warnings(const meta::TypeDescriptor& kind, const json::Value& object);

}  // namespace kube::apiserver
