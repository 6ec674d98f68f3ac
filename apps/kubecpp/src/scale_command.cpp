// SPDX-License-Identifier: Apache-2.0
#include "scale_command.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <kube/base/stop_signal.hpp>
#include <kube/client/scale_client.hpp>
#include <kube/codec/nested.hpp>
#include <kube/meta/errors.hpp>

#include "error_output.hpp"
#include "flags.hpp"
#include "object_wait.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::autoscaling::v1::Scale;
namespace json = kube::json;

// kubectl scale names none: the server takes the word that its User-Agent begins with.
constexpr const char* kScaleManager = "kubectl";
constexpr kube::Duration kScaleInterval = std::chrono::seconds(1);
constexpr kube::Duration kConflictLimit = std::chrono::minutes(5);

Error wrong_scale(const std::string& text) {
  return {ErrorCode::InvalidArgument, text};
}

Result<void> check_numbers(const ScaleCommandOptions& options) {
  if (*options.replicas < 0) {
    return wrong_scale(
        "The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0");
  }
  // The field has 32 bits.
  if (*options.replicas > std::numeric_limits<std::int32_t>::max())
    return wrong_scale("--replicas must be at most 2147483647");
  if (options.current_replicas < -1)
    return wrong_scale("The --current-replicas must specify an integer of -1 or greater");
  return {};
}

// One run of the command.
class Scaling {
 public:
  Scaling(const ScaleCommandOptions& options, DryRun dry_run, const Cluster& cluster,
          std::stop_token stop, Output& out)
      : options_(options),
        dry_run_(dry_run),
        cluster_(cluster),
        scales_(cluster.client().rest(), cluster.discovery()),
        stop_(std::move(stop)),
        out_(out),
        printer_(out, options.output, dry_run_suffix(dry_run), options.managed_fields) {}

  int run(Selected selected) {
    if (!options_.resource_version.empty() && selected.objects.size() > 1)
      return report(wrong_scale("cannot use --resource-version with multiple resources"));
    if (selected.objects.empty() && selected.errors.empty())
      return report(Error(ErrorCode::Config, "no objects passed to scale"));
    for (SelectedObject& each : selected.objects) {
      if (auto done = scale_one(each); !done) return report_server(done.error());
    }
    return out_.exit_status(report_server(selected.errors));
  }

 private:
  bool has_precondition() const {
    return options_.current_replicas != -1 || !options_.resource_version.empty();
  }

  Result<void> scale_one(SelectedObject& selected) {
    std::int64_t size = *options_.replicas;
    if (dry_run_ != DryRun::Client) {
      const auto scale = set_replicas(selected);
      if (!scale) return scale.error();
      size = scale->spec.replicas;
      if (dry_run_ == DryRun::None && options_.timeout != kube::Duration::zero()) {
        if (auto done = wait_for(selected); !done) return done;
      }
    }
    // Elsewhere the replicas may be in another field.
    if (selected.resource.group == "apps" || selected.resource.group.empty()) {
      auto set = kube::set_nested_field(selected.object.content, size, {"spec", "replicas"});
      if (!set) return set.error();
    }
    printer_.print(selected.resource, selected.object, "scaled");
    return {};
  }

  // Tries again while others change the object.
  Result<Scale> set_replicas(const SelectedObject& selected) const {
    const TimeLimit limit(*cluster_.client().runtime().executor, kConflictLimit, stop_);
    for (;;) {
      auto scale = has_precondition() ? update(selected) : patch(selected);
      if (scale || !kube::is_conflict(scale.error())) return scale;
      if (auto slept = sleep(limit); !slept) return slept.error();
    }
  }

  Result<Scale> patch(const SelectedObject& selected) const {
    const auto document =
        kube::Patch::merge(json::Object{{"spec", json::Object{{"replicas", *options_.replicas}}}});
    return scales_.patch(selected.resource.gvr(), selected.namespace_, selected.name, document,
                         {.dry_run = dry_run_of(dry_run_), .field_manager = kScaleManager}, stop_);
  }

  Result<Scale> update(const SelectedObject& selected) const {
    auto scale = read(selected);
    if (!scale) return scale;
    const auto differs = [](const std::string& what, const std::string& expected,
                            const std::string& found) {
      return Error(ErrorCode::Config, "Expected " + what + " to be " + expected + ", was " + found);
    };
    const std::int64_t current = options_.current_replicas;
    if (current != -1 && scale->spec.replicas != current) {
      return differs("replicas", std::to_string(current), std::to_string(scale->spec.replicas));
    }
    const std::string& version = options_.resource_version;
    if (!version.empty() && scale->metadata.resource_version != version)
      return differs("resource version", version, scale->metadata.resource_version);
    scale->spec.replicas = static_cast<std::int32_t>(*options_.replicas);
    return scales_.update(selected.resource.group_resource(), selected.namespace_, *scale,
                          {.dry_run = dry_run_of(dry_run_), .field_manager = kScaleManager}, stop_);
  }

  Result<Scale> read(const SelectedObject& selected) const {
    return scales_.get(selected.resource.group_resource(), selected.namespace_, selected.name, {},
                       stop_);
  }

  // Until the replicas are there, or are to be another number.
  Result<void> wait_for(const SelectedObject& selected) const {
    const TimeLimit limit(*cluster_.client().runtime().executor, options_.timeout, stop_);
    for (;;) {
      const auto scale = read(selected);
      if (!scale) return scale.error();
      const std::int64_t wanted = *options_.replicas;
      const std::int64_t there = scale->status.replicas;
      if (scale->spec.replicas != wanted || there == wanted) return {};
      if (auto slept = sleep(limit); !slept) {
        return limit.is_over() ? Error(ErrorCode::Timeout, "timed out waiting for \"" +
                                                               selected.name + "\" to be synced")
                               : slept.error();
      }
    }
  }

  Result<void> sleep(const TimeLimit& limit) const {
    kube::Clock& clock = *cluster_.client().runtime().clock();
    if (clock.sleep_for(kScaleInterval, limit.token()) != kube::WaitStatus::Stopped) return {};
    return limit.is_over() ? Error(ErrorCode::Timeout, "timed out waiting for the condition")
                           : Error(ErrorCode::Cancelled, "interrupted");
  }

  const ScaleCommandOptions& options_;
  const DryRun dry_run_;
  const Cluster& cluster_;
  const kube::ScaleClient scales_;
  const std::stop_token stop_;
  Output& out_;
  ResultPrinter printer_;
};

}  // namespace

int run_scale(const ScaleCommandOptions& options, Output& out) {
  const kube::StopSignal signal;
  if (!options.replicas) return report(wrong_scale("required flag(s) \"replicas\" not set"));
  const auto dry_run = parse_dry_run(options.dry_run);
  if (!dry_run) return report(dry_run.error());
  if (auto checked = check_numbers(options); !checked) return report(checked.error());
  if (auto valid = check(options.selection); !valid) return report(valid.error());
  auto cluster = Cluster::open(options.connection, options.selection.namespace_, signal.token());
  if (!cluster) return report(cluster.error());
  auto selected = select(*cluster, options.selection, Read::Named, signal.token());
  if (!selected) return report(selected.error());
  return Scaling(options, *dry_run, *cluster, signal.token(), out).run(*std::move(selected));
}

Runner add_scale(CLI::App& command) {
  const auto options = std::make_shared<ScaleCommandOptions>();
  ScaleCommandOptions& scale = *options;
  add_targets(command, scale.selection.words, "Resource and names, or RESOURCE/NAME...");
  add_basic_selection_flags(command, scale.selection);
  command.add_flag("--all", scale.selection.all_unless_named,
                   "Select all objects of the resources");
  command.add_option("--replicas", scale.replicas, "The new number of replicas; required");
  command.add_option("--current-replicas", scale.current_replicas,
                     "Scale only objects with this number of replicas; -1 means any");
  command.add_option("--resource-version", scale.resource_version,
                     "Scale the object only when it has this version; for a single object");
  add_duration(command, "--timeout", scale.timeout,
               "How long to wait for the replicas, such as 30s; 0, the default, does not wait");
  add_dry_run(command, scale.dry_run);
  add_result_output(command, scale.output);
  add_managed_fields(command, scale.managed_fields);
  add_connection(command, scale.connection);
  return [options](Output& out) { return run_scale(*options, out); };
}

}  // namespace kubecpp
