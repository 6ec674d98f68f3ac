// SPDX-License-Identifier: Apache-2.0
#include "get_command.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include <kube/base/join.hpp>
#include <kube/base/stop_signal.hpp>
#include <kube/client/rest_request.hpp>
#include <kube/meta/errors.hpp>
#include <kube/names/fields.hpp>
#include <kube/names/labels.hpp>

#include "error_output.hpp"
#include "flags.hpp"
#include "get_query.hpp"
#include "get_watch.hpp"
#include "result_printer.hpp"
#include "sort_order.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::Unstructured;
using kube::meta::ResourceInfo;
namespace json = kube::json;

Error wrong_use(std::string text) {
  return {ErrorCode::InvalidArgument, std::move(text)};
}

Result<void> check_selectors(const GetCommandOptions& options) {
  if (auto labels = kube::labels::parse(options.label_selector); !labels) {
    return labels.error().with_context("--selector");
  }
  if (auto fields = kube::fields::parse(options.field_selector); !fields) {
    return fields.error().with_context("--field-selector");
  }
  return {};
}

Result<void> check(const GetCommandOptions& options, const std::vector<Target>& targets) {
  if (!options.raw.empty()) {
    if (!targets.empty() || !options.files.empty() || options.watch || options.watch_only)
      return wrong_use("arguments may not be passed when --raw is specified");
    if (!options.raw.starts_with('/'))
      return wrong_use("--raw must be a valid URL path, found \"" + options.raw + "\"");
    return {};
  }
  if (auto valid = check_selectors(options); !valid) return valid;
  if (!options.files.empty() && !targets.empty()) {
    return wrong_use(
        "when paths, URLs, or stdin is provided as input, you may not specify resource arguments "
        "as well");
  }
  if (options.files.empty() && targets.empty()) {
    return usage_error_of("get", "Required resource not specified.\nUse \"" + program_name() +
                                     " explain <resource>\" for a detailed description of that "
                                     "resource (e.g. " +
                                     program_name() + " explain pods).");
  }
  if (options.output_watch_events && !options.watch && !options.watch_only) {
    return wrong_use("--output-watch-events option can only be used with --watch or --watch-only");
  }
  const auto has_name = [](const Target& target) { return !target.name.empty(); };
  if (!options.subresource.empty() && options.files.empty() &&
      !std::ranges::all_of(targets, has_name))
    return wrong_use("subresource cannot be used when bulk resources are specified");
  if (std::ranges::none_of(targets, has_name)) return {};
  if (!options.label_selector.empty() || !options.field_selector.empty())
    return wrong_use("name cannot be provided when a selector is specified");
  if (options.all_namespaces)
    return wrong_use("a resource cannot be retrieved by name across all namespaces");
  return {};
}

// Returns the objects that the files name.
// One run of the command.
class Get {
 public:
  Get(const GetCommandOptions& options, OutputFormat format, const Cluster& cluster,
      std::vector<ResolvedTarget> targets, std::optional<SortOrder> order, std::stop_token stop)
      : options_(options),
        format_(std::move(format)),
        cluster_(cluster),
        targets_(std::move(targets)),
        order_(std::move(order)),
        stop_(std::move(stop)) {}

  int run(Output& out) {
    const auto text = format_.is_table() ? tables() : objects();
    if (text) {
      const bool escaped = format_.kind == GetOutput::JsonPath && out.is_terminal();
      out.write(escaped ? terminal_text(*text) : *text);
    } else {
      errors_.push_back(text.error());
    }
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
    list.limit = options_.chunk_size;
    const std::string namespace_ = options_.all_namespaces ? ""
                                   : target.own_namespace.empty()
                                       ? cluster_.namespace_of(target.resource)
                                       : target.own_namespace;
    return {cluster_, target, namespace_, list, order_.has_value(), stop_, options_.subresource};
  }

  // Returns true when the command should stop.
  bool failed(const Error& error) {
    if (options_.ignore_not_found && kube::is_not_found(error)) return false;
    errors_.push_back(error);
    return stop_.stop_requested();
  }

  Result<void> add_rows(const ResolvedTarget& target, TablePrinter& table) const {
    json::Value all;  // for sorting
    const auto visited = query(target).tables([&](json::Value page) {
      if (!order_) return table.add(page);
      json::Value& rows = page.ensure_path({"rows"});
      if (all.is_null()) {
        all = std::move(page);
      } else if (json::Array* more = rows.if_array()) {
        std::ranges::move(*more, std::back_inserter(*all.ensure_path({"rows"}).if_array()));
      }
    });
    if (!visited) return visited.error();
    json::Array* rows = all.is_null() ? nullptr : all.ensure_path({"rows"}).if_array();
    if (rows == nullptr) return {};
    const auto order = order_->order(*rows, true);
    if (!order) return order.error();
    *rows = reordered(std::move(*rows), *order);
    table.add(all);
    return {};
  }

  // Returns a table for each resource whose objects are adjacent.
  Result<std::string> tables() {
    std::vector<Group> groups;
    bool with_namespace = false;  // from the first namespaced resource on, as in kubectl
    for (const ResolvedTarget& target : targets_) {
      with_namespace |= options_.all_namespaces && target.resource.namespaced;
      if (groups.empty() || groups.back().resource != target.resource) {
        groups.push_back(
            {target.resource, TablePrinter(table_options(options_, format_, with_namespace))});
      }
      if (auto added = add_rows(target, groups.back().table); added) {
        groups.back().answered = true;
      } else if (failed(added.error())) {
        return std::string();
      }
    }
    // Names get their kind as a prefix where it would be ambiguous.
    std::erase_if(groups, [](const Group& group) { return !group.answered; });
    const bool several = std::ranges::any_of(
        groups, [&](const Group& group) { return group.resource != groups.front().resource; });
    std::string text;
    for (Group& group : groups) {
      if (group.table.empty()) continue;
      if (!text.empty() && !options_.no_headers) text += '\n';
      text += group.table.take_text(several || options_.show_kind ? object_word(group.resource, "")
                                                                  : "");
    }
    if (text.empty() && errors_.empty() && !options_.ignore_not_found) say_nothing_found();
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

  // Managed fields are for programs, which read them by JSONPath.
  json::Value value_of(Unstructured object, const ResourceInfo& resource) const {
    if (format_.kind == GetOutput::Json || format_.kind == GetOutput::Yaml)
      return shown(std::move(object), resource, options_.managed_fields);
    if (object.kind().empty()) object.set_gvk(resource.gvk());
    return std::move(object.content);
  }

  // A subresource may be an object of another kind, such as Scale.
  ResourceInfo resource_in(const ResolvedTarget& target, const Unstructured& object) const {
    ResourceInfo resource = target.resource;
    if (!options_.subresource.empty() && !object.kind().empty()) {
      resource.kind = object.gvk().kind;
      resource.group = object.gvk().group;
    }
    return resource;
  }

  Result<std::string> objects() {
    json::Array items;
    std::vector<std::string> names;
    for (const ResolvedTarget& target : targets_) {
      auto found = query(target).objects();
      if (!found) {
        if (failed(found.error())) return std::string();
        continue;
      }
      for (Unstructured& object : *found) {
        names.push_back(object_word(resource_in(target, object), object.name()) + "\n");
        items.push_back(value_of(std::move(object), target.resource));
      }
    }
    if (order_) {
      const auto order = order_->order(items, false);
      if (!order) return order.error();
      names = reordered(std::move(names), *order);
      items = reordered(std::move(items), *order);
    }
    return format_.kind == GetOutput::Name ? kube::join(names, "") : text_of(std::move(items));
  }

  Result<std::string> text_of(json::Array items) const {
    if (format_.kind == GetOutput::CustomColumns) {
      const auto table = format_.columns->table(items);
      if (!table) return table.error();
      TablePrinter printer(table_options(options_, format_, false));
      printer.add(*table);
      return printer.take_text();
    }
    const bool single = targets_.size() == 1 && !targets_.front().name.empty();
    if (single && items.empty()) return std::string();
    if (items.empty() && options_.ignore_not_found) return std::string();
    return format_.text(single ? items.front()
                               : json::Object{{"apiVersion", "v1"},
                                              {"items", std::move(items)},
                                              {"kind", "List"},
                                              {"metadata", json::Object{{"resourceVersion", ""}}}});
  }

  const GetCommandOptions& options_;
  const OutputFormat format_;
  const Cluster& cluster_;
  const std::vector<ResolvedTarget> targets_;
  const std::optional<SortOrder> order_;
  const std::stop_token stop_;
  std::vector<Error> errors_;
};

int get_raw(const GetCommandOptions& options, Output& out, const std::stop_token& stop) {
  const auto connection = connect(options.connection, stop);
  if (!connection) return report(connection.error());
  kube::RestRequest request(connection->client.rest());
  request.request_uri(options.raw).set_header("Accept", {"*/*"});
  if (request.error()) return report(*request.error());
  // As it arrives: the path may be a watch, or larger than memory.
  auto body = request.stream(stop);
  if (!body) return report_server(body.error());
  while (const auto text = body->next(stop)) {
    if (!*text) return report_server(text->error());
    if (!out.write(**text)) break;
  }
  return out.exit_status(0);
}

}  // namespace

TableOptions table_options(const GetCommandOptions& options, const OutputFormat& format,
                           bool with_namespace) {
  const bool own = format.kind == GetOutput::CustomColumns;
  std::vector<std::string> labels = own ? std::vector<std::string>() : options.label_columns;
  std::erase(labels, "");  // that of "-L ''"
  return {.wide = own || format.kind == GetOutput::Wide,
          .with_namespace = with_namespace && !own,
          .headers = !options.no_headers,
          .own_headers = own,
          .events = options.output_watch_events && !own,
          .label_columns = std::move(labels),
          .show_labels = options.show_labels && !own};
}

int run_get(const GetCommandOptions& options, Output& out) {
  const kube::StopSignal signal;
  const auto targets = parse_targets(options.targets);
  if (!targets) return report(targets.error());
  if (options.raw.empty() && options.files.empty() && targets->empty()) {
    print_note(type_required("get"));
    print_note("");
  }
  if (auto valid = check(options, *targets); !valid) return report(valid.error());
  auto format = parse_output_format(options.output, options.allow_missing_keys, signal.token());
  if (!format) return report(format.error());
  if (options.show_labels && !format->is_table()) {
    return report(wrong_use("--show-labels option cannot be used with " +
                            options.output.substr(0, options.output.find('=')) + " printer"));
  }
  std::optional<SortOrder> order;
  if (!options.sort_by.empty()) {
    auto parsed = SortOrder::parse(options.sort_by);
    if (!parsed) return report(parsed.error().with_context("--sort-by"));
    order = *std::move(parsed);
  }
  if (!options.raw.empty()) return get_raw(options, out, signal.token());
  auto cluster = Cluster::open(options.connection, chosen_namespace(options), signal.token());
  if (!cluster) return report(cluster.error());
  auto resolved = options.files.empty() ? resolve(*cluster, *targets)
                                        : targets_of_files(options.files, options.recursive,
                                                           *cluster, signal.token());
  if (!resolved) return report(resolved.error());
  if (options.watch || options.watch_only) {
    if (resolved->size() != 1)
      return report(wrong_use("you may only specify a single resource type"));
    return watch_target(options, *format, *cluster, resolved->front(), out, signal.token());
  }
  return Get(options, *std::move(format), *cluster, *std::move(resolved), std::move(order),
             signal.token())
      .run(out);
}

}  // namespace kubecpp
