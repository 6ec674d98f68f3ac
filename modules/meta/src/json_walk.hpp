// SPDX-License-Identifier: Apache-2.0
//
// What reading JSON by a descriptor and checking it share: scalars, keys, errors and their paths.
#pragma once

#include <kube/base/ascii.hpp>
#include <kube/json/base64.hpp>
#include <kube/json/key_hash.hpp>
#include <kube/json/reader.hpp>
#include <kube/meta/codec.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "strict_fields.hpp"
#include "type_facts.hpp"
#include "value_kinds.hpp"

namespace kube::meta {

// find_place() among the keys whose slot another one has.
[[gnu::cold, gnu::noinline]] inline std::size_t find_in_rest(const KeyTable& keys,
                                                             std::string_view key) {
  const auto rest = keys.slots.subspan(std::size_t{1} << (64 - keys.shift));
  const auto key_at = [&](std::uint16_t slot) { return keys.fields[slot - 1]->json; };
  const auto found = std::ranges::lower_bound(rest, key, {}, key_at);
  return found != rest.end() && key_at(*found) == key ? *found : 0;
}

// The place of the field in `keys.fields` plus one; 0 for none.
inline std::size_t find_place(const KeyTable& keys, std::string_view key) {
  if (key.empty() || keys.fields.empty()) return 0;
  const std::uint16_t slot = keys.slots[json::key_hash(key, keys.seed, keys.shift)];
  if (slot == 0) return 0;
  if (keys.fields[slot - 1]->json == key) return slot;
  const std::size_t table = std::size_t{1} << (64 - keys.shift);
  return keys.slots.size() == table ? 0 : find_in_rest(keys, key);
}

// Whether the last field stands for all others; see runtime_schema.hpp.
inline bool keeps_unknown(const TypeDescriptor& type) {
  if (type.fields.empty()) return false;
  const FieldDescriptor& last = type.fields.back();
  return last.json.empty() && !last.inline_ && last.kind == ValueKind::RawJson &&
         last.cardinality == Cardinality::Map;
}

// A walk over one document. Functions answer false for failure: either `in_` failed, and the text
// isn't JSON, or `message_` says what was expected, `offset_` where, and `path_` is put together on
// the way out.
class JsonWalk {
 protected:
  JsonWalk(std::string_view text, const TypeDescriptor& type, StrictFields* strict)
      : text_(text), type_(type), in_(text), strict_(strict) {}

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

  // The value in front is of another type; or there is none.
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
  bool within_member(bool good) {
    if (!good)
      within_field(
          "[" + std::string(in_.failed() ? std::string_view() : std::string_view(key_text_)) + "]",
          good);
    return good;
  }

  // A key that isn't found as it stands: written with escapes, one of the two that say the type, or
  // unknown. The value is read unless `place` is found.
  bool unusual_key(const TypeDescriptor& type, int depth, std::size_t& place,
                   StrictFields::Seen& seen) {
    std::string_view key = in_.key();
    if (key.find('\\') != std::string_view::npos) {
      key_text_.clear();
      if (!in_.read_key_text(key_text_)) return false;
      key = key_text_;
      place = find_place(type.keys, key);
      if (place != 0) return true;
    }
    const bool names_type = !type.kind.empty() && (key == "kind" || key == "apiVersion");
    if (strict_ != nullptr) {
      if (names_type) {
        strict_->meet(seen, key == "kind" ? 0 : 1, key);
      } else if (!keeps_unknown(type)) {
        strict_->report("unknown field", key);
      }
    }
    if (!names_type || in_.peek() == 'n') return in_.skip();
    if (in_.peek() != '"') return within_field(key, wrong_type("a string"));
    // Of an object in another one, an item of a list say, neither is compared.
    if (depth != 1) return in_.skip();
    return key == "kind" ? check_type("kind", type.kind)
                         : check_type("apiVersion", api_version_of(type));
  }

  bool check_type(std::string_view key, std::string_view expected) {
    const std::size_t offset = in_.offset();
    std::string found;
    if (!in_.read_string(found)) return false;
    if (found == expected || found.empty()) return true;
    return within_field(key, mismatch(offset, "expected \"" + std::string(expected) +
                                                  "\", found \"" + found + "\""));
  }

  // The key of a map's member, into key_text_.
  bool take_key() {
    key_text_.clear();
    if (in_.key().find('\\') != std::string_view::npos) return in_.read_key_text(key_text_);
    key_text_.assign(in_.key());
    return true;
  }

  bool read_scalar(KindConstant<ValueKind::Bool>, bool& out) {
    if (in_.peek() != 't' && in_.peek() != 'f') return wrong_type("a boolean");
    return in_.read_bool(out);
  }

  bool read_integer(std::int64_t least, std::int64_t most, std::string_view expected,
                    std::int64_t& out) {
    const char c = in_.peek();
    if (c != '-' && !ascii::is_digit(c)) return wrong_type(expected);
    const std::size_t offset = in_.offset();
    std::string_view text;
    if (!in_.read_number(text)) return false;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (code == std::errc{} && end == text.data() + text.size() && out >= least && out <= most)
      return true;
    if (whole_numbers_ && read_whole(text, least, most, out)) return true;
    return mismatch(offset, "expected " + std::string(expected) + ", found " + std::string(text));
  }
  // An integer with a point or an exponent.
  static bool read_whole(std::string_view text, std::int64_t least, std::int64_t most,
                         std::int64_t& out) {
    double number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc{} || end != text.data() + text.size() || number != std::floor(number))
      return false;
    // The limits of 64 bits are no doubles: the bounds are outside.
    if (number <= static_cast<double>(least) - 1 || number >= static_cast<double>(most) + 1)
      return false;
    out = static_cast<std::int64_t>(number);
    return true;
  }
  bool read_scalar(KindConstant<ValueKind::Int32>, std::int32_t& out) {
    std::int64_t value = 0;
    using Limits = std::numeric_limits<std::int32_t>;
    if (!read_integer(Limits::min(), Limits::max(), "an integer of 32 bits", value)) return false;
    out = static_cast<std::int32_t>(value);
    return true;
  }
  bool read_scalar(KindConstant<ValueKind::Int64>, std::int64_t& out) {
    using Limits = std::numeric_limits<std::int64_t>;
    return read_integer(Limits::min(), Limits::max(), "an integer of 64 bits", out);
  }
  bool read_scalar(KindConstant<ValueKind::Double>, double& out) {
    const char c = in_.peek();
    if (c != '-' && !ascii::is_digit(c)) return wrong_type("a number");
    const std::size_t offset = in_.offset();
    std::string_view text;
    if (!in_.read_number(text)) return false;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (code == std::errc{}) return true;
    return mismatch(offset, "expected a number that a double holds, found " + std::string(text));
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

  // A string that `parse` understands.
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
    if (!read_integer(Limits::min(), Limits::max(), "an integer of 32 bits or a string", value))
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
  StrictFields* strict_;        // null: unknown and duplicate fields are of no interest
  bool whole_numbers_ = false;  // 1.0 and 1e2 are integers
  std::size_t offset_ = 0;
  std::string message_;
  std::string path_;
  std::string key_text_;  // of the member that is being read
  std::string scratch_;
};

}  // namespace kube::meta
