// SPDX-License-Identifier: Apache-2.0
//
// What claims of devices, and their statuses, share.
#pragma once

#include "validation/place.hpp"

namespace kube::apiserver {

/// "name" or "domain/name": an attribute or a capacity of a device.
void check_qualified(const Place& place, const meta::FieldPath& path, std::string_view name);
/// Objects of a list that differ by a text: an error shows that text, or all of the object.
void check_unique(const Place& owner, std::string_view field, std::string_view key, bool show_key);
void check_device_taint(const Place& taint);
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
