// SPDX-License-Identifier: Apache-2.0
#include "apply_command.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include <kube/api/types.hpp>
#include <kube/base/stop_signal.hpp>
#include <kube/meta/errors.hpp>
#include <kube/patch/patch.hpp>

#include "cluster.hpp"
#include "document_printer.hpp"
#include "manifest.hpp"

namespace kubecpp {
namespace {

using kube::Patch;
using kube::Result;
using kube::Unstructured;
namespace json = kube::json;

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
constexpr const char* kManager = "kubecpp";
constexpr const char* kStrict = "Strict";

using Objects = kube::Api<Unstructured>;

json::Value& last_applied_in(json::Value& object) {
  json::Value& annotations = object.ensure_path({"metadata", "annotations"});
  if (!annotations.is_object()) annotations = json::Object{};
  return (*annotations.if_object())[kLastApplied];
}

// Returns the object with its own text in the annotation with which the next apply compares.
Unstructured with_last_applied(Unstructured object) {
  json::Value& annotations = object.content.ensure_path({"metadata", "annotations"});
  if (!annotations.is_object()) annotations = json::Object{};
  annotations.if_object()->erase(kLastApplied);
  const std::string text = json::dump(sorted_members(object.content)) + "\n";
  last_applied_in(object.content) = text;
  return object;
}

Result<json::Value> last_applied(const Unstructured& object) {
  const json::Value* text = object.content.at_path({"metadata", "annotations", kLastApplied});
  if (text == nullptr || text->string_or_empty().empty()) return json::Value();
  auto value = json::parse(text->string_or_empty());
  if (!value) {
    return value.error().with_context("annotation " + std::string(kLastApplied));
  }
  return value;
}

// For servers without server-side apply.
Result<Unstructured> apply_here(const Objects& api, const Unstructured& object,
                                const std::optional<Unstructured>& before,
                                const std::stop_token& stop) {
  const Unstructured modified = with_last_applied(object);
  if (!before) {
    return api.create(modified, {.field_manager = kManager, .field_validation = kStrict}, stop);
  }
  const auto original = last_applied(*before);
  if (!original) return original.error();
  const std::vector<kube::meta::PatchPrecondition> conditions = {
      kube::meta::require_key_unchanged("apiVersion"), kube::meta::require_key_unchanged("kind"),
      kube::meta::require_metadata_key_unchanged("name")};
  const auto* type = kube::api::find_type(object.gvk());
  auto document = type != nullptr
                      ? kube::meta::create_three_way_merge_patch(
                            *original, modified.content, before->content, *type, true, conditions)
                      : kube::meta::create_three_way_json_merge_patch(*original, modified.content,
                                                                      before->content, conditions);
  if (!document) return document.error();
  if (const json::Object* members = document->if_object(); members != nullptr && members->empty()) {
    return *before;
  }
  return api.patch(object.name(),
                   type != nullptr ? Patch::strategic_merge(*std::move(document))
                                   : Patch::merge(*std::move(document)),
                   {.field_manager = kManager, .field_validation = kStrict}, stop);
}

struct Applied {
  std::string done;  // "created", "configured" or "unchanged"
  Unstructured object;
};

Result<Applied> apply(const Objects& api, const Unstructured& object, bool force,
                      const std::stop_token& stop) {
  std::optional<Unstructured> before;
  if (auto found = api.get(object.name(), {}, stop)) {
    before = *std::move(found);
  } else if (!kube::is_not_found(found.error())) {
    return found.error();
  }
  auto after =
      api.patch(object.name(), Patch::apply(object.content),
                {.force = force, .field_manager = kManager, .field_validation = kStrict}, stop);
  if (!after && kube::is_unsupported_media_type(after.error())) {
    after = apply_here(api, object, before, stop);
  }
  if (!after) return after.error();
  const char* done = !before                                                   ? "created"
                     : before->resource_version() == after->resource_version() ? "unchanged"
                                                                               : "configured";
  return Applied{done, *std::move(after)};
}

}  // namespace

int run_apply(const ApplyCommandOptions& options, Output& out) {
  const kube::StopSignal signal;
  auto manifests = read_manifests(options.files, signal.token());
  if (!manifests) return report(manifests.error());
  auto cluster = Cluster::open(options.connection, options.namespace_, signal.token());
  if (!cluster) return report(cluster.error());
  int status = 0;
  json::Array objects;
  const bool whole = is_whole(options.output);
  for (Manifest& manifest : *manifests) {
    Unstructured& object = manifest.object;
    const auto apply_one = [&]() -> Result<void> {
      const auto resource = cluster->resource_of(object.gvk(), signal.token());
      if (!resource) return resource.error();
      const auto namespace_ = cluster->namespace_of(*resource, object.namespace_());
      if (!namespace_) return namespace_.error();
      object.set_namespace(*namespace_);
      auto applied = apply(cluster->api(*resource, *namespace_), object, options.force_conflicts,
                           signal.token());
      if (!applied) return applied.error();
      if (whole) {
        objects.push_back(shown(std::move(applied->object), *resource));
      } else {
        const bool words = options.output == ResultOutput::Words;
        out.write(object_word(*resource, object.name()) + (words ? " " + applied->done : "") +
                  "\n");
      }
      return {};
    };
    if (auto applied = apply_one(); !applied) {
      status = report_server(applied.error(), "error when applying \"" + manifest.file + "\"");
      if (signal.token().stop_requested()) return status;
    }
  }
  if (whole && status == 0) out.write(objects_text(std::move(objects), options.output));
  return out.exit_status(status);
}

}  // namespace kubecpp
