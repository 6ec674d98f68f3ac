// SPDX-License-Identifier: Apache-2.0
//
// Checks that several types share.
#pragma once

#include <optional>
#include <string_view>

#include <kube/names/label_selector.hpp>
#include <kube/names/quantity.hpp>

#include "validation/place.hpp"

namespace kube::apiserver {

/// Walks the fields of containers of a pod's spec in the order in which the server visits them.
inline constexpr std::string_view kContainerLists[] = {"initContainers", "containers",
                                                       "ephemeralContainers"};
inline constexpr std::string_view kProtocols[] = {"SCTP", "TCP", "UDP"};
inline constexpr std::string_view kPullPolicies[] = {"Always", "IfNotPresent", "Never"};

void report_all(const Place& place, meta::FieldErrors errors);
/// Checks a map of labels.
void check_labels(const Place& place, std::string_view field);
/// The key of a label, which may not be empty.
void check_label_key(const Place& place, std::string_view field);
/// Checks whether a requirement has values as its operator wants; returns false for operators other
/// than In, NotIn, Exists and DoesNotExist.
bool check_operator_values(const Place& requirement);
/// Values of a label that a requirement names.
void check_label_values(const Place& requirement);
/// A name that is not empty and has a format.
void check_name(const Place& place, std::string_view field,
                meta::Problems (*format)(std::string_view));
/// A port as a number or a name; an absent one is 0.
void check_port(const Place& place, std::string_view field);
/// A number that is not negative, or a percentage; an absent one is no error.
void check_count_or_percent(const Place& place, std::string_view field);
/// A percentage of at most 100.
void check_at_most_all(const Place& place, std::string_view field);
/// The number, or the number before "%".
std::int64_t count_or_percent(const Place& place, std::string_view field);
/// Returns the labels of a template.
labels::Set labels_of(const json::Value& object_with_metadata);
/// Reports that the template's labels do not fit the selector, as the server does for the
/// controllers of pods. `object` is the spec. Returns false when the selector can't be read.
bool check_template_labels(const Place& spec, bool empty_fits_all);
/// What a finalizer of Kubernetes' own kinds has to be, beside a qualified name.
meta::Problems finalizer_problems(std::string_view name);
/// The name of a CSI driver.
void check_driver_name(const Place& place, std::string_view field);
/// The same, where declarative rules find what is wrong.
void check_declared_driver(const Place& place, std::string_view field);
/// "acme.io/foo": a domain and a path, whose errors show the part that is wrong.
void check_domain_path(const Place& place, std::string_view field);
/// The name of a signer: "example.com/signer-name".
void check_signer_name(const Place& place, std::string_view field);
/// How long a pod's certificate of a signer may be valid at most, in seconds.
std::int64_t max_certificate_seconds(std::string_view signer);
/// The conditions of a status that have the common form.
void check_conditions_of(const Place& status, std::string_view field);
/// The metadata of an object in a template, which has labels and annotations alone.
void check_template_meta(const Place& owner);
/// Keys with a domain, of a map of annotations that pods hand to signers.
void check_domain_keys(const Place& place, std::string_view field);
/// Whether a pod may take the place of others; a word, if it is there.
void check_preemption_policy(const Place& place);
/// A duration of a token: 10 minutes to 2^32 seconds.
void check_token_seconds(const Place& place, std::string_view field);

/// The quantity of a member of a map of resources; nullopt for one that can't be read.
std::optional<meta::Quantity> quantity_of(const json::Value& value);
/// A resource's amount: not negative, and an integer where the resource is counted.
void check_amount(const Place& place, const meta::FieldPath& path, std::string_view resource,
                  const json::Value& amount);
/// The name of a resource that a container may have.
void check_container_resource(const Place& place, const meta::FieldPath& path,
                              std::string_view name);
/// A name of a resource: qualified, or a standard one.
bool check_resource_name(const Place& place, const meta::FieldPath& path, std::string_view name);
/// Limits without requests, of the object at a path.
void check_limits_alone(const Place& place, const json::Object& limits, const meta::FieldPath& at);
bool is_native_resource(std::string_view name);
bool is_overcommit_allowed(std::string_view name);
bool is_standard_quota_resource(std::string_view name);

}  // namespace kube::apiserver
