// SPDX-License-Identifier: Apache-2.0
//
// Events, which core and events.k8s.io share.
#include <algorithm>
#include <string>

#include <kube/base/ascii.hpp>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/kind_lists.hpp"

namespace kube::serving {
namespace {

struct Rename {
  std::string_view served;
  std::string_view stored;
};

// The names of events.k8s.io/v1 and of core/v1, in which events are stored.
constexpr Rename kEventNames[] = {
    {"regarding", "involvedObject"},
    {"note", "message"},
    {"reportingController", "reportingComponent"},
    {"deprecatedSource", "source"},
    {"deprecatedFirstTimestamp", "firstTimestamp"},
    {"deprecatedLastTimestamp", "lastTimestamp"},
    {"deprecatedCount", "count"},
};

void rename(json::Object& object, std::string_view from, std::string_view to) {
  for (auto& [name, value] : object) {
    if (name == from) name = to;
  }
}

void event_to_stored(json::Value& object) {
  for (const auto& [served, stored] : kEventNames) rename(*object.if_object(), served, stored);
}

void event_from_stored(json::Object& object) {
  for (const auto& [served, stored] : kEventNames) rename(object, stored, served);
}

std::string stored_event_field(std::string_view label) {
  // Events of this group select by each field that those of core/v1 do, but this one.
  if (label == "source") return {};
  for (const auto& [served, stored] : kEventNames) {
    if (label == served) return std::string(stored);
    if (label.starts_with(served) && label.substr(served.size()).starts_with(".")) {
      return std::string(stored).append(label.substr(served.size()));
    }
  }
  return std::string(label);
}

std::string_view first_time(const json::Value& event) {
  const std::string_view first = event.string_at({"firstTimestamp"});
  return first.empty() ? event.string_at({"eventTime"}) : first;
}

std::string_view last_time(const json::Value& event) {
  if (const auto last = event.string_at({"series", "lastObservedTime"}); !last.empty()) return last;
  const std::string_view last = event.string_at({"lastTimestamp"});
  return last.empty() ? first_time(event) : last;
}

json::Value event_last_seen(const CellInput& input) {
  return since(last_time(input.object), input.now);
}

json::Value event_object(const CellInput& input) {
  std::string out = ascii::to_lower(input.object.string_at({"involvedObject", "kind"}));
  const std::string_view name = input.object.string_at({"involvedObject", "name"});
  if (!name.empty()) out += "/" + std::string(name);
  return out;
}

json::Value event_source(const CellInput& input) {
  const json::Value& event = input.object;
  std::string out =
      text_or(event.string_at({"source", "component"}), event.string_at({"reportingComponent"}));
  const std::string host =
      text_or(event.string_at({"source", "host"}), event.string_at({"reportingInstance"}));
  if (!host.empty()) out += ", " + host;
  return out;
}

json::Value event_count(const CellInput& input) {
  const std::int64_t own = std::max<std::int64_t>(input.object.int_at({"count"}).value_or(1), 1);
  return input.object.int_at({"series", "count"}).value_or(own);
}

json::Value event_message(const CellInput& input) {
  const std::string message = first_text(input);
  return ascii::trim_space(message);
}

json::Value event_first_seen(const CellInput& input) {
  return since(first_time(input.object), input.now);
}

constexpr Cell kEventCells[] = {
    {"Last Seen", event_last_seen, {}, last_time},
    {"Object", event_object},
    {"Source", event_source},
    {"Message", event_message},
    {"First Seen", event_first_seen, {}, first_time},
    {"Count", event_count},
};

constexpr FieldRule kEventFields[] = {{"source", "source.component"}};
constexpr Conversion kEventConversions[] = {{.version = "v1",
                                             .to_stored = event_to_stored,
                                             .from_stored = event_from_stored,
                                             .stored_field = stored_event_field}};

// Recorders name events after objects of any kind; only events.k8s.io restricts names.
constexpr KindRules kEventRules[] = {
    {.group = "",
     .resource = "events",
     .name_rule = meta::NameRule::PathSegment,
     .create_on_update = true,
     .metadata_last = true,
     .ignores_dependents = true,
     .fields = kEventFields,
     .cells = kEventCells},
    {.group = "events.k8s.io",
     .resource = "events",
     .create_on_update = true,
     .metadata_last = true,
     .ignores_dependents = true,
     .stored_group = "",
     .conversions = kEventConversions},
};

}  // namespace

Kinds event_kinds() {
  return kEventRules;
}

}  // namespace kube::serving
