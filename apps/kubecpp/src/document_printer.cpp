// SPDX-License-Identifier: Apache-2.0
#include "document_printer.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/ascii.hpp>
#include <kube/json/writer.hpp>
#include <kube/json/yaml.hpp>

namespace kubecpp {
namespace {

namespace json = kube::json;

void write(const json::Value& value, std::size_t indent, std::string& out) {
  const auto new_line = [&](std::size_t depth) {
    out += '\n';
    out.append(depth, ' ');
  };
  const json::Array* array = value.if_array();
  const json::Object* object = value.if_object();
  if (array != nullptr && !array->empty()) {
    char separator = '[';
    for (const json::Value& each : *array) {
      out += std::exchange(separator, ',');
      new_line(indent + 4);
      write(each, indent + 4, out);
    }
    new_line(indent);
    out += ']';
  } else if (object != nullptr && !object->empty()) {
    char separator = '{';
    for (const auto& [name, member] : *object) {
      out += std::exchange(separator, ',');
      new_line(indent + 4);
      json::write_string(name, out);
      out += ": ";
      write(member, indent + 4, out);
    }
    new_line(indent);
    out += '}';
  } else {
    json::dump_to(value, out);
  }
}

}  // namespace

std::string shown_json(std::string text) {
  const auto is_c1 = [&](std::size_t i) {
    return text[i] == '\xc2' && i + 1 < text.size() &&
           static_cast<unsigned char>(text[i + 1]) < 0xa0;
  };
  std::size_t done = 0;
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x7f' && !is_c1(i)) continue;
    result.append(text, done, i - done);
    if (text[i] != '\x7f') ++i;
    result += "\\u00";
    kube::ascii::append_hex(text[i], result);
    done = i + 1;
  }
  if (done == 0) return text;
  return result.append(text, done);
}

std::string json_text(const json::Value& value) {
  return json_text_in_order(json::sorted_members(value));
}

std::string json_text_in_order(const json::Value& value) {
  std::string out;
  write(value, 0, out);
  out += '\n';
  return shown_json(std::move(out));
}

std::string yaml_text(const json::Value& value) {
  std::string out = kube::yaml::dump(json::sorted_members(value));
  if (!out.ends_with('\n')) out += '\n';
  return out;
}

}  // namespace kubecpp
