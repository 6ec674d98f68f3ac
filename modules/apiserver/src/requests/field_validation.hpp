// SPDX-License-Identifier: Apache-2.0
//
// The fieldValidation option: the treatment of unknown and duplicate fields, and of values of a
// wrong type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

#include "forms/negotiation.hpp"
#include "names/serving_names.hpp"
#include "requests/patching.hpp"
#include "resources/resource.hpp"

namespace kube::apiserver {

class FieldValidation {
 public:
  /// `mode`: "Strict", "Warn", "Ignore"; empty is Warn.
  explicit FieldValidation(std::string_view mode)
      : strict_(mode == "Strict"), warn_(mode != "Ignore") {}

  /// Reads a body and notes its duplicate fields.
  /// @par Errors   A 400 for a body that can't be read.
  Result<json::Value> read(const Resource& resource, const std::string& body, MediaType media);

  /// Reads a patch in the same way; check() then gets the results of the patch.
  /// @par Errors   As apiserver::read_patch().
  Result<json::Value> read_patch(PatchFormat format, const std::string& body);

  /// Removes unknown fields from a document: for built-in kinds with a generated type all of them,
  /// for custom resources those that ObjectMeta does not have. (The schema prunes the others
  /// later.)
  /// @par Errors   Decode, for values of a wrong type, and in Strict mode for unknown and duplicate
  ///   fields.
  Result<void> check(const Resource& resource, json::Value& document);

  /// The warnings of the last check, for the client.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// The paths of the empty lists and maps that the last check has removed.
  const std::vector<std::string>& emptied() const { return emptied_; }

 private:
  Result<json::Value> read_noting_repeats(const std::string& body, MediaType media,
                                          const meta::GroupVersionKind& expected);

  bool strict_;
  bool warn_;
  std::string text_;  // the body, in JSON or YAML
  MediaType media_ = MediaType::Json;
  std::vector<std::string> read_problems_;  // of the body or patch
  std::vector<std::string> warnings_;
  std::vector<std::string> emptied_;
};

}  // namespace kube::apiserver
