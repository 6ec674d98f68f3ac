// SPDX-License-Identifier: Apache-2.0
#include "describer.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <kube/base/ascii.hpp>
#include <kube/names/time.hpp>

#include "describe_pod.hpp"

namespace kubecpp {
namespace {

namespace json = kube::json;
using json::Value;
using kube::Result;
using kube::Unstructured;
using kube::meta::ResourceInfo;

const ResourceInfo kEvents{.version = "v1", .kind = "Event", .plural = "events"};

void add_metadata(const Unstructured& object, Description& out) {
  out.field(0, "Name", object.name());
  out.field(0, "Namespace", object.namespace_());
  out.labels("Labels", object.content.at_path({"metadata", "labels"}));
  out.annotations("Annotations", object.content.at_path({"metadata", "annotations"}));
}

// Whether the head of the description has the field of the metadata, or it is for programs.
bool is_in_head(const std::string& path) {
  return path == ".metadata.managedFields" || path == ".metadata.name" ||
         path == ".metadata.namespace" || path == ".metadata.labels" ||
         path == ".metadata.annotations";
}

void add_content(const Value& content, int level, const std::string& path, Description& out) {
  const Value sorted = json::sorted_members(content);
  for (const auto& [name, value] : *sorted.if_object()) {
    const std::string field = path + "." + name;
    if (is_in_head(field)) continue;
    if (value.is_object()) {
      out.add(level, field_label(name) + ":\n");
      add_content(value, level + 1, field, out);
    } else if (const json::Array* items = value.if_array()) {
      out.add(level, field_label(name) + ":\n");
      for (const Value& item : *items) {
        if (item.is_object()) {
          add_content(item, level + 1, field, out);
        } else {
          out.add(level + 1, go_text(item) + "\n");
        }
      }
    } else {
      out.field(level, field_label(name), go_text(value));
    }
  }
}

std::size_t decoded_size(std::string_view base64) {
  const auto padding = static_cast<std::size_t>(std::ranges::count(base64, '='));
  return base64.size() / 4 * 3 - std::min(padding, base64.size() / 4 * 3);
}

std::map<std::string, std::string> data_of(const Unstructured& object, std::string_view field) {
  std::map<std::string, std::string> data;
  const Value* found = object.content.at_path({field});
  if (found == nullptr || !found->is_object()) return data;
  for (const auto& [key, value] : *found->if_object()) data[key] = value.string_or_empty();
  return data;
}

std::string age_of_event(const Value& event) {
  const std::string_view time = event.string_at({"eventTime"});
  std::string first = time_since(time.empty() ? event.string_at({"firstTimestamp"}) : time);
  const Value* series = event.at_path({"series"});
  const auto count = event.int_at({"count"}).value_or(0);
  if (series != nullptr && series->is_object()) {
    return time_since(series->string_at({"lastObservedTime"})) + " (x" +
           std::to_string(series->int_at({"count"}).value_or(0)) + " over " + first + ")";
  }
  if (count <= 1) return first;
  return time_since(event.string_at({"lastTimestamp"})) + " (x" + std::to_string(count) + " over " +
         first + ")";
}

}  // namespace

void describe_events(std::vector<Unstructured> events, Description& out) {
  if (events.empty()) return out.field(0, "Events", "<none>");
  out.end_columns();
  const auto last_time = [](const Unstructured& event) {
    const auto time = kube::meta::Time::parse(event.content.string_at({"lastTimestamp"}));
    return time ? *time : kube::meta::Time();
  };
  std::ranges::stable_sort(events, {}, last_time);
  out.add(0, "Events:\n  Type\tReason\tAge\tFrom\tMessage\n");
  out.add(1, "----\t------\t----\t----\t-------\n");
  for (const Unstructured& each : events) {
    const Value& event = each.content;
    const std::string_view component = event.string_at({"source", "component"});
    const std::string field(event.string_at({"involvedObject", "fieldPath"}));
    out.add(1, std::string(event.string_at({"type"})) + "\t" +
                   std::string(event.string_at({"reason"})) + "\t" + age_of_event(event) + "\t" +
                   std::string(component.empty() ? event.string_at({"reportingComponent"})
                                                 : component) +
                   "\t" + (field.empty() ? "" : field + ": ") +
                   std::string(kube::ascii::trim_space(event.string_at({"message"}))) + "\n");
  }
}

Result<Describer::Objects> Describer::list(const ResourceInfo& resource,
                                           std::string_view namespace_, const std::string& labels,
                                           const std::string& fields) const {
  kube::ListOptions options;
  options.label_selector = labels;
  options.field_selector = fields;
  options.limit = chunk_;
  auto found = cluster_.api(resource, std::string(namespace_)).list_all(options, stop_);
  if (!found) return found.error();
  return Objects(found->items.begin(), found->items.end());
}

Describer::Objects Describer::events_of(const Unstructured& object, std::string_view kind,
                                        std::string_view uid) const {
  std::string fields = "involvedObject.name=" + std::string(object.name()) +
                       ",involvedObject.namespace=" + std::string(object.namespace_());
  if (!kind.empty()) fields += ",involvedObject.kind=" + std::string(kind);
  fields += ",involvedObject.uid=" + std::string(uid);
  auto events = list(kEvents, object.namespace_(), "", fields);
  return events ? *std::move(events) : Objects();
}

void Describer::add_events(const Unstructured& object, Description& out) const {
  if (!show_events_) return;
  const bool is_core = object.api_version() == "v1";
  if (is_core && object.kind() == "Pod") {
    const std::string_view mirror =
        object.content.string_at({"metadata", "annotations", "kubernetes.io/config.mirror"});
    return describe_events(events_of(object, "", mirror.empty() ? object.uid() : mirror), out);
  }
  Objects events = events_of(object, object.kind(), object.uid());
  if (is_core && object.kind() == "Node") {
    // A kubelet writes the name of its node as its uid.
    Objects of_kubelet = events_of(object, object.kind(), object.name());
    std::ranges::move(of_kubelet, std::back_inserter(events));
  }
  describe_events(std::move(events), out);
}

void Describer::add_fields(const Unstructured& object, Description& out) const {
  add_metadata(object, out);
  add_content(object.content, 0, "", out);
}

void Describer::add_secret(const Unstructured& object, Description& out) const {
  add_metadata(object, out);
  out.add(0, "\nType:\t" + std::string(object.content.string_at({"type"})) + "\n");
  out.add(0, "\nData\n====\n");
  for (const auto& [key, value] : data_of(object, "data"))
    out.field(0, key, std::to_string(decoded_size(value)) + " bytes");
}

void Describer::add_config_map(const Unstructured& object, Description& out) const {
  add_metadata(object, out);
  out.add(0, "\nData\n====\n");
  for (const auto& [key, value] : data_of(object, "data"))
    out.add(0, key + ":\n----\n" + value + "\n\n");
  out.add(0, "\nBinaryData\n====\n");
  for (const auto& [key, value] : data_of(object, "binaryData"))
    out.add(0, key + ": " + std::to_string(decoded_size(value)) + " bytes\n");
  out.add(0, "\n");
}

Result<std::string> Describer::describe(const ResourceInfo& resource,
                                        const Unstructured& object) const {
  Unstructured known = object;
  if (known.kind().empty()) known.set_gvk(resource.gvk());
  const auto is = [&resource](std::string_view group, std::string_view kind) {
    return resource.group == group && resource.kind == kind;
  };
  Description out;
  bool with_events = true;
  if (is("", "Pod")) {
    describe_pod(known.content, out);
  } else if (is("", "Node")) {
    if (auto added = add_node(known, out); !added) return added.error();
  } else if (is("", "Service")) {
    add_service(known, out);
  } else if (is("apps", "Deployment")) {
    add_deployment(known, out);
  } else if (is("", "ConfigMap")) {
    add_config_map(known, out);
  } else if (is("", "Secret")) {
    add_secret(known, out);
    with_events = false;
  } else if (is("", "Namespace")) {
    add_namespace(known, out);
    with_events = false;
  } else {
    add_fields(known, out);
  }
  if (with_events) add_events(known, out);
  return out.take();
}

}  // namespace kubecpp
