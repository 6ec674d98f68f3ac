// SPDX-License-Identifier: Apache-2.0
#include "cluster_info_command.hpp"

#include <memory>
#include <utility>

#include <kube/api/core/v1/service.hpp>
#include <kube/base/stop_signal.hpp>
#include <kube/client/api.hpp>

#include "cluster.hpp"
#include "error_output.hpp"
#include "flags.hpp"

namespace kubecpp {
namespace {

using Service = kube::core::v1::Service;

std::string running_at(const std::string& name, const std::string& url) {
  return printable(name) + " is running at " + printable(url) + "\n";
}

// Of its load balancer, or through the API server.
std::string url_of(const Service& service, const std::string& server) {
  const auto& ingress = service.status.load_balancer.ingress;
  if (!ingress.empty()) {
    const std::string& host =
        ingress.front().ip.empty() ? ingress.front().hostname : ingress.front().ip;
    std::string urls;
    for (const auto& port : service.spec.ports)
      urls += "http://" + host + ":" + std::to_string(port.port) + " ";
    return urls;
  }
  std::string name = service.metadata.name;
  if (!service.spec.ports.empty()) {
    const auto& port = service.spec.ports.front();
    const bool https = port.name == "https" || port.port == 443;
    if (https || !port.name.empty()) name = (https ? "https:" : ":") + name + ":" + port.name;
  }
  if (name.starts_with(':')) name.erase(0, 1);
  return server + "/api/v1/namespaces/" + service.metadata.namespace_ + "/services/" + name +
         "/proxy";
}

std::string shown_name(const Service& service) {
  for (const auto& [label, value] : service.metadata.labels) {
    if (label == "kubernetes.io/name" && !value.empty()) return value;
  }
  return service.metadata.name;
}

}  // namespace

int run_cluster_info(const ClusterInfoOptions& options, Output& out) {
  const kube::StopSignal signal;
  const auto connection = connect(options.connection, signal.token());
  if (!connection) return report(connection.error());
  std::string server = connection->server;
  if (server.ends_with('/')) server.pop_back();
  kube::ListOptions selection;
  selection.label_selector = "kubernetes.io/cluster-service=true";
  const auto services =
      connection->client
          .api<Service>(options.namespace_.empty() ? "kube-system" : options.namespace_)
          .list(selection, signal.token());
  std::string text;
  if (services) {
    text = running_at("Kubernetes control plane", server);
    for (const Service& service : services->items)
      text += running_at(shown_name(service), url_of(service, server));
  }
  text += "\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.\n";
  out.write(text);
  return out.exit_status(services ? 0 : report_server(services.error()));
}

Runner add_cluster_info(CLI::App& command) {
  const auto options = std::make_shared<ClusterInfoOptions>();
  command.add_option("-n,--namespace", options->namespace_,
                     "Namespace of the services; defaults to kube-system");
  add_connection(command, options->connection);
  return [options](Output& out) { return run_cluster_info(*options, out); };
}

}  // namespace kubecpp
