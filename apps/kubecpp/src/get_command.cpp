// SPDX-License-Identifier: Apache-2.0
#include "get_command.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <kube/base/stop_signal.hpp>
#include <kube/names/fields.hpp>
#include <kube/names/labels.hpp>

#include "error_output.hpp"
#include "get_query.hpp"
#include "result_printer.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::Unstructured;
using kube::meta::ResourceInfo;
namespace json = kube::json;

constexpr std::int64_t kPage = 500;

Result<void> check(const GetCommandOptions& options, const std::vector<Target>& targets) {
  if (auto labels = kube::labels::parse(options.label_selector); !labels) {
    return labels.error().with_context("--selector");
  }
  if (auto fields = kube::fields::parse(options.field_selector); !fields) {
    return fields.error().with_context("--field-selector");
  }
  const auto has_name = [](const Target& target) { return !target.name.empty(); };
  if (std::ranges::none_of(targets, has_name)) return {};
  if (!options.label_selector.empty() || !options.field_selector.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "name cannot be provided when a selector is specified");
  }
  if (options.all_namespaces) {
    return Error(ErrorCode::InvalidArgument,
                 "a resource cannot be retrieved by name across all namespaces");
  }
  return {};
}

// One run of the command.
class Get {
 public:
  Get(const GetCommandOptions& options, const Cluster& cluster, std::vector<ResolvedTarget> targets,
      std::stop_token stop)
      : options_(options),
        cluster_(cluster),
        targets_(std::move(targets)),
        stop_(std::move(stop)) {}

  int run(Output& out) {
    out.write(options_.output == GetOutput::Table || options_.output == GetOutput::Wide
                  ? tables()
                  : objects());
    int status = 0;
    for (const Error& error : errors_) status = report_server(error);
    return out.exit_status(status);
  }

 private:
  struct Group {
    ResourceInfo resource;
    TablePrinter table;
    bool answered = false;
  };

  GetQuery query(const ResolvedTarget& target) const {
    kube::ListOptions list;
    list.label_selector = options_.label_selector;
    list.field_selector = options_.field_selector;
    list.limit = kPage;
    return {cluster_, target, options_.all_namespaces ? "" : cluster_.namespace_of(target.resource),
            list, stop_};
  }

  // Returns true when the command should stop.
  bool failed(const Error& error) {
    errors_.push_back(error);
    return stop_.stop_requested();
  }

  // Returns a table for each resource whose objects are adjacent.
  std::string tables() {
    std::vector<Group> groups;
    bool with_namespace = false;  // from the first namespaced resource on, as in kubectl
    for (const ResolvedTarget& target : targets_) {
      with_namespace |= options_.all_namespaces && target.resource.namespaced;
      if (groups.empty() || groups.back().resource != target.resource) {
        groups.push_back({target.resource, TablePrinter({.wide = options_.output == GetOutput::Wide,
                                                         .with_namespace = with_namespace,
                                                         .headers = !options_.no_headers})});
      }
      if (auto added = query(target).add_rows(groups.back().table); added) {
        groups.back().answered = true;
      } else if (failed(added.error())) {
        return {};
      }
    }
    // Names get their kind as a prefix where it would be ambiguous.
    std::erase_if(groups, [](const Group& group) { return !group.answered; });
    const bool several = std::ranges::any_of(
        groups, [&](const Group& group) { return group.resource != groups.front().resource; });
    std::string text;
    for (const Group& group : groups) {
      if (group.table.empty()) continue;
      if (!text.empty() && !options_.no_headers) text += '\n';
      text += group.table.text(several ? object_word(group.resource, "") : "");
    }
    if (text.empty() && errors_.empty()) say_nothing_found();
    return text;
  }

  void say_nothing_found() const {
    const bool in_namespace =
        !options_.all_namespaces && std::ranges::all_of(targets_, [](const ResolvedTarget& target) {
          return target.resource.namespaced;
        });
    const std::string where =
        in_namespace
            ? " in " + printable(cluster_.namespace_of(targets_.front().resource)) + " namespace."
            : "";
    std::fprintf(stderr, "No resources found%s\n", where.c_str());
  }

  std::string objects() {
    json::Array items;
    std::string names;
    for (const ResolvedTarget& target : targets_) {
      auto found = query(target).objects();
      if (!found) {
        if (failed(found.error())) return {};
        continue;
      }
      for (Unstructured& object : *found) {
        names += object_word(target.resource, object.name()) + "\n";
        items.push_back(shown(std::move(object), target.resource));
      }
    }
    if (options_.output == GetOutput::Name) return names;
    if (targets_.size() == 1 && !errors_.empty()) return {};
    const bool single = targets_.size() == 1 && !targets_.front().name.empty();
    const json::Value value =
        single ? items.front()
               : json::Object{{"apiVersion", "v1"},
                              {"items", std::move(items)},
                              {"kind", "List"},
                              {"metadata", json::Object{{"resourceVersion", ""}}}};
    return object_text(
        value, options_.output == GetOutput::Yaml ? ResultOutput::Yaml : ResultOutput::Json);
  }

  const GetCommandOptions& options_;
  const Cluster& cluster_;
  const std::vector<ResolvedTarget> targets_;
  const std::stop_token stop_;
  std::vector<Error> errors_;
};

}  // namespace

int run_get(const GetCommandOptions& options, Output& out) {
  const kube::StopSignal signal;
  const auto targets = parse_targets(options.targets);
  if (!targets) return report(targets.error());
  if (auto valid = check(options, *targets); !valid) return report(valid.error());
  const auto cluster = Cluster::open(options.connection, options.namespace_, signal.token());
  if (!cluster) return report(cluster.error());
  auto resolved = resolve(*cluster, *targets);
  if (!resolved) return report(resolved.error());
  return Get(options, *cluster, *std::move(resolved), signal.token()).run(out);
}

}  // namespace kubecpp
