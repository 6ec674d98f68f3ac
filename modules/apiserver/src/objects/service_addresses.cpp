// SPDX-License-Identifier: Apache-2.0
#include "objects/service_addresses.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/names/field_error.hpp>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"
#include "validation/addresses.hpp"
#include "validation/type_validation.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldErrors;
using meta::FieldPath;

constexpr std::string_view kNone = "None";
constexpr std::string_view kSingle = "SingleStack";
constexpr std::string_view kRequireDual = "RequireDualStack";
constexpr std::string_view kFamily4 = "IPv4";
constexpr std::string_view kFamily6 = "IPv6";

FieldPath field(std::string_view name) {
  return FieldPath("spec").child(name);
}

std::string_view type_of(const json::Value& service) {
  return service.string_at({"spec", "type"});
}

bool has_cluster_ip(const json::Value& service) {
  return type_of(service) != "ExternalName";
}

bool has_node_ports(const json::Value& service) {
  return type_of(service) == "NodePort" || type_of(service) == "LoadBalancer";
}

bool has_health_port(const json::Value& service) {
  return type_of(service) == "LoadBalancer" &&
         service.string_at({"spec", "externalTrafficPolicy"}) == "Local";
}

std::vector<std::string> texts_at(const json::Value& service, std::string_view member) {
  std::vector<std::string> out;
  for (const json::Value& each : service.array_at({"spec", member}))
    out.emplace_back(each.string_or_empty());
  return out;
}

json::Array array_of(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

json::Object& spec_of_service(json::Value& service) {
  return *service.ensure_path({"spec"}).if_object();
}

// By the names of the ports: a port keeps its node port, whatever else changes.
void keep_node_ports(const json::Value& before, json::Value& after) {
  json::Value* ports = spec_of_service(after).find("ports");
  if (ports == nullptr || !ports->is_array()) return;
  std::map<std::string_view, std::int64_t> old;
  std::set<std::int64_t> used;
  for (const json::Value& port : before.array_at({"spec", "ports"}))
    old[port.string_at({"name"})] = port.int_at({"nodePort"}).value_or(0);
  for (const json::Value& port : *ports->if_array())
    used.insert(port.int_at({"nodePort"}).value_or(0));
  for (json::Value& port : *ports->if_array()) {
    if (!port.is_object() || port.int_at({"nodePort"}).value_or(0) != 0) continue;
    const auto same = old.find(port.string_at({"name"}));
    if (same != old.end() && same->second != 0 && !used.contains(same->second))
      port.if_object()->set("nodePort", same->second);
  }
}

// Gives an update what its client did not know.
void keep_allocated(const json::Value& before, json::Value& after) {
  json::Object& spec = spec_of_service(after);
  const json::Object& old = *before.at_path({"spec"})->if_object();
  if (has_cluster_ip(before) && has_cluster_ip(after)) {
    if (after.string_at({"spec", "clusterIP"}).empty()) copy_member(old, spec, "clusterIP");
    if (after.array_at({"spec", "clusterIPs"}).empty()) copy_member(old, spec, "clusterIPs");
  }
  if (has_node_ports(before) && has_node_ports(after)) keep_node_ports(before, after);
  if (has_health_port(before) && has_health_port(after) &&
      after.int_at({"spec", "healthCheckNodePort"}).value_or(0) == 0) {
    copy_member(old, spec, "healthCheckNodePort");
  }
}

// Makes clusterIP and clusterIPs agree where a client of one of them changed it.
void match_cluster_ips(const json::Value* before, json::Value& after) {
  const std::string single(after.string_at({"spec", "clusterIP"}));
  const std::vector<std::string> all = texts_at(after, "clusterIPs");
  json::Object& spec = spec_of_service(after);
  if (before == nullptr) {
    if (!single.empty() && all.empty()) spec.set("clusterIPs", json::Array{single});
    return;
  }
  if (single == before->string_at({"spec", "clusterIP"}) || all != texts_at(*before, "clusterIPs"))
    return;
  if (single.empty()) {
    spec.erase("clusterIPs");
  } else {
    spec.set("clusterIPs", json::Array{single});
  }
}

// Adds the families of the written addresses.
void infer_families(const std::vector<std::string>& addresses, std::vector<std::string>& families,
                    FieldErrors& errors) {
  for (std::size_t i = 0; i < addresses.size() && addresses[i] != kNone; ++i) {
    if (i < families.size()) continue;
    if (parse_ipv4(addresses[i])) {
      families.emplace_back(kFamily4);
    } else {
      errors.push_back(FieldError::invalid(field("clusterIPs").index(i), array_of(addresses),
                                           "IPv6 is not configured on this cluster"));
    }
  }
}

/// The fields that say how many addresses a service has, and of which families.
struct Families {
  std::string policy;
  std::vector<std::string> families;
  std::vector<std::string> addresses;
};

std::string choose_policy(const json::Value* before, const json::Value& service,
                          bool free_headless) {
  std::string policy(service.string_at({"spec", "ipFamilyPolicy"}));
  if (policy.empty() && before != nullptr) policy = before->string_at({"spec", "ipFamilyPolicy"});
  if (policy.empty()) policy = free_headless ? kRequireDual : kSingle;
  return policy;
}

// With one address less, a service of both families has to say that it is to have one.
FieldErrors check_counts(const json::Value* before, Families& now) {
  FieldErrors errors;
  const auto wrong = [&](const char* why) {
    errors.push_back(FieldError::invalid(field("ipFamilyPolicy"), now.policy, why));
  };
  if (before != nullptr && now.policy == kSingle) {
    if (now.addresses == texts_at(*before, "clusterIPs") && now.addresses.size() > 1)
      now.addresses.resize(1);
    if (now.families == texts_at(*before, "ipFamilies") && now.families.size() > 1)
      now.families.resize(1);
  } else if (before != nullptr) {
    const auto is_less = [](std::size_t next, std::size_t old) { return next != 0 && next < old; };
    if (is_less(now.addresses.size(), texts_at(*before, "clusterIPs").size()))
      wrong("must be 'SingleStack' to release the secondary cluster IP");
    if (is_less(now.families.size(), texts_at(*before, "ipFamilies").size()))
      wrong("must be 'SingleStack' to release the secondary IP family");
  }
  if (now.policy != kSingle) return errors;
  if (now.addresses.size() == 2)
    wrong(
        "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified");
  if (now.families.size() == 2)
    wrong(
        "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified");
  return errors;
}

FieldErrors check_families(const Families& now) {
  FieldErrors errors;
  if (now.policy == kRequireDual) {
    errors.push_back(FieldError::invalid(field("ipFamilyPolicy"), now.policy,
                                         "this cluster is not configured for dual-stack services"));
  }
  for (std::size_t i = 0; i < now.families.size(); ++i) {
    if (now.families[i] == kFamily4) continue;
    errors.push_back(FieldError::invalid(field("ipFamilies").index(i), now.families[i],
                                         "not configured on this cluster"));
  }
  return errors;
}

FieldErrors set_families(const Resource& resource, const json::Value* before,
                         json::Value& service) {
  if (!has_cluster_ip(service)) return {};
  if (FieldErrors errors = validate_cluster_ips(*resource.type, service); !errors.empty())
    return errors;
  const json::Value* selector = service.at_path({"spec", "selector"});
  const bool selects =
      selector != nullptr && selector->is_object() && !selector->if_object()->empty();
  // Nothing is allocated for a service without address and selector, so it may have both families.
  const bool free_headless = service.string_at({"spec", "clusterIP"}) == kNone && !selects;
  Families now{choose_policy(before, service, free_headless), texts_at(service, "ipFamilies"),
               texts_at(service, "clusterIPs")};
  FieldErrors errors = check_counts(before, now);
  infer_families(now.addresses, now.families, errors);
  if (errors.empty() && !free_headless) errors = check_families(now);
  if (!errors.empty()) return errors;
  if (now.families.empty()) now.families.emplace_back(kFamily4);
  if (free_headless && now.families.size() < 2 && now.policy != kSingle)
    now.families.emplace_back(now.families.front() == kFamily4 ? kFamily6 : kFamily4);
  json::Object& spec = spec_of_service(service);
  spec.set("ipFamilyPolicy", now.policy);
  spec.set("ipFamilies", array_of(now.families));
  if (!now.addresses.empty()) spec.set("clusterIPs", array_of(now.addresses));
  return {};
}

/// The allocations of one write.
class Allocation {
 public:
  Allocation(ServiceAllocator& allocator, const Write& write, json::Value& service, bool dry_run)
      : allocator_(allocator),
        write_(write),
        service_(service),
        dry_run_(dry_run),
        hold_(allocator) {}

  Result<void> cluster_ip() {
    if (!has_cluster_ip(service_)) return {};
    if (write_.before != nullptr && has_cluster_ip(*write_.before)) return {};
    const std::vector<std::string> given = texts_at(service_, "clusterIPs");
    if (given.empty()) return free_cluster_ip();
    if (given.front() == kNone || write_.loaded) return {};
    const std::uint32_t address = *parse_ipv4(given.front());
    const auto refused =
        dry_run_ ? allocator_.refuse_address(address) : allocator_.take_address(hold_, address);
    if (!refused) return {};
    return invalid(FieldError::invalid(field("clusterIPs"), array_of(given),
                                       "failed to allocate IP " + given.front() + ": " + *refused));
  }

  Result<void> node_ports() {
    if (!has_node_ports(service_)) return {};
    json::Value* ports = spec_of_service(service_).find("ports");
    if (ports == nullptr || !ports->is_array()) return {};
    const std::set<std::int64_t> old = old_ports();
    for (std::size_t i = 0; i < ports->if_array()->size(); ++i) {
      json::Value& port = (*ports->if_array())[i];
      if (!port.is_object()) continue;
      const std::int64_t given = port.int_at({"nodePort"}).value_or(0);
      if (given == 0 && !chooses_ports()) continue;
      if (auto taken = node_port(*port.if_object(), given, i, old); !taken) return taken;
    }
    return {};
  }

  Result<void> health_port() {
    if (!has_health_port(service_)) return {};
    if (write_.before != nullptr && has_health_port(*write_.before)) return {};
    const std::int64_t given = service_.int_at({"spec", "healthCheckNodePort"}).value_or(0);
    if (given != 0) {
      const auto refused = take(given);
      if (!refused) return {};
      return failure("failed to allocate requested HealthCheck NodePort " + std::to_string(given) +
                     ": " + *refused);
    }
    const auto found = take_free();
    if (!found) return failure("failed to allocate a HealthCheck NodePort 0: range is full");
    spec_of_service(service_).set("healthCheckNodePort", *found);
    return {};
  }

  ServiceAllocator::Hold done() && { return std::move(hold_); }

 private:
  Result<void> invalid(FieldError error) {
    return meta::invalid_error(write_.resource.gvk.group_kind(), metadata_text(service_, "name"),
                               {std::move(error)});
  }
  static Result<void> failure(std::string text) { return meta::internal_error(std::move(text)); }

  Result<void> free_cluster_ip() {
    const auto free = dry_run_ ? allocator_.range().network : allocator_.take_free_address(hold_);
    if (!free) {
      return failure("failed to allocate a serviceIP for Service \"" +
                     std::string(metadata_text(service_, "name")) + "\": range is full");
    }
    spec_of_service(service_).set("clusterIP", format_ipv4(*free));
    spec_of_service(service_).set("clusterIPs", json::Array{format_ipv4(*free)});
    return {};
  }

  std::set<std::int64_t> old_ports() const {
    std::set<std::int64_t> out;
    if (write_.before == nullptr) return out;
    for (const json::Value& port : write_.before->array_at({"spec", "ports"}))
      out.insert(port.int_at({"nodePort"}).value_or(0));
    return out;
  }

  bool chooses_ports() const {
    return type_of(service_) == "NodePort" ||
           service_.true_at({"spec", "allocateLoadBalancerNodePorts"});
  }

  // Ports of one number, of two protocols, share a node port.
  Result<void> node_port(json::Object& port, std::int64_t given, std::size_t at,
                         const std::set<std::int64_t>& old) {
    const std::int64_t number = port.contains("port") ? *port.find("port")->if_int() : 0;
    std::int64_t& shared = by_number_[number];
    if (given == 0 && write_.before == nullptr) given = shared != 0 ? shared : requested(number);
    if (given == 0) {
      const auto found = take_free();
      if (!found) return failure("failed to allocate a nodePort: range is full");
      given = *found;
    } else if (given != shared && !is_own(given, old)) {
      if (const auto refused = take(given)) {
        return invalid(
            FieldError::invalid(field("ports").index(at).child("nodePort"), given, *refused));
      }
    }
    const std::string_view protocol =
        port.contains("protocol") ? port.find("protocol")->string_or_empty() : std::string_view{};
    if (write_.before != nullptr && !by_protocol_.emplace(protocol, given).second)
      return unexplained("duplicate nodePort: {" + std::string(protocol) + " " +
                         std::to_string(given) + "}");
    taken_.push_back(given);
    shared = given;
    port.set("nodePort", given);
    return {};
  }

  // An update does not take what the service has; a new service takes each port of its own anew.
  bool is_own(std::int64_t port, const std::set<std::int64_t>& old) const {
    return write_.before != nullptr &&
           (old.contains(port) || std::ranges::find(taken_, port) != taken_.end());
  }

  // Returns the node port that a later port of the same number asks for.
  std::int64_t requested(std::int64_t number) const {
    for (const json::Value& port : service_.array_at({"spec", "ports"})) {
      const std::int64_t given = port.int_at({"nodePort"}).value_or(0);
      if (given != 0 && port.int_at({"port"}) == number) return given;
    }
    return 0;
  }

  std::optional<std::string> take(std::int64_t port) {
    if (write_.loaded) return std::nullopt;
    if (!dry_run_) return allocator_.take_port(hold_, port);
    if (!tried_.insert(port).second) return std::string(ServiceAllocator::kTaken);
    return allocator_.refuse_port(port);
  }

  std::optional<std::int64_t> take_free() {
    if (!dry_run_) return allocator_.take_free_port(hold_);
    constexpr std::int64_t kFirstOfDryRuns = 32'769;
    const std::int64_t port = tried_.empty() ? kFirstOfDryRuns : *tried_.rbegin() + 1;
    tried_.insert(port);
    return port;
  }

  ServiceAllocator& allocator_;
  const Write& write_;
  json::Value& service_;
  const bool dry_run_;
  ServiceAllocator::Hold hold_;
  std::vector<std::int64_t> taken_{};
  std::set<std::int64_t> tried_{};  // by a dry run
  std::map<std::int64_t, std::int64_t> by_number_{};
  std::set<std::pair<std::string_view, std::int64_t>> by_protocol_{};
};

}  // namespace

Result<ServiceAllocator::Hold> allocate_addresses(ServiceAllocator& allocator, const Write& write,
                                                  json::Value& service, bool dry_run) {
  const Resource& resource = write.resource;
  const bool is_service = builtin::kServices.is(resource.gvk.group, resource.plural);
  if (!is_service || (write.before != nullptr && write.part != Part::Main))
    return ServiceAllocator::Hold{};
  if (write.before != nullptr) keep_allocated(*write.before, service);
  match_cluster_ips(write.before, service);
  if (FieldErrors errors = set_families(resource, write.before, service);
      !errors.empty() && !write.loaded)
    return meta::invalid_error(resource.gvk.group_kind(), metadata_text(service, "name"), errors);
  Allocation allocation(allocator, write, service, dry_run);
  const auto done =
      allocation.cluster_ip().and_then([&] { return allocation.node_ports(); }).and_then([&] {
        return allocation.health_port();
      });
  if (!done) return done.error();
  return std::move(allocation).done();
}

}  // namespace kube::apiserver
