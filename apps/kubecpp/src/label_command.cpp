// SPDX-License-Identifier: Apache-2.0
#include "label_command.hpp"

#include <memory>
#include <utility>

#include <kube/base/stop_signal.hpp>
#include <kube/names/go_text.hpp>
#include <kube/patch/patch.hpp>

#include "error_output.hpp"
#include "flags.hpp"
#include "output_format.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::Unstructured;

Error wrong_label(const std::string& text) {
  return {ErrorCode::InvalidArgument, text};
}

bool is_of_labels(const LabelCommandOptions& options) {
  return options.field == MetadataField::Labels;
}

// What kubectl calls a file in its errors.
std::string file_word(const LabelCommandOptions& options) {
  return is_of_labels(options) ? "pod" : "rsrc";
}

Result<void> check_label_flags(const LabelCommandOptions& options) {
  const Selection& by = options.selection;
  if (options.list && options.output != ResultOutput::Words)
    return wrong_label("--list and --output may not be specified together");
  if (by.all_unless_named && !by.label_selector.empty())
    return wrong_label("cannot set --all and --selector at the same time");
  if (by.all_unless_named && !by.field_selector.empty())
    return wrong_label("cannot set --all and --field-selector at the same time");
  return {};
}

Result<void> check_targets(const LabelCommandOptions& options, DryRun dry_run) {
  const Selection& by = options.selection;
  if (!options.local) {
    if (!by.words.empty() || !by.files.empty()) return {};
    return wrong_label(
        "one or more resources must be specified as <resource> <name> or <resource>/<name>");
  }
  const std::string file = file_word(options);
  const std::string how = "-f " + file + ".yaml or --filename=" + file + ".json";
  if (dry_run == DryRun::Server) {
    return wrong_label(
        "cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
  }
  if (!by.words.empty())
    return wrong_label("can only use local files by " + how + " when --local=true is set");
  if (by.files.empty()) return wrong_label("one or more files must be specified as " + how);
  return {};
}

Result<void> check_changes(const MetadataChanges& changes, const LabelCommandOptions& options) {
  if (changes.values.empty() && changes.removed.empty() && !options.list) {
    return wrong_label(std::string("at least one ") +
                       (is_of_labels(options) ? "label" : "annotation") + " update is required");
  }
  return check_removed(changes);
}

const char* label_word(const ChangedMetadata& changed) {
  if (changed.added) return changed.removed ? "modified" : "labeled";
  return changed.removed ? "unlabeled" : "not labeled";
}

// One run of the commands.
class Labelling {
 public:
  /// `cluster` is null for local files.
  Labelling(const LabelCommandOptions& options, const MetadataChanges& changes, DryRun dry_run,
            const Cluster* cluster, std::stop_token stop, Output& out)
      : options_(options),
        changes_(changes),
        dry_run_(dry_run),
        cluster_(cluster),
        stop_(std::move(stop)),
        out_(out),
        printer_(out, options.output, dry_run_suffix(dry_run), options.managed_fields) {}

  int run(Selected selected) {
    single_ = selected.single;
    if (!single_ && !options_.resource_version.empty())
      return report(wrong_label("--resource-version may only be used with a single resource"));
    std::vector<Error> errors = std::move(selected.errors);
    for (SelectedObject& each : selected.objects) {
      if (auto done = change_one(each); !done) errors.push_back(done.error());
      if (stop_.stop_requested()) break;
    }
    return out_.exit_status(report_server(errors));
  }

 private:
  bool is_sent() const { return dry_run_ != DryRun::Client && !options_.local && !options_.list; }

  Result<void> change_one(SelectedObject& selected) {
    if (cluster_ != nullptr) {
      if (auto read = read_selected(*cluster_, selected, stop_); !read) return read;
    }
    Unstructured& object = selected.object;
    // So that the patch has the version.
    if (!options_.resource_version.empty()) object.set_resource_version("");
    const Unstructured before = object;
    if (is_sent() && is_of_labels(options_)) print_missing(before);
    const auto changed = change_metadata(object, changes_, options_.overwrite);
    if (!changed) return changed.error();
    if (!options_.resource_version.empty()) object.set_resource_version(options_.resource_version);
    if (options_.list) {
      print_list(selected);
      return {};
    }
    const bool is_needed = !is_of_labels(options_) || changed->added || changed->removed;
    if (is_sent() && is_needed) {
      auto after =
          cluster_->api(selected.resource, selected.namespace_)
              .patch(selected.name,
                     kube::Patch::merge(
                         kube::meta::create_merge_patch(before.content, object.content)),
                     {.dry_run = dry_run_of(dry_run_), .field_manager = options_.field_manager},
                     stop_);
      if (!after) return after.error();
      // kubectl label prints the object as it has changed it, kubectl annotate what the server has.
      if (!is_of_labels(options_)) object = *std::move(after);
    }
    printer_.print(selected.resource, object,
                   is_of_labels(options_) ? label_word(*changed) : "annotated");
    return {};
  }

  void print_missing(const Unstructured& object) {
    const auto labels = object.labels();
    for (const std::string& key : changes_.removed) {
      if (!labels.contains(key)) out_.write("label " + kube::go::quote(key) + " not found.\n");
    }
  }

  void print_list(const SelectedObject& selected) {
    std::string text;
    if (!single_) {
      text = std::string("Listing ") + (is_of_labels(options_) ? "labels" : "annotations") +
             " for " + printable(selected.resource.kind) + "." +
             printable(selected.resource.group) + "/" + printable(selected.name) + ":\n";
    }
    for (const auto& [key, value] : metadata_of(selected.object, options_.field)) {
      const std::string line = key + "=" + value;
      text += (single_ ? "" : " ") + (out_.is_terminal() ? terminal_text(line) : line) + "\n";
    }
    out_.write(text);
  }

  const LabelCommandOptions& options_;
  const MetadataChanges& changes_;
  const DryRun dry_run_;
  const Cluster* const cluster_;
  const std::stop_token stop_;
  Output& out_;
  ResultPrinter printer_;
  bool single_ = false;
};

Runner add_metadata_command(CLI::App& command, MetadataField field) {
  const auto options = std::make_shared<LabelCommandOptions>();
  LabelCommandOptions& label = *options;
  label.field = field;
  label.field_manager = is_of_labels(label) ? "kubectl-label" : "kubectl-annotate";
  const std::string what = is_of_labels(label) ? "labels" : "annotations";
  // As in kubectl, whose annotate reads folders of folders.
  label.selection.recursive = !is_of_labels(label);
  add_targets(command, label.words,
              "Resource and names, or RESOURCE/NAME..., then KEY=VALUE to set and KEY- to remove");
  add_selection(command, label.selection);
  add_files(command, label.selection.files);
  add_recursive(command, label.selection.recursive);
  command.add_flag("--all", label.selection.all_unless_named,
                   "Select all objects of the resources");
  command.add_flag("--overwrite", label.overwrite, "Let " + what + " get other values");
  command.add_flag("--list", label.list, "Print the " + what + " of the objects");
  command.add_flag("--local", label.local, "Change what the files contain, without a server");
  command.add_option("--resource-version", label.resource_version,
                     "Change the object only when it has this version; for a single object");
  add_dry_run(command, label.dry_run);
  add_field_manager(command, label.field_manager);
  add_result_output(command, label.output);
  add_managed_fields(command, label.managed_fields);
  add_connection(command, label.connection);
  return [options](Output& out) { return run_label(*options, out); };
}

}  // namespace

int run_label(LabelCommandOptions options, Output& out) {
  const kube::StopSignal signal;
  const auto dry_run = parse_dry_run(options.dry_run);
  if (!dry_run) return report(dry_run.error());
  auto words = parse_metadata_words(options.words, options.field);
  if (!words) return report(words.error());
  options.selection.words = std::move(words->targets);
  for (const Result<void>& checked : {check_label_flags(options), check_targets(options, *dry_run),
                                      check_changes(words->changes, options)}) {
    if (!checked) return report(checked.error());
  }
  if (options.local) {
    auto selected = select_local(options.selection, signal.token());
    if (!selected) return report(selected.error());
    return Labelling(options, words->changes, *dry_run, nullptr, signal.token(), out)
        .run(*std::move(selected));
  }
  if (auto valid = check(options.selection); !valid) return report(valid.error());
  auto cluster =
      Cluster::open(options.connection, chosen_namespace(options.selection), signal.token());
  if (!cluster) return report(cluster.error());
  // What is named is read when its turn comes.
  const Read read = options.selection.files.empty() ? Read::Nothing : Read::All;
  auto selected = select(*cluster, options.selection, read, signal.token());
  if (!selected) return report(selected.error());
  return Labelling(options, words->changes, *dry_run, &*cluster, signal.token(), out)
      .run(*std::move(selected));
}

Runner add_label(CLI::App& command) {
  return add_metadata_command(command, MetadataField::Labels);
}

Runner add_annotate(CLI::App& command) {
  return add_metadata_command(command, MetadataField::Annotations);
}

}  // namespace kubecpp
