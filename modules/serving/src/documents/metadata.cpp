// SPDX-License-Identifier: Apache-2.0
#include "documents/metadata.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include <kube/names/go_text.hpp>

namespace kube::serving {
namespace {

// Null members count as absent, as in Kubernetes.
const json::Value* present(const json::Object& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value != nullptr && !value->is_null() ? value : nullptr;
}

json::Object* object_in(json::Object* object, std::string_view key) {
  json::Value* value = object == nullptr ? nullptr : object->find(key);
  return value == nullptr ? nullptr : value->if_object();
}

template <class Skip>
bool same_members(const json::Object& a, const json::Object& b, const Skip& skip) {
  const auto covers = [&skip](const json::Object& left, const json::Object& right) {
    for (const auto& [key, value] : left) {
      if (skip(key) || value.is_null()) continue;
      const json::Value* other = present(right, key);
      if (other == nullptr || !(*other == value)) return false;
    }
    return true;
  };
  const auto keys = [&skip](const json::Object& left, const json::Object& right) {
    for (const auto& [key, value] : left) {
      if (!skip(key) && !value.is_null() && present(right, key) == nullptr) return false;
    }
    return true;
  };
  return covers(a, b) && keys(b, a);
}

const json::Object& object_or_empty(const json::Value& value) {
  static const json::Object empty;
  return value.is_object() ? *value.if_object() : empty;
}

}  // namespace

json::Object& metadata_of(json::Value& object) {
  json::Value& metadata = object.ensure_path({"metadata"});
  if (!metadata.is_object()) metadata = json::Object{};
  return *metadata.if_object();
}

const json::Object* find_metadata(const json::Value& object) {
  const json::Value* metadata = object.at_path({"metadata"});
  return metadata == nullptr ? nullptr : metadata->if_object();
}

json::Value take_annotation(json::Value& object, std::string_view name) {
  json::Object* metadata = object_in(object.if_object(), "metadata");
  json::Object* annotations = object_in(metadata, "annotations");
  json::Value* found = annotations == nullptr ? nullptr : annotations->find(name);
  if (found == nullptr) return {};
  json::Value value = std::move(*found);
  annotations->erase(name);
  if (annotations->empty()) metadata->erase("annotations");
  return value;
}

std::string_view metadata_text(const json::Value& object, std::string_view key) {
  return object.string_at({"metadata", key});
}

std::vector<std::string> finalizers_of(const json::Value& object) {
  std::vector<std::string> out;
  const json::Value* list = object.at_path({"metadata", "finalizers"});
  if (list == nullptr || !list->is_array()) return out;
  for (const json::Value& entry : *list->if_array()) out.emplace_back(entry.string_or_empty());
  return out;
}

void set_finalizers(json::Value& object, const std::vector<std::string>& finalizers) {
  json::Object& metadata = metadata_of(object);
  if (finalizers.empty()) {
    metadata.erase("finalizers");
    return;
  }
  metadata.set("finalizers", json::Array(finalizers.begin(), finalizers.end()));
}

std::vector<std::string> field_path(std::string_view path) {
  if (path.empty()) return {};
  const auto parts = go::split(path, '.');
  return {parts.begin(), parts.end()};
}

void copy_member(const json::Object& from, json::Object& to, std::string_view key) {
  if (const json::Value* value = present(from, key)) {
    to.set(key, *value);
  } else {
    to.erase(key);
  }
}

void set_default(json::Object& object, std::string_view key, json::Value value) {
  if (present(object, key) == nullptr) object.set(key, std::move(value));
}

std::string format_time(WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(seconds - day);
  std::array<char, 40> text{};
  const int size = std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()));
  return {text.data(), static_cast<std::size_t>(size)};
}

bool same_content(const json::Value& a, const json::Value& b) {
  const json::Object& left = object_or_empty(a);
  const json::Object& right = object_or_empty(b);
  const auto top = [](std::string_view key) {
    return key == "kind" || key == "apiVersion" || key == "metadata";
  };
  if (!same_members(left, right, top)) return false;
  const json::Object* left_meta = find_metadata(a);
  const json::Object* right_meta = find_metadata(b);
  if (left_meta == nullptr || right_meta == nullptr) return left_meta == right_meta;
  return same_members(*left_meta, *right_meta, [](std::string_view key) {
    return key == "resourceVersion" || key == "selfLink";
  });
}

bool same_spec(const json::Value& a, const json::Value& b, bool with_status) {
  return same_members(object_or_empty(a), object_or_empty(b), [with_status](std::string_view key) {
    return key == "kind" || key == "apiVersion" || key == "metadata" ||
           (!with_status && key == "status");
  });
}

}  // namespace kube::serving
