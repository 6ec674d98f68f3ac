// SPDX-License-Identifier: Apache-2.0
//
// Reads JSON written by hand: every error names the place.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

namespace kube::gen {

/// Returns a Decode error: "core.v1.json: type Pod, field spec: what is wrong".
Error bad_facts(const std::string& where, const std::string& what);

/// Returns the JSON document in a file; duplicate keys are an error.
Result<json::Value> read_json_file(const std::filesystem::path& path);

/// Reads the members of one JSON object and keeps the first error; absent members are empty.
class Facts {
 public:
  /// `where` names the object in errors.
  Facts(const json::Value& value, std::string where);

  bool has(std::string_view key) const { return object_ != nullptr && object_->contains(key); }
  std::string text(std::string_view key, bool required = false);
  bool flag(std::string_view key);
  std::int64_t number(std::string_view key);
  const json::Array& list(std::string_view key, bool required = false);
  /// Strings only.
  std::vector<std::string> texts(std::string_view key);
  /// An object whose values are strings.
  std::map<std::string, std::string> dictionary(std::string_view key);
  /// Returns the index of the word; 0 when absent.
  std::size_t choice(std::string_view key, std::initializer_list<std::string_view> words);

  void fail(const std::string& what);
  void rename(std::string where) { where_ = std::move(where); }
  const std::string& where() const { return where_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  const json::Value* find(std::string_view key, bool required);
  void wrong(std::string_view key, std::string_view expected, const json::Value& value);

  std::string where_;
  const json::Object* object_;
  std::optional<Error> error_;
};

}  // namespace kube::gen
