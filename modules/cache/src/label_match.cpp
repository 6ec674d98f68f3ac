// SPDX-License-Identifier: Apache-2.0
//
// Label selectors on the bytes of objects.
#include <forward_list>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "metadata_map.hpp"

#include <kube/cache/detail/store.hpp>
#include <kube/json/object_members.hpp>

namespace kube::cache {
namespace {

using FoundLabels = std::vector<std::pair<std::string_view, std::string_view>>;
using Unescaped = std::forward_list<std::string>;

bool matches(const FoundLabels& found, const labels::Selector& selector) {
  return selector.matches(
      labels::Lookup([&](std::string_view key) -> std::optional<std::string_view> {
        for (const auto& [name, value] : found) {
          if (name == key) return value;
        }
        return std::nullopt;
      }));
}

/// Reads the labels; `unescaped` holds the strings that have escapes.
Result<void> read_labels(const Cell& cell, FoundLabels& found, Unescaped& unescaped) {
  if (cell.encoding() == Encoding::Protobuf) {
    return for_each_in_metadata_map(
        cell.body(), cell.metadata_in_order(), field::kLabels,
        [&](std::string_view key, std::string_view value) { found.emplace_back(key, value); });
  }
  std::string_view metadata;
  std::string_view labels;
  auto walked = json::for_each_member(cell.body(), [&](const json::Member& member) {
    if (member.key == "metadata") metadata = member.value;
    return metadata.empty();
  });
  if (!walked) return walked.error();
  if (metadata.starts_with('{')) {
    walked = json::for_each_member(metadata, [&](const json::Member& member) {
      if (member.key == "labels") labels = member.value;
      return labels.empty();
    });
    if (!walked) return walked.error().with_context("metadata");
  }

  if (labels.starts_with('{')) {
    std::optional<Error> problem;
    walked = json::for_each_member(labels, [&](const json::Member& member) {
      std::string storage;
      const auto value = json::string_value(member.value, storage);
      if (!value) {
        problem = value.error().with_context(member.key);
        return false;
      }
      const auto keep = [&](std::string_view text) {
        const bool in_body = !std::less<>()(text.data(), labels.data()) &&
                             std::less<>()(text.data(), labels.data() + labels.size());
        return in_body ? text : std::string_view(unescaped.emplace_front(text));
      };
      found.emplace_back(keep(member.key), keep(*value));
      return true;
    });
    if (problem) return problem->with_context("metadata.labels");
    if (!walked) return walked.error().with_context("metadata.labels");
  }
  return {};
}

}  // namespace

Result<bool> matches_labels(const Cell& cell, const labels::Selector& selector) {
  FoundLabels found;
  Unescaped unescaped;
  if (auto read = read_labels(cell, found, unescaped); !read) return read.error();
  return matches(found, selector);
}

Result<std::vector<std::string>> label_of(const Cell& cell, std::string_view label) {
  FoundLabels found;
  Unescaped unescaped;
  if (auto read = read_labels(cell, found, unescaped); !read) return read.error();
  std::vector<std::string> values;
  for (const auto& [key, value] : found) {
    if (key == label && values.empty()) values.emplace_back(value);
  }
  return values;
}

}  // namespace kube::cache
