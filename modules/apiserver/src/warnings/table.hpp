// SPDX-License-Identifier: Apache-2.0
//
// The warnings of a type, as a table, in the order in which the reference server sends them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "validation/place.hpp"

namespace kube::apiserver {

using Warnings = std::vector<std::string>;
using Warn = void (*)(const Place&, Warnings&);

/// A row says `text` of a field that is there; or calls a function; or, with a field alone, walks
/// that field now, before those that no row names.
struct Warning {
  std::string_view field{};
  std::string_view text{};
  std::string_view shown{};  ///< The field's name in the path; empty: the field's own.
  Warn warn = nullptr;
};

struct TypeWarnings {
  std::string_view type;
  std::span<const Warning> rows;
};

constexpr Warning warn_with(Warn warn) {
  return {.warn = warn};
}

/// "spec.field: text"
std::string warning_at(const meta::FieldPath& path, std::string_view text);
/// Warns of the amount of a resource that is counted in bytes, and is a fraction of one.
void warn_of_fraction(const meta::FieldPath& path, const json::Value* amount, Warnings& out);
void warn_of_fraction(const Place& place, std::string_view field, std::string_view resource,
                      Warnings& out);
/// Warns of profiles of AppArmor in annotations of a new pod that its fields do not have.
void warn_of_app_armor(const Place& pod, Warnings& out);
/// Warns of addresses, or of ranges of them, that are not in canonical form.
void warn_of_ip(const Place& place, std::string_view field, Warnings& out);
void warn_of_range(const Place& place, std::string_view field, Warnings& out);
/// The same of the addresses of pods, their hosts and balancers in a status.
void warn_of_status_addresses(const Place& object, Warnings& out);
/// Warns of a Secret for TLS whose certificate and key can't be used.
void warn_of_key_pair(const Place& secret, Warnings& out);
/// What is said of a label of nodes that has another name today; empty for others.
std::string_view node_label_warning(std::string_view label);
/// Warns of such labels in the expressions of a term.
void warn_of_node_expressions(const Place& term, Warnings& out);

std::span<const TypeWarnings> kind_warnings();
std::span<const TypeWarnings> pod_warnings();
std::span<const TypeWarnings> volume_warnings();

}  // namespace kube::apiserver
