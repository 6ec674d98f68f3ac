// SPDX-License-Identifier: Apache-2.0
//
// Computes strategic merge patches: between two documents, and between three as kubectl apply does.
#include <algorithm>
#include <map>

#include <kube/patch/patch.hpp>

#include "merge_list.hpp"
#include "patch_preconditions.hpp"
#include "strategic_merge.hpp"

namespace kube::meta {

namespace {

using detail::ElementKind;
using detail::PatchField;
using detail::PatchType;

struct DiffOptions {
  bool additions = true;  ///< Additions and changes.
  bool deletions = true;
  bool element_order = true;  ///< Writes $setElementOrder lists.
};

/// Returns the text by which a scalar or a merge key is sorted.
std::string sort_text(const json::Value& value) {
  const std::string* text = value.if_string();
  return text != nullptr ? *text : json::dump(value);
}

/// The items of a list with their sort texts, sorted.
using Sorted = std::vector<std::pair<std::string, const json::Value*>>;

void sort_by_text(Sorted& items) {
  std::stable_sort(items.begin(), items.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
}

Sorted sorted_scalars(const json::Array& list) {
  Sorted items;
  for (const json::Value& item : list) items.emplace_back(sort_text(item), &item);
  sort_by_text(items);
  return items;
}

Result<Sorted> sorted_objects(const json::Array& list, std::string_view merge_key) {
  Sorted items;
  for (const json::Value& item : list) {
    const Result<const json::Value*> key = detail::merge_key_of(item, merge_key);
    if (!key) return key.error();
    items.emplace_back(sort_text(**key), &item);
  }
  sort_by_text(items);
  return items;
}

/// Walks two sorted lists: calls both(a, b) for pairs, only_left(a) and only_right(b) for the
/// others. Stops at the first error.
template <class Both, class OnlyLeft, class OnlyRight>
Result<void> walk(const Sorted& left, const Sorted& right, const Both& both,
                  const OnlyLeft& only_left, const OnlyRight& only_right) {
  auto l = left.begin();
  auto r = right.begin();
  while (l != left.end() || r != right.end()) {
    const bool take_left = r == right.end() || (l != left.end() && l->first <= r->first);
    const bool take_right = l == left.end() || (r != right.end() && r->first <= l->first);
    if (take_left && take_right) {
      if (Result<void> done = both(*(l++)->second, *(r++)->second); !done) return done;
    } else if (take_left) {
      only_left(*(l++)->second);
    } else {
      only_right(*(r++)->second);
    }
  }
  return {};
}

class Differ {
 public:
  explicit Differ(DiffOptions options) : options_(options) {}

  Result<json::Object> diff_objects(const json::Object& original, const json::Object& modified,
                                    const PatchType& type, bool retain_keys = false) const {
    json::Object patch;
    for (const auto& [key, value] : modified) {
      const json::Value* before = original.find(key);
      if (before == nullptr || before->type_name() != value.type_name()) {
        if (options_.additions) patch.set(key, value);
        continue;
      }
      Result<void> done;
      if (value.is_object()) {
        done = diff_object_field(patch, key, *before->if_object(), *value.if_object(), type);
      } else if (value.is_array()) {
        done = diff_list_field(patch, key, *before->if_array(), *value.if_array(), type);
      } else {
        replace_if_different(patch, key, *before, value);
      }
      if (!done) return done.error();
    }
    bool drops = false;
    for (const auto& [key, value] : original) {
      if (modified.contains(key)) continue;
      if (options_.deletions) patch.set(key, nullptr);
      drops = drops || !value.is_null();
    }
    if (retain_keys && (!patch.empty() || drops)) write_retained(patch, modified);
    return patch;
  }

 private:
  void replace_if_different(json::Object& patch, const std::string& key, const json::Value& before,
                            const json::Value& value) const {
    if (options_.additions && !(before == value)) patch.set(key, value);
  }

  static void write_retained(json::Object& patch, const json::Object& modified) {
    std::vector<std::string> names;
    for (const auto& [key, value] : modified) {
      if (!value.is_null()) names.push_back(key);
    }
    if (names.empty()) return;
    std::sort(names.begin(), names.end());
    patch.set(detail::kRetainKeysDirective, json::Array(names.begin(), names.end()));
  }

  Result<void> diff_object_field(json::Object& patch, const std::string& key,
                                 const json::Object& before, const json::Object& value,
                                 const PatchType& type) const {
    const Result<PatchField> field = detail::find_object_field(type, key);
    // Equal values need no type.
    if (!field) return before == value ? Result<void>() : field.error();
    if (field->replace) {
      if (options_.additions && !(before == value)) patch.set(key, value);
      return {};
    }
    Result<json::Object> inner = diff_objects(before, value, field->type, field->retain_keys);
    if (!inner) return inner.error();
    if (!inner->empty()) patch.set(key, *std::move(inner));
    return {};
  }

  Result<void> diff_list_field(json::Object& patch, const std::string& key,
                               const json::Array& before, const json::Array& value,
                               const PatchType& type) const {
    const Result<PatchField> field = detail::find_list_field(type, key);
    if (!field) return before == value ? Result<void>() : field.error();
    if (!field->merge) {
      if (options_.additions && !(before == value)) patch.set(key, value);
      return {};
    }
    if (before.empty()) {
      if (options_.additions && !value.empty()) patch.set(key, value);
      return {};
    }
    const Result<ElementKind> kind = detail::element_kind(before, value);
    if (!kind) return kind.error();
    if (*kind == ElementKind::Object) return diff_objects_list(patch, key, before, value, *field);
    return diff_scalars_list(patch, key, before, value);
  }

  Result<void> diff_objects_list(json::Object& patch, const std::string& key,
                                 const json::Array& before, const json::Array& value,
                                 const PatchField& field) const {
    const std::string_view merge_key = field.merge_key;
    const Result<Sorted> left = sorted_objects(before, merge_key);
    if (!left) return left.error();
    const Result<Sorted> right = sorted_objects(value, merge_key);
    if (!right) return right.error();
    json::Array changes;
    json::Array deletions;
    Result<void> walked = walk(
        *left, *right,
        [&](const json::Value& a, const json::Value& b) -> Result<void> {
          Result<json::Object> inner =
              diff_objects(*a.if_object(), *b.if_object(), field.type, field.retain_keys);
          if (!inner) return inner.error();
          if (inner->empty()) return {};
          inner->set(merge_key, **detail::merge_key_of(b, merge_key));
          changes.emplace_back(*std::move(inner));
          return {};
        },
        [&](const json::Value& a) {
          if (!options_.deletions) return;
          deletions.push_back(
              json::Object{{std::string(merge_key), **detail::merge_key_of(a, merge_key)},
                           {std::string(detail::kPatchDirective), "delete"}});
        },
        [&](const json::Value& b) {
          if (options_.additions) changes.push_back(b);
        });
    if (!walked) return walked;
    Result<json::Array> list =
        detail::sorted_by(std::move(changes), value, ElementKind::Object, merge_key);
    if (!list) return list.error();
    list->insert(list->end(), deletions.begin(), deletions.end());
    const bool ordered = same_order(before, value, merge_key);
    if (options_.element_order && (!list->empty() || (options_.additions && !ordered))) {
      json::Array order;
      for (const json::Value& item : value) {
        order.push_back(
            json::Object{{std::string(merge_key), **detail::merge_key_of(item, merge_key)}});
      }
      write_order(patch, key, std::move(order));
    }
    if (!list->empty()) patch.set(key, *std::move(list));
    return {};
  }

  /// Whether two lists have their merge keys in the same order. All items are known to have one.
  static bool same_order(const json::Array& a, const json::Array& b, std::string_view merge_key) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [merge_key](const json::Value& x, const json::Value& y) {
                        return **detail::merge_key_of(x, merge_key) ==
                               **detail::merge_key_of(y, merge_key);
                      });
  }

  Result<void> diff_scalars_list(json::Object& patch, const std::string& key,
                                 const json::Array& before, const json::Array& value) const {
    json::Array additions;
    json::Array deletions;
    // As sets: removing one of two equal elements deletes nothing.
    const json::Array old_set = detail::without_repetitions(before);
    const json::Array new_set = detail::without_repetitions(value);
    Result<void> walked = walk(
        sorted_scalars(old_set), sorted_scalars(new_set),
        [](const json::Value&, const json::Value&) { return Result<void>(); },
        [&](const json::Value& a) {
          if (options_.deletions) deletions.push_back(a);
        },
        [&](const json::Value& b) {
          if (options_.additions) additions.push_back(b);
        });
    if (!walked) return walked;
    Result<json::Array> list =
        detail::sorted_by(std::move(additions), value, ElementKind::Scalar, {});
    if (!list) return list.error();
    if (options_.element_order &&
        (!deletions.empty() || (options_.additions && !(before == value)))) {
      write_order(patch, key, value);
    }
    if (!list->empty()) patch.set(key, *std::move(list));
    if (!deletions.empty()) {
      patch.set(std::string(detail::kDeleteListPrefix) + '/' + key, std::move(deletions));
    }
    return {};
  }

  static void write_order(json::Object& patch, const std::string& key, json::Array order) {
    if (order.empty()) return;
    patch.set(std::string(detail::kElementOrderPrefix) + '/' + key, std::move(order));
  }

  DiffOptions options_;
};

/// Whether two patches of one type overlap with different values.
class Conflicts {
 public:
  static Result<bool> between(const json::Object& left, const json::Object& right,
                              const PatchType& type) {
    const auto a = detail::directive_of(left);
    const auto b = detail::directive_of(right);
    if (a != b) return true;
    for (const auto& [key, value] : left) {
      if (key == detail::kPatchDirective || key == detail::kRetainKeysDirective) continue;
      const json::Value* other = right.find(key);
      if (other == nullptr) continue;
      Result<bool> found = members(key, value, *other, type);
      if (!found || *found) return found;
    }
    return false;
  }

 private:
  static Result<bool> members(const std::string& key, const json::Value& left,
                              const json::Value& right, const PatchType& type) {
    if (left.type_name() != right.type_name()) return true;
    if (left.is_object()) {
      const Result<PatchField> field = detail::find_object_field(type, key);
      if (!field) return field.error();
      return between(*left.if_object(), *right.if_object(), field->type);
    }
    if (!left.is_array()) return !(left == right);
    if (key.starts_with(detail::kElementOrderPrefix) ||
        key.starts_with(detail::kDeleteListPrefix)) {
      return false;
    }
    const Result<PatchField> field = detail::find_list_field(type, key);
    if (!field) return field.error();
    return lists(*left.if_array(), *right.if_array(), *field);
  }

  /// Compares scalars in any order, and objects by index.
  static Result<bool> replaced_lists(const json::Array& left, const json::Array& right,
                                     ElementKind kind, const PatchField& field) {
    if (left.size() != right.size()) return true;
    if (kind != ElementKind::Object) {
      const json::Array a = detail::without_repetitions(left);
      const json::Array b = detail::without_repetitions(right);
      const Sorted x = sorted_scalars(a);
      const Sorted y = sorted_scalars(b);
      return !std::equal(x.begin(), x.end(), y.begin(), y.end(),
                         [](const auto& m, const auto& n) { return *m.second == *n.second; });
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
      Result<bool> found = between(*left[i].if_object(), *right[i].if_object(), field.type);
      if (!found || *found) return found;
    }
    return false;
  }

  static Result<bool> lists(const json::Array& left, const json::Array& right,
                            const PatchField& field) {
    const Result<ElementKind> kind = detail::element_kind(left, right);
    if (!kind) return kind.error();
    if (!field.merge) return replaced_lists(left, right, *kind, field);
    if (*kind != ElementKind::Object) return false;  // sets
    std::map<std::string, const json::Object*> by_key;
    for (const json::Value& item : right) {
      const Result<std::string> id = detail::identity(item, *kind, field.merge_key);
      if (!id) return id.error();
      by_key.insert_or_assign(*id, item.if_object());
    }
    for (const json::Value& item : left) {
      const Result<std::string> id = detail::identity(item, *kind, field.merge_key);
      if (!id) return id.error();
      const auto other = by_key.find(*id);
      if (other == by_key.end()) continue;
      Result<bool> found = between(*item.if_object(), *other->second, field.type);
      if (!found || *found) return found;
    }
    return false;
  }
};

}  // namespace

Result<json::Value> create_two_way_merge_patch(
    const json::Value& original, const json::Value& modified, const TypeDescriptor& type,
    const std::vector<PatchPrecondition>& preconditions) {
  const Result<json::Object> before = detail::document_object(original);
  if (!before) return before.error();
  const Result<json::Object> wanted = detail::document_object(modified);
  if (!wanted) return wanted.error();
  Result<json::Object> patch = Differ({}).diff_objects(*before, *wanted, {&type, "struct"});
  if (!patch) return patch.error();
  return detail::checked(*std::move(patch), preconditions);
}

Result<json::Value> create_three_way_merge_patch(
    const json::Value& original, const json::Value& modified, const json::Value& current,
    const TypeDescriptor& type, bool overwrite,
    const std::vector<PatchPrecondition>& preconditions) {
  const Result<json::Object> before = detail::document_object(original);
  if (!before) return before.error();
  const Result<json::Object> wanted = detail::document_object(modified);
  if (!wanted) return wanted.error();
  const Result<json::Object> live = detail::document_object(current);
  if (!live) return live.error();
  const PatchType root{&type, "struct"};

  // The live object decides what to add and change, the original what to delete: additions of
  // others to the live object remain.
  const Result<json::Object> delta =
      Differ({.deletions = false}).diff_objects(*live, *wanted, root);
  if (!delta) return delta.error();
  Result<json::Object> deletions =
      Differ({.additions = false}).diff_objects(*before, *wanted, root);
  if (!deletions) return deletions.error();
  Result<json::Object> merged =
      detail::strategic_merge(*std::move(deletions), *delta, root, detail::MergeMode::Combine);
  if (!merged) return merged.error();
  Result<json::Value> patch = detail::checked(*std::move(merged), preconditions);
  if (!patch || overwrite) return patch;

  Result<json::Object> changed =
      Differ({.element_order = false}).diff_objects(*before, *live, root);
  if (!changed) return changed.error();
  const Result<bool> conflict = Conflicts::between(*patch->if_object(), *changed, root);
  if (!conflict) return conflict.error();
  if (*conflict) return detail::patch_conflict(*patch, json::Value(*std::move(changed)));
  return patch;
}

}  // namespace kube::meta
