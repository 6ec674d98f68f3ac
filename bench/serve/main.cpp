// SPDX-License-Identifier: Apache-2.0
//
// `./dev bench serve`: what readers get from a cache server beside the real API server and beside a
// Go program that serves its informer, in one run: requests a second with p50 and p99 of a get and
// of the list of one namespace, the time from a write to its arrival at 1,000 watchers under 1,000
// events a second, and memory. bench/serve.sh starts the servers, each a process of its own:
//
//     serve --fill KUBECONFIG...               creates the pods
//     serve --server NAME URL PID KUBECONFIG   measures; the file is of the cluster that has the
//                                              pods, and of its credentials if it is the server
//     serve --only get --server ...            measures this only: for a profiler
//
// Memory comes first: what the load of the other measurements has freed would hide what watchers
// need. Then the servers take turns, some rounds long. While one is watched, the others are
// stopped, so that what they do for the same events takes nothing from it; the processors are
// shared with the clients here, the writer and the cluster, for which reason the time of the
// server's own process is beside each figure.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cluster.hpp"
#include "connection.hpp"
#include "process.hpp"
#include "table.hpp"
#include "watchers.hpp"

namespace kube::bench {
namespace {

constexpr int kClients = 4;

struct Settings {
  std::vector<std::string> fill;
  std::vector<std::vector<std::string>> servers;
  Pods pods;
  int rounds = 3;
  int milliseconds = 3'000;
  std::size_t watchers = 1'000;
  std::size_t rate = 1'000;
  std::vector<std::string> only;
  bool wants(const std::string& what) const {
    return only.empty() || std::ranges::find(only, what) != only.end();
  }
};

/// A server, and the cluster whose pods it serves.
struct Server {
  std::string name;
  Process process;
  Address address;
  std::shared_ptr<Cluster> cluster;
};

double micros(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

class Bench {
 public:
  explicit Bench(const Settings& settings)
      : settings_(settings), servers_(servers_of(settings)), table_(columns_of(servers_)) {}

  void run() {
    std::printf(
        "%d pods of %.1f KB in namespaces of %d; %zu watchers of a namespace each; medians of %d "
        "rounds.\nIn parentheses: how many times better `kubecpp serve` is, without TLS or with.\n",
        settings_.pods.count, servers_.front().cluster->pod_bytes() / 1000, Pods::kPerNamespace,
        settings_.watchers, settings_.rounds);
    for (std::size_t i = 0; i < servers_.size() && settings_.wants("memory"); ++i) {
      alone(i, [&] { memory(i); });
    }
    for (int round = 0; round < settings_.rounds; ++round) {
      for (std::size_t i = 0; i < servers_.size(); ++i) {
        if (settings_.wants("get")) get(i);
        if (settings_.wants("list")) list(i);
        if (settings_.wants("events")) alone(i, [&] { watch(i); });
      }
    }
    for (std::size_t i = 0; i < servers_.size(); ++i) {
      memory_row(i, "process, after all", servers_[i].process.kib());
    }
    table_.print();
  }

 private:
  static std::vector<Server> servers_of(const Settings& settings) {
    std::vector<Server> out;
    for (const auto& words : settings.servers) {
      auto cluster = std::make_shared<Cluster>(words[3], settings.pods);
      Address address;
      address.tls = words[1].starts_with("https:");
      address.port =
          static_cast<std::uint16_t>(std::stoul(words[1].substr(words[1].rfind(':') + 1)));
      if (cluster->url() == words[1]) address.credentials = cluster->address().credentials;
      out.push_back(
          {words[0], Process(std::stoi(words[2])), std::move(address), std::move(cluster)});
    }
    return out;
  }

  // The first server, and the first with TLS, are ours.
  static std::vector<Table::Column> columns_of(const std::vector<Server>& servers) {
    std::vector<Table::Column> out;
    for (const Server& each : servers) {
      const auto ours = std::ranges::find(servers, each.address.tls,
                                          [](const Server& server) { return server.address.tls; });
      out.push_back({each.name, static_cast<std::size_t>(ours - servers.begin())});
    }
    return out;
  }

  template <class Measure>
  void alone(std::size_t at, const Measure& measure) {
    for (std::size_t i = 0; i < servers_.size(); ++i) {
      if (i != at) servers_[i].process.halt();
    }
    servers_[at].process.settle();
    measure();
    for (const Server& each : servers_) each.process.go_on();
    for (const Server& each : servers_) each.process.settle();
  }

  void memory_row(std::size_t at, const std::string& row, double kib) {
    table_.add("memory: " + row, at, kib / 1024, Better::Less, " MiB");
  }

  std::vector<std::string> watches(const Server& server) const {
    const std::string from = "?watch=1&resourceVersion=" + server.cluster->version();
    std::vector<std::string> out;
    for (std::size_t i = 0; i < settings_.watchers; ++i) {
      out.push_back(settings_.pods.list(static_cast<int>(i)) + from);
    }
    return out;
  }
  std::size_t arrivals_of(std::size_t events) const {
    return events * settings_.watchers / static_cast<std::size_t>(settings_.pods.namespaces());
  }

  // Each watcher gets some events, so that nothing of a watch is missing; few, because the history
  // of a cache server keeps what they replace.
  void memory(std::size_t at) {
    const Server& server = servers_[at];
    const double before = server.process.kib();
    memory_row(at, "process, after its start", before);
    Watchers watchers(server.address, watches(server));
    const auto rate = static_cast<std::size_t>(settings_.pods.namespaces());
    const auto written = server.cluster->write(rate, std::chrono::seconds(5));
    watchers.wait_for(arrivals_of(written.events));
    const double each = (server.process.kib() - before) / static_cast<double>(settings_.watchers);
    table_.add("memory: a watcher", at, each, Better::Less, " KiB");
  }

  template <class Target>
  void requests(std::size_t at, const std::string& what, const Target& target) {
    const Server& server = servers_[at];
    std::vector<std::vector<double>> all(kClients);
    const double cpu = server.process.cpu_seconds();
    const auto begin = Clock::now();
    const auto end = begin + std::chrono::milliseconds(settings_.milliseconds);
    std::vector<std::thread> threads;
    for (int client = 0; client < kClients; ++client) {
      threads.emplace_back([&, client] {
        Connection connection(server.address);
        for (int i = client; Clock::now() < end; i += 17) {
          const auto start = Clock::now();
          connection.ask(target(i) + "?resourceVersion=0");
          connection.read_answer();
          all[static_cast<std::size_t>(client)].push_back(micros(Clock::now() - start));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::vector<double> delays;
    for (const auto& each : all) delays.insert(delays.end(), each.begin(), each.end());
    const double seconds = micros(Clock::now() - begin) / 1e6;
    report(at, what, delays, seconds, server.process.cpu_seconds() - cpu);
  }

  // resourceVersion=0 lets an API server answer from its own cache.
  void get(std::size_t at) {
    requests(at, "get", [this](int i) { return settings_.pods.path(i % settings_.pods.count); });
  }
  void list(std::size_t at) {
    requests(at, "list", [this](int i) { return settings_.pods.list(i); });
  }

  void watch(std::size_t at) {
    const Server& server = servers_[at];
    Watchers watchers(server.address, watches(server));
    const double cpu = server.process.cpu_seconds();
    const auto begin = Clock::now();
    const auto written =
        server.cluster->write(settings_.rate, std::chrono::milliseconds(settings_.milliseconds));
    watchers.wait_for(arrivals_of(written.events));
    const double used = server.process.cpu_seconds() - cpu;
    memory_row(at, "process, with the watchers", server.process.kib());
    const std::size_t missing = arrivals_of(written.events) - watchers.events();
    if (missing != 0) {
      std::printf("%s: %zu of %zu events did not arrive, %zu watches ended\n", server.name.c_str(),
                  missing, arrivals_of(written.events), watchers.ended());
    }
    if (const double rate = static_cast<double>(written.events) / written.seconds;
        rate < 0.95 * static_cast<double>(settings_.rate)) {
      std::printf("%s: its cluster took %.0f writes a second\n", server.name.c_str(), rate);
    }
    const double seconds = micros(watchers.last() - begin) / 1e6;
    const std::vector<float> delays = watchers.take_delays();
    report(at, "events", {delays.begin(), delays.end()}, seconds, used);
  }

  void report(std::size_t at, const std::string& what, std::vector<double> delays, double seconds,
              double cpu) {
    if (delays.empty()) return;
    std::ranges::sort(delays);
    const auto count = static_cast<double>(delays.size());
    const auto part = [&](double of) {
      return delays[static_cast<std::size_t>(of * (count - 1))] / 1000;
    };
    table_.add(what + ": a second", at, count / seconds, Better::More);
    table_.add(what + ": p50", at, part(0.5), Better::Less, " ms");
    table_.add(what + ": p99", at, part(0.99), Better::Less, " ms");
    table_.add(what + ": processor time of the server", at, cpu * 1e6 / count, Better::Less, " us");
    std::fprintf(stderr, "%-28s %-7s %9.0f /s  p50 %8.2f ms  p99 %8.2f ms  %7.1f us\n",
                 servers_[at].name.c_str(), what.c_str(), count / seconds, part(0.5), part(0.99),
                 cpu * 1e6 / count);
  }

  const Settings& settings_;
  std::vector<Server> servers_;
  Table table_;
};

int run(int argc, char** argv) {
  Settings settings;
  CLI::App app("A cache server beside an API server and a Go program");
  app.add_option("--fill", settings.fill, "Kubeconfigs of clusters to create the pods in");
  app.add_option("--server", settings.servers, "NAME URL PID KUBECONFIG")->type_size(4);
  app.add_option("--pods", settings.pods.count, "A multiple of 500");
  app.add_option("--rounds", settings.rounds, "The number of turns of each server");
  app.add_option("--milliseconds", settings.milliseconds, "The time of each measurement");
  app.add_option("--watchers", settings.watchers, "A multiple of the number of namespaces");
  app.add_option("--rate", settings.rate, "Events a second");
  app.add_option("--only", settings.only, "Of memory, get, list and events, what to measure");
  CLI11_PARSE(app, argc, argv);
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  for (const std::string& each : settings.fill) Cluster(each, settings.pods).fill();
  if (!settings.servers.empty()) Bench(settings).run();
  return 0;
}

}  // namespace
}  // namespace kube::bench

int main(int argc, char** argv) {
  return kube::bench::run(argc, argv);
}
