// SPDX-License-Identifier: Apache-2.0
//
// json::parse on simdjson's on-demand reader: one pass from text to values. When it stumbles, the
// slow scanner of text.hpp says where and why.
#include <kube/json/value.hpp>

#define SIMDJSON_EXCEPTIONS 0  // every failure is a code that the compiler wants to see handled
#include <simdjson.h>

#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kube/json/text.hpp>

#include "members.hpp"

namespace kube::json {
namespace {

namespace ondemand = simdjson::ondemand;

static_assert(PaddedText::padding >= simdjson::SIMDJSON_PADDING);

// The number of a token that simdjson refused: an integer beyond 64 bits reads as a double.
bool read_large_number(std::string_view token, Value& out) {
  const auto end = token.find_last_not_of(" \t\r\n,]}");
  token = token.substr(0, end == std::string_view::npos ? 0 : end + 1);
  if (find_syntax_error(token)) return false;
  double number = 0;
  const auto [stop, code] = std::from_chars(token.data(), token.data() + token.size(), number);
  if (code != std::errc{} || stop != token.data() + token.size()) return false;
  out = number;
  return true;
}

class Reader {
 public:
  Reader(std::string_view text, const ParseOptions& options, std::size_t base_offset)
      : text_(text), options_(options), base_offset_(base_offset) {}

  Result<Value> read() {
    PaddedText padded(text_);
    base_ = padded.data();
    // A parser is large and reusable; one thread reads one document at a time.
    thread_local ondemand::parser parser;
    Value value;
    const bool good = read_document(parser, padded, value);
    if (parser.capacity() > (std::size_t{4} << 20)) parser = ondemand::parser();
    if (good) return value;
    std::optional<SyntaxError> error = find_syntax_error(text_);
    if (!error) error = std::move(error_);
    if (!error) error = SyntaxError{0, "unreadable"};  // simdjson and the scanner disagree
    error->offset += base_offset_;
    return error->to_error();
  }

 private:
  bool read_document(ondemand::parser& parser, const PaddedText& padded, Value& out) {
    ondemand::document document;
    if (parser.iterate(padded.data(), padded.size(), padded.capacity()).get(document)) return false;
    ondemand::json_type type;
    if (document.type().get(type)) return false;
    if (type != ondemand::json_type::object && type != ondemand::json_type::array) {
      return read_root_scalar(out);
    }
    ondemand::value value;
    if (document.get_value().get(value)) return false;
    return read_value(value, out, 1) &&
           document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  }

  // A document that is a mere scalar: rare, so it is read as the only element of an array.
  bool read_root_scalar(Value& out) {
    if (find_syntax_error(text_)) return false;
    Result<Value> array = Reader("[" + std::string(text_) + "]", options_, 0).read();
    if (!array) {
      error_ = SyntaxError{0, "number out of range"};
      return false;
    }
    out = std::move(array->if_array()->front());
    return true;
  }

  bool read_value(ondemand::value value, Value& out, int depth) {
    ondemand::json_type type;
    if (value.type().get(type)) return false;
    switch (type) {
      case ondemand::json_type::object:
        return read_object(value, out, depth);
      case ondemand::json_type::array:
        return read_array(value, out, depth);
      case ondemand::json_type::string: {
        ondemand::raw_json_string raw;
        if (value.get_raw_json_string().get(raw)) return false;
        std::string text;
        if (read_string(raw.raw(), text) == nullptr) return false;
        out = std::move(text);
        return true;
      }
      case ondemand::json_type::number:
        return read_number(value, out);
      case ondemand::json_type::boolean: {
        bool b = false;
        if (value.get_bool().get(b)) return false;
        out = b;
        return true;
      }
      case ondemand::json_type::null: {
        bool null = false;
        return !value.is_null().get(null) && null;
      }
    }
    return false;
  }

  bool read_number(ondemand::value value, Value& out) {
    const std::string_view token = value.raw_json_token();
    ondemand::number number;
    if (value.get_number().get(number)) {
      if (read_large_number(token, out)) return true;
      error_ = SyntaxError{static_cast<std::size_t>(token.data() - base_), "number out of range"};
      return false;
    }
    switch (number.get_number_type()) {
      case ondemand::number_type::signed_integer:
        out = number.get_int64();
        break;
      case ondemand::number_type::unsigned_integer:
        out = number.get_uint64();
        break;
      case ondemand::number_type::floating_point_number:
        out = number.get_double();
        break;
    }
    return true;
  }

  bool read_array(ondemand::value value, Value& out, int depth) {
    if (depth > max_depth) return false;
    ondemand::array array;
    if (value.get_array().get(array)) return false;
    Array elements;
    for (auto element : array) {
      ondemand::value inner;
      if (std::move(element).get(inner)) return false;
      if (!read_value(inner, elements.emplace_back(), depth + 1)) return false;
    }
    out = std::move(elements);
    return true;
  }

  bool read_object(ondemand::value value, Value& out, int depth) {
    if (depth > max_depth) return false;
    ondemand::object object;
    if (value.get_object().get(object)) return false;
    std::vector<Object::Member> members;
    std::vector<std::size_t> offsets;  // of the keys, when duplicates are to be reported
    for (auto field : object) {
      ondemand::field inner;
      if (std::move(field).get(inner)) return false;
      auto& [key, member] = members.emplace_back();
      const char* raw = inner.key().raw();
      if (read_string(raw, key) == nullptr) return false;
      if (options_.reject_duplicate_keys)
        offsets.push_back(static_cast<std::size_t>(raw - 1 - base_));
      if (!read_value(inner.value(), member, depth + 1)) return false;
    }
    if (const auto repeated = drop_repeated_keys(members);
        repeated && options_.reject_duplicate_keys) {
      error_ = SyntaxError{offsets[repeated->index], "duplicate field \"" + repeated->key + "\""};
      return false;
    }
    out = Object(std::move(members));
    return true;
  }

  std::string_view text_;
  const ParseOptions& options_;
  std::size_t base_offset_;
  const char* base_ = nullptr;
  std::optional<SyntaxError> error_;  // that the scanner would not find
};

}  // namespace

Result<Value> parse_at(std::string_view text, const ParseOptions& options,
                       std::size_t base_offset) {
  return Reader(text, options, base_offset).read();
}

Result<Value> parse(std::string_view text, const ParseOptions& options) {
  return parse_at(text, options, 0);
}

}  // namespace kube::json
