// SPDX-License-Identifier: Apache-2.0
//
// Checks a CustomResourceDefinition, as a server does before it stores one.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <kube/base/text_argument.hpp>
#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>

namespace kube::meta {

/// Returns all errors that a server's 422 would list for a definition (apiextensions.k8s.io/v1)
/// whose defaults are filled in: those of its names, scope, versions and their schemas
/// (StructuralSchema::check()). `before` is the definition that it replaces; null for a new one.
/// `emptied` are the paths of empty lists and maps that a client sent (normalize_to_type()).
///
/// Only the embedded server has three of the limits: 100 versions, 100 short names and categories
/// each, 64 columns for each version.
FieldErrors validate_definition(const json::Value& definition, const json::Value* before = nullptr,
                                std::span<const std::string> emptied = {});
template <AnyText T>
FieldErrors validate_definition(const T& text, const json::Value* before = nullptr,
                                std::span<const std::string> emptied = {}) =
    delete;  // json::parse() it first.

/// Whether a group belongs to the Kubernetes community, whose definitions need the annotation
/// api-approved.kubernetes.io: *.k8s.io and *.kubernetes.io.
bool is_community_group(std::string_view group);

/// Whether a schema may name a format without being warned: it is one by which texts are checked,
/// or one of numbers.
bool is_known_format(std::string_view format);

}  // namespace kube::meta
