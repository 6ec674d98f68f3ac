// SPDX-License-Identifier: Apache-2.0
#include <kube/patch/csa_upgrade.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "field_set.hpp"

namespace kube::meta {
namespace {

constexpr std::string_view kApply = "Apply";
constexpr std::string_view kUpdate = "Update";

bool is_entry_of(const json::Value& entry, std::string_view operation,
                 std::string_view subresource) {
  return entry.string_at({"operation"}) == operation &&
         entry.string_at({"subresource"}) == subresource;
}

bool is_entry_of(const json::Value& entry, std::string_view manager, std::string_view operation,
                 std::string_view subresource) {
  return entry.string_at({"manager"}) == manager && is_entry_of(entry, operation, subresource);
}

// Returns the fields of an entry; those of an entry without any are {}.
Result<json::Value> fields_of(const json::Value& entry) {
  const json::Value* fields = entry.at_path({"fieldsV1"});
  if (fields == nullptr || fields->is_null()) return json::Value(json::Object{});
  if (auto valid = check_field_set(*fields); !valid) {
    return valid.error().with_context("managedFields of \"" +
                                      std::string(entry.string_at({"manager"})) + "\"");
  }
  return *fields;
}

// In pairs, so that many small sets are not each united with a large one.
json::Value united(std::vector<json::Value> sets) {
  while (sets.size() > 1) {
    const std::size_t half = (sets.size() + 1) / 2;
    for (std::size_t i = half; i < sets.size(); ++i)
      sets[i - half] = united_fields(sets[i - half], sets[i]);
    sets.resize(half);
  }
  return std::move(sets.front());
}

// Moves fields between the entries of managedFields. Each entry is looked at once, however many
// managers there are.
class FieldOwners {
 public:
  FieldOwners(json::Array entries, std::string_view to, std::string_view subresource)
      : entries_(std::move(entries)), to_(to), removed_(entries_.size()) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!target_ && is_entry_of(entries_[i], to, kApply, subresource)) target_ = i;
      if (is_entry_of(entries_[i], kUpdate, subresource))
        updates_[std::string(entries_[i].string_at({"manager"}))].push_back(i);
    }
  }

  Result<void> take_from(const std::string& manager) {
    const auto found = updates_.find(manager);
    if (found == updates_.end()) return {};
    const std::vector<std::size_t> own = std::move(found->second);
    updates_.erase(found);
    for (const std::size_t i : own) removed_[i] = true;
    if (!target_) {
      target_ = own.front();
      removed_[*target_] = false;
      entries_[*target_].ensure_path({"operation"}) = kApply;
      entries_[*target_].ensure_path({"manager"}) = to_;
    }
    if (fields_.empty()) {
      if (auto taken = take_fields(*target_); !taken) return taken;
    }
    const std::string_view version = entries_[*target_].string_at({"apiVersion"});
    const auto same = std::ranges::find_if(
        own, [&](std::size_t i) { return entries_[i].string_at({"apiVersion"}) == version; });
    return same == own.end() ? Result<void>() : take_fields(*same);
  }

  json::Array finish() && {
    if (!fields_.empty()) entries_[*target_].ensure_path({"fieldsV1"}) = united(std::move(fields_));
    json::Array kept;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!removed_[i]) kept.push_back(std::move(entries_[i]));
    }
    return kept;
  }

 private:
  Result<void> take_fields(std::size_t entry) {
    auto fields = fields_of(entries_[entry]);
    if (!fields) return fields.error();
    fields_.push_back(*std::move(fields));
    return {};
  }

  json::Array entries_;
  const std::string_view to_;
  std::vector<bool> removed_;
  std::optional<std::size_t> target_;
  std::map<std::string, std::vector<std::size_t>> updates_;  // by manager
  std::vector<json::Value> fields_;                          // the target's, then what it gets
};

}  // namespace

Result<json::Array> find_field_owners(const json::Value& managed_fields, std::string_view operation,
                                      const json::Value& fields) {
  if (auto valid = check_field_set(fields); !valid) return valid.error();
  json::Array owners;
  const json::Array* entries = managed_fields.if_array();
  if (entries == nullptr) return owners;
  for (const json::Value& entry : *entries) {
    if (entry.string_at({"operation"}) != operation) continue;
    const auto owned = fields_of(entry);
    if (owned && has_all_fields(*owned, fields)) owners.push_back(entry);
  }
  return owners;
}

Result<void> upgrade_managed_fields(json::Value& object,
                                    const std::vector<std::string>& csa_managers,
                                    std::string_view ssa_manager, std::string_view subresource) {
  const json::Value* found = object.at_path({"metadata", "managedFields"});
  if (found == nullptr || found->if_array() == nullptr) return {};
  FieldOwners owners(*found->if_array(), ssa_manager, subresource);
  for (const std::string& manager : csa_managers) {
    if (auto done = owners.take_from(manager); !done) return done;
  }
  object.ensure_path({"metadata", "managedFields"}) = std::move(owners).finish();
  return {};
}

Result<json::Value> upgrade_managed_fields_patch(const json::Value& object,
                                                 const std::vector<std::string>& csa_managers,
                                                 std::string_view ssa_manager,
                                                 std::string_view subresource) {
  json::Value upgraded = object;
  if (auto done = upgrade_managed_fields(upgraded, csa_managers, ssa_manager, subresource); !done)
    return done.error();
  if (upgraded == object) return json::Value();
  const auto replace = [](std::string_view path, const json::Value& value) {
    return json::Object{{"op", "replace"}, {"path", path}, {"value", value}};
  };
  return json::Value(json::Array{
      replace("/metadata/managedFields", *upgraded.at_path({"metadata", "managedFields"})),
      replace("/metadata/resourceVersion", object.string_at({"metadata", "resourceVersion"}))});
}

}  // namespace kube::meta
