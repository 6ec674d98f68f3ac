// SPDX-License-Identifier: Apache-2.0
//
// Reads scalars from JSON text by a descriptor, and reports errors with their paths.
#pragma once

#include <kube/base/ascii.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/strict_fields.hpp>
#include <kube/json/base64.hpp>
#include <kube/json/reader.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "type_facts.hpp"
#include "value_kinds.hpp"

namespace kube::meta {

// The reader of one document. Functions return false on failure: either `in_` failed because the
// text is not JSON, or `message_` names what was expected, `offset_` says where, and the callers
// complete `path_`.
class JsonScalars {
 public:
  JsonScalars(std::string_view text, const TypeDescriptor& type, StrictFields* strict)
      : text_(text), type_(type), in_(text), strict_(strict) {}

 protected:
  Error error() const {
    const std::string_view name = label_of(type_);
    if (message_.empty()) {
      auto syntax = json::find_syntax_error(text_);
      if (!syntax) syntax = json::SyntaxError{0, "exceeded max depth"};
      return syntax->to_error().with_context("read " + std::string(name));
    }
    std::string text = path_.empty() ? message_ : path_ + ": " + message_;
    return Error(ErrorCode::Decode, text + " at offset " + std::to_string(offset_))
        .with_context("read " + std::string(name));
  }

  bool mismatch(std::size_t offset, std::string message) {
    if (in_.failed()) return false;
    offset_ = offset;
    message_ = std::move(message);
    return false;
  }

  std::string_view found() const {
    switch (in_.peek()) {
      case '{':
        return "an object";
      case '[':
        return "an array";
      case '"':
        return "a string";
      case 't':
      case 'f':
        return "a boolean";
      case 'n':
        return "null";
      default:
        return "a number";
    }
  }

  // Reports that the next value is missing or has another type.
  bool wrong_type(std::string_view expected) {
    if (std::string_view("{[\"tfn-0123456789").find(in_.peek()) == std::string_view::npos)
      return in_.fail();
    return mismatch(in_.offset(),
                    "expected " + std::string(expected) + ", found " + std::string(found()));
  }

  bool within_field(std::string_view name, bool good) {
    if (!good && !message_.empty()) {
      const bool joined = path_.empty() || path_.starts_with('[');
      path_ = std::string(name) + (joined ? "" : ".") + path_;
    }
    return good;
  }
  bool within_element(std::size_t index, bool good) {
    if (!good) within_field("[" + std::to_string(index) + "]", good);
    return good;
  }
  bool within_member(std::string_view key, bool good) {
    if (!good) within_field("[" + std::string(key) + "]", good);
    return good;
  }

  bool check_type(std::string_view key, std::string_view expected) {
    const std::size_t offset = in_.offset();
    std::string found;
    if (!in_.read_string(found)) return false;
    if (found == expected || found.empty()) return true;
    return within_field(key, mismatch(offset, "expected \"" + std::string(expected) +
                                                  "\", found \"" + found + "\""));
  }

  bool read_scalar(KindConstant<ValueKind::Bool>, bool& out) {
    if (in_.peek() != 't' && in_.peek() != 'f') return wrong_type("a boolean");
    return in_.read_bool(out);
  }

  bool read_integer(std::int64_t min, std::int64_t max, std::string_view expected,
                    std::int64_t& out) {
    const char c = in_.peek();
    if (c != '-' && !ascii::is_digit(c)) return wrong_type(expected);
    const std::size_t offset = in_.offset();
    std::string_view text;
    if (!in_.read_number(text)) return false;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (code == std::errc{} && end == text.data() + text.size() && out >= min && out <= max)
      return true;
    if (whole_numbers_ && read_whole(text, min, max, out)) return true;
    return mismatch(offset, "expected " + std::string(expected) + ", found " + std::string(text));
  }
  // Reads an integer that is written with a point or an exponent.
  static bool read_whole(std::string_view text, std::int64_t min, std::int64_t max,
                         std::int64_t& out) {
    double number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc{} || end != text.data() + text.size() || number != std::floor(number))
      return false;
    // The limits of 64 bits are not doubles, so the bounds are exclusive.
    if (number <= static_cast<double>(min) - 1 || number >= static_cast<double>(max) + 1)
      return false;
    out = static_cast<std::int64_t>(number);
    return true;
  }
  bool read_scalar(KindConstant<ValueKind::Int32>, std::int32_t& out) {
    std::int64_t value = 0;
    using Limits = std::numeric_limits<std::int32_t>;
    if (!read_integer(Limits::min(), Limits::max(), "a 32-bit integer", value)) return false;
    out = static_cast<std::int32_t>(value);
    return true;
  }
  bool read_scalar(KindConstant<ValueKind::Int64>, std::int64_t& out) {
    using Limits = std::numeric_limits<std::int64_t>;
    return read_integer(Limits::min(), Limits::max(), "a 64-bit integer", out);
  }
  bool read_scalar(KindConstant<ValueKind::Double>, double& out) {
    const char c = in_.peek();
    if (c != '-' && !ascii::is_digit(c)) return wrong_type("a number");
    const std::size_t offset = in_.offset();
    std::string_view text;
    if (!in_.read_number(text)) return false;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (code == std::errc{}) return true;
    return mismatch(offset,
                    "expected a number in the range of a double, found " + std::string(text));
  }
  bool read_scalar(KindConstant<ValueKind::String>, std::string& out) {
    if (in_.peek() != '"') return wrong_type("a string");
    out.clear();
    return in_.read_string(out);
  }
  bool read_scalar(KindConstant<ValueKind::Bytes>, std::string& out) {
    if (in_.peek() != '"') return wrong_type("a base64 string");
    const std::size_t offset = in_.offset();
    std::string text;
    if (!in_.read_string(text)) return false;
    auto bytes = json::read_base64(text);
    if (!bytes) return mismatch(offset, "expected base64 with padding");
    out = *std::move(bytes);
    return true;
  }

  template <class T>
  bool read_parsed(std::string_view expected, T& out) {
    if (in_.peek() != '"') return wrong_type(expected);
    const std::size_t offset = in_.offset();
    scratch_.clear();
    if (!in_.read_string(scratch_)) return false;
    auto value = T::parse(scratch_);
    if (!value) return mismatch(offset, value.error().message());
    out = *std::move(value);
    return true;
  }
  bool read_scalar(KindConstant<ValueKind::Time>, Time& out) { return read_parsed("a time", out); }
  bool read_scalar(KindConstant<ValueKind::MicroTime>, MicroTime& out) {
    return read_parsed("a time", out);
  }
  bool read_scalar(KindConstant<ValueKind::Duration>, Duration& out) {
    return read_parsed("a duration", out);
  }

  bool read_scalar(KindConstant<ValueKind::Quantity>, Quantity& out) {
    const char c = in_.peek();
    const std::size_t offset = in_.offset();
    std::string_view text;
    if (c == '"') {
      scratch_.clear();
      if (!in_.read_string(scratch_)) return false;
      text = ascii::trim_space(scratch_);
    } else if (c == '-' || ascii::is_digit(c)) {
      if (!in_.read_number(text)) return false;
    } else {
      return wrong_type("a quantity");
    }
    auto value = Quantity::parse(text);
    if (!value) return mismatch(offset, value.error().message());
    out = *std::move(value);
    return true;
  }

  bool read_scalar(KindConstant<ValueKind::IntOrString>, IntOrString& out) {
    if (in_.peek() == '"') {
      std::string text;
      if (!in_.read_string(text)) return false;
      out = std::move(text);
      return true;
    }
    std::int64_t value = 0;
    using Limits = std::numeric_limits<std::int32_t>;
    if (!read_integer(Limits::min(), Limits::max(), "a 32-bit integer or a string", value))
      return false;
    out = static_cast<std::int32_t>(value);
    return true;
  }

  bool read_scalar(KindConstant<ValueKind::RawJson>, RawExtension& out) {
    std::string_view text;
    if (!in_.skip(text)) return false;
    out.raw.assign(text);
    return true;
  }

  std::string_view text_;
  const TypeDescriptor& type_;
  json::Reader in_;
  StrictFields* strict_;        // null: unknown and duplicate fields are not reported
  bool whole_numbers_ = false;  // accept 1.0 and 1e2 as integers
  std::size_t offset_ = 0;
  std::string message_;
  std::string path_;
  std::string key_text_;  // of the last member of a map of scalars
  std::string scratch_;
};

}  // namespace kube::meta
