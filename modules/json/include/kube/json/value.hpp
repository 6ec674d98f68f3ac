// SPDX-License-Identifier: Apache-2.0
//
// kube::json::Value: a JSON document in memory. Objects keep the order of their members; integers
// stay integers of 64 bits and never become doubles.
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
/// @par Thread safety   A value: threads may read one object at the same time.
/// @par Cost   A look-up compares names one by one: API objects have few members at each level. For
///   an object with more than 128 members, the first look-up after a loop over non-const members
///   makes an index, and the following ones take constant time for any names. erase() moves the
///   members after it: use erase_if() to remove many.
class Object {
 public:
  using Member = std::pair<std::string, Value>;
  Object();
  Object(std::initializer_list<Member> members);
  /// The names of the members must be distinct.
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
  /// Returns the member; appends a null one if it does not exist.
  Value& operator[](std::string_view key) &;
  void set(std::string_view key, Value value);
  /// Appends a member, whose name must not exist yet.
  void append(std::string key, Value value);
  bool erase(std::string_view key);
  /// Removes the members for which drop(name, value) is true and returns their number. `drop` is
  /// called once for each member, in order, and may change values.
  template <class Drop>
  std::size_t erase_if(const Drop& drop);
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  void clear();

  std::vector<Member>::const_iterator begin() const&;
  std::vector<Member>::const_iterator end() const&;
  /// A loop may change names if they remain distinct, but not while other threads look up members.
  std::vector<Member>::iterator begin() &;
  std::vector<Member>::iterator end() &;
  std::vector<Member>::const_iterator begin() const&& = delete;  // Give the Object a name first.
  std::vector<Member>::const_iterator end() const&& = delete;    // Give the Object a name first.

  /// Whether both have the same members with equal values, in any order.
  friend bool operator==(const Object& a, const Object& b);

 private:
  struct Index;

  // Returns the position of the member; the number of members when it does not exist.
  std::size_t place_of(std::string_view key) const;
  const Index& index() const;
  void drop_index() noexcept;

  std::vector<Member> members_;
  // The first look-up that needs the index makes it; null until then.
  mutable std::atomic<Index*> index_{nullptr};
};

/// Null, a boolean, a number, a string, an array or an object.
/// @par Thread safety   A value: threads may read one at the same time.
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

  /// Null when the value has another type. All functions that return a pointer or view into a Value
  /// or an Object are deleted for temporaries.
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

  /// Returns the string; "" for a value of another type.
  std::string_view string_or_empty() const&;
  std::string_view string_or_empty() const&& = delete;  // Give the Value a name first.

  using Path = std::initializer_list<std::string_view>;
  /// Follows object members; null when one is missing or not an object.
  const Value* at_path(Path path) const&;
  const Value* at_path(Path path) const&& = delete;  // Give the Value a name first.
  /// Returns the string at the path; "" when there is none.
  std::string_view string_at(Path path) const&;
  std::string_view string_at(Path path) const&& = delete;  // Give the Value a name first.
  /// Returns the integer at the path; std::nullopt when it is missing, null, above int64's range or
  /// of another type, including a double with an integral value such as 1.0.
  std::optional<std::int64_t> int_at(Path path) const;
  /// Returns the array at the path; an empty one when there is none.
  const Array& array_at(Path path) const&;
  const Array& array_at(Path path) const&& = delete;  // Give the Value a name first.
  /// Whether the value at the path is true.
  bool true_at(Path path) const;
  /// Follows object members; creates missing objects and replaces values that are not objects.
  Value& ensure_path(Path path) &;

  /// Compares objects and arrays by content; an integer equals a double of the same value.
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
  bool reject_duplicate_keys = false;  ///< If false, the last one wins.
};

/// Reads one document. Integers beyond 64 bits become doubles; a lone surrogate escape becomes
/// U+FFFD.
/// @par Errors   Decode, in the words of Go's decoder with the byte offset: the text is not JSON or
///   not UTF-8, is nested deeper than kMaxDepth, or more than white space follows the document.
/// @par Thread safety   Any thread may call these functions.
/// @par Cost   Linear in the text for any input.
Result<Value> parse(std::string_view text, const ParseOptions& options = {});

/// Returns the value with the members of every object sorted by name, as Go's encoder writes maps.
Value sorted_members(const Value& value);

/// Returns compact text, as Go's encoder writes it: <, >, & and U+2028/2029 are escaped.
std::string dump(const Value& value);
void dump_to(const Value& value, std::string& out);
/// Returns text with two spaces of indentation for each level.
std::string dump_pretty(const Value& value);

}  // namespace kube::json
