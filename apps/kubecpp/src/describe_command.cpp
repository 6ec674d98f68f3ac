// SPDX-License-Identifier: Apache-2.0
#include "describe_command.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include <kube/base/stop_signal.hpp>
#include <kube/meta/errors.hpp>
#include <kube/names/labels.hpp>

#include "describer.hpp"
#include "error_output.hpp"
#include "flags.hpp"
#include "output_format.hpp"
#include "targets.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::Unstructured;
using kube::meta::ResourceInfo;

// One run of the command.
class Describe {
 public:
  Describe(const DescribeOptions& options, const Cluster& cluster, std::stop_token stop)
      : options_(options), cluster_(cluster), stop_(std::move(stop)) {}

  int run(const std::vector<ResolvedTarget>& targets, Output& out) {
    for (const ResolvedTarget& target : targets) {
      if (auto added = add(target); !added) errors_.push_back(added.error());
      if (stop_.stop_requested()) return report(errors_.back());
    }
    // The name of a single object may be the beginning of names.
    if (objects_.empty() && errors_.size() == 1 && options_.targets.size() == 2 &&
        kube::is_not_found(errors_.front()))
      return describe_beginnings(targets.front(), out);
    const bool events = options_.show_events.value_or(objects_.size() <= 1 && errors_.empty());
    const Describer describer(cluster_, events, options_.chunk_size, stop_);
    bool is_first = true;
    for (const auto& [resource, object] : objects_) {
      const auto text = describer.describe(resource, object);
      if (!text) {
        errors_.push_back(text.error());
        continue;
      }
      out.write((std::exchange(is_first, false) ? "" : "\n\n") + terminal_text(*text));
    }
    if (objects_.empty() && errors_.empty()) say_that_nothing_was_found();
    return out.exit_status(report_errors());
  }

 private:
  std::string namespace_of(const ResolvedTarget& target) const {
    if (!target.own_namespace.empty()) return target.own_namespace;
    return options_.all_namespaces ? "" : cluster_.namespace_of(target.resource);
  }

  Result<void> add(const ResolvedTarget& target) {
    const auto api = cluster_.api(target.resource, namespace_of(target));
    if (!target.name.empty()) {
      auto object = api.get(target.name, {}, stop_);
      if (!object) return object.error();
      objects_.emplace_back(target.resource, *std::move(object));
      return {};
    }
    kube::ListOptions options;
    options.label_selector = options_.label_selector;
    options.limit = options_.chunk_size;
    auto list = api.list_all(options, stop_);
    if (!list) return list.error();
    for (Unstructured& object : list->items)
      objects_.emplace_back(target.resource, std::move(object));
    return {};
  }

  int describe_beginnings(const ResolvedTarget& target, Output& out) {
    kube::ListOptions options;
    options.limit = options_.chunk_size;
    const auto list = cluster_.api(target.resource, namespace_of(target)).list_all(options, stop_);
    if (!list) return report_server(list.error());
    const Describer describer(cluster_, options_.show_events.value_or(false), options_.chunk_size,
                              stop_);
    bool found = false;
    for (const Unstructured& object : list->items) {
      if (!object.name().starts_with(target.name)) continue;
      const auto text = describer.describe(target.resource, object);
      if (!text) return report_server(text.error());
      found = true;
      out.write(terminal_text(*text) + "\n");
    }
    return out.exit_status(found ? 0 : report_errors());
  }

  void say_that_nothing_was_found() const {
    const ResourceInfo any;
    const std::string where = options_.all_namespaces
                                  ? ""
                                  : " in " + printable(cluster_.namespace_of(any)) + " namespace.";
    std::fprintf(stderr, "No resources found%s\n", where.c_str());
  }

  int report_errors() const {
    int status = 0;
    for (const Error& error : errors_) status = report_server(error);
    return status;
  }

  const DescribeOptions& options_;
  const Cluster& cluster_;
  const std::stop_token stop_;
  std::vector<std::pair<ResourceInfo, Unstructured>> objects_{};
  std::vector<Error> errors_{};
};

Result<void> check_describe(const DescribeOptions& options, const std::vector<Target>& targets) {
  const auto wrong = [](const std::string& text) {
    return Error(ErrorCode::InvalidArgument, text);
  };
  if (auto labels = kube::labels::parse(options.label_selector); !labels)
    return labels.error().with_context("--selector");
  if (options.files.empty() && targets.empty()) return wrong(type_required("describe"));
  if (!options.files.empty() && !targets.empty())
    return wrong(
        "when paths, URLs, or stdin is provided as input, you may not specify resource arguments "
        "as well");
  const bool any_name =
      std::ranges::any_of(targets, [](const Target& each) { return !each.name.empty(); });
  if (any_name && !options.label_selector.empty())
    return wrong("selectors and the all flag cannot be used when passing resource names");
  if (any_name && options.all_namespaces)
    return wrong("a resource cannot be retrieved by name across all namespaces");
  return {};
}

}  // namespace

int run_describe(const DescribeOptions& options, Output& out) {
  const kube::StopSignal signal;
  const auto targets = parse_targets(options.targets);
  if (!targets) return report(targets.error());
  if (auto valid = check_describe(options, *targets); !valid) return report(valid.error());
  const auto cluster = Cluster::open(options.connection, chosen_namespace(options), signal.token());
  if (!cluster) return report(cluster.error());
  const auto resolved = options.files.empty() ? resolve(*cluster, *targets)
                                              : targets_of_files(options.files, options.recursive,
                                                                 *cluster, signal.token());
  if (!resolved) return report(resolved.error());
  return Describe(options, *cluster, signal.token()).run(*resolved, out);
}

Runner add_describe(CLI::App& command) {
  const auto options = std::make_shared<DescribeOptions>();
  DescribeOptions& describe = *options;
  add_targets(command, describe.targets,
              "Resource and names or beginnings of names, or RESOURCE/NAME...");
  add_files(command, describe.files);
  add_recursive(command, describe.recursive);
  add_namespace(command, describe.namespace_);
  command.add_flag("-A,--all-namespaces", describe.all_namespaces, "Use all namespaces");
  command.add_option("-l,--selector", describe.label_selector,
                     "Label selector, such as app=web,tier!=db");
  command.add_flag_function(
      "--show-events", [options](std::int64_t count) { options->show_events = count > 0; },
      "Print the events of each object; defaults to true for a single one");
  command
      .add_option("--chunk-size", describe.chunk_size,
                  "Number of objects in a page of a list; 0 requests all at once")
      ->capture_default_str();
  add_connection(command, describe.connection);
  return [options](Output& out) { return run_describe(*options, out); };
}

}  // namespace kubecpp
