// SPDX-License-Identifier: Apache-2.0
//
// json::parse: one pass from text to values. When the reader fails, the slow scanner of text.hpp
// finds out where and why.
#include <kube/json/value.hpp>

#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kube/json/reader.hpp>
#include <kube/json/text.hpp>

#include "members.hpp"

namespace kube::json {
namespace {

// Returns an integer if the text has the form of one and fits 64 bits, else a double.
std::optional<Value> number_of(std::string_view text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  std::int64_t integer = 0;
  if (const auto [stop, code] = std::from_chars(begin, end, integer);
      code == std::errc{} && stop == end) {
    return Value(integer);
  }
  std::uint64_t large = 0;
  if (const auto [stop, code] = std::from_chars(begin, end, large);
      code == std::errc{} && stop == end) {
    return Value(large);
  }
  double number = 0;
  const auto [stop, code] = std::from_chars(begin, end, number);
  if (code == std::errc{}) return Value(number);
  // The number is out of range. Go reads one that is too small as zero; such a number has a
  // negative exponent or leading zeros.
  const std::size_t exponent = text.find_first_of("eE");
  const bool tiny = exponent != std::string_view::npos
                        ? text.substr(exponent + 1).starts_with('-')
                        : text.starts_with("0.") || text.starts_with("-0.");
  return tiny ? std::optional<Value>(0.0) : std::nullopt;
}

class ValueBuilder {
 public:
  ValueBuilder(std::string_view text, const ParseOptions& options)
      : reader_(text), options_(options) {}

  bool read(Value& out) { return !reader_.failed() && read_value(out, 0) && reader_.at_end(); }
  /// What is wrong with a text that is valid JSON.
  std::optional<SyntaxError>& error() { return error_; }

 private:
  bool read_value(Value& out, int depth) {
    switch (reader_.peek()) {
      case '{':
        return read_object(out, depth + 1);
      case '[':
        return read_array(out, depth + 1);
      case '"': {
        std::string text;
        if (!reader_.read_string(text)) return false;
        out = std::move(text);
        return true;
      }
      case 't':
      case 'f': {
        bool value = false;
        if (!reader_.read_bool(value)) return false;
        out = value;
        return true;
      }
      case 'n':
        return reader_.read_null();
      default:
        return read_number(out);
    }
  }

  bool read_number(Value& out) {
    const std::size_t offset = reader_.offset();
    std::string_view text;
    if (!reader_.read_number(text)) return false;
    auto number = number_of(text);
    if (!number) {
      error_ = SyntaxError{offset, "number out of range"};
      return false;
    }
    out = *std::move(number);
    return true;
  }

  bool read_array(Value& out, int depth) {
    if (depth > kMaxDepth) return false;
    Array elements;
    for (bool more = reader_.begin_array(); more; more = reader_.next_element()) {
      if (!read_value(elements.emplace_back(), depth)) return false;
    }
    out = std::move(elements);
    return !reader_.failed();
  }

  bool read_object(Value& out, int depth) {
    if (depth > kMaxDepth) return false;
    std::vector<Object::Member> members;
    std::vector<std::size_t> offsets;  // of the keys, if duplicates are reported
    for (bool more = reader_.begin_object(); more; more = reader_.next_member()) {
      auto& [key, member] = members.emplace_back();
      if (options_.reject_duplicate_keys) offsets.push_back(reader_.key_offset());
      if (!reader_.read_key_text(key) || !read_value(member, depth)) return false;
    }
    if (reader_.failed()) return false;
    if (const auto repeated = drop_repeated_keys(members);
        repeated && options_.reject_duplicate_keys) {
      error_ = SyntaxError{offsets[repeated->index], "duplicate field \"" + repeated->key + "\""};
      return false;
    }
    out = Object(std::move(members));
    return true;
  }

  Reader reader_;
  const ParseOptions& options_;
  std::optional<SyntaxError> error_;
};

}  // namespace

Result<Value> parse_at(std::string_view text, const ParseOptions& options,
                       std::size_t base_offset) {
  Value value;
  ValueBuilder builder(text, options);
  if (builder.read(value)) return value;
  std::optional<SyntaxError> error = find_syntax_error(text);
  if (!error) error = std::move(builder.error());
  if (!error) error = SyntaxError{0, "cannot be read"};
  error->offset += base_offset;
  return error->to_error();
}

Result<Value> parse(std::string_view text, const ParseOptions& options) {
  return parse_at(text, options, 0);
}

}  // namespace kube::json
