// SPDX-License-Identifier: Apache-2.0
#include "rollout_command.hpp"

#include <array>
#include <ctime>
#include <memory>
#include <utility>
#include <vector>

#include <kube/base/stop_signal.hpp>
#include <kube/names/time.hpp>
#include <kube/patch/patch.hpp>

#include "command_help.hpp"
#include "command_table.hpp"
#include "error_output.hpp"
#include "flags.hpp"
#include "object_wait.hpp"
#include "rollout_status.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::Unstructured;
namespace json = kube::json;

constexpr const char* kRestartedAt = "kubectl.kubernetes.io/restartedAt";

Error wrong_rollout(const std::string& text) {
  return {ErrorCode::InvalidArgument, text};
}

Result<void> check_given(const Selection& selection) {
  if (selection.words.empty() && selection.files.empty())
    return wrong_rollout("required resource not specified");
  return check(selection);
}

int note_nothing_found(const Cluster& cluster) {
  print_note("No resources found in " + cluster.default_namespace() + " namespace.");
  return 0;
}

// One run of `rollout status`.
class StatusWatch {
 public:
  StatusWatch(const RolloutStatusOptions& options, const Cluster& cluster, std::stop_token stop,
              Output& out)
      : options_(options), cluster_(cluster), stop_(std::move(stop)), out_(out) {}

  int run(Selected selected) {
    if (selected.objects.empty() && selected.errors.empty())
      return out_.exit_status(note_nothing_found(cluster_));
    std::vector<Error> errors = std::move(selected.errors);
    for (SelectedObject& each : selected.objects) {
      if (auto done = follow(each); !done) errors.push_back(done.error());
      if (stop_.stop_requested() || !out_.good()) break;
    }
    return out_.exit_status(report_server(errors));
  }

 private:
  Result<void> follow(SelectedObject& selected) {
    if (auto read = read_selected(cluster_, selected, stop_); !read) return read;
    const auto& resource = selected.resource;
    if (!has_rollout(resource)) {
      return Error(ErrorCode::Config, "no status viewer has been implemented for " + resource.kind +
                                          (resource.group.empty() ? "" : "." + resource.group));
    }
    const TimeLimit limit(
        *cluster_.client().runtime().executor,
        options_.timeout == kube::Duration::zero() ? kube::Duration::max() : options_.timeout,
        stop_);
    return wait_for_object(
        cluster_, selected,
        [&](const Unstructured* object) -> Result<bool> {
          // Another object of the name may have another rollout.
          if (object == nullptr) return Error(ErrorCode::Config, "object has been deleted");
          const auto state = rollout_state(resource, *object, options_.revision);
          if (!state) return state.error();
          out_.write(printable(state->text) + "\n");
          return state->done || !options_.watch || !out_.good();
        },
        limit);
  }

  const RolloutStatusOptions& options_;
  const Cluster& cluster_;
  const std::stop_token stop_;
  Output& out_;
};

// In the local time zone, as kubectl writes it.
std::string local_time(kube::WallTime time) {
  const std::time_t seconds = kube::meta::Instant(time).unix_seconds();
  std::tm local{};
  ::localtime_r(&seconds, &local);
  std::array<char, 64> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S%z", &local);
  std::string result(text.data(), size);
  if (local.tm_gmtoff == 0) return result.substr(0, result.size() - 5) + "Z";
  return result.insert(result.size() - 2, ":");
}

// Returns why the object can't be restarted; "" when it can.
std::string restart_problem(const SelectedObject& selected) {
  if (!has_rollout(selected.resource)) return "restarting is not supported";
  const bool paused =
      selected.resource.kind == "Deployment" && selected.object.content.true_at({"spec", "paused"});
  return paused ? "can't restart paused deployment (run rollout resume first)" : "";
}

Result<Unstructured> restart(const RolloutRestartOptions& options, const Cluster& cluster,
                             const SelectedObject& selected, const std::string& now,
                             const std::stop_token& stop) {
  if (const std::string problem = restart_problem(selected); !problem.empty()) {
    return Error(ErrorCode::Config, selected.resource.group_resource().to_string() + " \"" +
                                        selected.name + "\" " + problem);
  }
  const auto before = selected.object.content.string_at(
      {"spec", "template", "metadata", "annotations", kRestartedAt});
  if (before == now) {
    return Error(ErrorCode::Config,
                 "failed to create patch for " + selected.name +
                     ": if restart has already been triggered within the past second, please wait "
                     "before attempting to trigger another");
  }
  json::Value document{json::Object{}};
  document.ensure_path({"spec", "template", "metadata", "annotations", kRestartedAt}) = now;
  auto after = cluster.api(selected.resource, selected.namespace_)
                   .patch(selected.name, kube::Patch::strategic_merge(std::move(document)),
                          {.field_manager = options.field_manager}, stop);
  if (!after && after.error().code() == ErrorCode::Server)
    return Error(ErrorCode::Config, "failed to patch: " + after.error().message());
  return after;
}

Runner add_rollout_status(CLI::App& command) {
  const auto options = std::make_shared<RolloutStatusOptions>();
  RolloutStatusOptions& status = *options;
  add_targets(command, status.selection.words, "Resource and names, or RESOURCE/NAME...");
  add_basic_selection_flags(command, status.selection);
  command.add_flag("-w,--watch", status.watch, "Wait until the rollout is done; true by default");
  command.add_option("--revision", status.revision,
                     "Fail when the deployment has another revision; 0 means any");
  add_duration(command, "--timeout", status.timeout,
               "How long to wait for each rollout, such as 30s; 0, the default, has no limit");
  add_connection(command, status.connection);
  return [options](Output& out) { return run_rollout_status(*options, out); };
}

Runner add_rollout_restart(CLI::App& command) {
  const auto options = std::make_shared<RolloutRestartOptions>();
  RolloutRestartOptions& restart = *options;
  add_targets(command, restart.selection.words, "Resource and names, or RESOURCE/NAME...");
  add_basic_selection_flags(command, restart.selection);
  add_field_manager(command, restart.field_manager);
  add_result_output(command, restart.output);
  add_managed_fields(command, restart.managed_fields);
  add_connection(command, restart.connection);
  return [options](Output& out) { return run_rollout_restart(*options, out); };
}

constexpr CommandEntry kRolloutCommands[] = {
    {"restart", "Replace the pods of deployments, daemon sets and stateful sets",
     add_rollout_restart},
    {"status", "Print how far a rollout is, until it is done", add_rollout_status},
};

}  // namespace

int run_rollout_status(RolloutStatusOptions options, Output& out) {
  const kube::StopSignal signal;
  options.selection.all_unless_named = true;
  if (options.revision < 0) {
    return report(
        wrong_rollout("revision must be a positive integer: " + std::to_string(options.revision)));
  }
  if (auto valid = check_given(options.selection); !valid) return report(valid.error());
  auto cluster = Cluster::open(options.connection, options.selection.namespace_, signal.token());
  if (!cluster) return report(cluster.error());
  // What is named is read when its turn comes.
  const Read read = options.selection.files.empty() ? Read::Nothing : Read::All;
  auto selected = select(*cluster, options.selection, read, signal.token());
  if (!selected) return report(selected.error());
  return status_of_wait(
      StatusWatch(options, *cluster, signal.token(), out).run(*std::move(selected)));
}

int run_rollout_restart(RolloutRestartOptions options, Output& out) {
  const kube::StopSignal signal;
  options.selection.all_unless_named = true;
  if (auto valid = check_given(options.selection); !valid) return report(valid.error());
  auto cluster = Cluster::open(options.connection, options.selection.namespace_, signal.token());
  if (!cluster) return report(cluster.error());
  auto selected = select(*cluster, options.selection, Read::All, signal.token());
  if (!selected) return report(selected.error());
  if (selected->objects.empty() && selected->errors.empty())
    return out.exit_status(note_nothing_found(*cluster));
  const std::string now = local_time(cluster->client().runtime().clock()->wall_now());
  std::vector<Error> errors = std::move(selected->errors);
  ResultPrinter printer(out, options.output, "", options.managed_fields);
  for (const SelectedObject& each : selected->objects) {
    const auto after = restart(options, *cluster, each, now, signal.token());
    if (after) {
      printer.print(each.resource, *after, "restarted");
    } else {
      errors.push_back(after.error());
    }
    if (signal.token().stop_requested()) break;
  }
  return out.exit_status(report_server(errors));
}

Runner add_rollout(CLI::App& command) {
  command.require_subcommand(0, 1);
  return add_commands(command, kRolloutCommands, [&command](Output& out) {
    out.write(command.help(full_name(*command.get_parent())));
    return out.exit_status(1);  // as kubectl
  });
}

}  // namespace kubecpp
