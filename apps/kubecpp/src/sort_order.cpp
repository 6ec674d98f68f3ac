// SPDX-License-Identifier: Apache-2.0
#include "sort_order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <kube/names/quantity.hpp>

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
namespace json = kube::json;

Error unsortable(std::string text) {
  return {ErrorCode::InvalidArgument, std::move(text)};
}

double number_of(const json::Value& value) {
  if (const auto* integer = value.if_int()) return static_cast<double>(*integer);
  if (const auto* large = value.if_uint()) return static_cast<double>(*large);
  return *value.if_double();
}

bool less_text(const std::string& a, const std::string& b) {
  if (!a.empty() && !b.empty()) {
    const auto left = kube::meta::Quantity::parse(a);
    const auto right = left ? kube::meta::Quantity::parse(b) : left;
    if (left && right) return *left < *right;
  }
  return a < b;  // byte by byte: "n10" comes before "n2"
}

// Both are sortable. What is missing or null comes first; values of different types by their type.
bool less_value(const json::Value* a, const json::Value* b) {
  const bool no_a = a == nullptr || a->is_null();
  const bool no_b = b == nullptr || b->is_null();
  if (no_a || no_b) return no_a && !no_b;
  if (a->if_int() != nullptr && b->if_int() != nullptr) return *a->if_int() < *b->if_int();
  if (a->is_number() && b->is_number()) return number_of(*a) < number_of(*b);
  if (a->is_string() && b->is_string()) return less_text(*a->if_string(), *b->if_string());
  if (a->is_bool() && b->is_bool()) return !*a->if_bool() && *b->if_bool();
  return a->type_name() < b->type_name();
}

}  // namespace

Result<SortOrder> SortOrder::parse(std::string_view path) {
  auto text = json::relaxed_json_path(path);
  if (!text) return text.error();
  auto parsed = json::JsonPathTemplate::parse(*text);
  if (!parsed) return parsed.error();
  SortOrder order;
  order.path_ = *std::move(text);
  order.template_ = *std::move(parsed);
  return order;
}

Result<std::vector<std::size_t>> SortOrder::order(const json::Array& items, bool rows) const {
  std::vector<const json::Value*> keys(items.size());
  bool any = items.empty();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const json::Value* object = rows ? items[i].at_path({"object"}) : &items[i];
    if (object == nullptr) continue;
    const auto found = template_.find(*object, {.allow_missing_keys = true});
    if (!found) return found.error();
    if (found->empty() || found->front().empty()) continue;
    any = true;
    keys[i] = found->front().front();
    if (keys[i]->is_array() || keys[i]->is_object()) {
      return unsortable("field " + path_ +
                        " has an unsortable type: " + std::string(keys[i]->type_name()));
    }
  }
  if (!any)
    return unsortable("couldn't find any field with path \"" + path_ + "\" in the list of objects");
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return less_value(keys[a], keys[b]); });
  return order;
}

}  // namespace kubecpp
