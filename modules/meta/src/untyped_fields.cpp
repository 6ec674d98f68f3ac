// SPDX-License-Identifier: Apache-2.0
//
// Strict reading of what no descriptor tells the type of: any JSON, and JSON patches.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <kube/json/reader.hpp>
#include <kube/meta/codec.hpp>
#include <kube/meta/patch.hpp>

#include "strict_fields.hpp"

namespace kube::meta {
namespace {

// The operations' fields, in the API server's struct.
constexpr std::array<std::string_view, 4> kOperationFields = {"op", "path", "from", "value"};

class UntypedWalk {
 public:
  explicit UntypedWalk(std::string_view text) : in_(text) {}

  std::vector<std::string> find_duplicates() && {
    if (!in_.failed()) value(0);
    return problems();
  }

  std::vector<std::string> check_operations() && {
    if (!in_.failed() && in_.peek() == '[') operations();
    return problems();
  }

 private:
  std::vector<std::string> problems() {
    std::vector<std::string> out;
    // Without `strict` there is no error.
    (void)std::move(fields_).finish({.problems = &out});
    return out;
  }

  bool value(int depth) {
    switch (in_.peek()) {
      case '{':
        return object(depth + 1);
      case '[':
        return array(depth + 1);
      default:
        return in_.skip();
    }
  }

  bool object(int depth) {
    if (depth > json::kMaxDepth) return in_.fail();
    StrictFields::SeenKeys seen;
    std::string key;
    for (bool more = in_.begin_object(); more; more = in_.next_member()) {
      key.clear();
      if (!in_.read_key_text(key)) return false;
      fields_.meet(seen, key);
      fields_.enter(key);
      if (!value(depth)) return false;
      fields_.leave();
    }
    return !in_.failed();
  }

  bool array(int depth) {
    if (depth > json::kMaxDepth) return in_.fail();
    std::size_t index = 0;
    for (bool more = in_.begin_array(); more; more = in_.next_element(), ++index) {
      fields_.enter(index);
      if (!value(depth)) return false;
      fields_.leave();
    }
    return !in_.failed();
  }

  void operations() {
    std::size_t index = 0;
    for (bool more = in_.begin_array(); more; more = in_.next_element(), ++index) {
      fields_.enter(index);
      if (!(in_.peek() == '{' ? operation() : in_.skip())) return;
      fields_.leave();
    }
  }

  bool operation() {
    StrictFields::Seen seen;
    std::string key;
    for (bool more = in_.begin_object(); more; more = in_.next_member()) {
      key.clear();
      if (!in_.read_key_text(key)) return false;
      const auto known = std::ranges::find(kOperationFields, key);
      if (known == kOperationFields.end()) {
        fields_.report("unknown field", key);
        if (!in_.skip()) return false;
        continue;
      }
      fields_.meet(seen, static_cast<std::size_t>(known - kOperationFields.begin()), key);
      fields_.enter(key);
      if (!value(2)) return false;
      fields_.leave();
    }
    return !in_.failed();
  }

  json::Reader in_;
  StrictFields fields_;
};

}  // namespace

std::vector<std::string> duplicate_fields(std::string_view json) {
  return UntypedWalk(json).find_duplicates();
}

std::vector<std::string> json_patch_problems(std::string_view operations) {
  std::vector<std::string> problems = UntypedWalk(operations).check_operations();
  for (std::string& problem : problems) problem.insert(0, "json patch ");
  return problems;
}

}  // namespace kube::meta
