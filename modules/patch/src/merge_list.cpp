// SPDX-License-Identifier: Apache-2.0
#include "merge_list.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "patch_preconditions.hpp"

namespace kube::meta::detail {

Result<ElementKind> element_kind(const json::Array& a, const json::Array& b) {
  std::string_view seen;
  for (const json::Array* list : {&a, &b}) {
    for (const json::Value& item : *list) {
      if (item.is_array()) return invalid_patch("lists of lists are not supported", kListOfLists);
      const std::string_view type = item.type_name();
      if (item.is_null() || (!seen.empty() && seen != type)) {
        return invalid_patch(
            "list element types are not identical: " + std::string(seen.empty() ? "object" : seen) +
            " and " + std::string(type));
      }
      seen = type;
    }
  }
  if (seen.empty()) return ElementKind::None;
  return seen == "object" ? ElementKind::Object : ElementKind::Scalar;
}

Result<const json::Value*> merge_key_of(const json::Value& item, std::string_view merge_key) {
  const json::Object* object = item.if_object();
  if (object == nullptr) {
    return invalid_patch("expected a map, but received a " + std::string(item.type_name()));
  }
  if (const json::Value* value = object->find(merge_key)) return value;
  return invalid_patch("map: " + member_names(item) +
                       " does not contain declared merge key: " + std::string(merge_key));
}

Result<std::string> identity(const json::Value& item, ElementKind kind,
                             std::string_view merge_key) {
  if (kind != ElementKind::Object) return json::dump(item);
  const Result<const json::Value*> key = merge_key_of(item, merge_key);
  if (!key) return key.error();
  return json::dump(**key);
}

std::optional<std::string> directive_of(const json::Object& object) {
  const json::Value* directive = object.find(kPatchDirective);
  if (directive == nullptr) return std::nullopt;
  return directive->is_string() ? std::string(directive->string_or_empty())
                                : json::dump(*directive);
}

std::optional<std::string> directive_of(const json::Value& item) {
  const json::Object* object = item.if_object();
  return object != nullptr ? directive_of(*object) : std::nullopt;
}

Result<Positions> Positions::of(const json::Array& list, ElementKind kind,
                                std::string_view merge_key) {
  Positions positions;
  for (std::size_t i = 0; i < list.size(); ++i) {
    Result<std::string> id = identity(list[i], kind, merge_key);
    if (!id) return id.error();
    positions.places_.try_emplace(*std::move(id), i);
  }
  return positions;
}

Positions Positions::of_keyed(const json::Array& objects, std::string_view merge_key) {
  Positions positions;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const json::Value* key = objects[i].at_path({merge_key});
    if (key != nullptr) positions.places_.try_emplace(json::dump(*key), i);
  }
  return positions;
}

std::optional<std::size_t> Positions::find(const std::string& id) const {
  const auto place = places_.find(id);
  return place == places_.end() ? std::nullopt : std::optional(place->second);
}

Result<json::Array> sorted_by(json::Array items, const json::Array& order, ElementKind kind,
                              std::string_view merge_key) {
  const Result<Positions> positions = Positions::of(order, kind, merge_key);
  if (!positions) return positions.error();
  constexpr std::size_t kLast = std::numeric_limits<std::size_t>::max();
  std::vector<std::pair<std::size_t, std::size_t>> places;  // by the order; in `items`
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Result<std::string> id = identity(items[i], kind, merge_key);
    if (!id) return id.error();
    const bool deletes = directive_of(items[i]) == "delete";
    places.emplace_back(deletes ? kLast : positions->find(*id).value_or(kLast - 1), i);
  }
  std::sort(places.begin(), places.end());
  json::Array sorted;
  sorted.reserve(items.size());
  for (const auto& [place, i] : places) sorted.push_back(std::move(items[i]));
  return sorted;
}

Result<json::Array> enforce_order(const json::Array& items, const json::Array& leading,
                                  const json::Array& live, ElementKind kind,
                                  std::string_view merge_key) {
  const Result<Positions> named = Positions::of(leading, kind, merge_key);
  if (!named) return named.error();
  json::Array first;
  json::Array others;
  for (const json::Value& item : items) {
    const Result<std::string> id = identity(item, kind, merge_key);
    if (!id) return id.error();
    (named->contains(*id) ? first : others).push_back(item);
  }
  Result<json::Array> right = sorted_by(std::move(first), leading, kind, merge_key);
  if (!right) return right.error();
  Result<json::Array> left = sorted_by(std::move(others), live, kind, merge_key);
  if (!left) return left.error();
  const Result<Positions> places = Positions::of(live, kind, merge_key);
  if (!places) return places.error();

  json::Array merged;
  merged.reserve(items.size());
  auto l = left->begin();
  auto r = right->begin();
  while (l != left->end() && r != right->end()) {
    const std::optional<std::size_t> left_place = places->find(*identity(*l, kind, merge_key));
    const std::optional<std::size_t> right_place = places->find(*identity(*r, kind, merge_key));
    const bool left_first = left_place && right_place && *left_place < *right_place;
    merged.push_back(std::move(left_first ? *l++ : *r++));
  }
  std::move(l, left->end(), std::back_inserter(merged));
  std::move(r, right->end(), std::back_inserter(merged));
  return merged;
}

json::Array without_repetitions(const json::Array& scalars) {
  json::Array out;
  std::set<std::string> seen;
  for (const json::Value& scalar : scalars) {
    if (seen.insert(json::dump(scalar)).second) out.push_back(scalar);
  }
  return out;
}

}  // namespace kube::meta::detail
