// SPDX-License-Identifier: Apache-2.0
//
// Ingresses and their classes.
#include <algorithm>

#include "validation/addresses.hpp"
#include "validation/checks.hpp"
#include "validation/formats.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;

constexpr std::string_view kPathTypes[] = {"Exact", "ImplementationSpecific", "Prefix"};
constexpr std::string_view kClassScopes[] = {"Cluster", "Namespace"};

void check_class_annotation(const Place& ingress) {
  constexpr std::string_view kKey = "kubernetes.io/ingress.class";
  const json::Value* annotation = ingress.value().at_path({"metadata", "annotations", kKey});
  const json::Value* name = ingress.value().at_path({"spec", "ingressClassName"});
  if (annotation == nullptr || name == nullptr || ingress.walk().before != nullptr ||
      *annotation == *name)
    return;
  ingress.report(FieldError::invalid(meta::FieldPath("annotations").child(kKey), *annotation,
                                     "must match `ingressClassName` when both are specified"));
}

void check_any_backend(const Place& spec) {
  if (!spec.is_empty("rules") || spec.has("defaultBackend")) return;
  spec.report(FieldError::invalid(spec.path(), spec.shown("rules"),
                                  "either `defaultBackend` or `rules` must be specified"));
}

void check_rule_host(const Place& rule) {
  const std::string_view host = rule.text("host");
  if (host.empty()) return;
  if (parse_ip(host)) rule.invalid("host", "must be a DNS name, not an IP address");
  rule.problems("host", formats::host_or_wildcard(host));
}

void check_absolute_path(const Place& path) {
  if (!path.text("path").starts_with('/'))
    path.invalid("path", path.text("path"), "must be an absolute path");
}

void check_path_parts(const Place& path) {
  const std::string_view text = path.text("path");
  for (const std::string_view part : {"//", "/./", "/../", "%2f", "%2F"}) {
    if (text.find(part) != std::string_view::npos)
      path.invalid("path", "must not contain '" + std::string(part) + "'");
  }
  for (const std::string_view end : {"/..", "/."}) {
    if (text.ends_with(end)) path.invalid("path", "cannot end with '" + std::string(end) + "'");
  }
}

void check_http_path(const Place& path) {
  const std::string_view type = path.text("pathType");
  if (!path.has("pathType")) {
    path.required("pathType", "pathType must be specified");
    return;
  }
  if (type == "Exact" || type == "Prefix") {
    check_absolute_path(path);
    check_path_parts(path);
  } else if (type == "ImplementationSpecific") {
    if (!path.is_empty("path")) check_absolute_path(path);
  } else {
    path.not_supported("pathType", kPathTypes);
  }
  path.into("backend");
}

void check_backend_port(const Place& backend) {
  const json::Value* port = backend.value().at_path({"service", "port"});
  const json::Value none = json::Object{};
  const json::Value& given = port == nullptr ? none : *port;
  const std::string_view name = given.string_at({"name"});
  const std::int64_t number = given.int_at({"number"}).value_or(0);
  const meta::FieldPath path = backend.path("service").child("port");
  if (!name.empty() && number != 0) {
    backend.report(
        FieldError::invalid(backend.path(), "", "cannot set both port name & port number"));
  } else if (!name.empty()) {
    report_problems(backend, path.child("name"), name, meta::validate_port_name(name));
  } else if (number != 0) {
    for (const std::string& problem : formats::port_number(number))
      backend.report(FieldError::invalid(path.child("number"), number, problem));
  } else {
    backend.report(FieldError::required(backend.path(), "port name or number is required"));
  }
}

void check_backend(const Place& backend) {
  const bool resource = backend.has("resource");
  const bool service = backend.has("service");
  if (resource && service) {
    backend.report(
        FieldError::invalid(backend.path(), "", "cannot set both resource and service backends"));
  } else if (resource) {
    backend.into("resource");
  } else if (service) {
    backend.each("service",
                 [](const Place& each) { check_name(each, "name", meta::validate_dns1123_label); });
    check_backend_port(backend);
  } else {
    backend.report(
        FieldError::invalid(backend.path(), "", "resource or service backend is required"));
  }
}

void check_tls(const Place& tls) {
  const json::Array& hosts = tls.list("hosts");
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::string_view host = hosts[i].string_or_empty();
    report_problems(tls, tls.path("hosts", i), host, formats::host_or_wildcard(host));
  }
}

// A reference to an object by group, kind and name.
void check_typed_reference(const Place& reference) {
  if (reference.has("apiGroup"))
    reference.problems("apiGroup", meta::validate_dns1123_subdomain(reference.text("apiGroup")));
  check_name(reference, "kind", meta::validate_path_segment_name);
  check_name(reference, "name", meta::validate_path_segment_name);
}

// References of Ingresses only: others of this type have rules of their own.
void check_local_reference(const Place& reference) {
  if (reference.parent()->type().name == "networking.v1.IngressBackend")
    check_typed_reference(reference);
}

void check_class_parameters(const Place& parameters) {
  if (parameters.has("apiGroup"))
    parameters.problems("apiGroup", meta::validate_dns1123_subdomain(parameters.text("apiGroup")));
  for (const std::string_view field : {"kind", "name"}) {
    if (parameters.is_empty(field)) {
      parameters.required_late(field);
    } else {
      parameters.problems(field, meta::validate_path_segment_name(parameters.text(field)));
    }
  }
  const std::string_view scope =
      parameters.has("scope") ? parameters.text("scope") : std::string_view("Cluster");
  if (std::ranges::find(kClassScopes, scope) == std::end(kClassScopes)) {
    parameters.not_supported("scope", kClassScopes);
  } else if (scope == "Namespace") {
    if (!parameters.has("namespace")) {
      parameters.required("namespace", "`parameters.scope` is set to 'Namespace'");
    } else {
      parameters.problems("namespace", meta::validate_dns1123_label(parameters.text("namespace")));
    }
  } else if (parameters.has("namespace")) {
    parameters.forbidden("namespace", "`parameters.scope` is set to 'Cluster'");
  }
}

void check_class_controller(const Place& spec) {
  constexpr std::size_t kMax = 250;
  const std::string_view controller = spec.text("controller");
  if (controller.size() > kMax) spec.report(FieldError::too_long(spec.path("controller"), kMax));
  if (controller.empty()) {
    spec.required("controller");
  } else {
    check_domain_path(spec, "controller");
  }
}

void check_class_name(const Place& spec) {
  if (spec.has("ingressClassName"))
    spec.problems("ingressClassName",
                  meta::validate_dns1123_subdomain(spec.text("ingressClassName")));
}

constexpr Rule kIngressRules[] = {rules::into("spec"), rules::call(check_class_annotation)};
constexpr Rule kIngressSpecRules[] = {rules::call(check_any_backend), rules::into("defaultBackend"),
                                      rules::into("rules"), rules::into("tls"),
                                      rules::call(check_class_name)};
constexpr Rule kIngressRuleRules[] = {rules::call(check_rule_host), rules::into("http")};
constexpr Rule kHttpRuleRules[] = {rules::required("paths"), rules::into("paths")};
constexpr Rule kHttpPathRules[] = {rules::call("backend", check_http_path)};
constexpr Rule kBackendRules[] = {rules::call("resource", check_backend), rules::skip("service")};
constexpr Rule kTlsRules[] = {rules::call(check_tls),
                              rules::text("secretName", meta::validate_dns1123_subdomain)};
constexpr Rule kLocalReferenceRules[] = {rules::call(check_local_reference)};
constexpr Rule kClassSpecRules[] = {rules::call(check_class_controller), rules::into("parameters")};
constexpr Rule kClassParameterRules[] = {rules::call(check_class_parameters)};

constexpr TypeRules kIngressTypes[] = {
    {"networking.v1.Ingress", kIngressRules},
    {"networking.v1.IngressSpec", kIngressSpecRules},
    {"networking.v1.IngressRule", kIngressRuleRules},
    {"networking.v1.HTTPIngressRuleValue", kHttpRuleRules},
    {"networking.v1.HTTPIngressPath", kHttpPathRules},
    {"networking.v1.IngressBackend", kBackendRules},
    {"networking.v1.IngressTLS", kTlsRules},
    {"networking.v1.IngressClassSpec", kClassSpecRules},
    {"networking.v1.IngressClassParametersReference", kClassParameterRules},
    {"core.v1.TypedLocalObjectReference", kLocalReferenceRules},
};

}  // namespace

std::span<const TypeRules> ingress_types() {
  return kIngressTypes;
}

}  // namespace kube::apiserver
