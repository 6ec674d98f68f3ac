// SPDX-License-Identifier: Apache-2.0
#include "patch_command.hpp"

#include <memory>
#include <utility>
#include <vector>

#include <kube/api/types.hpp>
#include <kube/base/ascii.hpp>
#include <kube/base/file.hpp>
#include <kube/base/stop_signal.hpp>
#include <kube/codec/object_check.hpp>
#include <kube/json/yaml.hpp>
#include <kube/names/go_text.hpp>
#include <kube/patch/patch.hpp>

#include "flags.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Patch;
using kube::Result;
using kube::Unstructured;
namespace json = kube::json;

Error wrong_patch(const std::string& text) {
  return {ErrorCode::InvalidArgument, text};
}

Result<void> check_patch_flags(const PatchCommandOptions& options, DryRun dry_run) {
  if (!options.patch.empty() && !options.patch_file.empty())
    return wrong_patch("cannot specify --patch and --patch-file together");
  if (options.patch.empty() && options.patch_file.empty())
    return wrong_patch("must specify --patch or --patch-file containing the contents of the patch");
  if (options.local && !options.selection.words.empty())
    return wrong_patch("cannot specify --local and server resources");
  if (options.local && dry_run == DryRun::Server) {
    return wrong_patch(
        "cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
  }
  const std::string type = kube::ascii::to_lower(options.type);
  if (type == "json" || type == "merge" || type == "strategic") return {};
  return wrong_patch("--type must be one of [json merge strategic], not " +
                     kube::go::quote(options.type));
}

Result<Patch> patch_of(const PatchCommandOptions& options, const std::stop_token& stop) {
  std::string text = options.patch;
  if (!options.patch_file.empty()) {
    auto read = kube::read_file(options.patch_file, kube::kMaxFileBytes, stop);
    if (!read) return read.error().with_context("unable to read patch file");
    text = *std::move(read);
  }
  const std::string type = kube::ascii::to_lower(options.type);
  const bool operations = type == "json";
  const auto wrong = [&](const std::string& why) {
    return wrong_patch(std::string("unable to parse ") +
                       (options.patch_file.empty() ? "--patch" : "--patch-file") + ": " + why);
  };
  auto document = kube::yaml::parse(text);
  if (!document) return wrong(document.error().to_string());
  if (operations ? !document->is_array() : !document->is_object()) {
    return wrong(std::string("expected ") + (operations ? "an array of operations" : "an object") +
                 ", found " + kube::meta::described(*document));
  }
  return operations        ? Patch::json(*std::move(document))
         : type == "merge" ? Patch::merge(*std::move(document))
                           : Patch::strategic_merge(*std::move(document));
}

// What the server would make of the object, without its defaults and checks.
Result<Unstructured> patched_locally(const Patch& patch, const Unstructured& object) {
  if (patch.type() == Patch::Type::Merge)
    return Unstructured(kube::meta::apply_merge_patch(object.content, patch.document()));
  Result<json::Value> content = json::Value();
  if (patch.type() == Patch::Type::Json) {
    content = kube::meta::apply_json_patch(object.content, patch.document(),
                                           kube::meta::JsonPatchRules::ApiServer);
  } else if (const auto* type = kube::api::find_type(object.gvk()); type != nullptr) {
    content = kube::meta::apply_strategic_merge_patch(object.content, patch.document(), *type);
  } else {
    const auto gvk = object.gvk();
    return wrong_patch("strategic merge patch is not supported for " + gvk.group + "/" +
                       gvk.version + ", Kind=" + gvk.kind + " locally, try --type merge");
  }
  if (!content) return content.error();
  return Unstructured(*std::move(content));
}

// One run of the command.
class Patching {
 public:
  /// `cluster` is null for local files.
  Patching(const PatchCommandOptions& options, Patch patch, DryRun dry_run, const Cluster* cluster,
           std::stop_token stop, Output& out)
      : options_(options),
        patch_(std::move(patch)),
        dry_run_(dry_run),
        cluster_(cluster),
        stop_(std::move(stop)),
        out_(out),
        printer_(out, options.output) {}

  int run(Selected selected) {
    std::vector<Error> errors = std::move(selected.errors);
    if (selected.objects.empty() && errors.empty())
      return report(Error(ErrorCode::Config, "no objects passed to patch"));
    for (SelectedObject& each : selected.objects) {
      if (auto done = patch_one(each); !done) errors.push_back(done.error());
      if (stop_.stop_requested()) break;
    }
    if (!objects_.empty()) out_.write(objects_text(std::move(objects_), options_.output));
    return out_.exit_status(report_server(errors));
  }

 private:
  Result<void> patch_one(SelectedObject& selected) {
    if (auto read = read_before(selected); !read) return read;
    auto after = patched(selected);
    if (!after) return after.error();
    if (after->kind().empty()) after->set_gvk(selected.object.gvk());
    const bool same = after->content == selected.object.content;
    if (is_whole(options_.output)) {
      objects_.push_back(shown(*std::move(after), selected.resource, options_.managed_fields));
    } else {
      // As with kubectl, the words do not say that nothing was stored.
      printer_.print(resource_of(*after, selected), *after,
                     same ? "patched (no change)" : "patched");
    }
    return {};
  }

  // A subresource may have a kind of its own, such as Scale.
  static kube::meta::ResourceInfo resource_of(const Unstructured& object,
                                              const SelectedObject& selected) {
    kube::meta::ResourceInfo resource = selected.resource;
    resource.group = object.gvk().group;
    resource.kind = object.gvk().kind;
    return resource;
  }

  // What files have is not read: it is what the result is compared with, as with kubectl.
  Result<void> read_before(SelectedObject& selected) const {
    if (cluster_ == nullptr || !selected.file.empty()) return {};
    if (options_.subresource.empty()) return read_selected(*cluster_, selected, stop_);
    auto object = cluster_->api(selected.resource, selected.namespace_)
                      .get_subresource(selected.name, options_.subresource, {}, stop_);
    if (!object) return object.error();
    selected.object = *std::move(object);
    return {};
  }

  Result<Unstructured> patched(const SelectedObject& selected) const {
    if (cluster_ == nullptr || dry_run_ == DryRun::Client)
      return patched_locally(patch_, selected.object);
    return cluster_->api(selected.resource, selected.namespace_)
        .patch_subresource(
            selected.name, options_.subresource, patch_,
            {.dry_run = dry_run_of(dry_run_), .field_manager = options_.field_manager}, stop_);
  }

  const PatchCommandOptions& options_;
  const Patch patch_;
  const DryRun dry_run_;
  const Cluster* const cluster_;
  const std::stop_token stop_;
  Output& out_;
  ResultPrinter printer_;
  json::Array objects_;
};

}  // namespace

int run_patch(const PatchCommandOptions& options, Output& out) {
  const kube::StopSignal signal;
  const auto dry_run = parse_dry_run(options.dry_run);
  if (!dry_run) return report(dry_run.error());
  if (auto checked = check_patch_flags(options, *dry_run); !checked) return report(checked.error());
  auto patch = patch_of(options, signal.token());
  if (!patch) return report(patch.error());
  if (auto valid = check(options.selection); !valid) return report(valid.error());
  if (options.local) {
    auto selected = select_local(options.selection, signal.token());
    if (!selected) return report(selected.error());
    return Patching(options, *std::move(patch), *dry_run, nullptr, signal.token(), out)
        .run(*std::move(selected));
  }
  auto cluster = Cluster::open(options.connection, options.selection.namespace_, signal.token());
  if (!cluster) return report(cluster.error());
  // What is named is read when its turn comes.
  auto selected = select(*cluster, options.selection, Read::Nothing, signal.token());
  if (!selected) return report(selected.error());
  return Patching(options, *std::move(patch), *dry_run, &*cluster, signal.token(), out)
      .run(*std::move(selected));
}

Runner add_patch(CLI::App& command) {
  const auto options = std::make_shared<PatchCommandOptions>();
  PatchCommandOptions& patch = *options;
  add_targets(command, patch.selection.words, "Resource and names, or RESOURCE/NAME...");
  add_files(command, patch.selection.files);
  add_recursive(command, patch.selection.recursive);
  command.add_option("--type", patch.type, "Type of the patch: strategic, merge or json")
      ->capture_default_str();
  command.add_option("-p,--patch", patch.patch, "The patch, in JSON or YAML");
  command.add_option("--patch-file", patch.patch_file, "File with the patch, in JSON or YAML")
      ->check(kNotEmpty);
  command
      .add_option("--subresource", patch.subresource,
                  "Subresource of the objects to patch, such as status or scale")
      ->check(kNotEmpty);
  command.add_flag("--local", patch.local, "Change what the files contain, without a server");
  add_dry_run(command, patch.dry_run);
  add_field_manager(command, patch.field_manager);
  add_result_output(command, patch.output);
  add_managed_fields(command, patch.managed_fields);
  add_namespace(command, patch.selection.namespace_);
  add_connection(command, patch.connection);
  return [options](Output& out) { return run_patch(*options, out); };
}

}  // namespace kubecpp
