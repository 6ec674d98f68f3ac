// SPDX-License-Identifier: Apache-2.0
#include "command_table.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "api_resources_command.hpp"
#include "apiserver_command.hpp"
#include "apply_command.hpp"
#include "attach_command.hpp"
#include "auth_command.hpp"
#include "cluster_info_command.hpp"
#include "command_help.hpp"
#include "completion_command.hpp"
#include "config_command.hpp"
#include "convert_command.hpp"
#include "delete_command.hpp"
#include "demo_command.hpp"
#include "describe_command.hpp"
#include "diff_command.hpp"
#include "exec_command.hpp"
#include "explain_command.hpp"
#include "get_command.hpp"
#include "label_command.hpp"
#include "logs_command.hpp"
#include "patch_command.hpp"
#include "port_forward_command.hpp"
#include "rollout_command.hpp"
#include "scale_command.hpp"
#include "serve_command.hpp"
#include "version_command.hpp"
#include "wait_command.hpp"
#include "watch_command.hpp"

namespace kubecpp {
namespace {

constexpr CommandEntry kCommands[] = {
    {"demo", "Run a scheduler and a controller on the embedded API server and check their caches",
     add_demo},
    {"apiserver", "Run the embedded API server", add_apiserver},
    {"watch", "Watch a resource by an informer and print one line per event", add_watch},
    {"serve", "Serve resources of a cluster over HTTP from a cache, with one watch each",
     add_serve},
    {"convert", "Convert the objects of a file to JSON, YAML or protobuf", add_convert},
    {"get", "Display one or many objects", add_get},
    {"describe", "Show details of a specific resource or group of resources", add_describe},
    {"diff", "Print what applying the configuration in files would change", add_diff},
    {"apply", "Apply the configuration in files to objects", add_apply},
    {"delete", "Delete objects by name, by file or by selector", add_delete},
    {"wait", "Wait for a condition of one or many objects", add_wait},
    {"patch", "Update fields of objects by a patch", add_patch},
    {"label", "Update the labels of objects", add_label},
    {"annotate", "Update the annotations of objects", add_annotate},
    {"rollout", "Manage the rollouts of deployments, daemon sets and stateful sets", add_rollout},
    {"scale", "Set the number of replicas of objects", add_scale},
    {"logs", "Print the logs of containers", add_logs},
    {"exec", "Run a command in a container", add_exec},
    {"attach", "Attach to the process of a container", add_attach},
    {"port-forward", "Forward local ports to a pod", add_port_forward},
    {"explain", "Get documentation for a resource", add_explain},
    {"config", "Display and change kubeconfig files", add_config},
    {"api-resources", "Print the resources of the server, each in its preferred version",
     add_api_resources},
    {"api-versions", "Print the group versions of the server", add_api_versions},
    {"auth", "Show who the user is to the server, and what is allowed", add_auth},
    {"cluster-info", "Print the URLs of the control plane and of cluster services",
     add_cluster_info},
    {"completion", "Print a script that completes words in a shell", add_completion},
    {"version", "Print the versions of the program and of the server", add_version},
};

}  // namespace

Runner add_commands(CLI::App& parent, std::span<const CommandEntry> table, Runner without) {
  std::vector<std::pair<const CLI::App*, Runner>> runners;
  for (const CommandEntry& entry : table) {
    CLI::App* command = parent.add_subcommand(entry.name, entry.summary);
    runners.emplace_back(command, entry.add(*command));
  }
  return [runners = std::move(runners), without = std::move(without)](Output& out) {
    for (const auto& [command, run] : runners) {
      if (command->parsed()) return run(out);
    }
    return without(out);
  };
}

Runner add_all_commands(CLI::App& app, Runner without) {
  std::vector<CommandEntry> entries(std::begin(kCommands), std::end(kCommands));
  std::stable_sort(entries.begin(), entries.end(), [](const auto& left, const auto& right) {
    return place_in_help(left.name) < place_in_help(right.name);
  });
  return add_commands(app, entries, std::move(without));
}

}  // namespace kubecpp
