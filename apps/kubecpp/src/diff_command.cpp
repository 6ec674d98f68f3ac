// SPDX-License-Identifier: Apache-2.0
#include "diff_command.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kube/base/stop_signal.hpp>
#include <kube/base/worker_thread.hpp>
#include <kube/client/client_side_apply.hpp>
#include <kube/meta/errors.hpp>

#include "diff_folders.hpp"
#include "diff_program.hpp"
#include "document_printer.hpp"
#include "error_output.hpp"
#include "failures.hpp"
#include "flags.hpp"
#include "result_printer.hpp"
#include "secret_mask.hpp"
#include "selection.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::Patch;
using kube::Result;
using kube::Unstructured;
namespace json = kube::json;

constexpr std::size_t kMostThreads = 64;
constexpr int kTries = 4;

// The texts of an object, as it is and as it would be, or why they are not known.
struct Compared {
  std::string name{};
  std::string live{};
  std::string merged{};
  std::optional<std::pair<Error, std::string>> failure{};
};

// "apps.v1.Deployment.web.front"
std::string file_name_of(const SelectedObject& object) {
  const kube::meta::ResourceInfo& resource = object.resource;
  return (resource.group.empty() ? "" : resource.group + ".") + resource.version + "." +
         resource.kind + "." + object.namespace_ + "." + object.name;
}

// With the version that the live object has, so that the server refuses it if the object has
// changed since.
Patch locked(const Patch& patch, const Unstructured& live) {
  json::Value document = patch.document();
  document.ensure_path({"metadata", "resourceVersion"}) = live.resource_version();
  return patch.type() == Patch::Type::Merge ? Patch::merge(std::move(document))
                                            : Patch::strategic_merge(std::move(document));
}

class ObjectComparison {
 public:
  ObjectComparison(const DiffCommandOptions& options, const Cluster& cluster, std::stop_token stop)
      : options_(options),
        manager_(manager_of(options.apply)),
        cluster_(cluster),
        stop_(std::move(stop)) {}

  Compared compare(Manifest manifest) const {
    Compared compared;
    const auto object = resolve_manifest(cluster_, std::move(manifest));
    if (!object) {
      compared.failure.emplace(object.error(), "");
      return compared;
    }
    compared.name = file_name_of(*object);
    const auto api = cluster_.api(object->resource, object->namespace_);
    for (int tries = 1;; ++tries) {
      std::optional<Unstructured> live;
      auto read = api.get(object->name, {}, stop_);
      if (read) {
        live = *std::move(read);
      } else if (!kube::is_not_found(read.error())) {
        compared.failure.emplace(read.error(), "");
        return compared;
      }
      const bool lock = tries < kTries;
      if (!lock) print_note("Warning: " + object->name + " keeps changing, diffing without lock");
      auto merged = options_.apply.server_side ? merged_by_server(api, *object)
                                               : merged_by_client(api, *object, live, lock);
      if (merged) {
        write(compared, *object, std::move(live), *std::move(merged));
        return compared;
      }
      if (lock && !options_.apply.server_side && kube::is_conflict(merged.error())) continue;
      const bool patched = !options_.apply.server_side && live;
      compared.failure.emplace(merged.error(),
                               patched ? "error when patching \"" + object->file + "\"" : "");
      return compared;
    }
  }

 private:
  Result<Unstructured> merged_by_server(const kube::Api<Unstructured>& api,
                                        const SelectedObject& object) const {
    return api.patch(
        object.name, Patch::apply(object.object.content),
        {.dry_run = {"All"}, .force = options_.apply.force_conflicts, .field_manager = manager_},
        stop_);
  }

  // Without the annotation, whose change says nothing new.
  Result<Unstructured> merged_by_client(const kube::Api<Unstructured>& api,
                                        const SelectedObject& object,
                                        const std::optional<Unstructured>& live, bool lock) const {
    Unstructured wanted = object.object;
    if (!live) {
      wanted.set_resource_version("");
      return api.create(wanted, {.dry_run = {"All"}, .field_manager = manager_}, stop_);
    }
    if (kube::has_last_applied(wanted)) {
      json::Value& annotations = wanted.content.ensure_path({"metadata", "annotations"});
      annotations.if_object()->erase(kube::kLastAppliedAnnotation);
    }
    const auto patch = kube::client_side_patch(wanted, *live);
    if (!patch) return patch.error();
    if (kube::is_empty(*patch)) return *live;
    return api.patch(object.name, lock ? locked(*patch, *live) : *patch,
                     {.dry_run = {"All"}, .field_manager = manager_}, stop_);
  }

  void write(Compared& compared, const SelectedObject& object, std::optional<Unstructured> live,
             Unstructured merged) const {
    if (live && live->is_being_deleted()) {
      print_note("Warning: Detected changes to resource " + object.name +
                 " which is currently being deleted.");
    }
    const bool managed_fields = options_.apply.show_managed_fields;
    json::Value before;
    if (live) before = shown(*std::move(live), object.resource, managed_fields);
    json::Value after = shown(std::move(merged), object.resource, managed_fields);
    if (!options_.show_secrets && is_secret(after)) mask_secrets(before, after);
    if (!before.is_null()) compared.live = yaml_text(before);
    compared.merged = yaml_text(after);
  }

  const DiffCommandOptions& options_;
  const std::string manager_;
  const Cluster& cluster_;
  const std::stop_token stop_;
};

// In the order of the files. What follows a failure is left out.
std::vector<Compared> compare_all(const ObjectComparison& comparison,
                                  std::vector<Manifest> manifests, std::size_t concurrency) {
  std::vector<Compared> compared(manifests.size());
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  const auto work = [&] {
    for (std::size_t i = next++; i < manifests.size() && !failed; i = next++) {
      compared[i] = comparison.compare(std::move(manifests[i]));
      if (compared[i].failure) failed = true;
    }
  };
  std::vector<kube::WorkerThread> others;
  const std::size_t threads = std::min({concurrency, manifests.size(), kMostThreads});
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back("kubecpp-diff", work);
  work();
  others.clear();
  return compared;
}

int failed_diff(Error error, std::string doing = {}) {
  Failures failures;
  failures.add(std::move(error), std::move(doing));
  return failures.report(kDiffFailed);
}

// Nothing is on the disk before all objects are known.
int show(const std::vector<Compared>& compared, const std::stop_token& stop) {
  const IgnoreHangUp ignored;
  auto live = DiffFolder::make("LIVE");
  if (!live) return failed_diff(live.error());
  auto merged = DiffFolder::make("MERGED");
  if (!merged) return failed_diff(merged.error());
  for (const Compared& each : compared) {
    if (auto written = live->write(each.name, each.live); !written)
      return failed_diff(written.error());
    if (auto written = merged->write(each.name, each.merged); !written)
      return failed_diff(written.error());
  }
  const auto status = run_diff_program(live->path(), merged->path(), stop);
  return status ? *status : failed_diff(status.error());
}

}  // namespace

int run_diff(const DiffCommandOptions& options, Output& out) {
  const kube::StopSignal signal;
  if (auto valid = check_files(options.apply); !valid) return failed_diff(valid.error());
  if (auto valid = check_conflicts(options.apply); !valid) return failed_diff(valid.error());
  auto manifests = read_manifests(options.apply.files, signal.token(), options.apply.recursive);
  if (!manifests) return failed_diff(manifests.error());
  if (auto kept = keep_matching(options.apply.label_selector, *manifests); !kept)
    return failed_diff(kept.error());
  const auto cluster = Cluster::open(options.connection, options.apply.namespace_, signal.token());
  if (!cluster) return failed_diff(cluster.error());
  const auto compared = compare_all(ObjectComparison(options, *cluster, signal.token()),
                                    *std::move(manifests), options.concurrency);
  for (const Compared& each : compared) {
    if (each.failure) return failed_diff(each.failure->first, each.failure->second);
  }
  const int status = show(compared, signal.token());
  return out.exit_status(status);
}

Runner add_diff(CLI::App& command) {
  const auto options = std::make_shared<DiffCommandOptions>();
  DiffCommandOptions& diff = *options;
  add_apply_flags(command, diff.apply);
  command.add_flag("--show-secrets", diff.show_secrets, "Do not mask the values of Secrets");
  command
      .add_option("--concurrency", diff.concurrency,
                  "Number of objects that are compared at the same time")
      ->capture_default_str();
  add_connection(command, diff.connection);
  return [options](Output& out) { return run_diff(*options, out); };
}

}  // namespace kubecpp
