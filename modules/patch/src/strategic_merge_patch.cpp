// SPDX-License-Identifier: Apache-2.0
//
// Applies strategic merge patches.
#include <algorithm>
#include <set>

#include <kube/patch/patch.hpp>

#include "merge_list.hpp"
#include "patch_preconditions.hpp"
#include "strategic_merge.hpp"

namespace kube::meta {

namespace detail {

namespace {

Error unknown_directive(const std::string& word, const json::Value& object) {
  return invalid_patch("unknown patch type: " + word + " in map: " + member_names(object),
                       kUnknownDirective);
}

/// Returns "f" for "$setElementOrder/f"; nullopt for a key of another form.
std::optional<std::string_view> directed_field(std::string_view key, std::string_view prefix) {
  if (!key.starts_with(prefix) || !key.substr(prefix.size()).starts_with('/')) return std::nullopt;
  return key.substr(prefix.size() + 1);
}

bool is_list_directive(std::string_view key) {
  return key.starts_with(kDeleteListPrefix) || key.starts_with(kElementOrderPrefix);
}

class Merger {
 public:
  explicit Merger(MergeMode mode) : mode_(mode) {}

  Result<json::Object> merge_object(json::Object original, const json::Object& patch,
                                    const PatchType& type) const {
    if (const auto directive = directive_of(patch)) {
      if (*directive == "delete") return json::Object{};
      if (*directive == "replace") return replacement(patch);
      if (*directive != "merge") return unknown_directive(*directive, patch);
    }
    if (auto kept = retain_keys(original, patch); !kept) return kept.error();
    std::set<std::string_view> done;  // lists that were merged with their order
    for (const auto& [key, order] : patch) {
      if (!key.starts_with(kElementOrderPrefix)) continue;
      const auto field = directed_field(key, kElementOrderPrefix);
      if (!field) return wrong_directive("setElementOrder list");
      if (auto ordered = merge_ordered(original, patch, *field, order, type); !ordered) {
        return ordered.error();
      }
      done.insert(*field);
    }
    // Deletions come first: a key that a patch both deletes and adds is in the result, whatever the
    // order of its members.
    for (const auto& [key, change] : patch) {
      if (!key.starts_with(kDeleteListPrefix)) continue;
      if (auto deleted = delete_scalars(original, key, change, type); !deleted) {
        return deleted.error();
      }
    }
    const auto is_member = [&](std::string_view key) {
      return key != kPatchDirective && key != kRetainKeysDirective && !is_list_directive(key) &&
             !done.contains(key);
    };
    bool deletes = false;
    for (const auto& [key, change] : patch) {
      if (!is_member(key)) continue;
      if (change.is_null() && applies()) {
        deletes = true;
      } else if (auto merged = merge_member(original, key, change, type); !merged) {
        return merged.error();
      }
    }
    if (!deletes) return original;
    original.erase_if([&](std::string_view key, const json::Value&) {
      const json::Value* change = patch.find(key);
      return change != nullptr && change->is_null() && is_member(key);
    });
    return original;
  }

 private:
  bool applies() const { return mode_ != MergeMode::Combine; }
  bool is_dropped(std::string_view key) const {
    return mode_ == MergeMode::Apply && (key == kRetainKeysDirective || is_list_directive(key));
  }

  /// Returns a patch's value for a document that has nothing to merge it with; nullopt when the
  /// value only deletes.
  std::optional<json::Value> added(const json::Value& change) const {
    if (const json::Object* object = change.if_object()) {
      if (const auto directive = directive_of(change)) {
        if (*directive == "replace" && mode_ == MergeMode::Apply) return replacement(*object);
        return std::nullopt;
      }
      return json::Value(added_members(*object));
    }
    const json::Array* list = change.if_array();
    if (list == nullptr) return change;
    json::Array out;
    for (const json::Value& item : *list) {
      if (directive_of(item)) continue;  // nothing to delete or to replace
      if (auto value = added(item)) out.push_back(*std::move(value));
    }
    return json::Value(std::move(out));
  }

  json::Object added_members(const json::Object& object) const {
    json::Object out;
    for (const auto& [key, member] : object) {
      if (applies() && (member.is_null() || is_dropped(key))) continue;
      if (auto value = added(member)) out.append(key, *std::move(value));
    }
    return out;
  }

  /// Returns the replacement of an object: a patch with "$patch": "replace", without the directive.
  json::Object replacement(const json::Object& patch) const {
    json::Object rest = patch;
    rest.erase(kPatchDirective);
    return mode_ == MergeMode::Apply ? added_members(rest) : rest;
  }

  Result<void> retain_keys(json::Object& original, const json::Object& patch) const {
    const json::Value* retained = patch.find(kRetainKeysDirective);
    if (retained == nullptr) return {};
    if (!applies()) {
      const json::Value* other = original.find(kRetainKeysDirective);
      if (other != nullptr && !(*other == *retained)) {
        return invalid_patch("the retainKeys lists of two patches differ");
      }
      original.set(kRetainKeysDirective, *retained);
      return {};
    }
    const json::Array* list = retained->if_array();
    if (list == nullptr) return wrong_directive("retainKeys");
    std::set<std::string_view> names;
    for (const json::Value& name : *list) names.insert(name.string_or_empty());
    for (const auto& [key, change] : patch) {
      const bool is_field = !change.is_null() && key != kRetainKeysDirective &&
                            key != kPatchDirective && !is_list_directive(key);
      if (is_field && !names.contains(key)) return wrong_directive("retainKeys");
    }
    json::Object kept;
    for (auto& [key, value] : original) {
      if (names.contains(key)) kept.append(key, std::move(value));
    }
    original = std::move(kept);
    return {};
  }

  /// Puts a value in the place of one that does not merge. Servers take it as it is: what it has
  /// of nulls and directives is in the result.
  Result<void> replace(json::Object& original, std::string_view key,
                       const json::Value& change) const {
    if (mode_ != MergeMode::Serve) return put(original, key, change);
    original.set(key, change);
    return {};
  }

  Result<void> put(json::Object& original, std::string_view key, const json::Value& change) const {
    if (auto value = added(change)) {
      original.set(key, *std::move(value));
    } else {
      original.erase(key);
    }
    return {};
  }

  Result<void> merge_member(json::Object& original, std::string_view key, const json::Value& change,
                            const PatchType& type) const {
    if (change.is_null()) {  // only when two patches are combined
      original.erase(key);
      original.append(std::string(key), nullptr);
      return {};
    }
    json::Value* current = original.find(key);
    if (current == nullptr || current->type_name() != change.type_name()) {
      return put(original, key, change);
    }
    if (json::Object* object = current->if_object()) {
      const Result<PatchField> field = find_object_field(type, key);
      if (!field) return field.error();
      if (field->replace) return replace(original, key, change);
      Result<json::Object> merged =
          merge_object(std::move(*object), *change.if_object(), field->type);
      if (!merged) return merged.error();
      *current = *std::move(merged);
      return {};
    }
    if (json::Array* list = current->if_array()) {
      const Result<PatchField> field = find_list_field(type, key);
      if (!field) return field.error();
      if (!field->merge) return replace(original, key, change);
      Result<json::Array> merged = merge_list(std::move(*list), *change.if_array(), *field);
      if (!merged) return merged.error();
      *current = *std::move(merged);
      return {};
    }
    *current = change;
    return {};
  }

  Result<void> delete_scalars(json::Object& original, std::string_view key,
                              const json::Value& change, const PatchType& type) const {
    if (!applies()) {
      original.set(key, change);
      return {};
    }
    const auto name = directed_field(key, kDeleteListPrefix);
    if (!name) return wrong_directive("primitive list");
    if (change.is_null()) return {};
    const json::Array* victims = change.if_array();
    if (victims == nullptr) return wrong_directive("primitive list");
    json::Value* current = original.find(*name);
    json::Array* list = current != nullptr ? current->if_array() : nullptr;
    if (list == nullptr) return {};
    if (const auto field = find_list_field(type, *name); !field) return field.error();
    const Result<ElementKind> kind = element_kind(*list, *victims);
    if (!kind) return kind.error();
    if (*kind == ElementKind::Object) return wrong_directive("primitive list");
    const Result<Positions> doomed = Positions::of(*victims, *kind, {});
    std::erase_if(*list,
                  [&](const json::Value& item) { return doomed->contains(json::dump(item)); });
    return {};
  }

  Result<json::Array> merge_list(json::Array original, const json::Array& patch,
                                 const PatchField& field) const {
    const Result<ElementKind> kind = element_kind(original, patch);
    if (!kind) return kind.error();
    if (*kind == ElementKind::None) return original;
    if (*kind == ElementKind::Scalar) {
      json::Array both = original;
      both.insert(both.end(), patch.begin(), patch.end());
      return enforce_order(without_repetitions(both), patch, original, *kind, {});
    }
    if (field.merge_key.empty()) {
      return invalid_patch("cannot merge lists without merge key for " +
                           std::string(field.type.what));
    }
    Result<json::Array> changes = obey_item_directives(original, patch, field);
    if (!changes) return changes.error();
    const json::Array live = original;
    if (auto merged = merge_items(original, *changes, field); !merged) return merged.error();
    return enforce_order(original, *changes, live, *kind, field.merge_key);
  }

  /// Deletes the items that the patch names, empties `original` for a replace directive, and
  /// returns the other items.
  Result<json::Array> obey_item_directives(json::Array& original, const json::Array& patch,
                                           const PatchField& field) const {
    json::Array changes;
    std::set<std::string> doomed;
    bool replace = false;
    for (const json::Value& item : patch) {
      const std::optional<std::string> directive = directive_of(item);
      if (!directive) {
        changes.push_back(item);
      } else if (*directive == "delete") {
        Result<std::string> id = identity(item, ElementKind::Object, field.merge_key);
        if (!id) return id.error();
        doomed.insert(*std::move(id));
      } else if (*directive == "replace") {
        replace = true;
      } else if (*directive == "merge") {
        return invalid_patch("merging lists cannot yet be specified in the patch");
      } else {
        return unknown_directive(*directive, item);
      }
    }
    if (replace) {
      original.clear();
    } else if (!doomed.empty()) {
      std::erase_if(original, [&](const json::Value& item) {
        const json::Value* key = item.if_object()->find(field.merge_key);
        return key != nullptr && doomed.contains(json::dump(*key));
      });
    }
    return changes;
  }

  Result<void> merge_items(json::Array& original, const json::Array& changes,
                           const PatchField& field) const {
    // What the original lacks is told after what the patch lacks.
    Positions places = Positions::of_keyed(original, field.merge_key);
    for (const json::Value& change : changes) {
      const Result<std::string> id = identity(change, ElementKind::Object, field.merge_key);
      if (!id) return id.error();
      if (const auto place = places.find(*id)) {
        Result<json::Object> merged =
            merge_object(std::move(*original[*place].if_object()), *change.if_object(), field.type);
        if (!merged) return merged.error();
        original[*place] = *std::move(merged);
      } else {
        places.append(*id, original.size());
        original.push_back(mode_ == MergeMode::Apply ? *added(change) : change);
        // A null key counts: the list is sorted by it.
        if (const json::Value* key = change.if_object()->find(field.merge_key); key->is_null())
          original.back().if_object()->set(field.merge_key, nullptr);
      }
    }
    return {};
  }

  /// Merges a list and sorts it in the order that the patch wants.
  Result<void> merge_ordered(json::Object& original, const json::Object& patch,
                             std::string_view key, const json::Value& order,
                             const PatchType& type) const {
    const std::string directive = std::string(kElementOrderPrefix) + '/' + std::string(key);
    if (!applies()) {
      const json::Value* other = original.find(directive);
      if (other != nullptr && !(*other == order)) {
        return wrong_directive("setElementOrder list");
      }
      original.set(directive, order);
    }
    const json::Array* wanted = order.if_array();
    if (wanted == nullptr) {
      return invalid_patch("expected a list, but received a " + std::string(order.type_name()));
    }
    const Result<PatchField> field = find_list_field(type, key);
    if (!field) return field.error();
    json::Value* current = original.find(key);
    const json::Value* change = patch.find(key);
    for (const json::Value* list : {static_cast<const json::Value*>(current), change}) {
      if (list != nullptr && !list->is_array()) {
        return invalid_patch("expected a list, but received a " + std::string(list->type_name()));
      }
    }
    static const json::Array none;
    const json::Array live = current != nullptr ? *current->if_array() : none;
    const json::Array& changes = change != nullptr ? *change->if_array() : none;
    if (auto checked = check_order(changes, *wanted, *field); !checked) return checked.error();

    if (current == nullptr && change == nullptr) return {};
    if (change != nullptr) {
      if (auto merged = merge_member(original, key, *change, type); !merged) return merged.error();
      current = original.find(key);
    }
    const json::Array& merged = *current->if_array();
    const Result<ElementKind> kind = element_kind(live, merged);
    if (!kind) return kind.error();
    if (*kind == ElementKind::None) return {};
    Result<json::Array> ordered = enforce_order(merged, *wanted, live, *kind, field->merge_key);
    if (!ordered) return ordered.error();
    *current = *std::move(ordered);
    return {};
  }

  /// Requires that the order list of a patch names the items of its list, in the same order.
  static Result<void> check_order(const json::Array& changes, const json::Array& wanted,
                                  const PatchField& field) {
    if (changes.empty() || wanted.empty()) return {};
    const ElementKind kind = field.merge_key.empty() ? ElementKind::Scalar : ElementKind::Object;
    auto at = wanted.begin();
    for (const json::Value& change : changes) {
      if (directive_of(change)) continue;
      const Result<std::string> id = identity(change, kind, field.merge_key);
      if (!id) return id.error();
      for (;; ++at) {
        if (at == wanted.end()) {
          return invalid_patch("The order in patch list doesn't match $setElementOrder list");
        }
        const Result<std::string> other = identity(*at, kind, field.merge_key);
        if (!other) return other.error();
        if (*other == *id) break;
      }
      ++at;
    }
    return {};
  }

  MergeMode mode_;
};

}  // namespace

Result<json::Object> strategic_merge(json::Object original, const json::Object& patch,
                                     const PatchType& type, MergeMode mode) {
  return Merger(mode).merge_object(std::move(original), patch, type);
}

}  // namespace detail

Result<json::Value> apply_strategic_merge_patch(const json::Value& document,
                                                const json::Value& patch,
                                                const TypeDescriptor& type,
                                                StrategicPatchRules rules) {
  Result<json::Object> original = detail::document_object(document);
  if (!original) return original.error();
  const Result<json::Object> changes = detail::document_object(patch);
  if (!changes) return changes.error();
  const auto mode =
      rules == StrategicPatchRules::ApiServer ? detail::MergeMode::Serve : detail::MergeMode::Apply;
  Result<json::Object> merged =
      detail::strategic_merge(*std::move(original), *changes, {&type, "struct"}, mode);
  if (!merged) return merged.error();
  return json::Value(*std::move(merged));
}

}  // namespace kube::meta
