// SPDX-License-Identifier: Apache-2.0
//
// The fieldValidation option: what becomes of members that a kind does not have, and of values of a
// wrong type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

#include "forms/negotiation.hpp"
#include "requests/patching.hpp"
#include "resources/resource.hpp"

namespace kube::apiserver {

class FieldValidation {
 public:
  /// `mode`: "Strict", "Warn", "Ignore"; empty is Warn.
  explicit FieldValidation(std::string_view mode)
      : strict_(mode == "Strict"), warn_(mode != "Ignore") {}

  /// Reads a body, with an eye on members that come twice.
  /// @par Errors   A 400 for a body that can't be read.
  Result<json::Value> read(const Resource& resource, const std::string& body, MediaType media);

  /// Reads a patch likewise; the documents that are checked then are results of the patch.
  /// @par Errors   As apiserver::read_patch().
  Result<json::Value> read_patch(PatchFormat format, const std::string& body);

  /// Fits a document to the kind: built-in kinds with a generated type lose what they do not have,
  /// custom resources what ObjectMeta does not have. (The rest they lose later, to their schema.)
  /// @par Errors   Decode, for values of a wrong type, and with Strict for members that are unknown
  ///   or come twice.
  Result<void> check(const Resource& resource, json::Value& document);

  /// What is to be told to the client of the last check.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  bool strict_;
  bool warn_;
  std::string text_;  // of a body in JSON or YAML
  MediaType media_ = MediaType::Json;
  std::vector<std::string> read_problems_;  // of what was read
  std::vector<std::string> warnings_;
};

}  // namespace kube::apiserver
