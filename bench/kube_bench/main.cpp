// SPDX-License-Identifier: Apache-2.0
//
// kube-bench: what informers, listers and queues cost, on a cluster of one's own or on a replay
// server, as lines of JSON.
//
//     kube-bench replay --pods 100000 --bytes 8500      a server of pods; prints its URL
//     kube-bench sync --server URL --events 200000      an informer of its pods, and a storm
//     kube-bench sync --kubeconfig FILE                 an informer of the cluster's pods
#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>
#include <string>

#include "commands.hpp"
#include "replay.hpp"

#include <kube/config/kubeconfig.hpp>

namespace kube::bench {

int fail(const Error& error) {
  std::fprintf(stderr, "kube-bench: %s\n", error.to_string().c_str());
  return 1;
}

Result<void> begin_storm(const Client& client, std::uint64_t events) {
  const auto response = client.rest().send(
      {.verb = "get", .path = "/storm", .query = {{"events", std::to_string(events)}}});
  if (!response) return response.error();
  return {};
}

namespace {

struct Source {
  std::string server;
  std::string kubeconfig;

  void add_to(CLI::App& command) {
    command.add_option("--server", server, "The URL of a server without credentials");
    command.add_option("--kubeconfig", kubeconfig, "The cluster's file (default: as kubectl's)");
  }
  Result<Client> client() const {
    if (!server.empty()) {
      rest::Config config;
      config.host = server;
      return Client::create(config);
    }
    kubeconfig::LoadOptions options;
    options.path = kubeconfig;
    const auto config = kubeconfig::load(options);
    if (!config) return config.error();
    return Client::create(*config);
  }
};

int replay(std::size_t pods, std::size_t bytes) {
  auto& server = *new ReplayServer(pods, bytes);  // until the process ends
  std::printf("http://127.0.0.1:%d\n", int{server.port()});
  std::fflush(stdout);
  server.serve();
}

int run(int argc, char** argv) {
  CLI::App app("What informers, listers and queues cost, as lines of JSON");
  app.name("kube-bench");
  app.require_subcommand(1);

  std::size_t pods = 100'000;
  std::size_t bytes = 8'500;
  CLI::App& replay_command = *app.add_subcommand("replay", "A server of pods, on a loopback port");
  replay_command.add_option("--pods", pods, "Their number (100000)");
  replay_command.add_option("--bytes", bytes, "The size of each in JSON (8500)");

  Source source;
  SyncOptions sync_options;
  bool json = false;
  CLI::App& sync_command = *app.add_subcommand("sync", "An informer of pods, to its sync");
  source.add_to(sync_command);
  sync_command.add_flag("--json", json, "Ask for JSON, not protobuf");
  sync_command.add_option("--events", sync_options.events, "The events of a replay server's storm");
  sync_command.add_option("--storms", sync_options.storms, "The number of storms (1)");

  CLI11_PARSE(app, argc, argv);
  if (replay_command.parsed()) return replay(pods, bytes);
  const auto client = source.client();
  if (!client) return fail(client.error());
  sync_options.protobuf = !json;
  return sync(*client, sync_options);
}

}  // namespace
}  // namespace kube::bench

int main(int argc, char** argv) {
  return kube::bench::run(argc, argv);
}
