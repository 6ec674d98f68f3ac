// SPDX-License-Identifier: Apache-2.0
//
// Lists as strategic merge sees them: objects with a merge key, or a set of scalars.
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

/// The kind that all elements of both lists have; None when there are none. InvalidArgument for
/// mixed kinds, nulls, and lists of lists.
Result<ElementKind> element_kind(const json::Array& a, const json::Array& b);

/// The member of a list's item that tells it from others. InvalidArgument for an item that is no
/// object or has no such member.
Result<const json::Value*> merge_key_of(const json::Value& item, std::string_view merge_key);

/// Equal for equal items: the text of the merge key's value, or of the scalar.
Result<std::string> identity(const json::Value& item, ElementKind kind, std::string_view merge_key);

/// The word of an object's "$patch"; nullopt when it has none.
std::optional<std::string> directive_of(const json::Object& object);
std::optional<std::string> directive_of(const json::Value& item);

/// Where items stand in a list.
class Positions {
 public:
  static Result<Positions> of(const json::Array& list, ElementKind kind,
                              std::string_view merge_key);

  bool contains(const std::string& id) const { return places_.contains(id); }
  /// The first place; nullopt for an item that is not in the list.
  std::optional<std::size_t> find(const std::string& id) const;
  /// Adds an item that comes behind all others, unless it is there.
  void append(const std::string& id, std::size_t place) { places_.try_emplace(id, place); }

 private:
  std::map<std::string, std::size_t> places_;
};

/// The items in the order that a list asks for; those to be deleted last.
Result<json::Array> sorted_by(json::Array items, const json::Array& order, ElementKind kind,
                              std::string_view merge_key);

/// Puts the items that `leading` names in its order, the others in the order of `live`, and zips
/// both: an item of `live` stays before the first item of `leading` that it preceded there.
Result<json::Array> enforce_order(const json::Array& items, const json::Array& leading,
                                  const json::Array& live, ElementKind kind,
                                  std::string_view merge_key);

/// Without repetitions; the first of equals stays.
json::Array without_repetitions(const json::Array& scalars);

}  // namespace kube::meta::detail
