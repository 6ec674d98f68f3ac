// SPDX-License-Identifier: Apache-2.0
//
// kube-bench: what informers, listers and queues cost, on a cluster of one's own or on a replay
// server, as lines of JSON.
//
//     kube-bench replay --pods 100000 --bytes 8500      a server of pods; prints its URL
//     kube-bench sync --server URL --events 200000      an informer of its pods, and a storm
//     kube-bench sync --kubeconfig FILE                 an informer of the cluster's pods
//
// Storms and wedges are of a replay server alone.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <string>

#include "commands.hpp"
#include "replay.hpp"

#include <kube/api/core/v1/pod.hpp>
#include <kube/config/kubeconfig.hpp>

namespace kube::bench {

int fail(const Error& error) {
  std::fprintf(stderr, "kube-bench: %s\n", error.to_string().c_str());
  return 1;
}

Result<void> begin_storm(const Client& client, std::uint64_t events,
                         std::uint64_t events_a_second) {
  const auto response =
      client.rest().send({.verb = "get",
                          .path = "/storm",
                          .query = {{"events", std::to_string(events)},
                                    {"a_second", std::to_string(events_a_second)}}});
  if (!response) return response.error();
  return {};
}

namespace {

struct Source {
  std::string server;
  std::string kubeconfig;

  void add_to(CLI::App& command) {
    command.add_option("--server", server, "The URL of a server without credentials")
        ->check([](const std::string& url) {
          return url.empty() ? std::string("expected a URL, found nothing") : std::string();
        });
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

struct ReplayOptions {
  std::size_t pods = 100'000;
  std::size_t bytes = 8'500;
  std::size_t namespaces = 200;
};

[[noreturn]] void replay(const ReplayOptions& options) {
  // Until the process ends.
  auto& server = *new ReplayServer(options.pods, options.bytes, options.namespaces);
  std::printf("http://127.0.0.1:%d\n", int{server.port()});
  std::fflush(stdout);
  server.serve();
}

void add_replay(CLI::App& app, ReplayOptions& options) {
  CLI::App& command = *app.add_subcommand("replay", "A server of pods, on a loopback port");
  command.add_option("--pods", options.pods, "Their number (100000)")->check(CLI::PositiveNumber);
  command.add_option("--bytes", options.bytes, "The size of each in JSON (8500)");
  command.add_option("--namespaces", options.namespaces, "The number of their namespaces (200)")
      ->check(CLI::Range(1, 1000));
  command.callback([&options] { replay(options); });
}

void add_queue(CLI::App& app, QueueOptions& options, int& status) {
  CLI::App& command = *app.add_subcommand("queue", "Keys through a work queue");
  command.add_option("--items", options.items, "The number of keys (1000000)")
      ->check(CLI::PositiveNumber);
  command.add_option("--workers", options.workers, "The threads that take them (4)")
      ->check(CLI::Range(1, 1000));
  command.callback([&options, &status] { status = queue(options); });
}

/// Commands that read pods of a server.
class ServerCommands {
 public:
  ServerCommands(CLI::App& app, int& status) : status_(status) {
    add_sync(app);
    add_lister(app);
    add_informers(app);
    add_wedge(app);
  }

 private:
  template <class Options>
  CLI::App& add(CLI::App& app, const std::string& name, const std::string& help, Options& options,
                int (*run)(const Client&, const Options&)) {
    CLI::App& command = *app.add_subcommand(name, help);
    source_.add_to(command);
    command.callback([this, &options, run] {
      const auto client = source_.client();
      if (!client) {
        status_ = fail(client.error());
        return;
      }
      // An informer would try again for ever.
      const auto pods = client->api<core::v1::Pod>().list({.limit = 1});
      status_ = pods ? run(*client, options) : fail(pods.error());
    });
    return command;
  }
  static void add_json(CLI::App& command, bool& protobuf) {
    command.add_flag("--json{false}", protobuf, "Ask for JSON, not protobuf");
  }

  void add_sync(CLI::App& app) {
    CLI::App& command =
        add(app, "sync", "An informer of pods, to its sync and in storms", sync_, sync);
    add_json(command, sync_.protobuf);
    command.add_option("--events", sync_.events, "The events of a replay server's storm");
    command.add_option("--storms", sync_.storms, "The number of storms (1)")
        ->check(CLI::NonNegativeNumber);
  }
  void add_lister(CLI::App& app) {
    CLI::App& command =
        add(app, "lister", "Reads of an informer's pods, idle and in a storm", lister_, lister);
    add_json(command, lister_.protobuf);
    command.add_option("--label", lister_.label, "The label of index and selectors (app)");
    command
        .add_option_function<std::int64_t>(
            "--milliseconds",
            [this](std::int64_t count) { lister_.time = std::chrono::milliseconds(count); },
            "The time of each operation (1000)")
        ->check(CLI::PositiveNumber);
    command.add_option("--events-a-second", lister_.events_a_second,
                       "Those of a replay server's storm (0: none)");
  }
  void add_informers(CLI::App& app) {
    CLI::App& command =
        add(app, "informers", "Informers of one namespace each", informers_, informers);
    add_json(command, informers_.protobuf);
    command.add_option("--informers", informers_.informers, "Their number (200)")
        ->check(CLI::PositiveNumber);
    command.add_option("--events", informers_.events, "The events of a replay server's storm");
  }
  void add_wedge(CLI::App& app) {
    CLI::App& command = add(
        app, "wedge", "An informer whose watch a replay server lets fall silent", wedge_, wedge);
    command
        .add_option_function<double>(
            "--idle-timeout",
            [this](double seconds) {
              wedge_.idle_timeout = std::chrono::milliseconds(std::llround(seconds * 1000));
            },
            "The seconds after which a silent watch is opened again (90; 0: never)")
        ->check(CLI::NonNegativeNumber);
    command
        .add_option_function<std::int64_t>(
            "--limit",
            [this](std::int64_t seconds) { wedge_.limit = std::chrono::seconds(seconds); },
            "The seconds to wait for the event (120)")
        ->check(CLI::PositiveNumber);
  }

  int& status_;
  Source source_;
  SyncOptions sync_;
  ListerOptions lister_;
  InformersOptions informers_;
  WedgeOptions wedge_;
};

int run(int argc, char** argv) {
  CLI::App app("What informers, listers and queues cost, as lines of JSON");
  app.name("kube-bench");
  app.require_subcommand(1);
  int status = 0;
  ReplayOptions replay_options;
  QueueOptions queue_options;
  add_replay(app, replay_options);
  add_queue(app, queue_options, status);
  const ServerCommands commands(app, status);
  CLI11_PARSE(app, argc, argv);
  return status;
}

}  // namespace
}  // namespace kube::bench

int main(int argc, char** argv) {
  return kube::bench::run(argc, argv);
}
