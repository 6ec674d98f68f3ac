// SPDX-License-Identifier: Apache-2.0
#include <kube/client/client_side_apply.hpp>

#include <string>
#include <utility>
#include <vector>

#include <kube/api/types.hpp>
#include <kube/client/retry.hpp>
#include <kube/meta/errors.hpp>

#include "apply_requests.hpp"

namespace kube {
namespace {

json::Value& annotations_of(json::Value& object) {
  json::Value& annotations = object.ensure_path({"metadata", "annotations"});
  if (!annotations.is_object()) annotations = json::Object{};
  return annotations;
}

Result<json::Value> last_applied(const Unstructured& object) {
  const std::string_view text =
      object.content.string_at({"metadata", "annotations", kLastAppliedAnnotation});
  if (text.empty()) return json::Value();
  auto value = json::parse(text);
  if (!value)
    return value.error().with_context("annotation " + std::string(kLastAppliedAnnotation));
  return value;
}

// An update of the same manifest would remove them.
void remove_nulls(json::Value& value) {
  if (json::Array* items = value.if_array()) {
    for (json::Value& each : *items) remove_nulls(each);
  }
  json::Object* members = value.if_object();
  if (members == nullptr) return;
  members->erase_if([](const std::string&, const json::Value& member) { return member.is_null(); });
  for (auto& [name, member] : *members) remove_nulls(member);
}

Result<Unstructured> create(const Api<Unstructured>& api, Unstructured object,
                            const ApplyManifestOptions& options, const std::stop_token& stop) {
  remove_nulls(object.content);
  if (options.local_dry_run) return object;
  // A manifest that was read from a server has the version of the object that was deleted.
  object.content.ensure_path({"metadata"}).if_object()->erase("resourceVersion");
  return api.create(object,
                    {.dry_run = detail::dry_run_of(options),
                     .field_manager = options.field_manager,
                     .field_validation = options.field_validation},
                    stop);
}

// kubectl's: at once, and then four times after a second.
Backoff::Options pauses_of_conflicts() {
  return {.initial = std::chrono::seconds(1), .factor = 0, .jitter = 0, .steps = 5};
}

}  // namespace

Unstructured with_last_applied(Unstructured object) {
  annotations_of(object.content).if_object()->erase(kLastAppliedAnnotation);
  const std::string text = json::dump(json::sorted_members(object.content)) + "\n";
  annotations_of(object.content).if_object()->set(kLastAppliedAnnotation, text);
  return object;
}

bool has_last_applied(const Unstructured& object) {
  return object.content.at_path({"metadata", "annotations", kLastAppliedAnnotation}) != nullptr;
}

Result<Patch> client_side_patch(const Unstructured& wanted, const Unstructured& live,
                                bool overwrite) {
  const auto original = last_applied(live);
  if (!original) return original.error();
  // What was applied last has this member; without it, the patch would remove all annotations.
  json::Value modified = wanted.content;
  if (!original->is_null()) annotations_of(modified);
  const std::vector<meta::PatchPrecondition> conditions = {
      meta::require_key_unchanged("apiVersion"), meta::require_key_unchanged("kind"),
      meta::require_metadata_key_unchanged("name")};
  if (const auto* type = api::find_type(wanted.gvk()); type != nullptr) {
    auto document = meta::create_three_way_merge_patch(*original, modified, live.content, *type,
                                                       overwrite, conditions);
    if (!document) return document.error();
    return Patch::strategic_merge(*std::move(document));
  }
  auto document =
      meta::create_three_way_json_merge_patch(*original, modified, live.content, conditions);
  if (!document) return document.error();
  return Patch::merge(*std::move(document));
}

bool is_empty(const Patch& patch) {
  const json::Object* members = patch.document().if_object();
  return members != nullptr && members->empty();
}

Result<Unstructured> patched_here(const Patch& patch, const Unstructured& live) {
  if (patch.type() == Patch::Type::Merge)
    return Unstructured(meta::apply_merge_patch(live.content, patch.document()));
  const auto* type = api::find_type(live.gvk());
  if (patch.type() != Patch::Type::StrategicMerge || type == nullptr)
    return Error(ErrorCode::InvalidArgument, "expected a patch of client_side_patch()");
  auto content = meta::apply_strategic_merge_patch(live.content, patch.document(), *type);
  if (!content) return content.error();
  return Unstructured(*std::move(content));
}

Result<AppliedObject> apply_client_side(const Api<Unstructured>& api, const Unstructured& object,
                                        const Unstructured* live,
                                        const ApplyManifestOptions& options, std::stop_token stop,
                                        std::optional<Patch>* sent) {
  AppliedObject applied{.resource = api.resource()};
  const Unstructured wanted = with_last_applied(object);
  const auto changed = [&](Result<Unstructured> after,
                           AppliedObject::Change change) -> Result<AppliedObject> {
    if (!after) return after.error();
    applied.object = *std::move(after);
    applied.change = change;
    return std::move(applied);
  };
  if (live == nullptr)
    return changed(create(api, wanted, options, stop), AppliedObject::Change::Created);
  RetryPauses pauses(api.raw().rest().runtime(), pauses_of_conflicts());
  Unstructured current = *live;
  for (bool first = true;; first = false) {
    const auto patch = client_side_patch(wanted, current, options.overwrite);
    if (!patch) return patch.error();
    if (sent != nullptr) *sent = *patch;
    if (is_empty(*patch)) return changed(std::move(current), AppliedObject::Change::Unchanged);
    auto after = options.local_dry_run
                     ? patched_here(*patch, current)
                     : api.patch(object.name(), *patch, detail::patch_options_of(options), stop);
    if (after || !is_conflict(after.error()))
      return changed(std::move(after), AppliedObject::Change::Configured);
    if (!first) {
      const auto again = pauses.pause(stop);
      if (!again) return again.error().with_context(after.error().message());
      if (!*again) return after.error();
    }
    auto read = api.get(object.name(), {}, stop);
    if (!read) return read.error();
    current = *std::move(read);
  }
}

}  // namespace kube
