// SPDX-License-Identifier: Apache-2.0
#include "apply_command.hpp"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kube/base/stop_signal.hpp>
#include <kube/client/client_side_apply.hpp>
#include <kube/client/server_side_migration.hpp>
#include <kube/meta/errors.hpp>

#include "apply_errors.hpp"
#include "error_output.hpp"
#include "failures.hpp"
#include "flags.hpp"
#include "selection.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Patch;
using kube::Result;
using kube::Unstructured;

Error wrong_apply(const char* text) {
  return {ErrorCode::InvalidArgument, text};
}

Result<kube::ApplyManifestOptions> how_of(const ApplyCommandOptions& options) {
  const auto dry_run = parse_dry_run(options.dry_run);
  if (!dry_run) return dry_run.error();
  if (auto valid = check_files(options.apply); !valid) return valid.error();
  auto validation = parse_validation(options.validate);
  if (!validation) return validation.error();
  if (auto valid = check_conflicts(options.apply); !valid) return valid.error();
  if (*dry_run == DryRun::Client && options.apply.server_side) {
    return wrong_apply(
        "--dry-run=client doesn't work with --server-side (did you mean --dry-run=server "
        "instead?)");
  }
  return kube::ApplyManifestOptions{.field_manager = manager_of(options.apply),
                                    .force = options.apply.force_conflicts,
                                    .dry_run = *dry_run == DryRun::Server,
                                    .local_dry_run = *dry_run == DryRun::Client,
                                    .overwrite = options.overwrite,
                                    .field_validation = *std::move(validation)};
}

const char* change_word(kube::AppliedObject::Change change) {
  switch (change) {
    case kube::AppliedObject::Change::Created:
      return "created";
    case kube::AppliedObject::Change::Configured:
      return "configured";
    case kube::AppliedObject::Change::Unchanged:
      break;
  }
  return "unchanged";
}

// One run of the command.
class Apply {
 public:
  Apply(const ApplyCommandOptions& options, kube::ApplyManifestOptions how, const Cluster& cluster,
        std::stop_token stop, Output& out)
      : options_(options),
        how_(std::move(how)),
        cluster_(cluster),
        stop_(std::move(stop)),
        out_(out),
        printer_(out, options.output, suffix_of(how_)) {}

  int run(std::vector<Manifest> manifests) {
    for (Manifest& manifest : manifests) {
      // Resolved only now: an earlier object may define the kind.
      const auto object = resolve_manifest(cluster_, std::move(manifest));
      if (!object) {
        failures_.add(object.error());
      } else {
        options_.apply.server_side ? by_server(*object) : by_client(*object);
      }
      if (!failures_.empty() && stop_.stop_requested()) break;
    }
    const int status = failures_.report();
    if (status == 0 && is_whole(options_.output))
      out_.write(objects_text(std::move(objects_), options_.output));
    return out_.exit_status(status);
  }

 private:
  static std::string suffix_of(const kube::ApplyManifestOptions& how) {
    return dry_run_suffix(how.local_dry_run ? DryRun::Client
                          : how.dry_run     ? DryRun::Server
                                            : DryRun::None);
  }

  void by_server(const SelectedObject& object) {
    const auto api = cluster_.api(object.resource, object.namespace_);
    // Not by apply_object(), which reads first: who may apply need not be allowed to read.
    auto applied = api.patch(object.name, Patch::apply(object.object.content),
                             {.dry_run = dry_run_of(how_.dry_run ? DryRun::Server : DryRun::None),
                              .force = how_.force,
                              .field_manager = how_.field_manager,
                              .field_validation = how_.field_validation},
                             stop_);
    if (!applied) return failures_.add(server_side_error(applied.error()));
    std::vector<std::string> warnings;
    Unstructured after = kube::migrate_to_server_side(api, object.object.content,
                                                      *std::move(applied), how_, warnings, stop_);
    for (const std::string& each : warnings) warn(each);
    done(object, std::move(after), "serverside-applied");
  }

  void by_client(const SelectedObject& object) {
    const auto api = cluster_.api(object.resource, object.namespace_);
    std::optional<Unstructured> live;
    if (auto read = api.get(object.name, {}, stop_)) {
      live = *std::move(read);
    } else if (!kube::is_not_found(read.error())) {
      return failures_.add(read.error(), doing_read(object));
    }
    if (live && !kube::has_last_applied(*live)) warn(missing_annotation(object));
    std::optional<Patch> patch;
    auto applied =
        kube::apply_client_side(api, object.object, live ? &*live : nullptr, how_, stop_, &patch);
    if (!applied)
      return failures_.add(applied.error(),
                           live ? doing_patch(object, patch) : doing_create(object));
    done(object, std::move(applied->object), change_word(applied->change), live.has_value());
  }

  void done(const SelectedObject& object, Unstructured applied, const std::string& operation,
            bool existed = true) {
    if (existed && applied.is_being_deleted()) {
      warn("Detected changes to resource " + object.name + " which is currently being deleted.");
    }
    if (is_whole(options_.output)) {
      objects_.push_back(
          shown(std::move(applied), object.resource, options_.apply.show_managed_fields));
    } else {
      printer_.print(object.resource, applied, operation);
    }
  }

  static void warn(const std::string& text) { print_note("Warning: " + text); }

  const ApplyCommandOptions& options_;
  const kube::ApplyManifestOptions how_;
  const Cluster& cluster_;
  const std::stop_token stop_;
  Output& out_;
  ResultPrinter printer_;
  kube::json::Array objects_{};
  Failures failures_{};
};

}  // namespace

int run_apply(const ApplyCommandOptions& options, Output& out) {
  const kube::StopSignal signal;
  auto how = how_of(options);
  if (!how) return report(how.error());
  auto manifests = read_manifests(options.apply.files, signal.token(), options.apply.recursive);
  if (!manifests) return report(manifests.error());
  if (auto kept = keep_matching(options.apply.label_selector, *manifests); !kept)
    return report(kept.error());
  if (manifests->empty()) return report(wrong_apply("no objects passed to apply"));
  const auto cluster = Cluster::open(options.connection, options.apply.namespace_, signal.token());
  if (!cluster) return report(cluster.error());
  return Apply(options, *std::move(how), *cluster, signal.token(), out).run(*std::move(manifests));
}

Runner add_apply(CLI::App& command) {
  const auto options = std::make_shared<ApplyCommandOptions>();
  ApplyCommandOptions& apply = *options;
  add_apply_flags(command, apply.apply);
  command.add_flag(
      "--overwrite", apply.overwrite,
      "Without --server-side: give fields that others changed the values of the files; "
      "true by default");
  // Without --prune and --force, kubectl has nothing to wait for either.
  command.add_flag_function(
      "--wait", [](std::int64_t) {},
      "Wait for what --prune and --force of kubectl delete: no effect here");
  add_dry_run(command, apply.dry_run);
  add_validation(command, apply.validate);
  add_result_output(command, apply.output);
  add_connection(command, apply.connection);
  return [options](Output& out) { return run_apply(*options, out); };
}

}  // namespace kubecpp
