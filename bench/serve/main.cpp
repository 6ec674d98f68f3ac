// SPDX-License-Identifier: Apache-2.0
//
// `./dev bench serve`: what readers get from a cache server beside the API servers and beside a Go
// program that serves its informer, in one run: requests a second with p50 and p99 of a get and of
// the list of one namespace, the time until 200 watchers have an event, and memory. bench/serve.sh
// starts the servers, each a process of its own:
//
//     serve --fill KUBECONFIG...               creates the pods
//     serve --server NAME URL PID KUBECONFIG   measures; the file is of the cluster that has the
//                                              pods, and of its credentials if it is the server
//     serve --only-memory --server ...         measures memory only
//
// Memory comes first: what the load of the other measurements has freed would hide what watchers
// need. It is the slope between the first 200 watchers and 600 more.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <kube/api/core/v1/namespace.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/client/client.hpp>
#include <kube/config/kubeconfig.hpp>

#include "connection.hpp"

namespace kube::bench {
namespace {

using core::v1::Namespace;
using core::v1::Pod;
using Clock = std::chrono::steady_clock;
using Micros = std::chrono::duration<double, std::micro>;

constexpr int kPerNamespace = 100;
constexpr int kClients = 4;
constexpr int kWatchers = 200;
constexpr int kMoreWatchers = 600;
constexpr int kEvents = 100;
constexpr int kWriters = 16;

struct Settings {
  std::vector<std::string> fill;
  std::vector<std::vector<std::string>> servers;
  int pods = 5'000;
  int milliseconds = 3'000;
  bool only_memory = false;
  std::size_t bytes = 4'000;  ///< Of an annotation of each pod.
};

/// A server, and the cluster whose pods it serves.
struct Server {
  std::string name;
  std::string pid;
  Address address;
  Client cluster;
};

[[noreturn]] void fail(const Error& error) {
  std::fprintf(stderr, "serve: %s\n", error.to_string().c_str());
  std::exit(1);
}

template <class T>
T need(Result<T> result) {
  if (!result) fail(result.error());
  return *std::move(result);
}

rest::Config config_of(const std::string& kubeconfig) {
  kubeconfig::LoadOptions options;
  options.path = kubeconfig;
  return need(kubeconfig::load(options));
}

std::string namespace_of(const Settings& settings, int pod) {
  return "n" + std::to_string(pod % (settings.pods / kPerNamespace));
}

Pod make_pod(const Settings& settings, int number) {
  Pod pod;
  pod.metadata.name = "p" + std::to_string(number);
  pod.metadata.namespace_ = namespace_of(settings, number);
  pod.metadata.labels = {{"app", "a" + std::to_string(number % 50)}};
  pod.metadata.annotations = {{"note", std::string(settings.bytes, 'x')}};
  auto& container = pod.spec.containers.emplace_back();
  container.name = "c";
  container.image = "i";
  return pod;
}

void fill(const Settings& settings, const std::string& kubeconfig) {
  const Client client = need(Client::create(config_of(kubeconfig)));
  for (int i = 0; i < settings.pods / kPerNamespace; ++i) {
    Namespace made;
    made.metadata.name = namespace_of(settings, i);
    need(client.api<Namespace>().create(made));
  }
  std::atomic<int> next{0};
  std::vector<std::thread> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([&] {
      for (int number = 0; (number = next++) < settings.pods;) {
        const Pod pod = make_pod(settings, number);
        need(client.api<Pod>(pod.metadata.namespace_).create(pod));
      }
    });
  }
  for (std::thread& each : writers) each.join();
}

void report(const Server& server, const char* what, std::vector<double>& micros, double seconds) {
  std::ranges::sort(micros);
  const auto at = [&](double part) {
    return micros[static_cast<std::size_t>(part * static_cast<double>(micros.size() - 1))];
  };
  std::printf("%-28s %-22s %9.0f /s   p50 %7.0f us   p99 %7.0f us\n", server.name.c_str(), what,
              static_cast<double>(micros.size()) / seconds, at(0.5), at(0.99));
  std::fflush(stdout);
}

template <class Target>
void requests(const Server& server, const char* what, int milliseconds, const Target& target) {
  std::vector<std::vector<double>> all(kClients);
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::milliseconds(milliseconds);
  std::vector<std::thread> threads;
  for (int client = 0; client < kClients; ++client) {
    threads.emplace_back([&, client] {
      Connection connection(server.address);
      for (int i = client; Clock::now() < end; i += 17) {
        const auto start = Clock::now();
        connection.ask(target(i));
        connection.read_answer();
        all[static_cast<std::size_t>(client)].push_back(Micros(Clock::now() - start).count());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<double> micros;
  for (const auto& each : all) micros.insert(micros.end(), each.begin(), each.end());
  report(server, what, micros, Micros(Clock::now() - begin).count() / 1e6);
}

double resident_kib(const Server& server) {
  std::ifstream file("/proc/" + server.pid + "/statm");
  double pages = 0;
  file >> pages >> pages;
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1024;
}

class Watchers {
 public:
  Watchers(const Server& server, const Settings& settings)
      : server_(server), api_(server.cluster.api<Pod>(namespace_of(settings, 7))) {}

  void open(int count) {
    meta::ListOptions one;
    one.limit = 1;
    const std::string from = need(api_.list(one)).resource_version;
    for (int i = 0; i < count; ++i) {
      all_.push_back(std::make_unique<Connection>(server_.address));
      all_.back()->ask("/api/v1/pods?watch=1&resourceVersion=" + from);
      all_.back()->read_until("\r\n\r\n");
    }
  }
  /// Writes, and waits until all have the event.
  void write() {
    static int round = 0;
    const std::string mark = "r" + std::to_string(++round) + "e";
    json::Object labels{{"round", mark}};
    json::Object metadata{{"labels", std::move(labels)}};
    need(api_.patch("p7", Patch::merge(json::Object{{"metadata", std::move(metadata)}})));
    for (auto& each : all_) each->read_until(mark);
  }

 private:
  const Server& server_;
  const Api<Pod> api_;
  std::vector<std::unique_ptr<Connection>> all_;
};

void watchers(const Server& server, const Settings& settings) {
  Watchers all(server, settings);
  all.open(kWatchers);
  std::vector<double> micros;
  const auto begin = Clock::now();
  for (int i = 0; i < kEvents; ++i) {
    const auto start = Clock::now();
    all.write();
    micros.push_back(Micros(Clock::now() - start).count());
  }
  report(server, "write to 200 watchers", micros, Micros(Clock::now() - begin).count() / 1e6);
}

// Every watcher has got events before it is counted.
void memory(const Server& server, const Settings& settings) {
  const double process = resident_kib(server);
  Watchers all(server, settings);
  const auto resident_with = [&](int more) {
    all.open(more);
    for (int i = 0; i < 10; ++i) all.write();
    return resident_kib(server);
  };
  const double first = resident_with(kWatchers);
  const double slope = (resident_with(kMoreWatchers) - first) / kMoreWatchers;
  std::printf("%-28s %-22s %9.1f KiB a watcher; the process has %.0f MiB\n", server.name.c_str(),
              "memory", slope, process / 1024);
  std::fflush(stdout);
}

// resourceVersion=0 lets an API server answer from its own cache.
void measure(const Server& server, const Settings& settings) {
  memory(server, settings);
  if (settings.only_memory) return;
  requests(server, "get", settings.milliseconds, [&](int i) {
    const int n = i % settings.pods;
    return "/api/v1/namespaces/" + namespace_of(settings, n) + "/pods/p" + std::to_string(n) +
           "?resourceVersion=0";
  });
  requests(server, "list of 100 pods", settings.milliseconds, [&](int i) {
    return "/api/v1/namespaces/" + namespace_of(settings, i) + "/pods?resourceVersion=0";
  });
  watchers(server, settings);
}

Server server_of(const std::vector<std::string>& words) {
  const rest::Config config = config_of(words[3]);
  Address address;
  address.tls = words[1].starts_with("https:");
  address.port = static_cast<std::uint16_t>(std::stoul(words[1].substr(words[1].rfind(':') + 1)));
  if (config.host == words[1] && !config.bearer_token.empty()) {
    address.credentials = "Authorization: Bearer " + config.bearer_token.reveal() + "\r\n";
  }
  return {words[0], words[2], std::move(address), need(Client::create(config))};
}

int run(int argc, char** argv) {
  Settings settings;
  CLI::App app("A cache server beside API servers and a Go program");
  app.add_option("--fill", settings.fill, "Kubeconfigs of clusters to create the pods in");
  app.add_option("--server", settings.servers, "NAME URL PID KUBECONFIG")->type_size(4);
  app.add_option("--pods", settings.pods, "A multiple of 100");
  app.add_option("--bytes", settings.bytes, "The length of an annotation of each pod");
  app.add_option("--milliseconds", settings.milliseconds, "The time of each measurement");
  app.add_flag("--only-memory", settings.only_memory, "Measure the memory of watchers only");
  CLI11_PARSE(app, argc, argv);
  for (const std::string& each : settings.fill) fill(settings, each);
  if (settings.servers.empty()) return 0;
  std::printf("%d pods of %.1f KB in namespaces of %d, %d clients on connections of HTTP/1.1\n",
              settings.pods, static_cast<double>(settings.bytes + 600) / 1000, kPerNamespace,
              kClients);
  for (const auto& words : settings.servers) measure(server_of(words), settings);
  return 0;
}

}  // namespace
}  // namespace kube::bench

int main(int argc, char** argv) {
  return kube::bench::run(argc, argv);
}
