// SPDX-License-Identifier: Apache-2.0
//
// The decisions about a schema that are not in its facts.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include <kube/base/result.hpp>

namespace kube::gen {

/// Our decisions about the types of a schema, which are named by reference ("meta.v1.Status").
struct Choices {
  std::set<std::string> skip{};  ///< Written by hand, or not needed.
  /// Types whose struct is written by hand in the generated form: type to header. They get
  /// descriptors.
  std::map<std::string, std::string> by_hand{};
  std::set<std::string> octal{};       ///< Constants whose digits are octal: "core.v1.Mode".
  std::set<std::string> each_alone{};  ///< Packages with a header for each type.
  std::map<std::string, std::string> header_names{};  ///< For example, type to "status_type".
  /// The group and version of a kind that differ from its package's.
  std::map<std::string, std::pair<std::string, std::string>> api_versions{};
  /// Go's names for the types of fields ("meta.v1.ObjectMeta.uid") that have no alias in the facts.
  std::map<std::string, std::string> go_types{};
};

/// Reads a JSON object with the members skip, headerForEachType, octalConstants (lists), byHand,
/// headerNames, apiVersions and goTypes (objects), all optional.
/// @par Errors   Decode, naming the file and the member.
Result<Choices> read_choices(const std::filesystem::path& path);

}  // namespace kube::gen
