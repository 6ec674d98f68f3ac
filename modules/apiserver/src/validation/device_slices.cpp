// SPDX-License-Identifier: Apache-2.0
//
// ResourceSlices: the devices that a driver has, with their attributes and capacities.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <kube/base/ascii.hpp>
#include <kube/base/join.hpp>
#include <kube/names/go_text.hpp>

#include "validation/checks.hpp"
#include "validation/devices.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

constexpr std::string_view kAttributeKinds[] = {"int",  "bool",  "string",  "version",
                                                "ints", "bools", "strings", "versions"};

std::string attribute_kinds() {
  std::string out;
  for (const std::string_view kind : kAttributeKinds)
    out.append(out.empty() ? "`" : ", `").append(kind).append("`");
  return out;
}

bool is_number_part(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, ascii::is_digit) &&
         (text.size() == 1 || text.front() != '0');
}

bool are_identifiers(std::string_view text, bool numbers_have_no_zero) {
  return std::ranges::all_of(go::split(text, '.'), [&](std::string_view part) {
    const bool number = !part.empty() && std::ranges::all_of(part, ascii::is_digit);
    if (number && numbers_have_no_zero) return is_number_part(part);
    return !part.empty() &&
           std::ranges::all_of(part, [](char c) { return ascii::is_alnum(c) || c == '-'; });
  });
}

// "1.2.3-pre.1+build", as semver.org has it.
bool is_version(std::string_view text) {
  if (const std::size_t plus = text.find('+'); plus != std::string_view::npos) {
    if (!are_identifiers(text.substr(plus + 1), false)) return false;
    text = text.substr(0, plus);
  }
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    if (!are_identifiers(text.substr(dash + 1), true)) return false;
    text = text.substr(0, dash);
  }
  const auto parts = go::split(text, '.');
  return parts.size() == 3 && std::ranges::all_of(parts, is_number_part);
}

void check_version(const Place& attribute, const FieldPath& path, std::string_view text) {
  constexpr std::size_t kMaxValue = 64;
  if (!is_version(text))
    attribute.report(
        FieldError::invalid(path, text, "must be a string compatible with semver.org spec 2.0.0"));
  if (text.size() > kMaxValue) attribute.report(FieldError::too_long(path, kMaxValue));
}

void check_attribute(const Place& attribute) {
  constexpr std::size_t kMaxValue = 64;
  std::vector<std::string> found;
  for (const std::string_view kind : kAttributeKinds) {
    // An empty list is none.
    if (attribute.has(kind) && !(kind.ends_with('s') && attribute.is_empty(kind)))
      found.emplace_back(kind);
  }
  if (attribute.text("string").size() > kMaxValue)
    attribute.report(FieldError::too_long(attribute.path("string"), kMaxValue));
  if (attribute.has("version"))
    check_version(attribute, attribute.path("version"), attribute.text("version"));
  const json::Array& versions = attribute.list("versions");
  for (std::size_t i = 0; i < versions.size(); ++i)
    check_version(attribute, attribute.path("versions", i), versions[i].string_or_empty());
  if (found.empty()) {
    attribute.report_late(
        FieldError::invalid(attribute.path(), "", "must specify one of: " + attribute_kinds()));
  } else if (found.size() > 1) {
    attribute.report_late(FieldError::invalid(attribute.path(), "{" + join(found, ", ") + "}",
                                              "must specify exactly one of: " + attribute_kinds()));
  }
}

void check_counters(const Place& owner, std::string_view name) {
  if (owner.is_empty(name)) {
    owner.required_late(name);
  } else {
    for (const std::string& problem : meta::validate_dns1123_label(owner.text(name)))
      owner.report_late(FieldError::invalid(owner.path(name), owner.text(name), problem));
  }
  if (owner.is_empty("counters")) owner.required_late("counters");
  for (const auto& [key, counter] : owner.map("counters")) {
    for (const std::string& problem : meta::validate_dns1123_label(key))
      owner.report_late(FieldError::invalid(owner.path("counters"), key, problem));
  }
}

/// The ways in which a slice, or a device of it, says on which nodes it is.
class NodeChoice {
 public:
  explicit NodeChoice(const Place& place) : place_(place) {}

  void add_name(std::string_view empty_text) {
    if (!place_.has("nodeName")) return;
    if (place_.is_empty("nodeName")) {
      place_.invalid("nodeName", std::string(empty_text));
    } else {
      found_.emplace_back("`nodeName`");
      place_.problems("nodeName", meta::validate_dns1123_subdomain(place_.text("nodeName")));
    }
  }
  void add_selector() {
    if (!place_.has("nodeSelector")) return;
    found_.emplace_back("`nodeSelector`");
    place_.into("nodeSelector");
  }
  void add_flag(std::string_view field) {
    if (!place_.has(field)) return;
    if (place_.is_true(field)) {
      found_.push_back("`" + std::string(field) + "`");
    } else {
      place_.invalid(field, "must be either unset or set to true");
    }
  }
  void check(const std::string& text, std::string_view several) const {
    if (found_.empty()) place_.report(FieldError::required(place_.path(), text));
    if (found_.size() > 1)
      place_.report(FieldError::invalid(place_.path(), "{" + join(found_, ", ") + "}",
                                        text + std::string(several)));
  }

 private:
  const Place& place_;
  std::vector<std::string> found_{};
};

void check_nodes_of_device(const Place& device) {
  if (device.parent()->is_true("perDeviceNodeSelection")) {
    NodeChoice choice(device);
    choice.add_name("must not be empty");
    choice.add_selector();
    choice.add_flag("allNodes");
    choice.check(
        "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when "
        "`perDeviceNodeSelection` is set to true in the ResourceSlice spec",
        "");
  } else if (device.has("nodeName") || device.has("nodeSelector") || device.has("allNodes")) {
    device.report(FieldError::invalid(
        device.path(), {},
        "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is "
        "set to true in the ResourceSlice spec"));
  }
}

void check_slice_device(const Place& device) {
  constexpr std::size_t kMaxEntries = 32;
  constexpr std::size_t kMaxTaints = 16;
  const std::size_t entries = device.map("attributes").size() + device.map("capacity").size();
  device.problems("name", meta::validate_dns1123_label(device.text("name")));
  if (entries > kMaxEntries)
    device.report(
        FieldError::invalid(device.path(), static_cast<std::int64_t>(entries),
                            "the total number of attributes and capacities must not exceed " +
                                std::to_string(kMaxEntries)));
  for (const auto& [name, attribute] : device.map("attributes"))
    check_qualified(device, device.path("attributes"), name);
  device.each("attributes", check_attribute);
  for (const auto& [name, capacity] : device.map("capacity"))
    check_qualified(device, device.path("capacity"), name);
  device.each("capacity", [&](const Place& capacity) { check_device_capacity(device, capacity); });
  if (const std::size_t taints = device.list("taints").size(); taints > kMaxTaints) {
    device.report(FieldError::too_many(device.path("taints"), taints, kMaxTaints));
  } else {
    device.each("taints", check_device_taint);
  }
  if (check_count(device, "consumesCounters", 2)) {
    device.each("consumesCounters", [](const Place& used) { check_counters(used, "counterSet"); });
    check_unique(device, "consumesCounters", "counterSet", false);
  }
  check_nodes_of_device(device);
  check_binding_conditions(device);
}

// What names a slice to its pool stays.
void check_slice_update(const Place& spec) {
  const json::Value* before = spec.walk().before;
  if (before == nullptr) return;
  constexpr std::string_view kText = "field is immutable";
  const std::string_view pool = spec.value().string_at({"pool", "name"});
  if (pool != before->string_at({"spec", "pool", "name"}))
    spec.report(FieldError::invalid(spec.path("pool").child("name"), pool, std::string(kText)));
  if (spec.text("driver") != before->string_at({"spec", "driver"}))
    spec.invalid("driver", spec.text("driver"), std::string(kText));
  const json::Value* node = before->at_path({"spec", "nodeName"});
  const json::Value* now = spec.find("nodeName");
  const bool same = node == nullptr || now == nullptr ? node == now : *node == *now;
  if (!same) spec.invalid("nodeName", std::string(kText));
}

void check_slice_nodes(const Place& spec) {
  NodeChoice choice(spec);
  choice.add_name("must be either unset or set to a non-empty string");
  choice.add_selector();
  if (spec.has("nodeSelector")) {
    const json::Value* terms = spec.value().at_path({"nodeSelector", "nodeSelectorTerms"});
    if (terms == nullptr || !terms->is_array() || terms->if_array()->size() != 1)
      spec.each("nodeSelector", [](const Place& selector) {
        selector.invalid("nodeSelectorTerms", selector.shown_own("nodeSelectorTerms"),
                         "must have exactly one node selector term");
      });
  }
  choice.add_flag("allNodes");
  choice.add_flag("perDeviceNodeSelection");
  choice.check(
      "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required",
      ", but multiple fields are set");
}

void check_slice(const Place& spec) {
  check_driver_name(spec, "driver");
  spec.each("pool", [](const Place& pool) {
    check_pool_name(pool, "name");
    const std::int64_t slices = pool.number("resourceSliceCount").value_or(0);
    if (slices <= 0) pool.invalid("resourceSliceCount", slices, "must be greater than zero");
    if (pool.number("generation").value_or(0) < 0)
      pool.invalid("generation", "must be greater than or equal to zero");
  });
  check_slice_update(spec);
  check_slice_nodes(spec);
  const auto is_set = [&spec](std::string_view field) {
    return !spec.is_empty(field) || spec.is_emptied(field);
  };
  if (is_set("sharedCounters") && is_set("devices"))
    spec.report(FieldError::invalid(spec.path(), "",
                                    "only one of `sharedCounters` or `devices` is allowed"));
  spec.each("devices", check_slice_device);
  check_unique(spec, "devices", "name", true);
  if (!check_count(spec, "sharedCounters", 8)) return;
  spec.each("sharedCounters", [](const Place& counters) { check_counters(counters, "name"); });
  check_unique(spec, "sharedCounters", "name", false);
}

constexpr Rule kDeviceSliceRules[] = {rules::call("devices", check_slice), rules::skip("pool"),
                                      rules::skip("sharedCounters"), rules::skip("nodeSelector")};

constexpr TypeRules kDeviceSliceTypes[] = {
    {"resource.v1.ResourceSliceSpec", kDeviceSliceRules},
};

}  // namespace

std::span<const TypeRules> device_slice_types() {
  return kDeviceSliceTypes;
}

}  // namespace kube::apiserver
