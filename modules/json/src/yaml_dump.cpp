// SPDX-License-Identifier: Apache-2.0
//
// yaml::dump: block style with the choices of kubectl's writer.
#include <kube/json/yaml.hpp>

#include <kube/base/ascii.hpp>
#include <kube/base/utf8.hpp>

#include <cstdint>

#include "yaml_scalar.hpp"

namespace kube::yaml {
namespace {

using json::Array;
using json::Object;
using json::Value;

// The forms in which a text can be written, judged by its characters alone.
struct Forms {
  bool plain = true;
  bool single_quoted = true;
  bool block = true;
};

bool is_blank_or_end(std::string_view text, std::size_t at) {
  return at >= text.size() || text[at] == ' ' || text[at] == '\t' || text[at] == '\n' ||
         text[at] == '\r';
}

// True for characters that YAML does not allow unescaped.
bool is_special(std::string_view text, std::size_t at, std::size_t length) {
  if (length == 0) return true;
  const std::string_view character = text.substr(at, length);
  // Also characters that can be read but not written plainly: tab, unusual line ends, and the byte
  // order mark.
  return is_control(character) || character == "\t" || character == "\r" ||
         character == "\xc2\x85" || character == "\xe2\x80\xa8" || character == "\xe2\x80\xa9" ||
         character == "\xef\xbb\xbf";
}

bool is_indicator(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (at == 0) {
    if (std::string_view("#,[]{}&*!|>'\"%@`").find(c) != std::string_view::npos) return true;
    if (c == '-' || c == '?') return is_blank_or_end(text, 1);
  }
  if (c == ':') return is_blank_or_end(text, at + 1);
  return c == '#' && is_blank_or_end(text, at - 1);
}

Forms forms_of(std::string_view text) {
  Forms forms;
  if (text.empty()) return {.plain = false, .single_quoted = true, .block = false};
  if (text.starts_with("---") || text.starts_with("...")) forms.plain = false;
  if (text.front() == ' ' || text.back() == ' ' || text.find('\n') != std::string_view::npos)
    forms.plain = false;
  if (text.back() == ' ') forms.block = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (is_special(text, at, length)) {
      // Tabs as well: kubectl's reader takes a tab at the start of a block for indentation, and
      // rejects it.
      forms.plain = forms.single_quoted = forms.block = false;
    } else if (text[at] == '\n' && at > 0 && text[at - 1] == ' ') {
      forms.plain = forms.single_quoted = forms.block = false;
    } else if (is_indicator(text, at)) {
      forms.plain = false;
    }
    at += length == 0 ? 1 : length;
  }
  // Not all readers can distinguish a line break at the start or before a blank from indentation.
  if (text.front() == '\n' || text.front() == ' ') forms.block = false;
  return forms;
}

void write_single_quoted(std::string_view text, std::string& out) {
  out += '\'';
  for (const char c : text) {
    out += c;
    if (c == '\'') out += c;
  }
  out += '\'';
}

void write_double_quoted(std::string_view text, std::string& out) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const char c = text[at];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (length == 0) {
      out += "\\uFFFD";
    } else if (!is_special(text, at, length)) {
      out.append(text, at, length);
    } else if (length == 1) {
      out += "\\x";
      out += ascii::kCapitalHexDigits[static_cast<std::uint8_t>(c) >> 4];
      out += ascii::kCapitalHexDigits[static_cast<std::uint8_t>(c) & 15];
    } else {
      const auto byte = [&](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<std::uint8_t>(text[at + i]));
      };
      const std::uint32_t code =
          length == 2 ? (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f)
                      : (byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4)
        out += ascii::kCapitalHexDigits[code >> shift & 15];
    }
    at += length == 0 ? 1 : length;
  }
  out += '"';
}

void write_block(std::string_view text, int indent, std::string& out) {
  out += '|';
  if (!text.ends_with('\n')) {
    out += '-';
  } else if (text.size() == 1 || text[text.size() - 2] == '\n') {
    out += '+';
  }
  if (text.ends_with('\n')) text.remove_suffix(1);
  while (true) {
    const std::size_t end = text.find('\n');
    out += '\n';
    const std::string_view line = text.substr(0, end);
    if (!line.empty()) out.append(static_cast<std::size_t>(indent) * 2, ' ').append(line);
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

void write_text(std::string_view text, int indent, bool is_key, std::string& out) {
  const Forms forms = forms_of(text);
  if (text.find('\n') != std::string_view::npos && forms.block && !is_key) {
    write_block(text, indent, out);
  } else if (needs_quotes(text) || text.find('\n') != std::string_view::npos) {
    write_double_quoted(text, out);
  } else if (forms.plain) {
    out += text;
  } else if (forms.single_quoted) {
    write_single_quoted(text, out);
  } else {
    write_double_quoted(text, out);
  }
}

// `first_is_placed`: the first line follows a "- " and needs no indent.
void write_array(const Array& array, int indent, bool first_is_placed, std::string& out);

// Writes the value after "key:" or "-"; `indent` is that of the lines below.
void write_inline(const Value& value, int indent, std::string& out) {
  if (const std::string* text = value.if_string()) {
    write_text(*text, indent, false, out);
  } else if (value.is_object()) {
    out += "{}";
  } else if (value.is_array()) {
    out += "[]";
  } else {
    json::dump_to(value, out);
  }
}

bool is_block(const Value& value) {
  if (const Object* object = value.if_object()) return !object->empty();
  const Array* array = value.if_array();
  return array != nullptr && !array->empty();
}

void start_line(int indent, std::string& out) {
  out.append(static_cast<std::size_t>(indent) * 2, ' ');
}

void write_object(const Object& object, int indent, bool first_is_placed, std::string& out) {
  for (const auto& [key, value] : object) {
    if (!first_is_placed) start_line(indent, out);
    first_is_placed = false;
    write_text(key, indent, true, out);
    out += ':';
    if (!is_block(value)) {
      out += ' ';
      write_inline(value, indent + 1, out);
      out += '\n';
    } else if (const Object* inner = value.if_object()) {
      out += '\n';
      write_object(*inner, indent + 1, false, out);
    } else {
      out += '\n';
      write_array(*value.if_array(), indent, false, out);
    }
  }
}

void write_array(const Array& array, int indent, bool first_is_placed, std::string& out) {
  for (const Value& element : array) {
    if (!first_is_placed) start_line(indent, out);
    first_is_placed = false;
    out += "- ";
    if (!is_block(element)) {
      write_inline(element, indent + 1, out);
      out += '\n';
    } else if (const Object* object = element.if_object()) {
      write_object(*object, indent + 1, true, out);
    } else {
      write_array(*element.if_array(), indent + 1, true, out);
    }
  }
}

}  // namespace

std::string dump(const Value& value) {
  std::string out;
  if (!is_block(value)) {
    write_inline(value, 1, out);
    out += '\n';
  } else if (const Object* object = value.if_object()) {
    write_object(*object, 0, false, out);
  } else {
    write_array(*value.if_array(), 0, false, out);
  }
  return out;
}

}  // namespace kube::yaml
