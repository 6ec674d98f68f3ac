// SPDX-License-Identifier: Apache-2.0
#include "delete_command.hpp"

#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include <kube/base/ascii.hpp>
#include <kube/base/printable.hpp>
#include <kube/base/stop_signal.hpp>
#include <kube/client/rest_request.hpp>
#include <kube/meta/errors.hpp>

#include "error_output.hpp"
#include "input_file.hpp"
#include "object_wait.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;

constexpr kube::Duration kAWeek = std::chrono::hours(168);

Error wrong_delete(const std::string& text) {
  return {ErrorCode::InvalidArgument, text};
}

// The options as requests have them.
struct Deletion {
  kube::DeleteOptions how{};
  DryRun dry_run = DryRun::None;
  bool ignore_not_found = false;
};

Result<std::string> propagation_of(const std::string& cascade) {
  if (cascade == "background") return std::string("Background");
  if (cascade == "foreground") return std::string("Foreground");
  if (cascade == "orphan") return std::string("Orphan");
  return wrong_delete("invalid cascade value (" + cascade +
                      "). Must be \"background\", \"foreground\", or \"orphan\"");
}

Result<std::int64_t> grace_period_of(const DeleteCommandOptions& options) {
  std::int64_t seconds = options.grace_period;
  if (options.now) {
    if (seconds != -1) return wrong_delete("--now and --grace-period cannot be specified together");
    seconds = 1;
  }
  // So that --grace-period=0 alone does not lose data.
  if (seconds == 0 && !options.force) seconds = 1;
  if (options.force && seconds < 0) seconds = 0;
  if (options.force && seconds > 0) {
    return wrong_delete("--force and --grace-period greater than 0 cannot be specified together");
  }
  return seconds;
}

Result<void> check_raw(const DeleteCommandOptions& options) {
  if (options.selection.files.size() > 1)
    return wrong_delete("--raw can only use a single local file or stdin");
  if (options.interactive) return wrong_delete("--interactive can not be used with --raw");
  if (options.names_only) return wrong_delete("--raw and --output are mutually exclusive");
  if (!options.raw.starts_with('/'))
    return wrong_delete("--raw must be a valid URL path: parse \"" + options.raw +
                        "\": invalid URI for request");
  return {};
}

Result<Deletion> deletion_of(const DeleteCommandOptions& options) {
  Deletion deletion;
  auto propagation = propagation_of(options.cascade);
  if (!propagation) return propagation.error();
  deletion.how.propagation_policy = *std::move(propagation);
  const Selection& by = options.selection;
  const auto grace = grace_period_of(options);
  if (!grace) return grace.error();
  if (*grace >= 0) deletion.how.grace_period_seconds = *grace;
  const auto dry_run = parse_dry_run(options.dry_run);
  if (!dry_run) return dry_run.error();
  deletion.dry_run = *dry_run;
  deletion.how.dry_run = dry_run_of(*dry_run);
  deletion.ignore_not_found = options.ignore_not_found.value_or(by.all || by.has_selector());
  if (!options.raw.empty()) {
    if (auto valid = check_raw(options); !valid) return valid.error();
  }
  return deletion;
}

int delete_raw(const DeleteCommandOptions& options, Output& out, const std::stop_token& stop) {
  const auto connection = connect(options.connection, stop);
  if (!connection) return report(connection.error());
  kube::RestRequest request(connection->client.rest());
  request.delete_().request_uri(options.raw).set_header("Accept", {"*/*"});
  if (request.error()) return report(*request.error());
  if (!options.selection.files.empty()) {
    auto body = read_input(options.selection.files.front(), stop);
    if (!body) return report(body.error());
    request.body(*std::move(body));
  }
  const auto answer = request.do_raw(stop);
  if (!answer) return report_server(answer.error());
  out.write(*answer);
  return out.exit_status(0);
}

// One run of the command.
class Delete {
 public:
  Delete(const DeleteCommandOptions& options, Deletion deletion, Cluster& cluster,
         std::stop_token stop, Output& out)
      : options_(options),
        deletion_(std::move(deletion)),
        cluster_(cluster),
        stop_(std::move(stop)),
        out_(out) {}

  int run(Selected selected) {
    if (deletion_.ignore_not_found) selected.ignore_not_found();
    int status = selected.report_errors(0);
    if (options_.interactive) {
      if (status != 0) return status;
      if (!selected.objects.empty() && !is_confirmed(selected.objects)) {
        out_.write("deletion is cancelled\n");
        return out_.exit_status(0);
      }
    }
    std::vector<SelectedObject> deleted;
    for (SelectedObject& each : selected.objects) {
      warn_of_scope(each);
      if (auto done = delete_one(each); !done) {
        if (deletion_.ignore_not_found && kube::is_not_found(done.error())) continue;
        status = report_server(
            done.error(), each.file.empty() ? "" : "error when deleting \"" + each.file + "\"");
        if (stop_.stop_requested()) return status;
        continue;
      }
      deleted.push_back(std::move(each));
    }
    if (status == 0 && selected.objects.empty()) out_.write("No resources found\n");
    if (status != 0 || !options_.wait || deletion_.dry_run != DryRun::None)
      return out_.exit_status(status);
    return out_.exit_status(status_of_wait(wait_for(deleted)));
  }

 private:
  bool is_confirmed(const std::vector<SelectedObject>& objects) {
    std::string text = "You are about to delete the following " + std::to_string(objects.size()) +
                       " resource(s):\n";
    for (const SelectedObject& each : objects) text += object_word(each.resource, each.name) + "\n";
    out_.write(text + "Do you want to continue? (y/N): ");
    const auto answer = read_input_line(stop_);
    return answer && kube::ascii::to_lower(*answer) == "y";
  }

  void warn_of_scope(const SelectedObject& object) {
    if (warned_ || object.resource.namespaced || options_.selection.namespace_.empty() ||
        options_.selection.all_namespaces)
      return;
    warned_ = true;
    std::fputs("Warning: deleting cluster-scoped resources, not scoped to the provided namespace\n",
               stderr);
  }

  // Leaves in `object` the uid of what was deleted.
  Result<void> delete_one(SelectedObject& object) {
    std::string uid;
    if (deletion_.dry_run != DryRun::Client) {
      const auto answer = cluster_.api(object.resource, object.namespace_)
                              .delete_(object.name, deletion_.how, stop_);
      if (!answer) return answer.error();
      if (answer->status) uid = answer->status->string_at({"details", "uid"});
      if (answer->object) uid = answer->object->uid();
    }
    object.object = {};
    object.object.set_uid(uid);
    print(object);
    return {};
  }

  void print(const SelectedObject& object) {
    if (options_.names_only) {
      out_.write(object_word(object.resource, object.name) + "\n");
      return;
    }
    const bool forced = deletion_.how.grace_period_seconds == std::int64_t{0};
    const std::string where = object.resource.namespaced
                                  ? " from " + kube::printable(object.namespace_) + " namespace"
                                  : "";
    out_.write(kind_word(object.resource) + " \"" + kube::printable(object.name) + "\" " +
               (forced ? "force deleted" : "deleted") + where + dry_run_suffix(deletion_.dry_run) +
               "\n");
  }

  int wait_for(const std::vector<SelectedObject>& deleted) const {
    const TimeLimit limit(*cluster_.client().runtime().executor,
                          options_.timeout == kube::Duration::zero() ? kAWeek : options_.timeout,
                          stop_);
    for (const SelectedObject& each : deleted) {
      const auto gone =
          named_timeout(wait_for_object(
                            cluster_, each,
                            [&](const kube::Unstructured* state) -> Result<bool> {
                              const std::string_view uid = each.object.uid();
                              return state == nullptr || (!uid.empty() && state->uid() != uid);
                            },
                            limit),
                        each);
      if (gone) continue;
      // Who may delete need not be allowed to list or watch.
      if (kube::is_forbidden(gone.error()) || kube::is_method_not_supported(gone.error())) return 0;
      return report_server(gone.error());
    }
    return 0;
  }

  const DeleteCommandOptions& options_;
  const Deletion deletion_;
  Cluster& cluster_;
  const std::stop_token stop_;
  Output& out_;
  bool warned_ = false;
};

void add_how(CLI::App& command, DeleteCommandOptions& options) {
  command.add_flag("--cascade{background}", options.cascade,
                   "What happens to dependents: background, foreground or orphan");
  command.add_option("--grace-period", options.grace_period,
                     "Seconds for the objects to end; negative means their own");
  command.add_flag("--now", options.now, "The same as --grace-period=1");
  command.add_flag("--force", options.force,
                   "Delete at once, without waiting for the objects to end");
  command.add_flag("--wait", options.wait,
                   "Wait until the objects and their finalizers are gone; true by default");
  add_duration(command, "--timeout", options.timeout,
               "How long to wait for the objects to be gone, such as 30s; 0 means a week");
  command.add_flag("-i,--interactive", options.interactive,
                   "Print the objects and ask before deleting them");
  add_dry_run(command, options.dry_run);
}

}  // namespace

int run_delete(const DeleteCommandOptions& options, Output& out) {
  const kube::StopSignal signal;
  auto deletion = deletion_of(options);
  if (!deletion) return report(deletion.error());
  if (deletion->how.grace_period_seconds == std::int64_t{0}) {
    std::fputs(
        "Warning: Immediate deletion does not wait for confirmation that the running resource has "
        "been terminated. The resource may continue to run on the cluster indefinitely.\n",
        stderr);
  }
  if (!options.raw.empty()) return delete_raw(options, out, signal.token());
  if (auto valid = check(options.selection); !valid) return report(valid.error());
  auto cluster =
      Cluster::open(options.connection, chosen_namespace(options.selection), signal.token());
  if (!cluster) return report(cluster.error());
  auto selected = select(*cluster, options.selection, Read::Nothing, signal.token());
  if (!selected) return report(selected.error());
  return Delete(options, *std::move(deletion), *cluster, signal.token(), out)
      .run(*std::move(selected));
}

Runner add_delete(CLI::App& command) {
  const auto options = std::make_shared<DeleteCommandOptions>();
  DeleteCommandOptions& delete_ = *options;
  add_targets(command, delete_.selection.words, "Resource and names, or RESOURCE/NAME...");
  add_selection_flags(command, delete_.selection);
  command.add_option("--raw", delete_.raw, "Path of the server to delete");
  command.add_flag_function(
      "--ignore-not-found",
      [&delete_](std::int64_t count) { delete_.ignore_not_found = count > 0; },
      "Treat objects that do not exist as deleted; true by default with --all and selectors");
  add_how(command, delete_);
  command
      .add_option_function<std::string>(
          "-o,--output",
          [&delete_](const std::string& word) { delete_.names_only = word == "name"; },
          "Output format: name; defaults to a line of text per object")
      ->check(or_empty(CLI::IsMember({"name"})));
  add_connection(command, delete_.connection);
  return [options](Output& out) { return run_delete(*options, out); };
}

}  // namespace kubecpp
