// SPDX-License-Identifier: Apache-2.0
//
// Reads fields of documents, for the rules of several kinds.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include <kube/json/value.hpp>
#include <kube/names/quantity.hpp>

namespace kube::serving {

/// Returns the object in a member, creating it when missing.
json::Object& child(json::Object& object, std::string_view key);
json::Object& spec_in(json::Value& object);
/// Returns a copy; an empty one when there is none.
json::Object spec_of(const json::Value& object);

bool same_member(const json::Value& a, const json::Value& b,
                 std::initializer_list<std::string_view> path);
/// The storage class of a PersistentVolumeClaim; empty when it has none.
std::string_view class_of_claim(const json::Value& claim);
/// What it requests; 0 when it does not say.
meta::Quantity size_of_claim(const json::Value& claim);
/// Sets the status "phase: Pending" of a new object.
void set_pending(json::Value& object);

template <class F>
void for_each_object(json::Object& object, std::string_view key, const F& f) {
  json::Value* list = object.find(key);
  if (list == nullptr || !list->is_array()) return;
  for (json::Value& entry : *list->if_array()) {
    if (entry.is_object()) f(*entry.if_object());
  }
}

}  // namespace kube::serving
