// SPDX-License-Identifier: Apache-2.0
//
// Reading and writing the metadata of objects that are JSON documents.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/json/value.hpp>

namespace kube::serving {

/// Returns the object's metadata, creating them when they are missing. `object` is an object.
json::Object& metadata_of(json::Value& object);
/// Null when the metadata are missing.
const json::Object* find_metadata(const json::Value& object);

/// Removes an annotation and returns it; null when the object has none.
json::Value take_annotation(json::Value& object, std::string_view name);

/// The text of a member of the metadata; empty when absent or not a string.
std::string_view metadata_text(const json::Value& object, std::string_view key);

std::vector<std::string> finalizers_of(const json::Value& object);
/// Removes the member when the list is empty.
void set_finalizers(json::Value& object, const std::vector<std::string>& finalizers);

/// Splits "spec.replicas" into the names of the members.
std::vector<std::string> field_path(std::string_view path);

/// Copies a member, or removes it when `from` has none.
void copy_member(const json::Object& from, json::Object& to, std::string_view key);

/// Sets a member that is absent or null.
void set_default(json::Object& object, std::string_view key, json::Value value);

/// "2026-01-02T03:04:05Z"
std::string format_time(WallTime time);

/// Whether two objects are equal except for kind, apiVersion and resourceVersion.
bool same_content(const json::Value& a, const json::Value& b);
/// Whether they are equal except for metadata and, unless `with_status`, status.
bool same_spec(const json::Value& a, const json::Value& b, bool with_status);

}  // namespace kube::serving
