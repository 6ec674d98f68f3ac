// SPDX-License-Identifier: Apache-2.0
//
// The status of a ResourceClaim: what was allocated, to whom, and what drivers say of it.
#include <algorithm>
#include <array>
#include <set>
#include <string>

#include <kube/base/ascii.hpp>
#include <kube/names/go_text.hpp>

#include "validation/addresses.hpp"
#include "validation/checks.hpp"
#include "validation/devices.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;
using Names = std::set<std::string_view>;

constexpr std::string_view kConfigSources[] = {"FromClaim", "FromClass"};

// "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
bool is_lower_uuid(std::string_view text) {
  constexpr std::size_t kLength = 36;
  if (text.size() != kLength) return false;
  for (std::size_t i = 0; i < kLength; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = text[i];
    if (dash ? c != '-' : !(ascii::is_digit(c) || (c >= 'a' && c <= 'f'))) return false;
  }
  return true;
}

void check_share(const Place& device) {
  if (device.has("shareID") && !is_lower_uuid(device.text("shareID")))
    device.report_late(FieldError::invalid(device.path("shareID"), device.text("shareID"),
                                           "must be a lowercase UUID in 8-4-4-4-12 format"));
}

// Of a pool's name too, declarative rules tell which part is wrong.
void check_declared_pool(const Place& result) {
  constexpr std::size_t kMaxPool = 253;
  const std::string_view name = result.text("pool");
  const FieldPath path = result.path("pool");
  if (name.empty()) return result.required_late("pool");
  if (name.size() > kMaxPool) result.report_late(FieldError::too_long(path, kMaxPool));
  const auto parts = go::split(name, '/');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string where = "segment " + std::to_string(i) + ": ";
    if (parts[i].empty()) {
      result.report_late(FieldError::invalid(path, name, where + "must not be empty"));
      continue;
    }
    for (const std::string& problem : meta::validate_dns1123_subdomain(parts[i]))
      result.report_late(FieldError::invalid(path, parts[i], where + problem));
  }
}

void check_allocated(const Place& result) {
  check_request_name(result, result.path("request"), result.text("request"));
  check_declared_driver(result, "driver");
  check_declared_pool(result);
  result.problems("device", meta::validate_dns1123_label(result.text("device")));
  check_binding_conditions(result);
  check_device_tolerations(result);
  check_share(result);
}

void check_allocated_config(const Place& config) {
  const std::string_view source = config.text("source");
  check_request_names(config, "requests");
  check_device_config(config);
  if (source.empty()) {
    config.required_late("source");
  } else if (std::ranges::find(kConfigSources, source) == std::end(kConfigSources)) {
    config.report_late(
        FieldError::not_supported(config.path("source"), source, texts_of(kConfigSources)));
  }
}

// The devices of an allocation that is there already are not read again: it can't be changed.
void check_allocation_result(const Place& status) {
  const json::Value* before = status.walk().before->at_path({"status", "allocation"});
  const json::Value* now = status.find("allocation");
  if (now == nullptr) return;
  if (before != nullptr && !before->is_null()) {
    if (*before != *now)
      status.report_late(
          FieldError::invalid(status.path("allocation"), {}, "field cannot be modified once set"));
    return;
  }
  status.each("allocation", [](const Place& allocation) {
    allocation.each("devices", [](const Place& devices) {
      devices.each("results", check_allocated);
      devices.each("config", check_allocated_config);
    });
    allocation.into("nodeSelector");
  });
}

using DeviceId = std::array<std::string_view, 4>;

DeviceId device_of(const json::Value& entry) {
  return {entry.string_at({"driver"}), entry.string_at({"pool"}), entry.string_at({"device"}),
          entry.string_at({"shareID"})};
}

void check_length_late(const Place& place, std::string_view field, std::size_t max) {
  if (place.text(field).size() > max)
    place.report_late(FieldError::too_long(place.path(field), max));
}

void check_network_data(const Place& device) {
  device.each("networkData", [](const Place& network) {
    const json::Array& ips = network.list("ips");
    check_length_late(network, "interfaceName", 256);
    check_length_late(network, "hardwareAddress", 128);
    if (!check_count(network, "ips", 16)) return;
    Names seen;
    for (std::size_t i = 0; i < ips.size(); ++i) {
      const std::string_view text = ips[i].string_or_empty();
      const FieldPath path = network.path("ips", i);
      report_problems(network, path, text, interface_address_problems(text));
      if (!seen.insert(text).second) network.report_late(FieldError::duplicate(path, text));
    }
  });
}

void check_device_status(const Place& device, const std::set<DeviceId>& allocated) {
  check_driver_name(device, "driver");
  check_pool_name(device, "pool");
  device.problems("device", meta::validate_dns1123_label(device.text("device")));
  if (!allocated.contains(device_of(device.value())))
    device.report(FieldError::invalid(device.path(),
                                      json::Object{{"Driver", device.text("driver")},
                                                   {"Pool", device.text("pool")},
                                                   {"Device", device.text("device")},
                                                   {"ShareID", device.text("shareID")}},
                                      "must be an allocated device in the claim"));
  check_conditions_of(device, "conditions");
  check_raw_object(device, "data", false);
  check_network_data(device);
  check_share(device);
}

void check_reserved(const Place& status) {
  constexpr std::size_t kMaxUsers = 256;
  if (!check_count(status, "reservedFor", kMaxUsers)) return;
  check_unique(status, "reservedFor", "uid", false);
  status.each("reservedFor", [](const Place& user) {
    for (const std::string_view field : {"resource", "name", "uid"})
      if (user.is_empty(field)) user.required(field);
  });
}

void check_reservations(const Place& status) {
  if (!status.is_empty("reservedFor") && !status.has("allocation"))
    status.forbidden("reservedFor", "may not be specified when `allocated` is not set");
}

void check_devices_once(const Place& status) {
  std::set<DeviceId> seen;
  status.each("devices", [&](const Place& device) {
    if (!seen.insert(device_of(device.value())).second)
      device.report_late(FieldError::duplicate(device.path(), meta::shown_value(device.value())));
  });
}

void check_claim_status(const Place& status) {
  check_reserved(status);
  check_devices_once(status);
  std::set<DeviceId> allocated;
  for (const json::Value& result : status.value().array_at({"allocation", "devices", "results"}))
    allocated.insert(device_of(result));
  status.each("devices", [&](const Place& device) { check_device_status(device, allocated); });
  check_reservations(status);
  check_allocation_result(status);
}

constexpr Rule kDeviceClaimStatusRules[] = {rules::call(check_claim_status)};

constexpr TypeRules kDeviceStatusTypes[] = {
    {"resource.v1.ResourceClaimStatus", kDeviceClaimStatusRules},
};

}  // namespace

std::span<const TypeRules> device_status_types() {
  return kDeviceStatusTypes;
}

}  // namespace kube::apiserver
