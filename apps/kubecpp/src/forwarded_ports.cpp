// SPDX-License-Identifier: Apache-2.0
#include "forwarded_ports.hpp"

#include <charconv>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::core::v1::Pod;
using kube::core::v1::Service;

Error wrong_port(const std::string& text) {
  return Error(ErrorCode::InvalidArgument, text);
}

struct PortWord {
  std::string local;
  std::string remote;
};

PortWord split_port(const std::string& word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string::npos || word.find(':', colon + 1) != std::string::npos) {
    return {word, word};
  }
  return {word.substr(0, colon), word.substr(colon + 1)};
}

std::optional<std::int32_t> number_of(const std::string& text) {
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Of containers, or of init containers.
template <typename Containers>
std::optional<std::int32_t> port_of(const Containers& containers, const std::string& name) {
  for (const auto& container : containers) {
    for (const auto& port : container.ports) {
      if (port.name == name) return port.container_port;
    }
  }
  return std::nullopt;
}

Result<std::int32_t> port_of_pod(const Pod& pod, const std::string& name) {
  if (const auto port = port_of(pod.spec.containers, name)) return *port;
  if (const auto port = port_of(pod.spec.init_containers, name)) return *port;
  return wrong_port("Pod '" + pod.metadata.name + "' does not have a named port '" + name + "'");
}

Result<std::int32_t> port_of_service(const Service& service, const std::string& name) {
  for (const auto& port : service.spec.ports) {
    if (port.name == name) return port.port;
  }
  return wrong_port("Service '" + service.metadata.name + "' does not have a named port '" + name +
                    "'");
}

// The port of the pod behind a port of a service.
Result<std::int32_t> target_port(const Service& service, const Pod& pod, std::int32_t number) {
  for (const auto& port : service.spec.ports) {
    if (port.port != number) continue;
    if (service.spec.cluster_ip == "None") return number;
    if (const std::string* name = port.target_port.if_string()) return port_of_pod(pod, *name);
    const std::int32_t target = port.target_port.int_value();
    return target == 0 ? port.port : target;
  }
  return wrong_port("Service " + service.metadata.name + " does not have a service port " +
                    std::to_string(number));
}

using FindPort = std::function<Result<std::int32_t>(const std::string& name)>;

// Only TCP can be forwarded.
template <typename Ports, typename NumberOf>
void collect(const Ports& ports, NumberOf number, std::set<std::int32_t>& tcp,
             std::set<std::int32_t>& udp) {
  for (const auto& port : ports) {
    if (port.protocol == "UDP") udp.insert(number(port));
    if (port.protocol == "TCP" || port.protocol.empty()) tcp.insert(number(port));
  }
}

Result<void> check_tcp(const std::vector<std::string>& words, const std::set<std::int32_t>& tcp,
                       const std::set<std::int32_t>& udp, const FindPort& find) {
  for (const std::string& word : words) {
    const std::string remote = split_port(word).remote;
    auto number = number_of(remote);
    if (!number) {
      const auto found = find(remote);
      if (!found) return found.error();
      number = *found;
    }
    if (udp.contains(*number) && !tcp.contains(*number)) {
      return wrong_port("UDP protocol is not supported for " + remote);
    }
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> ports_of_pod(const std::vector<std::string>& words,
                                              const Pod& pod) {
  std::set<std::int32_t> tcp;
  std::set<std::int32_t> udp;
  for (const auto& container : pod.spec.containers) {
    collect(
        container.ports, [](const auto& port) { return port.container_port; }, tcp, udp);
  }
  const FindPort by_name = [&](const std::string& name) { return port_of_pod(pod, name); };
  std::vector<std::string> ports;
  if (auto checked = check_tcp(words, tcp, udp, by_name); !checked) return checked.error();
  for (const std::string& word : words) {
    const auto [local, remote] = split_port(word);
    std::string number = remote;
    if (!number_of(remote)) {
      const auto found = by_name(remote);
      if (!found) return found.error();
      number = std::to_string(*found);
    }
    ports.push_back(local == remote ? number : local + ":" + number);
  }
  return ports;
}

Result<std::vector<std::string>> ports_of_service(const std::vector<std::string>& words,
                                                  const Service& service, const Pod& pod) {
  std::set<std::int32_t> tcp;
  std::set<std::int32_t> udp;
  collect(
      service.spec.ports, [](const auto& port) { return port.port; }, tcp, udp);
  const FindPort by_name = [&](const std::string& name) { return port_of_service(service, name); };
  if (auto checked = check_tcp(words, tcp, udp, by_name); !checked) return checked.error();
  std::vector<std::string> ports;
  for (const std::string& word : words) {
    auto [local, remote] = split_port(word);
    auto number = number_of(remote);
    if (!number) {
      const auto found = by_name(remote);
      if (!found) return found.error();
      if (local == remote) local = std::to_string(*found);
      number = *found;
    }
    const auto target = target_port(service, pod, *number);
    if (!target) return target.error();
    const std::string text = std::to_string(*target);
    ports.push_back(local == text ? text : local + ":" + text);
  }
  return ports;
}

}  // namespace kubecpp
