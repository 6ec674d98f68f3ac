// SPDX-License-Identifier: Apache-2.0
#include "get_watch.hpp"

#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/meta/errors.hpp>

#include "document_printer.hpp"
#include "get_query.hpp"
#include "object_wait.hpp"
#include "result_printer.hpp"
#include "table_printer.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::Result;
using kube::Unstructured;
namespace json = kube::json;

const char* word_of(kube::WatchEventType type) {
  switch (type) {
    case kube::WatchEventType::Added:
      return "ADDED";
    case kube::WatchEventType::Modified:
      return "MODIFIED";
    case kube::WatchEventType::Deleted:
      return "DELETED";
    default:
      return "";
  }
}

// Prints the objects of a list, and then those of events.
class ChangePrinter {
 public:
  ChangePrinter(const GetCommandOptions& options, const OutputFormat& format,
                const kube::meta::ResourceInfo& resource, Output& out)
      : options_(options),
        format_(format),
        resource_(resource),
        printer_(table_options(options, format, options.all_namespaces && resource.namespaced)),
        out_(out) {}

  void table(const json::Value& rows, const char* type) {
    printer_.add(rows, type);
    if (printer_.empty()) return;
    out_.write(printer_.take_text(options_.show_kind ? object_word(resource_, "") : ""));
  }

  Result<void> object(Unstructured object, const char* type) {
    if (format_.kind == GetOutput::Name) {
      out_.write(object_word(resource_, object.name()) + "\n");
      return {};
    }
    const bool is_path =
        format_.kind == GetOutput::JsonPath || format_.kind == GetOutput::CustomColumns;
    json::Value value = is_path ? std::move(object.content)
                                : shown(std::move(object), resource_, options_.managed_fields);
    if (format_.kind == GetOutput::CustomColumns) {
      const auto rows = format_.columns->table({std::move(value)});
      if (!rows) return rows.error();
      table(*rows, type);
      return {};
    }
    if (options_.output_watch_events && !is_path) {
      value = json::Object{{"type", type}, {"object", json::sorted_members(value)}};
      if (format_.kind == GetOutput::Json) {
        out_.write(shown_json(json::dump(value)) + "\n");
        return {};
      }
    }
    const auto text = format_.text(value);
    if (!text) return text.error();
    const bool separated = format_.kind == GetOutput::Yaml && std::exchange(any_, true);
    const bool escaped = format_.kind == GetOutput::JsonPath && out_.is_terminal();
    out_.write((separated ? "---\n" : "") + (escaped ? terminal_text(*text) : *text));
    return {};
  }

 private:
  const GetCommandOptions& options_;
  const OutputFormat& format_;
  const kube::meta::ResourceInfo& resource_;
  TablePrinter printer_;
  Output& out_;
  bool any_ = false;
};

class GetWatch {
 public:
  GetWatch(const GetCommandOptions& options, const OutputFormat& format, const Cluster& cluster,
           const ResolvedTarget& target, std::string in_namespace, Output& out,
           std::stop_token stop)
      : options_(options),
        format_(format),
        cluster_(cluster),
        target_(target),
        namespace_(std::move(in_namespace)),
        printer_(options, format, target.resource, out),
        out_(out),
        stop_(std::move(stop)) {}

  int run() {
    const auto version = initial();
    if (!version) return failed(version.error());
    const TimeLimit limit(*cluster_.client().runtime().executor, request_timeout(), stop_);
    auto watch = query(0, false, limit.token()).watch(*version, format_.is_table());
    if (!watch) return limit.is_over() ? out_.exit_status(0) : failed(watch.error());
    while (out_.good()) {
      auto event = watch->next(limit.token());
      if (!event || limit.is_over()) break;
      if (!*event) return failed(event->error());
      if ((*event)->type == kube::WatchEventType::Error) return failed(*(*event)->error);
      if ((*event)->type == kube::WatchEventType::Bookmark) continue;
      if (auto printed = print(**event); !printed) return failed(printed.error());
    }
    return out_.exit_status(0);
  }

 private:
  // That of --request-timeout, which bounds the other requests in the client, and no watch: people
  // end a watch by it, as with kubectl.
  kube::Duration request_timeout() const {
    const kube::Duration timeout = cluster_.client().rest().config().timeout;
    return timeout == kube::Duration::zero() ? kube::Duration::max() : timeout;
  }

  // Watches one object as the objects of its name.
  GetQuery query(std::int64_t limit, bool by_name, const std::stop_token& stop) const {
    kube::ListOptions list;
    list.label_selector = options_.label_selector;
    list.field_selector =
        target_.name.empty() ? options_.field_selector : "metadata.name=" + target_.name;
    list.limit = limit;
    return {cluster_, {target_.resource, by_name ? target_.name : ""}, namespace_, list, false,
            stop};
  }

  // Prints the objects that exist and returns the version of their list.
  Result<std::string> initial() {
    if (!target_.name.empty() && !options_.watch_only) {
      const auto exists = query(0, true, stop_).objects();
      if (!exists) return exists.error();
    }
    const GetQuery list = query(options_.watch_only ? 1 : options_.chunk_size, false, stop_);
    if (format_.is_table() && !options_.watch_only) {
      return list.tables([&](const json::Value& page) { printer_.table(page, "ADDED"); });
    }
    std::string version;
    auto objects = list.objects(&version);
    if (!objects) return objects.error();
    if (options_.watch_only) return version;
    for (Unstructured& object : *objects) {
      if (auto printed = printer_.object(std::move(object), "ADDED"); !printed)
        return printed.error();
    }
    return version;
  }

  Result<void> print(const kube::RawWatchEvent& event) {
    auto object = json::parse(event.object);
    if (!object) return object.error();
    const char* type = word_of(event.type);
    if (!format_.is_table()) return printer_.object(Unstructured(*std::move(object)), type);
    const bool is_table = object->string_at({"kind"}) == "Table";
    printer_.table(is_table ? *object : table_of_objects({*object}), type);
    return {};
  }

  int failed(const Error& error) const {
    if (error.code() == kube::ErrorCode::Cancelled) return status_of_wait(kInterrupted);
    return report_server(error);
  }

  const GetCommandOptions& options_;
  const OutputFormat& format_;
  const Cluster& cluster_;
  const ResolvedTarget& target_;
  const std::string namespace_;
  ChangePrinter printer_;
  Output& out_;
  const std::stop_token stop_;
};

}  // namespace

int watch_target(const GetCommandOptions& options, const OutputFormat& format,
                 const Cluster& cluster, const ResolvedTarget& target, Output& out,
                 const std::stop_token& stop) {
  if (!options.sort_by.empty())
    std::fputs("warning: --watch requested, --sort-by will be ignored for watch events received\n",
               stderr);
  const std::string namespace_ = options.all_namespaces ? ""
                                 : target.own_namespace.empty()
                                     ? cluster.namespace_of(target.resource)
                                     : target.own_namespace;
  return GetWatch(options, format, cluster, target, namespace_, out, stop).run();
}

}  // namespace kubecpp
