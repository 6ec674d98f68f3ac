// SPDX-License-Identifier: Apache-2.0
//
// Checks an object's metadata, as every API server does before it stores an object. The functions
// read JSON, so that one serves all kinds. Pure functions: any thread may call them.
#pragma once

#include <kube/base/text_argument.hpp>
#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>
#include <kube/names/validation.hpp>

namespace kube::meta {

/// What the metadata of a kind must contain.
struct ObjectMetaRules {
  NameRule name = NameRule::DnsSubdomain;
  bool namespaced = true;
};

/// Checks metadata of a new object after its name was generated: name, namespace, labels,
/// annotations, finalizers, owner references, managed fields. `metadata` that is not an object is
/// one error.
FieldErrors validate_object_meta(const json::Value& metadata, const ObjectMetaRules& rules,
                                 const FieldPath& path = FieldPath("metadata"));
template <AnyText T>
FieldErrors validate_object_meta(const T& text, const ObjectMetaRules& rules,
                                 const FieldPath& path = FieldPath("metadata")) =
    delete;  // json::parse() it first.

/// Checks metadata that replaces `before`: immutable fields have not changed, and an object that is
/// being deleted has no new finalizers.
FieldErrors validate_object_meta_update(const json::Value& metadata, const json::Value& before,
                                        const FieldPath& path = FieldPath("metadata"));
template <class M, class B>
requires AnyText<M, B> FieldErrors validate_object_meta_update(
    const M& metadata, const B& before, const FieldPath& path = FieldPath("metadata"))
= delete;  // json::parse() them first.

/// Checks a map of label keys and values.
FieldErrors validate_labels(const json::Value& labels, const FieldPath& path);
template <AnyText T>
FieldErrors validate_labels(const T& text,
                            const FieldPath& path) = delete;  // json::parse() it first.
/// Checks annotation keys, and that the annotations have at most 262,144 bytes in total.
FieldErrors validate_annotations(const json::Value& annotations, const FieldPath& path);
template <AnyText T>
FieldErrors validate_annotations(const T& text,
                                 const FieldPath& path) = delete;  // json::parse() it first.

}  // namespace kube::meta
