// SPDX-License-Identifier: Apache-2.0
//
// What the informer holds its objects as, and the program's functions on them.
#pragma once

#include <string>
#include <vector>

#include <kube/cache/detail/informer_core.hpp>

namespace kube::lying {

/// What is compared of an object besides its key, uid and version.
struct Content {
  std::string app{};
  std::string node{};
  bool operator==(const Content&) const = default;
};

struct Kind {
  cache::InformerType type;
  Result<Content> (*content_of)(const cache::CellRef& cell);
  /// The whole object as JSON, without apiVersion and kind, which lists leave out.
  Result<std::string> (*text_of)(const cache::CellRef& cell);
  /// One that keeps what is compared. It throws for the app "poison", and fails for "fail".
  cache::CellTransform (*transform)(cache::StoragePolicy policy);
};

Kind unstructured_kind();
/// Pods, preferred in this encoding.
Kind pod_kind(Encoding preferred);

/// The index that every run has: the app and, behind "node:", the node. Throws and fails as the
/// transforms do.
inline constexpr std::string_view kContentIndex = "content";
Result<std::vector<std::string>> index_values(const Kind& kind, const cache::CellRef& cell);

}  // namespace kube::lying
