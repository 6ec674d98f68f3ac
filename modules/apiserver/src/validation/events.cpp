// SPDX-License-Identifier: Apache-2.0
//
// Events, of the core group and of events.k8s.io. Errors have the fields' names of the core group;
// an Event of events.k8s.io has more rules.
#include <utility>

#include <kube/validation/object_meta_validation.hpp>

#include "validation/checks.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

bool is_core_event(const Place& event) {
  return event.type().name == "core.v1.Event";
}

void report_namespace(const Place& event, std::string_view given) {
  event.report(FieldError::invalid(event.path("involvedObject").child("namespace"), given,
                                   "does not match event.namespace"));
}

void check_length(const Place& event, std::string_view field, std::string_view path,
                  std::size_t most) {
  if (event.text(field).size() > most)
    event.report(FieldError::invalid(FieldPath(path), "",
                                     "can have at most " + std::to_string(most) + " characters"));
}

// What an event with a time has to say, in either group.
void check_reporter(const Place& event) {
  constexpr std::size_t kMaxWord = 128;
  constexpr std::size_t kMaxNote = 1024;
  const std::string_view controller =
      is_core_event(event) ? "reportingComponent" : "reportingController";
  if (event.is_empty(controller)) event.required(controller);
  check_label_key(event, controller);
  if (event.is_empty("reportingInstance")) event.required("reportingInstance");
  check_length(event, "reportingInstance", "reportingInstance", kMaxWord);
  for (const std::string_view field : {"action", "reason"}) {
    if (event.is_empty(field)) event.required(field);
    check_length(event, field, field, kMaxWord);
  }
  check_length(event, is_core_event(event) ? "message" : "note", "message", kMaxNote);
}

void check_event(const Place& event) {
  const std::string_view own = event.value().string_at({"metadata", "namespace"});
  const std::string_view given =
      event.value().string_at({is_core_event(event) ? "involvedObject" : "regarding", "namespace"});
  const bool with_time = event.has("eventTime");
  if (given.empty()) {
    if (!own.empty() && own != "default" && !(with_time && own == "kube-system"))
      report_namespace(event, given);
  } else if (!with_time && own != given) {
    report_namespace(event, given);
  }
  if (with_time) check_reporter(event);
}

void check_series(const Place& event) {
  const Walk& walk = event.walk();
  const json::Value* before = walk.before == nullptr ? nullptr : walk.before->at_path({"series"});
  if (before != nullptr && event.has("series") && *before == *event.find("series")) return;
  event.each("series", [](const Place& series) {
    if (series.number("count").value_or(0) < 2) series.invalid("count", "", "should be at least 2");
    if (!series.has("lastObservedTime")) series.required("lastObservedTime");
  });
}

/// A field that events.k8s.io has for readers of old events.
struct OldField {
  std::string_view field;
  std::string_view shown;
};

constexpr OldField kOldFields[] = {{"deprecatedFirstTimestamp", "firstTimestamp"},
                                   {"deprecatedLastTimestamp", "lastTimestamp"},
                                   {"deprecatedCount", "count"},
                                   {"deprecatedSource", "source"}};

bool is_set(const json::Value* value) {
  if (value == nullptr) return false;
  if (const json::Object* members = value->if_object()) return !members->empty();
  return *value != json::Value(0);
}

// The metadata of a new event are looked at after what events of the core group have to say.
void check_metadata(const Place& event) {
  for (meta::FieldError& error :
       meta::validate_object_meta(*event.value().at_path({"metadata"}), meta::ObjectMetaRules{}))
    event.report(std::move(error));
}

void check_new_event(const Place& event) {
  const bool is_new = event.walk().before == nullptr;
  check_event(event);
  if (is_new) check_metadata(event);
  check_series(event);
  if (!is_new) return;
  if (!event.has("eventTime")) event.required("eventTime");
  const std::string_view type = event.text("type");
  if (type != "Normal" && type != "Warning")
    event.invalid("type", "", "has invalid value: " + std::string(type));
  for (const OldField& old : kOldFields) {
    if (is_set(event.find(old.field)))
      event.report(FieldError::invalid(FieldPath(old.shown), "", "needs to be unset"));
  }
}

constexpr Rule kCoreEventRules[] = {rules::call(check_event), rules::skip("involvedObject"),
                                    rules::skip("related")};
constexpr Rule kEventRules[] = {rules::call(check_new_event), rules::skip("regarding"),
                                rules::skip("related")};

constexpr TypeRules kEventTypes[] = {
    {"core.v1.Event", kCoreEventRules},
    {"events.v1.Event", kEventRules},
};

}  // namespace

std::span<const TypeRules> event_types() {
  return kEventTypes;
}

}  // namespace kube::apiserver
