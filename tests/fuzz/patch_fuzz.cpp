// SPDX-License-Identifier: Apache-2.0
//
// Two or three JSON documents, one a line: every kind of patch of one by another gives a result or
// an error, and a computed patch leads where it should.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <kube/meta/object_meta.hpp>
#include <kube/patch/patch.hpp>

namespace {

/// A merge patch can't set a member to null.
bool has_null(const kube::json::Value& value) {
  if (value.is_null()) return true;
  if (const auto* object = value.if_object()) {
    for (const auto& [name, member] : *object) {
      if (has_null(member)) return true;
    }
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kube::meta;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<kube::json::Value> documents;
  while (!text.empty() && documents.size() < 3) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    documents.push_back(kube::json::parse(text.substr(0, end)).value_or(kube::json::Value()));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  documents.resize(3);
  const kube::json::Value& a = documents[0];
  const kube::json::Value& b = documents[1];
  const kube::json::Value& c = documents[2];
  const TypeDescriptor& type = ObjectMeta::descriptor();
  (void)apply_json_patch(a, b);
  (void)apply_strategic_merge_patch(a, b, type);
  (void)create_two_way_merge_patch(a, b, type);
  (void)create_three_way_merge_patch(a, b, c, type, size % 2 == 0);
  (void)create_three_way_json_merge_patch(a, b, c);
  if (!has_null(b) && !(apply_merge_patch(a, create_merge_patch(a, b)) == b)) std::abort();
  return 0;
}
