// SPDX-License-Identifier: Apache-2.0
//
// Between the versions of a resource whose fields differ. Versions that differ in apiVersion only
// need no conversion here: the stored object is sent under another name.
#pragma once

#include <string>
#include <string_view>

#include <kube/json/value.hpp>
#include <kube/meta/group_version.hpp>

namespace kube::apiserver {

/// Changes an object in place; metadata, kind and apiVersion are not its affair.
struct Conversion {
  void (*to_stored)(json::Object& object);
  void (*from_stored)(json::Object& object);
};

/// Null when nothing but apiVersion differs.
const Conversion* find_conversion(const meta::GroupVersionKind& served,
                                  const meta::GroupVersionKind& stored);

/// The name, in the stored version, of a selectable field of a served one.
std::string stored_field_name(std::string_view group, std::string_view plural,
                              std::string_view label);

}  // namespace kube::apiserver
