// SPDX-License-Identifier: Apache-2.0
#include <kube/client/apply_manifest.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <kube/base/clock.hpp>
#include <kube/base/join.hpp>
#include <kube/client/client_side_apply.hpp>
#include <kube/client/deferred_rest_mapper.hpp>
#include <kube/client/server_side_migration.hpp>
#include <kube/meta/errors.hpp>

#include "apply_requests.hpp"

namespace kube {
namespace {

// What a dry run would change: the version stays, and the owners are no change of the object.
json::Value without_owners(Unstructured object) {
  object.set_managed_fields({});
  return std::move(object.content);
}

AppliedObject::Change change_of(bool created, const std::optional<Unstructured>& before,
                                const Unstructured& after, bool dry_run) {
  if (created) return AppliedObject::Change::Created;
  if (!before) return AppliedObject::Change::Configured;
  const bool same = dry_run ? without_owners(*before) == without_owners(after)
                            : before->resource_version() == after.resource_version();
  return same ? AppliedObject::Change::Unchanged : AppliedObject::Change::Configured;
}

constexpr Duration kFirstPause = std::chrono::milliseconds(100);
constexpr Duration kLongestPause = std::chrono::seconds(1);

// What is written of it may add a kind to those that the server has.
bool adds_kinds(const Unstructured& object) {
  const meta::GroupKind kind = object.gvk().group_kind();
  return kind == meta::GroupKind{"apiextensions.k8s.io", "CustomResourceDefinition"} ||
         kind == meta::GroupKind{"apiregistration.k8s.io", "APIService"};
}

// The kinds whose definitions this manifest has brought. A server needs a moment to serve them.
class NewKinds {
 public:
  explicit NewKinds(std::shared_ptr<Clock> clock) : clock_(std::move(clock)) {}

  void add_those_of(const Unstructured& applied) {
    if (applied.gvk().group_kind() !=
        meta::GroupKind{"apiextensions.k8s.io", "CustomResourceDefinition"})
      return;
    meta::GroupVersionKind kind{
        .group = std::string(applied.content.string_at({"spec", "group"})),
        .kind = std::string(applied.content.string_at({"spec", "names", "kind"}))};
    for (const json::Value& version : applied.content.array_at({"spec", "versions"})) {
      if (!version.true_at({"served"})) continue;
      kind.version = version.string_at({"name"});
      until_[kind] = clock_->now() + kServeNewKind;
    }
  }

  // Returns whether to try again, after a pause: the kind is new, and its time is not over.
  Result<bool> pause(const meta::GroupVersionKind& kind, Duration pause,
                     const std::stop_token& stop) const {
    const auto found = until_.find(kind);
    if (found == until_.end() || clock_->now() >= found->second) return false;
    const TimePoint end = std::min(clock_->now() + pause, found->second);
    if (clock_->sleep_until(end, stop) == WaitStatus::Stopped)
      return Error(ErrorCode::Cancelled, "stopped while waiting for the server to serve the kind");
    return true;
  }

 private:
  std::shared_ptr<Clock> clock_;
  std::map<meta::GroupVersionKind, TimePoint> until_{};
};

// Whether a kind whose definition exists fails like this until it is served.
bool is_not_served(const Error& error) {
  if (is_no_match(error)) return true;
  if (!is_not_found(error)) return false;
  const meta::StatusBody* status = meta::status_of(error);
  return status == nullptr || status->kind != "namespaces";
}

// Finds the API of an object, whose namespace is set.
Result<AppliedObject> apply_once(const Client& client, const DeferredRestMapper& mapper,
                                 Unstructured& object, meta::ResourceInfo& resource,
                                 const ApplyManifestOptions& options, const std::stop_token& stop) {
  auto found = mapper.mapping(object.gvk().group_kind(), object.gvk().version, stop);
  if (!found) return found.error();
  resource = *std::move(found);
  std::string namespace_;
  if (resource.namespaced) {
    namespace_ = !object.namespace_().empty()  ? std::string(object.namespace_())
                 : !options.namespace_.empty() ? options.namespace_
                                               : client.default_namespace();
    object.set_namespace(namespace_);
  }
  return apply_object(client.api(resource, namespace_), object, options, stop);
}

Result<AppliedObject> apply_one(const Client& client, const DeferredRestMapper& mapper,
                                NewKinds& new_kinds, Unstructured& object,
                                meta::ResourceInfo& resource, const ApplyManifestOptions& options,
                                const std::stop_token& stop) {
  for (Duration pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    auto applied = apply_once(client, mapper, object, resource, options, stop);
    if (applied && !options.dry_run && !options.local_dry_run) {
      new_kinds.add_those_of(applied->object);
      if (adds_kinds(applied->object)) mapper.refresh();
    }
    if (applied || !is_not_served(applied.error())) return applied;
    const auto again = new_kinds.pause(object.gvk(), pause, stop);
    if (!again) return again.error().with_context(applied.error().message());
    if (!*again) return applied;
    mapper.refresh();
  }
}

Result<void> check_field_manager(const ApplyManifestOptions& options, const std::string& function) {
  if (!options.field_manager.empty()) return {};
  return Error(ErrorCode::InvalidArgument, function + ": expected a field manager, found none");
}

// The server gets the last value alone.
Result<void> check_duplicates(const ManifestObject& object, const ApplyManifestOptions& options) {
  if (options.field_validation != "Strict" || object.duplicate_fields.empty()) return {};
  return Error(ErrorCode::Decode, "strict decoding error: " + join(object.duplicate_fields, ", "));
}

Result<std::vector<AppliedObject>> apply_all(const Client& client,
                                             std::vector<ManifestObject> objects,
                                             const ApplyManifestOptions& options,
                                             const std::stop_token& stop) {
  const auto mapper = client.mapper();
  if (auto known = mapper->current(stop); !known) return known.error();
  NewKinds new_kinds(client.runtime().clock());
  std::vector<AppliedObject> all;
  for (ManifestObject& each : objects) {
    meta::ResourceInfo resource;
    auto applied = check_duplicates(each, options).and_then([&] {
      return apply_one(client, *mapper, new_kinds, each.object, resource, options, stop);
    });
    if (!applied) {
      all.push_back({.where = std::move(each.where),
                     .object = std::move(each.object),
                     .resource = std::move(resource),
                     .result = applied.error()});
      continue;
    }
    applied->where = std::move(each.where);
    if (options.field_validation != "Ignore") {
      applied->warnings.insert(applied->warnings.begin(), each.duplicate_fields.begin(),
                               each.duplicate_fields.end());
    }
    all.push_back(*std::move(applied));
  }
  return all;
}

}  // namespace

Result<AppliedObject> apply_object(const Api<Unstructured>& api, const Unstructured& object,
                                   const ApplyManifestOptions& options, std::stop_token stop) {
  std::optional<Unstructured> before;
  std::optional<Error> forbidden;
  if (options.mode != ApplyMode::ServerSide || options.read_before) {
    if (auto found = api.get(object.name(), {}, stop)) {
      before = *std::move(found);
    } else if (options.mode != ApplyMode::ClientSide && is_forbidden(found.error())) {
      forbidden = found.error();  // who may apply need not be allowed to read
    } else if (!is_not_found(found.error())) {
      return found.error();
    }
  }
  const Unstructured* live = before ? &*before : nullptr;
  if (options.mode == ApplyMode::ClientSide)
    return apply_client_side(api, object, live, options, stop);
  bool created = false;
  auto after = detail::apply_by_server(api, object.name(), object.content, options, stop, &created);
  if (!after && options.mode == ApplyMode::Automatic && is_unsupported_media_type(after.error())) {
    if (forbidden) return *forbidden;
    return apply_client_side(api, object, live, options, stop);
  }
  if (!after) return after.error();
  AppliedObject applied;
  applied.resource = api.resource();
  applied.object = *std::move(after);
  if (options.migrate) {
    applied.object = migrate_to_server_side(api, object.content, std::move(applied.object), options,
                                            applied.warnings, stop);
  }
  applied.change = change_of(created, before, applied.object, options.dry_run);
  return applied;
}

Result<std::vector<AppliedObject>> apply_manifest(const Client& client, std::string_view text,
                                                  const ApplyManifestOptions& options,
                                                  std::stop_token stop) {
  if (auto complete = check_field_manager(options, "apply_manifest"); !complete)
    return complete.error();
  auto objects = read_manifest(text);
  if (!objects) return objects.error();
  return apply_all(client, *std::move(objects), options, stop);
}

Result<std::vector<AppliedObject>> apply_file(const Client& client, const std::string& path,
                                              const ApplyManifestOptions& options,
                                              std::stop_token stop) {
  if (auto complete = check_field_manager(options, "apply_file"); !complete)
    return complete.error();
  auto objects = read_manifest_file(path, stop);
  if (!objects) return objects.error();
  return apply_all(client, *std::move(objects), options, stop);
}

}  // namespace kube
