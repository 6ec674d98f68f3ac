// SPDX-License-Identifier: Apache-2.0
//
// kube::json::Value: a JSON document in memory. Objects keep the order in which their members came,
// integers stay integers (64 bits, never through a double).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <kube/base/result.hpp>

namespace kube::json {

class Value;
using Array = std::vector<Value>;

/// Members in order of insertion.
///
/// @par Thread safety   Distinct threads may read one object.
/// @par Cost   A look-up compares names one by one: API objects have few members a level. In an
///   object of more than 128, the first look-up after a loop over members that may change makes an
///   index, and those that follow take constant time, whatever the names are. erase() moves the
///   members behind: use erase_if() for many.
class Object {
 public:
  using Member = std::pair<std::string, Value>;
  Object();
  Object(std::initializer_list<Member> members);
  /// Takes members whose names the caller knows to be distinct.
  explicit Object(std::vector<Member> members);
  Object(const Object&);
  Object(Object&&) noexcept;
  Object& operator=(const Object&);
  Object& operator=(Object&&) noexcept;
  ~Object();

  const Value* find(std::string_view key) const&;
  Value* find(std::string_view key) &;
  const Value* find(std::string_view key) const&& = delete;  // Give the Object a name first.
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  /// The member, made as null at the end if there was none.
  Value& operator[](std::string_view key) &;
  void set(std::string_view key, Value value);
  /// Appends without looking for a member of that name.
  void append(std::string key, Value value);
  bool erase(std::string_view key);
  /// Removes the members for which drop(name, value) holds, in one pass in their order; answers how
  /// many. It is called once for each, and may change values.
  template <class Drop>
  std::size_t erase_if(const Drop& drop);
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  void clear();

  std::vector<Member>::const_iterator begin() const&;
  std::vector<Member>::const_iterator end() const&;
  /// Names may be changed, too, as long as they stay distinct; not while look-ups are made.
  std::vector<Member>::iterator begin() &;
  std::vector<Member>::iterator end() &;
  std::vector<Member>::const_iterator begin() const&& = delete;  // Give the Object a name first.
  std::vector<Member>::const_iterator end() const&& = delete;    // Give the Object a name first.

  /// Same members with equal values, in any order.
  friend bool operator==(const Object& a, const Object& b);

 private:
  struct Index;

  // The place of a member; the number of members when there is none.
  std::size_t place_of(std::string_view key) const;
  const Index& index() const;
  void drop_index() noexcept;

  std::vector<Member> members_;
  // Made by the first of those who look something up; null until then.
  mutable std::atomic<Index*> index_{nullptr};
};

class Value {
 public:
  Value() noexcept = default;
  // Implicit, so that literals read as JSON.
  Value(std::nullptr_t) noexcept {}
  Value(bool b) noexcept : v_(b) {}
  Value(int i) noexcept : v_(std::int64_t{i}) {}
  Value(std::int64_t i) noexcept : v_(i) {}
  Value(std::uint64_t u) noexcept;
  Value(double d) noexcept : v_(d) {}
  Value(const char* s) : v_(std::string(s)) {}
  Value(std::string_view s) : v_(std::string(s)) {}
  Value(std::string s) noexcept : v_(std::move(s)) {}
  Value(Array a) noexcept : v_(std::move(a)) {}
  Value(Object o) noexcept : v_(std::move(o)) {}

  bool is_null() const { return v_.index() == 0; }
  bool is_bool() const { return std::holds_alternative<bool>(v_); }
  bool is_int() const { return std::holds_alternative<std::int64_t>(v_); }
  bool is_uint() const {
    return std::holds_alternative<std::uint64_t>(v_);
  }  ///< Above int64's range only.
  bool is_double() const { return std::holds_alternative<double>(v_); }
  bool is_number() const { return is_int() || is_uint() || is_double(); }
  bool is_string() const { return std::holds_alternative<std::string>(v_); }
  bool is_array() const { return std::holds_alternative<Array>(v_); }
  bool is_object() const { return std::holds_alternative<Object>(v_); }
  std::string_view type_name() const;  ///< "null", "boolean", "number", "string", "array", "object"

  /// Null when the value is of another type. These, and all that point into a Value or an Object,
  /// are for values with a name: of temporaries nothing would be left to point at.
  const bool* if_bool() const& { return std::get_if<bool>(&v_); }
  const std::int64_t* if_int() const& { return std::get_if<std::int64_t>(&v_); }
  const std::uint64_t* if_uint() const& {
    return std::get_if<std::uint64_t>(&v_);
  }  ///< Above int64's range only.
  const double* if_double() const& { return std::get_if<double>(&v_); }
  const std::string* if_string() const& { return std::get_if<std::string>(&v_); }
  const Array* if_array() const& { return std::get_if<Array>(&v_); }
  Array* if_array() & { return std::get_if<Array>(&v_); }
  const Object* if_object() const& { return std::get_if<Object>(&v_); }
  Object* if_object() & { return std::get_if<Object>(&v_); }
  const bool* if_bool() const&& = delete;           // Give the Value a name first.
  const std::int64_t* if_int() const&& = delete;    // Give the Value a name first.
  const std::uint64_t* if_uint() const&& = delete;  // Give the Value a name first.
  const double* if_double() const&& = delete;       // Give the Value a name first.
  const std::string* if_string() const&& = delete;  // Give the Value a name first.
  const Array* if_array() const&& = delete;         // Give the Value a name first.
  const Object* if_object() const&& = delete;       // Give the Value a name first.

  /// The string, or "" when it isn't one.
  std::string_view string_or_empty() const&;
  std::string_view string_or_empty() const&& = delete;  // Give the Value a name first.

  using Path = std::initializer_list<std::string_view>;
  /// Follows object members; null when one is missing or not an object.
  const Value* at_path(Path path) const&;
  const Value* at_path(Path path) const&& = delete;  // Give the Value a name first.
  /// The string there, or "" when there is none.
  std::string_view string_at(Path path) const&;
  std::string_view string_at(Path path) const&& = delete;  // Give the Value a name first.
  /// The integer there. Nothing when there is none: it is missing, null or of another type, above
  /// int64's range, or a double, even one of a whole value such as 1.0.
  std::optional<std::int64_t> int_at(Path path) const;
  /// The array there, or an empty one when there is none.
  const Array& array_at(Path path) const&;
  const Array& array_at(Path path) const&& = delete;  // Give the Value a name first.
  /// Whether there is a true.
  bool true_at(Path path) const;
  /// Follows object members, making objects on the way (a non-object is replaced).
  Value& ensure_path(Path path) &;

  /// Objects and arrays by content; an integer equals a double of the same value.
  friend bool operator==(const Value& a, const Value& b);

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array,
               Object>
      v_;
};

template <class Drop>
std::size_t Object::erase_if(const Drop& drop) {
  drop_index();
  auto kept = members_.begin();
  for (auto at = members_.begin(); at != members_.end(); ++at) {
    if (drop(std::as_const(at->first), at->second)) continue;
    if (kept != at) *kept = std::move(*at);
    ++kept;
  }
  const auto erased = static_cast<std::size_t>(members_.end() - kept);
  members_.erase(kept, members_.end());
  return erased;
}

struct ParseOptions {
  bool reject_duplicate_keys = false;  ///< Otherwise the last one wins.
};

/// Reads one document; anything but white space after it is an error. Errors are Decode, in the
/// words of Go's decoder, and name the byte offset. Depth is limited to 512 (json::kMaxDepth).
/// Integers beyond 64 bits become doubles; a lone surrogate escape becomes U+FFFD; text that isn't
/// UTF-8 is an error.
/// @par Cost   Linear in the text for any input.
Result<Value> parse(std::string_view text, const ParseOptions& options = {});

/// Writes compactly, as Go's encoder does: <, >, & and U+2028/2029 escaped, members in order.
std::string dump(const Value& value);
void dump_to(const Value& value, std::string& out);
/// With two spaces a level.
std::string dump_pretty(const Value& value);

}  // namespace kube::json
