// SPDX-License-Identifier: Apache-2.0
#include "api_resources_command.hpp"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include <kube/base/join.hpp>
#include <kube/base/stop_signal.hpp>

#include "error_output.hpp"
#include "flags.hpp"
#include "server_resources.hpp"
#include "table_printer.hpp"
#include "warning_printer.hpp"

namespace kubecpp {
namespace {

using kube::ApiResource;
namespace json = kube::json;

struct Line {
  kube::meta::GroupVersion version;
  ApiResource resource;
};

bool has_all(const std::vector<std::string>& of, const std::vector<std::string>& wanted) {
  return std::ranges::all_of(
      wanted, [&](const std::string& each) { return std::ranges::find(of, each) != of.end(); });
}

bool is_shown(const Line& line, const ApiResourcesOptions& options) {
  const ApiResource& resource = line.resource;
  if (resource.verbs.empty()) return false;
  if (options.by_group && line.version.group != options.api_group) return false;
  if (!options.namespaced.empty() && resource.namespaced != (options.namespaced == "true")) {
    return false;
  }
  return has_all(resource.verbs, options.verbs) && has_all(resource.categories, options.categories);
}

const std::string& sort_key(const Line& line, const ApiResourcesOptions& options) {
  if (options.sort_by == "name") return line.resource.name;
  return options.sort_by == "kind" ? line.resource.kind.kind : line.version.group;
}

std::vector<Line> shown_lines(const std::vector<kube::ApiResourceList>& lists,
                              const ApiResourcesOptions& options) {
  std::vector<Line> lines;
  for (const kube::ApiResourceList& list : lists) {
    for (const ApiResource& resource : list.resources) {
      Line line{list.group_version, resource};
      if (is_shown(line, options)) lines.push_back(std::move(line));
    }
  }
  std::ranges::stable_sort(lines, [&](const Line& a, const Line& b) {
    return std::tie(sort_key(a, options), a.resource.name) <
           std::tie(sort_key(b, options), b.resource.name);
  });
  return lines;
}

json::Value table_of(const std::vector<Line>& lines) {
  json::Array columns;
  for (const char* name : {"NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"}) {
    columns.push_back(json::Object{{"name", name}, {"priority", 0}});
  }
  for (const char* name : {"VERBS", "CATEGORIES"}) {
    columns.push_back(json::Object{{"name", name}, {"priority", 1}});
  }
  json::Array rows;
  for (const auto& [version, resource] : lines) {
    rows.push_back(
        json::Object{{"cells", json::Array{resource.name, kube::join(resource.short_names, ","),
                                           version.to_string(), resource.namespaced,
                                           resource.kind.kind, kube::join(resource.verbs, ","),
                                           kube::join(resource.categories, ",")}}});
  }
  return json::Object{{"columnDefinitions", std::move(columns)}, {"rows", std::move(rows)}};
}

ApiResourcesOutput output_of(const std::string& word) {
  return word == "wide" ? ApiResourcesOutput::Wide : ApiResourcesOutput::Name;
}

bool lists(const std::vector<kube::ApiGroup>& groups, const kube::meta::GroupVersion& version) {
  return std::ranges::any_of(groups, [&](const kube::ApiGroup& group) {
    return group.name == version.group &&
           std::ranges::find(group.versions, version.version) != group.versions.end();
  });
}

// Warns of the group versions that the server does not list because their own servers are down, and
// removes them: they are not an error, as for kubectl, which does not name them.
void warn_of_stale(kube::ServerResources& found) {
  kube::ServerResources stale;
  std::erase_if(found.failed, [&](const auto& failed) {
    return !lists(found.groups, failed.first) && stale.failed.insert(failed).second;
  });
  if (const auto failure = stale.failure()) {
    WarningPrinter().handle_warning_header(kMiscellaneousWarning, "", failure->message());
  }
}

}  // namespace

std::string api_resources_text(const std::vector<kube::ApiResourceList>& lists,
                               const ApiResourcesOptions& options) {
  const std::vector<Line> lines = shown_lines(lists, options);
  if (options.output == ApiResourcesOutput::Name) {
    std::string text;
    for (const auto& [version, resource] : lines) {
      text += printable(kube::meta::GroupResource{version.group, resource.name}.to_string()) + "\n";
    }
    return text;
  }
  TablePrinter table(
      {.wide = options.output == ApiResourcesOutput::Wide, .headers = !options.no_headers});
  table.add(table_of(lines));
  return table.take_text();
}

int run_api_resources(const ApiResourcesOptions& options, Output& out) {
  const kube::StopSignal signal;
  const auto connection = connect(options.connection, signal.token());
  if (!connection) return report(connection.error());
  const auto discovery = discovery_of(*connection, options.connection);
  if (!discovery) return report(discovery.error());
  if (!options.cached) (*discovery)->invalidate();
  auto found = kube::server_preferred_resources(**discovery, signal.token());
  if (!found) return report(found.error());
  warn_of_stale(*found);
  out.write(api_resources_text(found->resources, options));
  const auto failure = found->failure();
  return out.exit_status(failure ? report(*failure) : 0);
}

int run_api_versions(const ConnectionOptions& options, Output& out) {
  const kube::StopSignal signal;
  const auto connection = connect(options, signal.token());
  if (!connection) return report(connection.error());
  const auto discovery = discovery_of(*connection, options);
  if (!discovery) return report(discovery.error());
  (*discovery)->invalidate();
  auto all = (*discovery)->groups_and_maybe_resources(signal.token());
  if (!all) {
    return report(all.error().with_context("couldn't get available api versions from server"));
  }
  warn_of_stale(all->found);
  std::vector<std::string> versions;
  for (const kube::ApiGroup& group : all->found.groups) {
    for (const std::string& version : group.versions) {
      versions.push_back(kube::meta::GroupVersion{group.name, version}.to_string());
    }
  }
  std::ranges::sort(versions);
  std::string text;
  for (const std::string& version : versions) text += printable(version) + "\n";
  out.write(text);
  return out.exit_status(0);
}

Runner add_api_resources(CLI::App& command) {
  const auto options = std::make_shared<ApiResourcesOptions>();
  ApiResourcesOptions& flags = *options;
  command.add_option("--api-group", flags.api_group, "Only resources of this group")
      ->each([&flags](const std::string&) { flags.by_group = true; });
  command
      .add_flag("--namespaced", flags.namespaced,
                "Only namespaced resources; --namespaced=false: only others")
      ->check(CLI::IsMember({"true", "false"}));
  command.add_option("--verbs", flags.verbs, "Only resources that support all of these verbs")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--categories", flags.categories, "Only resources in all of these categories")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--sort-by", flags.sort_by, "Sort by name or kind instead of the group")
      ->check(or_empty(CLI::IsMember({"name", "kind"})));
  command
      .add_option_function<std::string>(
          "-o,--output", [&flags](const std::string& word) { flags.output = output_of(word); },
          "Output format: wide or name")
      ->check(or_empty(CLI::IsMember({"wide", "name"})));
  command.add_flag("--no-headers", flags.no_headers, "Omit the headers of the table");
  command.add_flag("--cached", flags.cached, "Use the discovery cache while it is valid");
  add_unused_namespace(command);
  add_connection(command, flags.connection);
  return [options](Output& out) { return run_api_resources(*options, out); };
}

Runner add_api_versions(CLI::App& command) {
  const auto options = std::make_shared<ConnectionOptions>();
  add_unused_namespace(command);
  add_connection(command, *options);
  return [options](Output& out) { return run_api_versions(*options, out); };
}

}  // namespace kubecpp
