// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/options.hpp>

#include <algorithm>
#include <charconv>

#include <kube/base/ascii.hpp>
#include <kube/meta/fields.hpp>
#include <kube/meta/options_validation.hpp>

#include "text.hpp"

namespace kube {

namespace {

/// Writes parameters; zero values are left out.
class Writer {
 public:
  Writer& add(std::string_view name, const std::string& value) {
    if (!value.empty()) query_.emplace_back(name, value);
    return *this;
  }
  Writer& add(std::string_view name, std::int64_t value) {
    return value == 0 ? *this : add(name, std::optional(value));
  }
  Writer& add(std::string_view name, bool value) {
    return value ? add(name, std::optional(value)) : *this;
  }
  Writer& add(std::string_view name, const std::optional<std::int64_t>& value) {
    if (value) query_.emplace_back(name, std::to_string(*value));
    return *this;
  }
  Writer& add(std::string_view name, const std::optional<bool>& value) {
    if (value) query_.emplace_back(name, *value ? "true" : "false");
    return *this;
  }
  Writer& add(std::string_view name, const std::vector<std::string>& values) {
    for (const std::string& value : values) add(name, value);
    return *this;
  }
  QueryParameters take() { return std::move(query_); }

 private:
  QueryParameters query_;
};

template <class Options>
QueryParameters write_query(const Options& options) {
  return Writer()
      .add("dryRun", options.dry_run)
      .add("fieldManager", options.field_manager)
      .add("fieldValidation", options.field_validation)
      .take();
}

const std::string* find(const QueryParameters& query, std::string_view name) {
  const auto it = std::find_if(query.begin(), query.end(),
                               [name](const auto& parameter) { return parameter.first == name; });
  return it == query.end() ? nullptr : &it->second;
}

bool is_true(std::string_view value) {
  const std::string lower = ascii::to_lower(value);
  return lower != "false" && lower != "0";
}

/// Reads parameters; keeps the first error.
class Reader {
 public:
  explicit Reader(const QueryParameters& query) : query_(query) {}

  std::string text(std::string_view name) const {
    const std::string* value = find(query_, name);
    return value != nullptr ? *value : std::string();
  }
  std::vector<std::string> texts(std::string_view name) const {
    std::vector<std::string> values;
    for (const auto& [key, value] : query_) {
      if (key == name) values.push_back(value);
    }
    return values;
  }
  std::optional<bool> flag(std::string_view name) const {
    const std::string* value = find(query_, name);
    return value != nullptr ? std::optional(is_true(*value)) : std::nullopt;
  }
  std::optional<std::int64_t> integer(std::string_view name) {
    const std::string* value = find(query_, name);
    if (value == nullptr) return std::nullopt;
    std::int64_t number = 0;
    const char* const end = value->data() + value->size();
    const auto [rest, error] = std::from_chars(value->data(), end, number);
    if (error == std::errc{} && rest == end) return number;
    if (!error_) {
      error_ = Error(ErrorCode::InvalidArgument, "query parameter " + std::string(name) +
                                                     ": expected a 64-bit integer, but found " +
                                                     meta::detail::quote(*value));
    }
    return std::nullopt;
  }

  template <class Options>
  Result<Options> finish(Options options) const {
    if (error_) return *error_;
    return options;
  }

 private:
  const QueryParameters& query_;
  std::optional<Error> error_;
};

/// Reads members of a JSON object; keeps the first error. Null and missing are the same.
class BodyReader {
 public:
  BodyReader(const json::Value& body, std::string path) : path_(std::move(path)) {
    if (body.is_null()) return;
    object_ = body.if_object();
    if (object_ == nullptr) fail("", body, "an object");
  }

  const json::Value* member(std::string_view name) const {
    const json::Value* value = object_ != nullptr ? object_->find(name) : nullptr;
    return value == nullptr || value->is_null() ? nullptr : value;
  }
  std::optional<std::string> text(std::string_view name) {
    const json::Value* value = member(name);
    if (value == nullptr) return std::nullopt;
    if (const std::string* found = value->if_string()) return *found;
    fail(name, *value, "a string");
    return std::nullopt;
  }
  std::optional<std::int64_t> integer(std::string_view name) {
    const json::Value* value = member(name);
    if (value == nullptr) return std::nullopt;
    if (const std::int64_t* found = value->if_int()) return *found;
    fail(name, *value, "a 64-bit integer");
    return std::nullopt;
  }
  std::optional<bool> flag(std::string_view name) {
    const json::Value* value = member(name);
    if (value == nullptr) return std::nullopt;
    if (const bool* found = value->if_bool()) return *found;
    fail(name, *value, "a boolean");
    return std::nullopt;
  }
  std::vector<std::string> texts(std::string_view name) {
    std::vector<std::string> values;
    const json::Value* value = member(name);
    if (value == nullptr) return values;
    const json::Array* list = value->if_array();
    if (list == nullptr) fail(name, *value, "a list of strings");
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const std::string* found = (*list)[i].if_string();
      if (found == nullptr) {
        fail(name, (*list)[i], "a list of strings");
        break;
      }
      values.push_back(*found);
    }
    return values;
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  void fail(std::string_view name, const json::Value& value, std::string_view expected) {
    if (error_) return;
    error_ = Error(ErrorCode::InvalidArgument,
                   path_ + (name.empty() ? "" : ".") + std::string(name) + ": expected " +
                       std::string(expected) + ", but found " + std::string(value.type_name()));
  }

  std::string path_;
  const json::Object* object_ = nullptr;
  std::optional<Error> error_;
};

}  // namespace

PatchOptions to_patch_options(const ApplyOptions& options) {
  return {
      .dry_run = options.dry_run, .force = options.force, .field_manager = options.field_manager};
}

QueryParameters to_query(const GetOptions& options) {
  return Writer().add("resourceVersion", options.resource_version).take();
}

QueryParameters to_query(const ListOptions& options) {
  return Writer()
      .add("allowWatchBookmarks", options.allow_watch_bookmarks)
      .add("continue", options.continue_)
      .add("fieldSelector", options.field_selector)
      .add("labelSelector", options.label_selector)
      .add("limit", options.limit)
      .add("resourceVersion", options.resource_version)
      .add("resourceVersionMatch", options.resource_version_match)
      .add("sendInitialEvents", options.send_initial_events)
      .add("shardSelector", options.shard_selector)
      .add("timeoutSeconds", options.timeout_seconds)
      .take();
}

QueryParameters to_query(const CreateOptions& options) {
  return write_query(options);
}
QueryParameters to_query(const UpdateOptions& options) {
  return write_query(options);
}

QueryParameters to_query(const PatchOptions& options) {
  return Writer()
      .add("dryRun", options.dry_run)
      .add("fieldManager", options.field_manager)
      .add("fieldValidation", options.field_validation)
      .add("force", options.force)
      .take();
}

std::string to_json(const DeleteOptions& options) {
  if (options == DeleteOptions{}) return {};
  json::Object body{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}};
  if (options.grace_period_seconds)
    body.append("gracePeriodSeconds", *options.grace_period_seconds);
  if (options.preconditions) {
    json::Object preconditions;
    if (options.preconditions->uid) preconditions.append("uid", *options.preconditions->uid);
    if (options.preconditions->resource_version) {
      preconditions.append("resourceVersion", *options.preconditions->resource_version);
    }
    body.append("preconditions", std::move(preconditions));
  }
  if (options.orphan_dependents) body.append("orphanDependents", *options.orphan_dependents);
  if (!options.propagation_policy.empty()) {
    body.append("propagationPolicy", options.propagation_policy);
  }
  if (!options.dry_run.empty()) {
    body.append("dryRun", json::Array(options.dry_run.begin(), options.dry_run.end()));
  }
  if (options.ignore_store_read_error_with_cluster_breaking_potential) {
    body.append("ignoreStoreReadErrorWithClusterBreakingPotential",
                *options.ignore_store_read_error_with_cluster_breaking_potential);
  }
  return json::dump(json::Value(std::move(body)));
}

Result<GetOptions> parse_get_options(const QueryParameters& query) {
  return GetOptions{.resource_version = Reader(query).text("resourceVersion")};
}

Result<ListOptions> parse_list_options(const QueryParameters& query) {
  Reader reader(query);
  ListOptions options;
  options.label_selector = reader.text("labelSelector");
  options.field_selector = reader.text("fieldSelector");
  options.resource_version = reader.text("resourceVersion");
  options.resource_version_match = reader.text("resourceVersionMatch");
  options.limit = reader.integer("limit").value_or(0);
  options.continue_ = reader.text("continue");
  options.timeout_seconds = reader.integer("timeoutSeconds");
  options.allow_watch_bookmarks = reader.flag("allowWatchBookmarks").value_or(false);
  options.send_initial_events = reader.flag("sendInitialEvents");
  options.shard_selector = reader.text("shardSelector");
  return reader.finish(std::move(options));
}

Result<CreateOptions> parse_create_options(const QueryParameters& query) {
  const Reader reader(query);
  return CreateOptions{.dry_run = reader.texts("dryRun"),
                       .field_manager = reader.text("fieldManager"),
                       .field_validation = reader.text("fieldValidation")};
}

Result<UpdateOptions> parse_update_options(const QueryParameters& query) {
  const Reader reader(query);
  return UpdateOptions{.dry_run = reader.texts("dryRun"),
                       .field_manager = reader.text("fieldManager"),
                       .field_validation = reader.text("fieldValidation")};
}

Result<PatchOptions> parse_patch_options(const QueryParameters& query) {
  const Reader reader(query);
  return PatchOptions{.dry_run = reader.texts("dryRun"),
                      .force = reader.flag("force"),
                      .field_manager = reader.text("fieldManager"),
                      .field_validation = reader.text("fieldValidation")};
}

Result<DeleteOptions> parse_delete_options(const QueryParameters& query) {
  Reader reader(query);
  DeleteOptions options;
  options.grace_period_seconds = reader.integer("gracePeriodSeconds");
  options.propagation_policy = reader.text("propagationPolicy");
  options.dry_run = reader.texts("dryRun");
  options.orphan_dependents = reader.flag("orphanDependents");
  options.ignore_store_read_error_with_cluster_breaking_potential =
      reader.flag("ignoreStoreReadErrorWithClusterBreakingPotential");
  return reader.finish(std::move(options));
}

Result<DeleteOptions> parse_delete_options(const json::Value& body) {
  BodyReader reader(body, "DeleteOptions");
  DeleteOptions options;
  options.grace_period_seconds = reader.integer("gracePeriodSeconds");
  options.propagation_policy = reader.text("propagationPolicy").value_or("");
  options.dry_run = reader.texts("dryRun");
  options.orphan_dependents = reader.flag("orphanDependents");
  options.ignore_store_read_error_with_cluster_breaking_potential =
      reader.flag("ignoreStoreReadErrorWithClusterBreakingPotential");
  if (reader.error()) return *reader.error();
  if (const json::Value* preconditions = reader.member("preconditions")) {
    BodyReader inner(*preconditions, "DeleteOptions.preconditions");
    options.preconditions =
        Preconditions{.uid = inner.text("uid"), .resource_version = inner.text("resourceVersion")};
    if (inner.error()) return *inner.error();
  }
  return options;
}

bool query_flag(const QueryParameters& query, std::string_view name) {
  return Reader(query).flag(name).value_or(false);
}

ListOptions single_object_options(std::string_view name, std::string_view resource_version) {
  return {.field_selector = fields::Selector::one_term_equal("metadata.name", name).to_string(),
          .resource_version = std::string(resource_version)};
}

Optional<ListOptions> watch_list_options(const ListOptions& options) {
  // A server's cache ignores the limit at "any version", so only then nothing is lost without it.
  if (options.limit > 0 && options.resource_version != "0") return std::nullopt;
  if (options.resource_version_match == "Exact") return std::nullopt;
  ListOptions watch = options;
  watch.limit = 0;
  watch.resource_version_match = "NotOlderThan";
  watch.allow_watch_bookmarks = true;
  watch.send_initial_events = true;
  if (!validate(watch, true).empty()) return std::nullopt;
  return watch;
}

}  // namespace kube
