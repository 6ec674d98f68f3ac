// SPDX-License-Identifier: Apache-2.0
#include "selection.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <kube/meta/errors.hpp>
#include <kube/names/go_text.hpp>

#include "flags.hpp"
#include "remote_file.hpp"
#include "targets.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::Unstructured;

constexpr std::int64_t kPageOfSelection = 500;

Error wrong_selection(const char* text) {
  return {ErrorCode::InvalidArgument, text};
}

bool names_some(const std::vector<Target>& targets) {
  return std::ranges::any_of(targets, [](const Target& each) { return !each.name.empty(); });
}

Result<void> check_selection(const Selection& by, const std::vector<Target>& targets) {
  if (!by.files.empty()) {
    if (targets.empty()) return {};
    if (by.words.front().find('/') != std::string::npos) {
      return wrong_selection("resource/name arguments cannot be provided when a path is specified");
    }
    return wrong_selection(
        "when paths, URLs, or stdin is provided as input, you may not specify resource arguments "
        "as well");
  }
  if (by.all && by.has_selector())
    return wrong_selection("setting 'all' parameter but found a non empty selector. ");
  const bool in_pairs = !by.words.empty() && by.words.front().find('/') != std::string::npos;
  if (by.all || by.has_selector()) {
    if (in_pairs) {
      return wrong_selection(
          "selectors and the all flag cannot be used when passing resource/name arguments");
    }
    if (names_some(targets))
      return wrong_selection("name cannot be provided when a selector is specified");
    if (targets.empty())
      return wrong_selection("at least one resource must be specified to use a selector");
    return {};
  }
  if (targets.empty()) {
    // A Config error, because it has several lines.
    return Error(ErrorCode::Config,
                 "You must provide one or more resources by argument or filename.\n"
                 "Example resource specifications include:\n"
                 "   '-f rsrc.yaml'\n"
                 "   '--filename=rsrc.json'\n"
                 "   '<resource> <name>'\n"
                 "   '<resource>'");
  }
  if (!names_some(targets)) {
    if (by.all_unless_named) return {};
    return wrong_selection("resource(s) were provided, but no name was specified");
  }
  if (by.all_namespaces)
    return wrong_selection("a resource cannot be retrieved by name across all namespaces");
  return {};
}

class Selector {
 public:
  Selector(Cluster& cluster, const Selection& by, Read read, const std::stop_token& stop)
      : cluster_(cluster), by_(by), read_(read), stop_(stop) {}

  Result<Selected> from_files() {
    const auto labels = selector_of(by_.label_selector);
    if (!labels) return labels.error();
    auto manifests = read_manifests(by_.files, stop_, by_.recursive);
    if (!manifests) return manifests.error();
    found_.single = is_single_file(by_.files);
    for (Manifest& manifest : *manifests) {
      if (read_ != Read::All && !labels->matches(manifest.object.labels())) continue;
      add_manifest(std::move(manifest));
    }
    if (read_ == Read::All) {
      std::erase_if(found_.objects, [&](const SelectedObject& each) {
        return !labels->matches(each.object.labels());
      });
    }
    return std::move(found_);
  }

  Result<Selected> from_targets(const std::vector<Target>& targets) {
    const auto resolved = resolve(cluster_, targets);
    if (!resolved) return resolved.error();
    found_.single = resolved->size() == 1 && !resolved->front().name.empty();
    for (const ResolvedTarget& target : *resolved) {
      if (target.name.empty()) {
        list(target.resource);
      } else {
        add({.resource = target.resource,
             .namespace_ = cluster_.namespace_of(target.resource),
             .name = target.name},
            read_ != Read::Nothing);
      }
      if (stop_.stop_requested()) break;
    }
    return std::move(found_);
  }

 private:
  void add_manifest(Manifest manifest) {
    auto resolved = resolve_manifest(cluster_, std::move(manifest));
    if (!resolved) return found_.errors.push_back(resolved.error());
    add(*std::move(resolved), read_ == Read::All);
  }

  void add(SelectedObject selected, bool read) {
    if (read) {
      if (auto done = read_selected(cluster_, selected, stop_); !done)
        return found_.errors.push_back(done.error());
    }
    found_.objects.push_back(std::move(selected));
  }

  void list(const kube::meta::ResourceInfo& resource) {
    kube::ListOptions options;
    options.label_selector = by_.label_selector;
    options.field_selector = by_.field_selector;
    options.limit = kPageOfSelection;
    const std::string namespace_ = by_.all_namespaces ? "" : cluster_.namespace_of(resource);
    auto list = cluster_.api(resource, namespace_).list_all(options, stop_);
    if (!list) return found_.errors.push_back(error_of_list(list.error(), resource));
    for (Unstructured& item : list->items) {
      if (item.kind().empty()) item.set_gvk(resource.gvk());
      std::string name(item.name());
      std::string own_namespace(item.namespace_());
      found_.objects.push_back({.resource = resource,
                                .namespace_ = std::move(own_namespace),
                                .name = std::move(name),
                                .object = std::move(item),
                                .is_read = true});
    }
  }

  // Says what was asked for when the server does not understand it.
  Error error_of_list(const Error& error, const kube::meta::ResourceInfo& resource) const {
    if (!kube::is_bad_request(error) && !kube::is_not_found(error)) return error;
    const auto quote = [](const std::string& text) { return kube::go::quote(text); };
    const std::string what = quote(resource.gvr().to_string());
    const std::string doing = by_.has_selector()
                                  ? "Unable to find " + what + " that match label selector " +
                                        quote(by_.label_selector) + ", field selector " +
                                        quote(by_.field_selector)
                                  : "Unable to list " + what;
    return Error(ErrorCode::Server, doing + ": " + error.message())
        .with_reason(error.reason())
        .with_http_status(error.http_status());
  }

  Cluster& cluster_;
  const Selection& by_;
  const Read read_;
  const std::stop_token& stop_;
  Selected found_;
};

}  // namespace

Result<SelectedObject> resolve_manifest(const Cluster& cluster, Manifest manifest) {
  Unstructured& object = manifest.object;
  auto resource = cluster.resource_of(object.gvk());
  if (!resource && resource.error().code() == ErrorCode::Config) {
    return Error(ErrorCode::Config, "resource mapping not found for name: \"" +
                                        std::string(object.name()) + "\" namespace: \"" +
                                        std::string(object.namespace_()) + "\" from \"" +
                                        manifest.file + "\": " + resource.error().message() +
                                        "\nensure CRDs are installed first");
  }
  if (!resource) return resource.error();
  auto namespace_ = cluster.namespace_of(*resource, object.namespace_());
  if (!namespace_) return namespace_.error();
  object.set_namespace(*namespace_);
  std::string name(object.name());
  return SelectedObject{.resource = *std::move(resource),
                        .namespace_ = *std::move(namespace_),
                        .name = std::move(name),
                        .file = std::move(manifest.file),
                        .object = std::move(object)};
}

void add_selection_flags(CLI::App& command, Selection& selection) {
  add_selection(command, selection);
  add_files(command, selection.files);
  add_recursive(command, selection.recursive);
  command.add_flag("--all", selection.all, "Select all objects of the resources");
}

void add_basic_selection_flags(CLI::App& command, Selection& selection) {
  add_namespace(command, selection.namespace_);
  command.add_option("-l,--selector", selection.label_selector,
                     "Label selector, such as app=web,tier!=db");
  add_files(command, selection.files);
  add_recursive(command, selection.recursive);
}

void Selected::ignore_not_found() {
  std::erase_if(errors, [](const Error& error) { return kube::is_not_found(error); });
}

int Selected::report_errors(int status) const {
  for (const Error& error : errors) status = report_server(error);
  return status;
}

Result<void> check(const Selection& selection) {
  const auto targets = parse_targets(selection.words);
  if (!targets) return targets.error();
  return check_selection(selection, *targets);
}

Result<Selected> select(Cluster& cluster, const Selection& selection, Read read,
                        const std::stop_token& stop) {
  const auto targets = parse_targets(selection.words);
  if (!targets) return targets.error();
  if (auto valid = check_selection(selection, *targets); !valid) return valid.error();
  Selector selector(cluster, selection, read, stop);
  return selection.files.empty() ? selector.from_targets(*targets) : selector.from_files();
}

Result<Selected> select_local(const Selection& selection, const std::stop_token& stop) {
  auto manifests = read_manifests(selection.files, stop, selection.recursive);
  if (!manifests) return manifests.error();
  Selected selected;
  selected.single = is_single_file(selection.files);
  for (Manifest& manifest : *manifests) {
    Unstructured& object = manifest.object;
    const auto gvk = object.gvk();
    std::string name(object.name());
    selected.objects.push_back(
        {.resource = {.group = gvk.group, .version = gvk.version, .kind = gvk.kind},
         .name = std::move(name),
         .file = std::move(manifest.file),
         .object = std::move(object)});
  }
  return selected;
}

bool is_single_file(const std::vector<std::string>& files) {
  std::error_code unknown;
  return files.size() == 1 && files.front() != "-" && !is_url(files.front()) &&
         !std::filesystem::is_directory(files.front(), unknown);
}

Result<void> read_selected(const Cluster& cluster, SelectedObject& selected,
                           const std::stop_token& stop) {
  if (selected.is_read) return {};
  auto object = cluster.api(selected.resource, selected.namespace_).get(selected.name, {}, stop);
  if (!object) return object.error();
  selected.object = *std::move(object);
  selected.is_read = true;
  if (selected.object.kind().empty()) selected.object.set_gvk(selected.resource.gvk());
  return {};
}

}  // namespace kubecpp
