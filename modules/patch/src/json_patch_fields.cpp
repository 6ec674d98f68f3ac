// SPDX-License-Identifier: Apache-2.0
//
// Strict reading of JSON patches.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <kube/codec/strict_fields.hpp>
#include <kube/json/reader.hpp>
#include <kube/patch/patch.hpp>

namespace kube::meta {
namespace {

// The fields of an operation in the API server's struct.
constexpr std::array<std::string_view, 4> kOperationFields = {"op", "path", "from", "value"};

class OperationWalk {
 public:
  explicit OperationWalk(std::string_view text) : in_(text) {}

  std::vector<std::string> check() && {
    if (!in_.failed() && in_.peek() == '[') operations();
    return std::move(fields_).problems();
  }

 private:
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
      if (!fields_.skip(in_, 2)) return false;
      fields_.leave();
    }
    return !in_.failed();
  }

  json::Reader in_;
  StrictFields fields_;
};

}  // namespace

std::vector<std::string> json_patch_problems(std::string_view operations) {
  std::vector<std::string> problems = OperationWalk(operations).check();
  for (std::string& problem : problems) problem.insert(0, "json patch ");
  return problems;
}

}  // namespace kube::meta
