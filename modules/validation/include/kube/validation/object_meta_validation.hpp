// SPDX-License-Identifier: Apache-2.0
//
// Checks of an object's metadata as every API server makes them before it stores an object. They
// work on JSON, so that one function serves all kinds.
#pragma once

#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>
#include <kube/names/validation.hpp>

namespace kube::meta {

struct ObjectMetaRules {
  NameRule name = NameRule::DnsSubdomain;
  bool namespaced = true;
};

/// Checks metadata of an object about to be created, its name already generated: name, namespace,
/// labels, annotations, finalizers, owner references, managed fields. `metadata` of another type
/// than an object is one complaint.
FieldErrors validate_object_meta(const json::Value& metadata, const ObjectMetaRules& rules,
                                 const FieldPath& path = FieldPath("metadata"));

/// Checks metadata that is to replace `before`: what may not change, and no new finalizers on an
/// object that is being deleted.
FieldErrors validate_object_meta_update(const json::Value& metadata, const json::Value& before,
                                        const FieldPath& path = FieldPath("metadata"));

/// A map of label keys and values.
FieldErrors validate_labels(const json::Value& labels, const FieldPath& path);
/// Keys, and 262,144 bytes for all together.
FieldErrors validate_annotations(const json::Value& annotations, const FieldPath& path);

}  // namespace kube::meta
