// SPDX-License-Identifier: Apache-2.0
//
// What claims of devices, and their statuses, share.
#pragma once

#include <cstddef>
#include <iterator>

#include "validation/place.hpp"

namespace kube::apiserver {

/// The maximum of requests of a claim, and of most lists beside them.
inline constexpr std::size_t kMaxDeviceNames = 32;

/// Calls `check`; what it reports, the server's declarative rules find.
template <class Check>
void check_late(const Place& place, const Check& check) {
  meta::FieldErrors& errors = place.walk().errors;
  const auto known = static_cast<std::ptrdiff_t>(errors.size());
  check();
  std::ranges::move(errors.begin() + known, errors.end(),
                    std::back_inserter(place.walk().late_errors));
  errors.erase(errors.begin() + known, errors.end());
}

/// Returns whether a list is short enough; the server reads no object of one that is not.
bool check_count(const Place& place, std::string_view field, std::size_t max);
void check_identifier(const Place& place, const meta::FieldPath& path, std::string_view text);
/// "name" or "domain/name": an attribute or a capacity of a device.
void check_qualified(const Place& place, const meta::FieldPath& path, std::string_view name);
/// Objects of a list that differ by a text: an error shows that text, or all of the object.
void check_unique(const Place& owner, std::string_view field, std::string_view key, bool show_key);
void check_device_taint(const Place& taint);
/// A capacity of a device, and how much of it a request may take.
void check_device_capacity(const Place& device, const Place& capacity);
/// The name of a pool: subdomains of DNS, separated by slashes.
void check_pool_name(const Place& place, std::string_view field);
/// The names of requests of the claim, of which `claim` is the root.
void check_request_names(const Place& place, std::string_view field);
/// A name of a request, or of a request and one of its alternatives: "request/alternative".
void check_request_name(const Place& place, const meta::FieldPath& path, std::string_view name);
/// The opaque parameters of a driver.
void check_device_config(const Place& config);
void check_device_tolerations(const Place& owner);
/// Conditions that a device waits for, and those that say it never comes.
void check_binding_conditions(const Place& owner);
/// An object of JSON, which a driver reads.
void check_raw_object(const Place& place, std::string_view field, bool required);

}  // namespace kube::apiserver
