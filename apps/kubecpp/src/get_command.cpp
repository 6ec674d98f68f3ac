// SPDX-License-Identifier: Apache-2.0
#include "get_command.hpp"

#include <cstdio>
#include <utility>

#include <kube/meta/fields.hpp>
#include <kube/meta/labels.hpp>

#include "cluster.hpp"
#include "document_printer.hpp"
#include "stop_signal.hpp"
#include "table_printer.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::Unstructured;
using kube::meta::ResourceInfo;
namespace json = kube::json;

constexpr const char* kTableTypes =
    "application/json;as=Table;v=v1;g=meta.k8s.io,"
    "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
constexpr std::int64_t kPage = 500;

Result<void> check(const GetCommandOptions& options, const Target& target) {
  if (auto labels = kube::labels::parse(options.label_selector); !labels) {
    return labels.error().with_context("--selector");
  }
  if (auto fields = kube::fields::parse(options.field_selector); !fields) {
    return fields.error().with_context("--field-selector");
  }
  if (target.name.empty()) return {};
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

// One command, from here on with everything that it needs.
class Get {
 public:
  Get(const GetCommandOptions& options, const Cluster& cluster, ResourceInfo resource,
      std::string name, std::stop_token stop)
      : options_(options),
        cluster_(cluster),
        resource_(std::move(resource)),
        name_(std::move(name)),
        namespace_(options.all_namespaces ? "" : cluster.namespace_of(resource_)),
        stop_(std::move(stop)) {}

  int run(Output& out) const {
    const auto text = options_.output == GetOutput::Table || options_.output == GetOutput::Wide
                          ? table()
                          : objects();
    if (!text) return report_server(text.error());
    out.write(*text);
    return out.exit_status(0);
  }

 private:
  kube::ListOptions list_options() const {
    kube::ListOptions list;
    list.label_selector = options_.label_selector;
    list.field_selector = options_.field_selector;
    list.limit = kPage;
    return list;
  }

  Result<json::Value> page(const kube::ListOptions& list) const {
    const kube::ResourcePath where{resource_, namespace_, name_, ""};
    auto path = where.to_path();
    if (!path) return path.error();
    kube::Request request;
    request.verb = name_.empty() ? "list" : "get";
    request.path = *std::move(path);
    if (name_.empty()) request.query = kube::to_query(list);
    request.accept = kTableTypes;
    request.subject = where.to_string();
    request.resource = resource_.group_resource();
    request.name = name_;
    const auto response = cluster_.client().rest().send(request, stop_);
    if (!response) return response.error();
    return json::parse(response->body);
  }

  Result<std::string> table() const {
    TablePrinter printer({.wide = options_.output == GetOutput::Wide,
                          .with_namespace = options_.all_namespaces && resource_.namespaced,
                          .headers = !options_.no_headers});
    kube::ListOptions list = list_options();
    kube::ContinueTokens tokens;
    for (;;) {
      const auto answer = page(list);
      if (!answer) return answer.error();
      const Unstructured object(*answer);
      if (object.kind() == "Table") {
        printer.add(*answer);
      } else if (object.is_list()) {
        printer.add(table_of_objects(*answer->at_path({"items"})->if_array()));
      } else {
        printer.add(table_of_objects({*answer}));
      }
      list.continue_ = object.continue_();
      if (list.continue_.empty()) break;
      if (auto added = tokens.add(list.continue_); !added) {
        return added.error().with_context("list " + resource_.group_resource().to_string());
      }
    }
    if (!printer.empty()) return printer.text();
    const std::string where = namespace_.empty() ? "" : " in " + namespace_ + " namespace";
    std::fprintf(stderr, "No resources found%s%s\n", where.c_str(), where.empty() ? "" : ".");
    return std::string();
  }

  Result<std::string> objects() const {
    const auto api = cluster_.api(resource_, namespace_);
    json::Array items;
    if (!name_.empty()) {
      auto object = api.get(name_, {}, stop_);
      if (!object) return object.error();
      add(*std::move(object), items);
    } else {
      auto list = api.list_all(list_options(), stop_);
      if (!list) return list.error();
      for (Unstructured& object : list->items) add(std::move(object), items);
    }
    if (options_.output == GetOutput::Name) {
      std::string text;
      for (const json::Value& each : items) {
        text += object_word(resource_, Unstructured(each).name()) + "\n";
      }
      return text;
    }
    const json::Value value =
        !name_.empty() ? items.front()
                       : json::Object{{"apiVersion", "v1"},
                                      {"items", std::move(items)},
                                      {"kind", "List"},
                                      {"metadata", json::Object{{"resourceVersion", ""}}}};
    return options_.output == GetOutput::Yaml ? yaml_text(value) : json_text(value);
  }

  // As kubectl shows it: without what servers note for themselves.
  void add(Unstructured object, json::Array& items) const {
    if (object.kind().empty()) object.set_gvk(resource_.gvk());
    object.set_managed_fields({});
    items.push_back(std::move(object.content));
  }

  const GetCommandOptions& options_;
  const Cluster& cluster_;
  const ResourceInfo resource_;
  const std::string name_;
  const std::string namespace_;
  const std::stop_token stop_;
};

}  // namespace

int run_get(const GetCommandOptions& options, Output& out) {
  const example::StopSignal signal;
  const auto target = parse_target(options.resource, options.name);
  if (!target) return report(target.error());
  if (auto valid = check(options, *target); !valid) return report(valid.error());
  const auto cluster = Cluster::open(options.connection, options.namespace_, signal.token());
  if (!cluster) return report(cluster.error());
  const auto resource = cluster->resolve(target->resource);
  if (!resource) return report(resource.error());
  return Get(options, *cluster, *resource, target->name, signal.token()).run(out);
}

}  // namespace kubecpp
