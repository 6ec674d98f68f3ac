// SPDX-License-Identifier: Apache-2.0
#include <kube/json/value.hpp>

#include <algorithm>
#include <limits>
#include <memory>

#include <kube/json/writer.hpp>

#include "object_index.hpp"

namespace kube::json {

Object::Object() = default;
Object::Object(std::initializer_list<Member> members) : members_(members) {}
Object::Object(std::vector<Member> members) : members_(std::move(members)) {}
Object::Object(const Object& other) : members_(other.members_) {}
Object::Object(Object&& other) noexcept
    : members_(std::move(other.members_)),
      index_(other.index_.exchange(nullptr, std::memory_order_relaxed)) {}
Object& Object::operator=(const Object& other) {
  if (this != &other) *this = Object(other);
  return *this;
}
Object& Object::operator=(Object&& other) noexcept {
  if (this == &other) return *this;
  drop_index();
  members_ = std::move(other.members_);
  other.members_.clear();
  index_.store(other.index_.exchange(nullptr, std::memory_order_relaxed),
               std::memory_order_relaxed);
  return *this;
}
Object::~Object() {
  drop_index();
}

std::size_t Object::place_of(std::string_view key) const {
  // Up to here, a linear look-up costs no more than making an index.
  constexpr std::size_t kSmall = 128;
  if (members_.size() > kSmall) return index().find(members_, key);
  std::size_t place = 0;
  while (place < members_.size() && members_[place].first != key) ++place;
  return place;
}

const Object::Index& Object::index() const {
  if (Index* made = index_.load(std::memory_order_acquire)) return *made;
  auto making = std::make_unique<Index>(members_);
  Index* expected = nullptr;
  // Another thread may have been faster.
  if (!index_.compare_exchange_strong(expected, making.get(), std::memory_order_acq_rel))
    return *expected;
  return *making.release();
}

void Object::drop_index() noexcept {
  if (index_.load(std::memory_order_relaxed) != nullptr)
    delete index_.exchange(nullptr, std::memory_order_relaxed);
}

const Value* Object::find(std::string_view key) const& {
  const std::size_t place = place_of(key);
  return place == members_.size() ? nullptr : &members_[place].second;
}

Value* Object::find(std::string_view key) & {
  const std::size_t place = place_of(key);
  return place == members_.size() ? nullptr : &members_[place].second;
}

Value& Object::operator[](std::string_view key) & {
  if (Value* found = find(key)) return *found;
  append(std::string(key), Value());
  return members_.back().second;
}

void Object::set(std::string_view key, Value value) {
  (*this)[key] = std::move(value);
}

void Object::append(std::string key, Value value) {
  members_.emplace_back(std::move(key), std::move(value));
  Index* index = index_.load(std::memory_order_relaxed);
  if (index != nullptr && !index->append(members_)) drop_index();
}

bool Object::erase(std::string_view key) {
  const std::size_t place = place_of(key);
  if (place == members_.size()) return false;
  Index* index = index_.load(std::memory_order_relaxed);
  if (index != nullptr && !index->erase(members_, place)) drop_index();
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(place));
  return true;
}

std::size_t Object::size() const {
  return members_.size();
}
void Object::clear() {
  drop_index();
  members_.clear();
}
std::vector<Object::Member>::const_iterator Object::begin() const& {
  return members_.begin();
}
std::vector<Object::Member>::const_iterator Object::end() const& {
  return members_.end();
}
std::vector<Object::Member>::iterator Object::begin() & {
  drop_index();
  return members_.begin();
}
std::vector<Object::Member>::iterator Object::end() & {
  return members_.end();
}

bool operator==(const Object& a, const Object& b) {
  if (a.size() != b.size()) return false;
  // Equal objects mostly have the same order; others are sorted, so that none is quadratic.
  bool same_order = true;
  for (std::size_t i = 0; i < a.size() && same_order; ++i)
    same_order = a.members_[i].first == b.members_[i].first;
  if (same_order) return a.members_ == b.members_;
  const auto sorted = [](const Object& object) {
    std::vector<const Object::Member*> members;
    members.reserve(object.size());
    for (const auto& member : object.members_) members.push_back(&member);
    std::ranges::stable_sort(members, {},
                             [](const Object::Member* m) -> std::string_view { return m->first; });
    return members;
  };
  return std::ranges::equal(
      sorted(a), sorted(b),
      [](const Object::Member* x, const Object::Member* y) { return *x == *y; });
}

Value::Value(std::uint64_t u) noexcept {
  if (u <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    v_ = static_cast<std::int64_t>(u);
  } else {
    v_ = u;
  }
}

std::string_view Value::type_name() const {
  switch (v_.index()) {
    case 0:
      return "null";
    case 1:
      return "boolean";
    case 2:
    case 3:
    case 4:
      return "number";
    case 5:
      return "string";
    case 6:
      return "array";
    default:
      return "object";
  }
}

std::string_view Value::string_or_empty() const& {
  const std::string* text = if_string();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

const Value* Value::at_path(Path path) const& {
  const Value* value = this;
  for (const std::string_view key : path) {
    const Object* object = value->if_object();
    value = object == nullptr ? nullptr : object->find(key);
    if (value == nullptr) return nullptr;
  }
  return value;
}

std::string_view Value::string_at(Path path) const& {
  const Value* value = at_path(path);
  return value == nullptr ? std::string_view() : value->string_or_empty();
}

std::optional<std::int64_t> Value::int_at(Path path) const {
  const Value* value = at_path(path);
  const std::int64_t* number = value == nullptr ? nullptr : value->if_int();
  return number == nullptr ? std::nullopt : std::optional(*number);
}

const Array& Value::array_at(Path path) const& {
  static const Array empty;
  const Value* value = at_path(path);
  const Array* array = value == nullptr ? nullptr : value->if_array();
  return array == nullptr ? empty : *array;
}

bool Value::true_at(Path path) const {
  const Value* value = at_path(path);
  const bool* flag = value == nullptr ? nullptr : value->if_bool();
  return flag != nullptr && *flag;
}

Value& Value::ensure_path(Path path) & {
  Value* value = this;
  for (const std::string_view key : path) {
    if (!value->is_object()) *value = Object();
    value = &(*value->if_object())[key];
  }
  return *value;
}

namespace {

// Exact: an integer is equal to a double only if the double is that integer.
bool equal_numbers(std::int64_t i, double d) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  return d >= -kLimit && d < kLimit && static_cast<double>(static_cast<std::int64_t>(d)) == d &&
         static_cast<std::int64_t>(d) == i;
}
bool equal_numbers(std::uint64_t u, double d) {
  constexpr double kLimit = 18446744073709551616.0;  // 2^64
  return d >= 0 && d < kLimit && static_cast<double>(static_cast<std::uint64_t>(d)) == d &&
         static_cast<std::uint64_t>(d) == u;
}

}  // namespace

bool operator==(const Value& a, const Value& b) {
  if (a.v_.index() == b.v_.index()) return a.v_ == b.v_;
  if (!a.is_number() || !b.is_number()) return false;
  if (b.is_double()) return b == a;
  const double* d = a.if_double();
  if (d == nullptr) return false;  // int64 and uint64 ranges do not overlap
  if (const std::int64_t* i = b.if_int()) return equal_numbers(*i, *d);
  return equal_numbers(*std::get_if<std::uint64_t>(&b.v_), *d);
}

namespace {

// Writes compactly, or with line breaks and two spaces a level when `indent` is not negative.
void write(const Value& value, int indent, std::string& out);

void new_line(int indent, std::string& out) {
  if (indent < 0) return;
  out += '\n';
  out.append(static_cast<std::size_t>(indent) * 2, ' ');
}

int deeper(int indent) {
  return indent < 0 ? indent : indent + 1;
}

void write_array(const Array& array, int indent, std::string& out) {
  out += '[';
  bool first = true;
  for (const Value& element : array) {
    if (!std::exchange(first, false)) out += ',';
    new_line(deeper(indent), out);
    write(element, deeper(indent), out);
  }
  if (!array.empty()) new_line(indent, out);
  out += ']';
}

void write_object(const Object& object, int indent, std::string& out) {
  out += '{';
  bool first = true;
  for (const auto& [key, member] : object) {
    if (!std::exchange(first, false)) out += ',';
    new_line(deeper(indent), out);
    write_string(key, out);
    out += indent < 0 ? ":" : ": ";
    write(member, deeper(indent), out);
  }
  if (!object.empty()) new_line(indent, out);
  out += '}';
}

void write(const Value& value, int indent, std::string& out) {
  if (const std::string* text = value.if_string()) {
    write_string(*text, out);
  } else if (const Object* object = value.if_object()) {
    write_object(*object, indent, out);
  } else if (const Array* array = value.if_array()) {
    write_array(*array, indent, out);
  } else if (const std::int64_t* i = value.if_int()) {
    write_int(*i, out);
  } else if (const std::uint64_t* u = value.if_uint()) {
    write_uint(*u, out);
  } else if (const double* d = value.if_double()) {
    write_double(*d, out);
  } else if (const bool* b = value.if_bool()) {
    out += *b ? "true" : "false";
  } else {
    out += "null";
  }
}

}  // namespace

std::string dump(const Value& value) {
  std::string out;
  write(value, -1, out);
  return out;
}

void dump_to(const Value& value, std::string& out) {
  write(value, -1, out);
}

std::string dump_pretty(const Value& value) {
  std::string out;
  write(value, 0, out);
  return out;
}

Value sorted_members(const Value& value) {
  if (const Array* array = value.if_array()) {
    Array result;
    result.reserve(array->size());
    for (const Value& each : *array) result.push_back(sorted_members(each));
    return result;
  }
  const Object* object = value.if_object();
  if (object == nullptr) return value;
  std::vector<Object::Member> members;
  members.reserve(object->size());
  for (const auto& [name, member] : *object) members.emplace_back(name, sorted_members(member));
  std::ranges::sort(members, {}, &Object::Member::first);
  return Object(std::move(members));
}

}  // namespace kube::json
