// SPDX-License-Identifier: Apache-2.0
//
// Options of the API verbs: plain structs for designated initializers. Empty and unset mean that
// the parameter is not sent (docs/reference/clients-and-config.md ch. 26).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

namespace kube {

/// Names and values, not yet percent-encoded. A name may stand more than once.
using QueryParameters = std::vector<std::pair<std::string, std::string>>;

struct GetOptions {
  std::string resource_version{};
  bool operator==(const GetOptions&) const = default;
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
  std::string shard_selector{};  ///< Of servers with sharded list and watch.
  bool operator==(const ListOptions&) const = default;
};

struct CreateOptions {
  std::vector<std::string> dry_run{};
  std::string field_manager{};
  std::string field_validation{};  ///< "Strict", "Warn" or "Ignore".
  bool operator==(const CreateOptions&) const = default;
};
struct UpdateOptions {
  std::vector<std::string> dry_run{};
  std::string field_manager{};
  std::string field_validation{};
  bool operator==(const UpdateOptions&) const = default;
};
struct PatchOptions {
  std::vector<std::string> dry_run{};
  std::optional<bool> force{};  ///< Apply only.
  std::string field_manager{};
  std::string field_validation{};
  bool operator==(const PatchOptions&) const = default;
};
struct ApplyOptions {
  std::vector<std::string> dry_run{};
  bool force = false;
  std::string field_manager{};  ///< Servers require it.
  bool operator==(const ApplyOptions&) const = default;
};

struct Preconditions {
  std::optional<std::string> uid{};
  std::optional<std::string> resource_version{};
  bool operator==(const Preconditions&) const = default;
};
struct DeleteOptions {
  std::optional<std::int64_t> grace_period_seconds{};
  std::optional<Preconditions> preconditions{};
  std::string propagation_policy{};  ///< "Orphan", "Background" or "Foreground".
  std::vector<std::string> dry_run{};
  std::optional<bool> orphan_dependents{};  ///< Deprecated by propagation_policy.
  std::optional<bool> ignore_store_read_error_with_cluster_breaking_potential{};
  bool operator==(const DeleteOptions&) const = default;
};

/// The options of the request that an apply is; `force` is always sent.
PatchOptions to_patch_options(const ApplyOptions& options);

/// What goes into the URL, sorted by name.
QueryParameters to_query(const GetOptions& options);
QueryParameters to_query(const ListOptions& options);
QueryParameters to_query(const CreateOptions& options);
QueryParameters to_query(const UpdateOptions& options);
QueryParameters to_query(const PatchOptions& options);
/// The DeleteOptions body; "" when nothing is set.
std::string to_json(const DeleteOptions& options);

/// Options of a request as a server reads them. Unknown parameters are skipped; of several values
/// the first counts, except for dryRun; "", "true", "1" and anything but "false" and "0" are true.
/// InvalidArgument for a number that is none, naming parameter and value.
Result<GetOptions> parse_get_options(const QueryParameters& query);
Result<ListOptions> parse_list_options(const QueryParameters& query);
Result<CreateOptions> parse_create_options(const QueryParameters& query);
Result<UpdateOptions> parse_update_options(const QueryParameters& query);
Result<PatchOptions> parse_patch_options(const QueryParameters& query);
Result<DeleteOptions> parse_delete_options(const QueryParameters& query);
/// The same from a DeleteOptions body. InvalidArgument names a member of a wrong type.
Result<DeleteOptions> parse_delete_options(const json::Value& body);

/// A boolean parameter by itself, such as "watch"; false when absent.
bool query_flag(const QueryParameters& query, std::string_view name);

/// Options that list or watch one object: a field selector on its name, and its version.
ListOptions single_object_options(std::string_view name, std::string_view resource_version);

/// The options of the watch that streams what a list with these options would return
/// (sendInitialEvents, NotOlderThan, bookmarks, no limit); nullopt when no watch can stand for that
/// list: paged from a version, exactly at a version, or with options that contradict each other.
Optional<ListOptions> watch_list_options(const ListOptions& options);

}  // namespace kube
