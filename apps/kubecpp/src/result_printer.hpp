// SPDX-License-Identifier: Apache-2.0
//
// The output of apply, patch and delete: a line of text, or the object in the format of -o.
#pragma once

#include <string>
#include <utility>

#include <kube/codec/unstructured.hpp>
#include <kube/json/value.hpp>
#include <kube/names/group_version.hpp>

#include "output.hpp"

namespace kubecpp {

enum class ResultOutput { Words, Name, Json, Yaml };
/// "": Words; "name", "json", "yaml".
ResultOutput result_output(const std::string& word);

/// Returns the object as kubectl shows it: with its kind, and without managed fields unless they
/// are asked for.
kube::json::Value shown(kube::Unstructured object, const kube::meta::ResourceInfo& resource,
                        bool managed_fields = false);

/// Returns true for Json and Yaml, which print the objects themselves.
bool is_whole(ResultOutput output);

/// Prints one object, or several as a List, in the format, for which is_whole() is true.
std::string object_text(const kube::json::Value& value, ResultOutput output);
std::string objects_text(kube::json::Array objects, ResultOutput output);

/// Prints what has become of objects, one after the other.
class ResultPrinter {
 public:
  /// `suffix` follows each line of words: that of dry_run_suffix().
  ResultPrinter(Output& out, ResultOutput output, std::string suffix = {},
                bool managed_fields = false)
      : out_(out), output_(output), suffix_(std::move(suffix)), managed_fields_(managed_fields) {}

  /// Prints `deployment.apps/web scaled`, its name alone, or the object.
  void print(const kube::meta::ResourceInfo& resource, const kube::Unstructured& object,
             const std::string& operation);

 private:
  Output& out_;
  const ResultOutput output_;
  const std::string suffix_;
  const bool managed_fields_;
  bool printed_ = false;
};

}  // namespace kubecpp
