// SPDX-License-Identifier: Apache-2.0
//
// How the server shows values of its own types: all fields, in Go's names.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <kube/codec/descriptor.hpp>
#include <kube/json/value.hpp>

namespace kube::apiserver {

/// Returns a value with the members of objects in the order of their types, and of maps by name.
json::Value ordered_value(const meta::FieldDescriptor& field, const json::Value& value);

/// Returns Go's name of a field of a type.
std::string own_name(std::string_view type, std::string_view json);

/// What a request has emptied, by path: the server shows an empty list there, or an empty map,
/// where it shows null for what is not there.
struct Emptied {
  std::span<const std::string> paths{};
  std::string at{};  ///< The path of the value that is shown.

  bool is_here() const;
  Emptied child(std::string_view name) const;
  Emptied index(std::size_t place) const;
};

/// Returns an object of a type as the server shows it; null is one without any field.
json::Value own_form(const meta::TypeDescriptor& type, const json::Value* value,
                     const Emptied& emptied = {});

/// Returns the value of a field in the same way; null is an unset one.
json::Value own_field(const meta::FieldDescriptor& field, const json::Value* value,
                      const Emptied& emptied = {});

}  // namespace kube::apiserver
