// SPDX-License-Identifier: Apache-2.0
//
// The text of generated files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <kube/json/value.hpp>

#include "layout.hpp"
#include "output.hpp"

namespace kube::gen {

/// Returns all headers of a package: those of the layout, the constants, and for packages other
/// than meta.v1 one that includes all.
/// @par Errors   Decode, as Planner::layout.
Result<std::vector<File>> emit_headers(const Layout& layout, Planner& planner);

/// Returns the descriptors of a package in `shards` files: core_v1_1.cpp, ...
/// @par Errors   Those of emit_headers(); Decode when there is no perfect hash for the keys of a
///   type.
Result<std::vector<File>> emit_sources(const Layout& layout, Schema& schema, const Choices& choices,
                                       std::size_t shards);
std::vector<std::string> source_names(const std::string& package, std::size_t shards);

/// Returns the kinds of all packages in one file, types.cpp, sorted for look-ups. For kinds with
/// the same group, version and kind the first package is used.
Result<File> emit_registry(const std::vector<std::string>& packages, Planner& planner);

/// Returns the resources of a resources.json as tables, resources.cpp.
/// @par Errors   Decode, naming the file and the resource.
Result<File> emit_resources(const std::filesystem::path& path);

/// The text of the constexpr arrays kResources and kGroups, with the types of
/// <kube/api/resources.hpp> by their bare names.
struct ResourceTables {
  std::string resources;
  std::string groups;
};
/// @par Errors   Decode; the text begins with `source`.
Result<ResourceTables> emit_resource_tables(const json::Value& document, const std::string& source);

/// The first lines of every generated file.
std::string banner(const Layout& layout);

/// Returns a string literal.
std::string literal(std::string_view text);
/// Returns "true" or "false".
std::string_view boolean(bool value);
/// Returns "::kube::core::v1::descriptors::pod", the descriptor object of a type.
std::string descriptor_name(const Type& type);
/// Returns the declarations of the descriptors of types, by namespace.
std::string declare_descriptors(const std::map<std::string, const Type*>& types);
/// Returns the group and version of a kind.
std::pair<std::string, std::string> api_version_of(const Type& type, const Package& package,
                                                   const Choices& choices);

}  // namespace kube::gen
