// SPDX-License-Identifier: Apache-2.0
//
// All generated kinds at run time, by name. A program that uses this holds the tables of all
// types; one that names its types holds theirs only.
#pragma once

#include <span>
#include <string_view>

#include <kube/codec/descriptor.hpp>
#include <kube/names/group_version.hpp>

namespace kube::api {

/// The descriptor of a generated kind; null for any other. Safe from any thread.
///
/// Options of requests (DeleteOptions, ...), which exist in every group and version, are found as
/// v1 only.
/// @par Cost   A binary search.
const meta::TypeDescriptor* find_type(const meta::GroupVersionKind& gvk);
/// The same by the two fields of an object: "apps/v1", "Deployment".
const meta::TypeDescriptor* find_type(std::string_view api_version, std::string_view kind);

/// All of them, sorted by group, version and kind.
std::span<const meta::TypeDescriptor* const> all_types();

}  // namespace kube::api
