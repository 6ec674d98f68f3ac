// SPDX-License-Identifier: Apache-2.0
#include "describe_containers.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/join.hpp>
#include <kube/names/quantity.hpp>

namespace kubecpp {
namespace {

namespace json = kube::json;
using json::Value;
using Line = std::string;

// Returns a field's number; "0" when it is missing, as JSON omits it.
Line number_of(const Value& object, std::string_view field) {
  return std::to_string(object.int_at({field}).value_or(0));
}

Line truth_of(const Value& object, std::string_view field) {
  return object.true_at({field}) ? "true" : "false";
}

void add_ports(const Value& container, std::string_view field, const Line& title,
               Description& out) {
  std::vector<Line> ports;
  for (const Value& port : container.array_at({"ports"})) {
    const Line name(port.string_at({"name"}));
    ports.push_back(number_of(port, field) + "/" + Line(port.string_at({"protocol"})) +
                    (name.empty() ? "" : " (" + name + ")"));
  }
  out.field(2, ports.size() > 1 ? title + "s" : title,
            ports.empty() ? "<none>" : kube::join(ports, ", "));
}

void add_words(const Value& container, std::string_view field, std::string_view title,
               Description& out) {
  const json::Array& words = container.array_at({field});
  if (!words.empty()) out.add(2, Line(title) + ":\n");
  for (const Value& word : words) {
    Line lines(word.string_or_empty());
    for (std::size_t at = 0; (at = lines.find('\n', at)) != Line::npos; at += 7)
      lines.replace(at, 1, "\n      ");
    out.add(3, lines + "\n");
  }
}

void add_state(std::string_view title, const Value& status, std::string_view field,
               Description& out) {
  const Value* running = status.at_path({field, "running"});
  const Value* ended = status.at_path({field, "terminated"});
  if (running != nullptr && running->is_object()) {
    out.field(2, title, "Running");
    out.field(3, "Started", rfc1123_time(running->string_at({"startedAt"})));
  } else if (ended != nullptr && ended->is_object()) {
    out.field(2, title, "Terminated");
    out.optional_field(3, "Reason", ended->string_at({"reason"}));
    out.optional_field(3, "Message", ended->string_at({"message"}));
    out.field(3, "Exit Code", number_of(*ended, "exitCode"));
    if (ended->int_at({"signal"}).value_or(0) > 0)
      out.field(3, "Signal", number_of(*ended, "signal"));
    out.field(3, "Started", rfc1123_time(ended->string_at({"startedAt"})));
    out.field(3, "Finished", rfc1123_time(ended->string_at({"finishedAt"})));
  } else {
    out.field(2, title, "Waiting");
    out.optional_field(3, "Reason", status.string_at({field, "waiting", "reason"}));
  }
}

Line port_of(const Value& handler) {
  const Value* port = handler.at_path({"port"});
  return port == nullptr ? "" : go_text(*port);
}

Line handler_text(const Value& probe) {
  if (const Value* exec = probe.at_path({"exec"}))
    return "exec " + go_text(Value(exec->array_at({"command"})));
  if (const Value* get = probe.at_path({"httpGet"})) {
    const Line host(get->string_at({"host"}));
    const Line path(get->string_at({"path"}));
    return "http-get " + kube::ascii::to_lower(get->string_at({"scheme"})) + "://" +
           (host.find(':') == Line::npos ? host : "[" + host + "]") + ":" + port_of(*get) +
           (path.empty() || path.front() == '/' ? "" : "/") + path;
  }
  if (const Value* tcp = probe.at_path({"tcpSocket"}))
    return "tcp-socket " + Line(tcp->string_at({"host"})) + ":" + port_of(*tcp);
  if (const Value* grpc = probe.at_path({"grpc"}))
    return "grpc <pod>:" + port_of(*grpc) + " " + Line(grpc->string_at({"service"}));
  return "unknown";
}

Line probe_text(const Value& probe) {
  return handler_text(probe) + " delay=" + number_of(probe, "initialDelaySeconds") +
         "s timeout=" + number_of(probe, "timeoutSeconds") +
         "s period=" + number_of(probe, "periodSeconds") +
         "s successThreshold=" + number_of(probe, "successThreshold") +
         " failureThreshold=" + number_of(probe, "failureThreshold");
}

// Returns what a variable gets from a field of its pod; "" for a template, which is no pod yet.
Line pod_field(const Value* pod, std::string_view path) {
  if (pod == nullptr) return {};
  const std::size_t dot = std::min(path.find('.'), path.size());
  const std::string_view field = path.substr(std::min(dot + 1, path.size()));
  const std::size_t bracket = field.find("['");
  if (bracket != std::string_view::npos && field.ends_with("']")) {
    const std::string_view key = field.substr(bracket + 2, field.size() - bracket - 4);
    return Line(pod->string_at({"metadata", field.substr(0, bracket), key}));
  }
  if (field != "podIPs" && field != "hostIPs")
    return Line(pod->string_at({path.substr(0, dot), field}));
  std::vector<Line> addresses;
  for (const Value& each : pod->array_at({"status", field}))
    addresses.emplace_back(each.string_at({"ip"}));
  return kube::join(addresses, ",");
}

Line resource_value(const Value& container, const Value& reference) {
  const Line resource(reference.string_at({"resource"}));
  const std::size_t dot = std::min(resource.find('.'), resource.size());
  const Line name = resource.substr(std::min(dot + 1, resource.size()));
  const Value* amount = container.at_path({"resources", resource.substr(0, dot), name});
  const Value* divisor = reference.at_path({"divisor"});
  const auto quantity = kube::meta::Quantity::parse(amount == nullptr ? "0" : go_text(*amount));
  const auto unit = kube::meta::Quantity::parse(divisor == nullptr ? "1" : go_text(*divisor));
  if (!quantity || !unit) return {};
  const bool by_milli = name == "cpu";
  const std::int64_t of = by_milli ? quantity->milli_value() : quantity->value();
  std::int64_t by = by_milli ? unit->milli_value() : unit->value();
  if (by <= 0) by = by_milli ? 1000 : 1;  // a divisor of zero is one
  const bool unlimited = of <= 0 && (resource == "limits.cpu" || resource == "limits.memory");
  return unlimited ? "node allocatable" : std::to_string((of + by - 1) / by);
}

Line key_text(const Value& reference, std::string_view between) {
  return "<set to the key '" + Line(reference.string_at({"key"})) + "' " + Line(between) + " '" +
         Line(reference.string_at({"name"})) + "'>\tOptional: " + truth_of(reference, "optional");
}

void add_variable(const Value& container, const Value& variable, const Value* pod,
                  Description& out) {
  const Line name(variable.string_at({"name"}));
  const Value* from = variable.at_path({"valueFrom"});
  if (from == nullptr || !from->is_object()) {
    Line value(variable.string_at({"value"}));
    for (std::size_t at = 0; (at = value.find('\n', at)) != Line::npos; at += 8)
      value.replace(at, 1, "\n      \t");
    out.field(3, name, value);
  } else if (const Value* field = from->at_path({"fieldRef"})) {
    const Line path(field->string_at({"fieldPath"}));
    out.field(
        3, name,
        pod_field(pod, path) + " (" + Line(field->string_at({"apiVersion"})) + ":" + path + ")");
  } else if (const Value* amount = from->at_path({"resourceFieldRef"})) {
    out.field(
        3, name,
        resource_value(container, *amount) + " (" + Line(amount->string_at({"resource"})) + ")");
  } else if (const Value* secret = from->at_path({"secretKeyRef"})) {
    out.field(3, name, key_text(*secret, "in secret"));
  } else if (const Value* map = from->at_path({"configMapKeyRef"})) {
    out.field(3, name, key_text(*map, "of config map"));
  }
}

void add_environment(const Value& container, const Value* pod, Description& out) {
  static const Value none = json::Object{};
  const json::Array& sources = container.array_at({"envFrom"});
  if (!sources.empty()) out.add(2, "Environment Variables from:\n");
  for (const Value& source : sources) {
    const Value* map = source.at_path({"configMapRef"});
    const Value* secret = source.at_path({"secretRef"});
    const Value& of = map != nullptr ? *map : secret != nullptr ? *secret : none;
    const Line prefix(source.string_at({"prefix"}));
    out.add(3, Line(of.string_at({"name"})) + "\t" +
                   (map != nullptr      ? "ConfigMap"
                    : secret != nullptr ? "Secret"
                                        : "") +
                   (prefix.empty() ? "" : " with prefix '" + prefix + "'") +
                   "\tOptional: " + truth_of(of, "optional") + "\n");
  }
  const json::Array& variables = container.array_at({"env"});
  out.add(2, variables.empty() ? "Environment:\t<none>\n" : "Environment:\n");
  for (const Value& variable : variables) add_variable(container, variable, pod, out);
}

void add_mounts(const Value& container, Description& out) {
  const std::vector<Value> mounts = objects_by(container.array_at({"volumeMounts"}), "mountPath");
  const Line none = mounts.empty() ? "\t<none>" : "";
  out.add(2, "Mounts:" + none + "\n");
  for (const Value& mount : mounts) {
    const Line path(mount.string_at({"subPath"}));
    out.add(3, Line(mount.string_at({"mountPath"})) + " from " + Line(mount.string_at({"name"})) +
                   " (" + (mount.true_at({"readOnly"}) ? "ro" : "rw") +
                   (path.empty() ? "" : ",path=\"" + path + "\"") + ")\n");
  }
  const std::vector<Value> devices =
      objects_by(container.array_at({"volumeDevices"}), "devicePath");
  if (!devices.empty()) out.add(2, "Devices:" + none + "\n");
  for (const Value& device : devices) {
    out.add(3, Line(device.string_at({"devicePath"})) + " from " +
                   Line(device.string_at({"name"})) + "\n");
  }
}

void add_container(const Value& container, const Value* status, const Value* pod,
                   Description& out) {
  out.add(1, (pod == nullptr ? " " : "") + Line(container.string_at({"name"})) + ":\n");
  if (status != nullptr) out.field(2, "Container ID", status->string_at({"containerID"}));
  out.field(2, "Image", container.string_at({"image"}));
  if (status != nullptr) out.field(2, "Image ID", status->string_at({"imageID"}));
  add_ports(container, "containerPort", "Port", out);
  add_ports(container, "hostPort", "Host Port", out);
  describe_profile(container, 2, out);
  add_words(container, "command", "Command", out);
  add_words(container, "args", "Args", out);
  if (status != nullptr) {
    add_state("State", *status, "state", out);
    const Value* last = status->at_path({"lastState", "terminated"});
    if (last != nullptr && last->is_object()) add_state("Last State", *status, "lastState", out);
    out.field(2, "Ready", status->true_at({"ready"}) ? "True" : "False");
    out.field(2, "Restart Count", number_of(*status, "restartCount"));
  }
  if (const Value* resources = container.at_path({"resources"}))
    describe_resources(*resources, 2, out);
  for (const auto& [field, title] : {std::pair("livenessProbe", "Liveness"),
                                     {"readinessProbe", "Readiness"},
                                     {"startupProbe", "Startup"}}) {
    const Value* probe = container.at_path({field});
    if (probe != nullptr && probe->is_object()) out.field(2, title, probe_text(*probe));
  }
  add_environment(container, pod, out);
  add_mounts(container, out);
}

}  // namespace

void describe_containers(std::string_view title, const json::Array& containers, const Value* pod,
                         std::string_view statuses, Description& out) {
  out.add(0, (pod == nullptr ? "  " : "") + Line(title) + ":" +
                 (containers.empty() ? " <none>" : "") + "\n");
  static const json::Array none;
  const json::Array& known = pod == nullptr ? none : pod->array_at({"status", statuses});
  for (const Value& container : containers) {
    const auto status = std::ranges::find_if(known, [&container](const Value& each) {
      return each.string_at({"name"}) == container.string_at({"name"});
    });
    add_container(container, status == known.end() ? nullptr : &*status, pod, out);
  }
}

void describe_resources(const Value& resources, int level, Description& out) {
  for (const auto& [field, title] : {std::pair("limits", "Limits"), {"requests", "Requests"}}) {
    const Value* amounts = resources.at_path({field});
    if (amounts == nullptr || !amounts->is_object() || amounts->if_object()->empty()) continue;
    out.add(level, Line(title) + ":\n");
    const Value sorted = json::sorted_members(*amounts);
    for (const auto& [name, amount] : *sorted.if_object())
      out.field(level + 1, name, go_text(amount));
  }
}

void describe_profile(const Value& owner, int level, Description& out) {
  const Value* profile = owner.at_path({"securityContext", "seccompProfile"});
  if (profile == nullptr || !profile->is_object()) return;
  const std::string_view type = profile->string_at({"type"});
  out.field(level, "SeccompProfile", type);
  if (type == "Localhost") {
    out.field(level == 0 ? 0 : level + 1, "LocalhostProfile",
              profile->string_at({"localhostProfile"}));
  }
}

std::vector<Value> objects_by(const json::Array& objects, std::string_view field) {
  std::vector<Value> sorted(objects.begin(), objects.end());
  std::ranges::stable_sort(sorted, {},
                           [field](const Value& each) { return Line(each.string_at({field})); });
  return sorted;
}

}  // namespace kubecpp
