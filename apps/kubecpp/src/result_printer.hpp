// SPDX-License-Identifier: Apache-2.0
//
// The output of apply, patch and delete: a line of text, or the object in the format of -o.
#pragma once

#include <string>

#include <kube/codec/unstructured.hpp>
#include <kube/json/value.hpp>
#include <kube/names/group_version.hpp>

#include "output.hpp"

namespace kubecpp {

enum class ResultOutput { Words, Name, Json, Yaml };
/// "": Words; "name", "json", "yaml".
ResultOutput result_output(const std::string& word);

/// Returns the object as kubectl shows it: with its kind, without managed fields.
kube::json::Value shown(kube::Unstructured object, const kube::meta::ResourceInfo& resource);

/// Returns true for Json and Yaml, which print the objects themselves.
bool is_whole(ResultOutput output);

/// Prints one object, or several as a List, in the format, for which is_whole() is true.
std::string object_text(const kube::json::Value& value, ResultOutput output);
std::string objects_text(kube::json::Array objects, ResultOutput output);

}  // namespace kubecpp
