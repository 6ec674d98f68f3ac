// SPDX-License-Identifier: Apache-2.0
#include <kube/client/server_side_migration.hpp>

#include <algorithm>
#include <utility>

#include <kube/client/client_side_apply.hpp>
#include <kube/meta/errors.hpp>
#include <kube/patch/csa_upgrade.hpp>

#include "apply_requests.hpp"

namespace kube {
namespace {

constexpr const char* kKeeperOfAnnotation = "kubectl-last-applied";
constexpr int kMigrationTries = 5;

// The managers that own the annotation, which client-side apply writes.
Result<std::vector<std::string>> owners_of_annotation(const Unstructured& object,
                                                      std::string_view operation) {
  json::Value path(json::Object{});
  path.ensure_path({"f:metadata", "f:annotations", "f:" + std::string(kLastAppliedAnnotation)}) =
      json::Object{};
  const json::Value* entries = object.content.at_path({"metadata", "managedFields"});
  const auto owners =
      meta::find_field_owners(entries == nullptr ? json::Value() : *entries, operation, path);
  if (!owners) return owners.error();
  std::vector<std::string> names;
  for (const json::Value& entry : *owners) names.emplace_back(entry.string_at({"manager"}));
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

class MigrationToServerSide {
 public:
  MigrationToServerSide(const Api<Unstructured>& api, const ApplyManifestOptions& options,
                        const std::stop_token& stop)
      : api_(api), options_(options), stop_(stop) {}

  // Otherwise the server would remove the annotation with its last owner.
  Result<void> keep_annotation(Unstructured& object) const {
    if (options_.field_manager != kServerSideManager || !has_last_applied(object)) return {};
    const auto owners = owners_of_annotation(object, "Apply");
    if (!owners) return owners.error();
    if (!owners->empty()) return {};
    Unstructured annotated;
    annotated.set_gvk(object.gvk());
    annotated.set_name(object.name());
    if (!object.namespace_().empty()) annotated.set_namespace(object.namespace_());
    annotated.set_annotation(
        kLastAppliedAnnotation,
        object.content.string_at({"metadata", "annotations", kLastAppliedAnnotation}));
    PatchOptions how = detail::patch_options_of(options_);
    how.field_manager = kKeeperOfAnnotation;
    return replace(object, api_.patch(object.name(), Patch::apply(annotated.content), how, stop_));
  }

  // Returns whether there was anything to move.
  Result<bool> move_ownership(Unstructured& object) const {
    const auto managers = owners_of_annotation(object, "Update");
    if (!managers) return managers.error();
    for (int left = kMigrationTries;; --left) {
      auto patch =
          meta::upgrade_managed_fields_patch(object.content, *managers, options_.field_manager);
      if (!patch) return patch.error();
      if (patch->is_null()) return false;
      auto moved = replace(object, api_.patch(object.name(), Patch::json(*std::move(patch)),
                                              detail::patch_options_of(options_), stop_));
      if (moved) return true;
      if (!is_conflict(moved.error()) || left == 1) return moved.error();
      if (auto read = replace(object, api_.get(object.name(), {}, stop_)); !read)
        return read.error();
    }
  }

 private:
  static Result<void> replace(Unstructured& object, Result<Unstructured> answer) {
    if (!answer) return answer.error();
    object = *std::move(answer);
    return {};
  }

  const Api<Unstructured>& api_;
  const ApplyManifestOptions& options_;
  const std::stop_token& stop_;
};

}  // namespace

Unstructured migrate_to_server_side(const Api<Unstructured>& api, const json::Value& document,
                                    Unstructured applied, const ApplyManifestOptions& options,
                                    std::vector<std::string>& warnings, std::stop_token stop) {
  const auto warn = [&](const std::string& what, const Error& error) {
    warnings.push_back(
        what +
        " This is non-fatal and will be retried next time you apply. Error: " + error.message());
  };
  const MigrationToServerSide migration(api, options, stop);
  if (auto kept = migration.keep_annotation(applied); !kept) {
    warn("failed to migrate " + std::string(kLastAppliedAnnotation) + " for Server-Side Apply.",
         kept.error());
    return applied;
  }
  const auto moved = migration.move_ownership(applied);
  if (!moved) {
    warn("server rejected managed fields migration to Server-Side Apply.", moved.error());
    return applied;
  }
  if (!*moved) return applied;
  // Now what the manifest has left out can go.
  auto again = detail::apply_by_server(api, applied.name(), document, options, stop);
  if (again) return *std::move(again);
  warn("failed to re-apply configuration after performing Server-Side Apply migration.",
       again.error());
  return applied;
}

}  // namespace kube
