// SPDX-License-Identifier: Apache-2.0
//
// Options of the API verbs: plain structs for designated initializers. Empty and unset mean that
// the parameter is not sent (reference: clients-and-config.md ch. 26).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kube {

using QueryParameters = std::vector<std::pair<std::string, std::string>>;

struct GetOptions {
  std::string resource_version{};
};

struct ListOptions {
  std::string label_selector{};
  std::string field_selector{};
  std::string resource_version{};        ///< "": consistent; "0": any; else at least that.
  std::string resource_version_match{};  ///< "NotOlderThan" or "Exact".
  std::int64_t limit = 0;                ///< 0: no limit.
  std::string continue_{};
  std::optional<std::int64_t> timeout_seconds{};
  bool allow_watch_bookmarks = false;  ///< Watch only.
  std::optional<bool> send_initial_events{};
};

struct CreateOptions {
  std::vector<std::string> dry_run{};
  std::string field_manager{};
  std::string field_validation{};  ///< "Strict", "Warn" or "Ignore".
};
struct UpdateOptions {
  std::vector<std::string> dry_run{};
  std::string field_manager{};
  std::string field_validation{};
};
struct PatchOptions {
  std::vector<std::string> dry_run{};
  std::optional<bool> force{};  ///< Apply only.
  std::string field_manager{};
  std::string field_validation{};
};

struct Preconditions {
  std::optional<std::string> uid{};
  std::optional<std::string> resource_version{};
};
struct DeleteOptions {
  std::optional<std::int64_t> grace_period_seconds{};
  std::optional<Preconditions> preconditions{};
  std::string propagation_policy{};  ///< "Orphan", "Background" or "Foreground".
  std::vector<std::string> dry_run{};
};

QueryParameters to_query(const GetOptions& options);
QueryParameters to_query(const ListOptions& options);
QueryParameters to_query(const CreateOptions& options);
QueryParameters to_query(const UpdateOptions& options);
QueryParameters to_query(const PatchOptions& options);
/// The DeleteOptions body; "" when nothing is set.
std::string to_json(const DeleteOptions& options);

}  // namespace kube
