// SPDX-License-Identifier: Apache-2.0
//
// The objects of a collection by the value of one label or field.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "storage/stored_object.hpp"

namespace kube::serving {

/// What an object must have to be selected: one value of one label or field.
struct Equality {
  std::string of{};  ///< The label or field; the name of its index.
  std::string value{};
  /// Reads the value of an object; empty when it has none.
  std::function<std::optional<std::string>(const StoredObject&)> read{};
};

/// @par Thread safety   None: the collection's mutex guards it.
/// @par Cost   About 48 bytes for each object that has a value. An object's place changes with its
///   value only.
class ValueIndex {
 public:
  /// An entry of the collection's map, which stays where it is.
  using Entry = std::pair<const std::string, ObjectPtr>;
  struct ByKey {
    using is_transparent = void;
    bool operator()(const Entry* a, const Entry* b) const { return a->first < b->first; }
    bool operator()(const Entry* a, std::string_view key) const { return a->first < key; }
    bool operator()(std::string_view key, const Entry* b) const { return key < b->first; }
  };
  /// In order of key.
  using Entries = std::set<const Entry*, ByKey>;
  using Read = std::function<std::optional<std::string>(const StoredObject&)>;

  explicit ValueIndex(Read read) : read_(std::move(read)) {}

  std::optional<std::string> value_of(const StoredObject& object) const { return read_(object); }
  void add(const Entry& entry) { add(entry, read_(*entry.second)); }
  void add(const Entry& entry, const std::optional<std::string>& value);
  /// `entry` still has the object.
  void remove(const Entry& entry) { remove(entry, read_(*entry.second)); }
  /// `entry` has the new object already.
  void replace(const Entry& entry, const StoredObject& before);

  const Entries& find(const std::string& value) const;

 private:
  void remove(const Entry& entry, const std::optional<std::string>& value);

  Read read_;
  std::unordered_map<std::string, Entries> entries_;
};

}  // namespace kube::serving
