// SPDX-License-Identifier: Apache-2.0
#include "facts.hpp"

#include <algorithm>

#include <kube/base/file.hpp>

namespace kube::gen {

using json::Array;
using json::Value;

Error bad_facts(const std::string& where, const std::string& what) {
  return Error(ErrorCode::Decode, where + ": " + what);
}

Result<Value> read_json_file(const std::filesystem::path& path) {
  const auto text = read_file(path.string());
  if (!text) return text.error();
  return json::parse(*text, {.reject_duplicate_keys = true}).with_context(path.string());
}

Facts::Facts(const Value& value, std::string where)
    : where_(std::move(where)), object_(value.if_object()) {
  if (object_ == nullptr) fail("expected an object, found " + std::string(value.type_name()));
}

std::string Facts::text(std::string_view key, bool required) {
  const Value* value = find(key, required);
  if (value == nullptr) return {};
  if (value->if_string() == nullptr) wrong(key, "a string", *value);
  return std::string(value->string_or_empty());
}

bool Facts::flag(std::string_view key) {
  const Value* value = find(key, false);
  if (value == nullptr) return false;
  if (value->if_bool() == nullptr) wrong(key, "a boolean", *value);
  return value->if_bool() != nullptr && *value->if_bool();
}

std::int64_t Facts::number(std::string_view key) {
  const Value* value = find(key, false);
  if (value == nullptr) return 0;
  if (value->if_int() == nullptr) wrong(key, "an integer", *value);
  return value->if_int() == nullptr ? 0 : *value->if_int();
}

const Array& Facts::list(std::string_view key, bool required) {
  static const Array none;
  const Value* value = find(key, required);
  if (value == nullptr) return none;
  if (value->if_array() == nullptr) {
    wrong(key, "an array", *value);
    return none;
  }
  return *value->if_array();
}

std::vector<std::string> Facts::texts(std::string_view key) {
  std::vector<std::string> texts;
  for (const Value& value : list(key)) {
    if (value.if_string() == nullptr) wrong(key, "an array of strings", value);
    texts.emplace_back(value.string_or_empty());
  }
  return texts;
}

std::map<std::string, std::string> Facts::dictionary(std::string_view key) {
  std::map<std::string, std::string> entries;
  const Value* value = find(key, false);
  if (value == nullptr) return entries;
  if (value->if_object() == nullptr) {
    wrong(key, "an object", *value);
    return entries;
  }
  for (const auto& [name, entry] : *value->if_object()) {
    if (entry.if_string() == nullptr) wrong(std::string(key) + "." + name, "a string", entry);
    entries.emplace(name, entry.string_or_empty());
  }
  return entries;
}

std::size_t Facts::choice(std::string_view key, std::initializer_list<std::string_view> words) {
  const std::string word = text(key);
  if (word.empty()) return 0;
  const auto found = std::ranges::find(words, word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string expected;
  for (const auto& each : words) {
    if (!each.empty()) expected += (expected.empty() ? "\"" : ", \"") + std::string(each) + "\"";
  }
  fail("\"" + std::string(key) + "\" is \"" + word + "\", expected one of " + expected);
  return 0;
}

void Facts::fail(const std::string& what) {
  if (!error_) error_ = bad_facts(where_, what);
}

const Value* Facts::find(std::string_view key, bool required) {
  const Value* value = object_ == nullptr ? nullptr : object_->find(key);
  if (value == nullptr && required) fail("\"" + std::string(key) + "\" is missing");
  return value;
}

void Facts::wrong(std::string_view key, std::string_view expected, const Value& value) {
  fail("\"" + std::string(key) + "\" is " + std::string(value.type_name()) + ", expected " +
       std::string(expected));
}

}  // namespace kube::gen
