// SPDX-License-Identifier: Apache-2.0
//
// A walk over a document by the descriptor of its type. A Place is one object of the document;
// rules of types read its fields, report errors at them and decide what is walked next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include <kube/codec/descriptor.hpp>
#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>
#include <kube/names/validation.hpp>

namespace kube::apiserver {

using Words = std::span<const std::string_view>;

/// What the containers of a pod have to know of it.
struct PodFacts {
  std::set<std::string_view> volumes{};        ///< Names of the volumes without errors.
  std::set<std::string_view> claim_volumes{};  ///< Those that can be block devices.
  std::set<std::string_view> image_volumes{};
  std::set<std::string_view> resource_claims{};
};

/// The state of one walk.
struct Walk {
  meta::FieldErrors errors{};
  /// The errors that a server's declarative rules find: they follow all others.
  meta::FieldErrors late_errors{};
  PodFacts pod{};
  /// The object before an update; null for a new one.
  const json::Value* before = nullptr;
  /// Paths of empty lists and maps that a client sent.
  std::span<const std::string> emptied{};
  /// Whether a status may approve or deny a request.
  bool approves = false;
  /// When a status is written, as in metadata.creationTimestamp.
  std::string_view now{};

  bool is_full() const { return errors.size() + late_errors.size() >= kMaxErrors; }

 private:
  static constexpr std::size_t kMaxErrors = 100;
};

/// An object of a described type on the way from the root of the document.
///
/// @par Thread safety   None.
class Place {
 public:
  Place(Walk& walk, const meta::TypeDescriptor& type, const json::Value& value)
      : walk_(walk), type_(type), value_(value) {}
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  Walk& walk() const { return walk_; }
  const meta::TypeDescriptor& type() const { return type_; }
  const json::Value& value() const { return value_; }
  /// The object that has this one in a field, in a list or in a map; null for the root.
  const Place* parent() const { return parent_; }
  const Place& root() const { return parent_ == nullptr ? *this : parent_->root(); }
  /// The field of the parent; empty for the root.
  std::string_view name() const { return name_; }
  meta::FieldPath path() const;
  meta::FieldPath path(std::string_view field) const { return path().child(field); }
  meta::FieldPath path(std::string_view field, std::size_t at) const {
    return path(field).index(at);
  }

  /// Null when the field is absent or null.
  const json::Value* find(std::string_view field) const;
  bool has(std::string_view field) const { return find(field) != nullptr; }
  /// Whether a client sent an empty list or map; the field may be absent, or have its default.
  bool is_emptied(std::string_view field) const;
  /// Whether the field is absent, or an empty text, list or map.
  bool is_empty(std::string_view field) const;
  std::string_view text(std::string_view field) const { return value_.string_at({field}); }
  std::string_view text_or(std::string_view field, std::string_view absent) const;
  std::optional<std::int64_t> number(std::string_view field) const {
    return value_.int_at({field});
  }
  bool is_true(std::string_view field) const { return value_.true_at({field}); }
  const json::Array& list(std::string_view field) const { return value_.array_at({field}); }
  /// The members of a map; none when it is absent.
  const json::Object& map(std::string_view field) const;

  /// Checks the object by the rules of its type, and what is below.
  void apply() const;
  /// Walks the object in a field, if it is there, or those in a list or a map. `name` replaces the
  /// field's in paths.
  void into(std::string_view field, std::string_view name = {}) const;
  /// Calls `visit(const Place&)` with each object of a field, which apply() then walks. Their paths
  /// begin with `list` when it is there, and count from `*first`, which `visit` may change.
  template <class Visit>
  void each(std::string_view field, const Visit& visit, const meta::FieldPath* list = nullptr,
            const std::size_t* first = nullptr) const;

  /// Does nothing when the walk has errors enough.
  void report(meta::FieldError error) const {
    if (!walk_.is_full()) walk_.errors.push_back(std::move(error));
  }
  void report_late(meta::FieldError error) const {
    if (!walk_.is_full()) walk_.late_errors.push_back(std::move(error));
  }
  void required(std::string_view field, std::string detail = {}) const {
    report(meta::FieldError::required(path(field), std::move(detail)));
  }
  void required_late(std::string_view field) const {
    report_late(meta::FieldError::required(path(field), {}));
  }
  void forbidden(std::string_view field, std::string detail) const {
    report(meta::FieldError::forbidden(path(field), std::move(detail)));
  }
  /// Shows the value of the field.
  void invalid(std::string_view field, std::string detail) const {
    invalid(field, shown(field), std::move(detail));
  }
  void invalid(std::string_view field, json::Value value, std::string detail) const {
    report(meta::FieldError::invalid(path(field), std::move(value), std::move(detail)));
  }
  void not_supported(std::string_view field, Words words) const;
  void duplicate(std::string_view field) const {
    report(meta::FieldError::duplicate(path(field), shown(field)));
  }
  /// Reports each problem of the field's text.
  void problems(std::string_view field, const meta::Problems& found) const;

  /// Returns a field's value as errors show it.
  json::Value shown(std::string_view field) const;
  /// Returns a field's value as the server shows values of its own types.
  json::Value shown_own(std::string_view field) const;
  /// Returns the object as the server shows its own type: all fields, in Go's names.
  json::Value shown_whole() const { return shown_as(value_); }
  /// The same of another value of its type, such as one without a member.
  json::Value shown_as(const json::Value& value) const;
  /// Returns the part of an object of the type that an inlined field describes, as the server shows
  /// it.
  json::Value shown_part(const meta::FieldDescriptor& inlined, const json::Value& of) const;

 private:
  // An empty list or map, or null.
  json::Value shown_absent(const meta::FieldDescriptor& field) const;

  Place(const Place& parent, const meta::TypeDescriptor& type, const json::Value& value,
        std::string_view name)
      : walk_(parent.walk_), type_(type), value_(value), parent_(&parent), name_(name) {}

  const meta::FieldDescriptor* field_of(std::string_view key) const;

  Walk& walk_;
  const meta::TypeDescriptor& type_;
  const json::Value& value_;
  const Place* parent_ = nullptr;
  std::string_view name_{};
  std::optional<std::size_t> index_{};
  std::string_view key_{};
  const meta::FieldPath* list_ = nullptr;
};

/// Reports each problem of a text.
void report_problems(const Place& place, const meta::FieldPath& path, std::string_view text,
                     const meta::Problems& problems);
/// Returns the words as a list of texts.
std::vector<std::string> texts_of(Words words);

template <class Visit>
void Place::each(std::string_view field, const Visit& visit, const meta::FieldPath* list,
                 const std::size_t* first) const {
  const meta::FieldDescriptor* descriptor = field_of(field);
  const json::Value* value = find(field);
  if (descriptor == nullptr || value == nullptr || descriptor->message == nullptr) return;
  const meta::TypeDescriptor& type = *descriptor->message;
  if (const json::Array* elements = value->if_array()) {
    for (std::size_t i = 0; i < elements->size() && !walk_.is_full(); ++i) {
      Place element(*this, type, (*elements)[i], field);
      element.index_ = (first == nullptr ? 0 : *first) + i;
      element.list_ = list;
      visit(static_cast<const Place&>(element));
    }
  } else if (descriptor->cardinality == meta::Cardinality::Map) {
    for (const auto& [key, member] : *value->if_object()) {
      Place element(*this, type, member, field);
      element.key_ = key;
      visit(static_cast<const Place&>(element));
    }
  } else if (value->is_object()) {
    const Place only(*this, type, *value, field);
    visit(only);
  }
}

}  // namespace kube::apiserver
