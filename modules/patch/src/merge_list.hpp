// SPDX-License-Identifier: Apache-2.0
//
// The lists of strategic merge: objects with a merge key, or a set of scalars.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

namespace kube::meta::detail {

inline constexpr std::string_view kPatchDirective = "$patch";
inline constexpr std::string_view kRetainKeysDirective = "$retainKeys";
inline constexpr std::string_view kDeleteListPrefix = "$deleteFromPrimitiveList";
inline constexpr std::string_view kElementOrderPrefix = "$setElementOrder";

enum class ElementKind { None, Object, Scalar };

/// Returns the kind of all elements of both lists; None if both are empty. Fails with
/// InvalidArgument for mixed kinds, nulls, and lists of lists.
Result<ElementKind> element_kind(const json::Array& a, const json::Array& b);

/// Returns the member of a list's item that identifies it. Fails with InvalidArgument for an item
/// that is not an object or lacks the member.
Result<const json::Value*> merge_key_of(const json::Value& item, std::string_view merge_key);

/// Returns the identity of an item: the text of the merge key's value, or of the scalar.
Result<std::string> identity(const json::Value& item, ElementKind kind, std::string_view merge_key);

/// Returns the value of an object's "$patch"; nullopt if it has none.
std::optional<std::string> directive_of(const json::Object& object);
std::optional<std::string> directive_of(const json::Value& item);

/// Maps the items of a list to their indexes.
class Positions {
 public:
  static Result<Positions> of(const json::Array& list, ElementKind kind,
                              std::string_view merge_key);

  /// Skips the objects of a list that lack the member.
  static Positions of_keyed(const json::Array& objects, std::string_view merge_key);

  bool contains(const std::string& id) const { return places_.contains(id); }
  /// Returns the first index; nullopt for an item that is not in the list.
  std::optional<std::size_t> find(const std::string& id) const;
  /// Adds an item after all others, unless the list has it.
  void append(const std::string& id, std::size_t place) { places_.try_emplace(id, place); }

 private:
  std::map<std::string, std::size_t> places_;
};

/// Returns the items in the order that a list asks for; those to delete are last.
Result<json::Array> sorted_by(json::Array items, const json::Array& order, ElementKind kind,
                              std::string_view merge_key);

/// Sorts the items that `leading` names in its order, the others in the order of `live`, and merges
/// both: an item of `live` precedes the first item of `leading` that it preceded there.
Result<json::Array> enforce_order(const json::Array& items, const json::Array& leading,
                                  const json::Array& live, ElementKind kind,
                                  std::string_view merge_key);

/// Returns the scalars without duplicates; the first of equal ones remains.
json::Array without_repetitions(const json::Array& scalars);

}  // namespace kube::meta::detail
