// SPDX-License-Identifier: Apache-2.0
//
// What apply, patch and delete print of what they have done: a line for people, or the object as
// -o asks.
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

/// The object as kubectl shows it: with its kind, and without what servers note for themselves.
kube::json::Value shown(kube::Unstructured object, const kube::meta::ResourceInfo& resource);

/// Json and Yaml, which print the objects themselves.
bool is_whole(ResultOutput output);

/// In the format, which is_whole(): one object; or several, as a List.
std::string object_text(const kube::json::Value& value, ResultOutput output);
std::string objects_text(kube::json::Array objects, ResultOutput output);

}  // namespace kubecpp
