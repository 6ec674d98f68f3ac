// SPDX-License-Identifier: Apache-2.0
//
// `./dev bench codec`: what we and client-go take for the same pods, in turns within one run. A
// report, not a gate: the status is 0 whatever the figures are.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <kube/codec/codec.hpp>
#include <kube/codec/protobuf.hpp>

#include "operations.hpp"
#include "peer.hpp"
#include "pods.hpp"

namespace kube::bench {
namespace {

namespace fs = std::filesystem;
using core::v1::Pod;

struct Settings {
  fs::path recorded;
  fs::path peer;
  fs::path samples = "codec-samples";
  std::string only;
  std::string set;
  int rounds = 9;
  int milliseconds = 50;
};

std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Sample sample_of(const Pod& pod) {
  Sample sample{.protobuf = meta::to_protobuf(pod).value(), .json = meta::to_json(pod)};
  sample.pod = meta::from_protobuf<Pod>(sample.protobuf).value();
  sample.equal = meta::from_json<Pod>(sample.json).value();
  return sample;
}

struct Set {
  std::string name;
  std::string title;
  std::vector<Sample> samples;
};

std::vector<Set> make_sets(const Settings& settings) {
  std::vector<Set> sets;
  Set running{"running", "64 running pods", {}};
  for (unsigned i = 0; i < 64; ++i) running.samples.push_back(sample_of(running_pod(i)));
  sets.push_back(std::move(running));
  const fs::path file = settings.recorded / "core.v1.Pod.pb";
  if (fs::exists(file)) {
    Set recorded{"recorded", "recorded pod, every field set", {}};
    recorded.samples.push_back(sample_of(meta::from_protobuf<Pod>(read_file(file)).value()));
    sets.push_back(std::move(recorded));
  } else {
    std::printf("No recorded pod at %s: left out.\n", file.c_str());
  }
  // Where the other side reads them.
  fs::create_directories(settings.samples);
  for (const Set& set : sets) {
    for (std::size_t i = 0; i < set.samples.size(); ++i) {
      const fs::path stem = settings.samples / (set.name + "-" + std::to_string(i));
      std::ofstream(stem.string() + ".pb", std::ios::binary) << set.samples[i].protobuf;
      std::ofstream(stem.string() + ".json", std::ios::binary) << set.samples[i].json;
    }
  }
  return sets;
}

double processor_nanoseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// Nanoseconds a pod. A function of its own, so that a profiler can be told to look at nothing else.
[[gnu::noinline]] double measure(const Operation& operation, std::vector<Sample>& samples,
                                 int milliseconds) {
  const double before = processor_nanoseconds();
  double spent = 0;
  std::size_t count = 0;
  do {
    // At least a thousand between two looks at the clock, which is a system call.
    for (std::size_t i = 0; i < 1000; i += samples.size()) {
      for (Sample& sample : samples) operation.run(sample);
      count += samples.size();
    }
    spent = processor_nanoseconds() - before;
  } while (spent < milliseconds * 1e6);
  return spent / static_cast<double>(count);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void compare(const Settings& settings, Set& set, std::optional<Peer>& peer) {
  const auto all = operations(set.samples);
  std::map<std::string, std::vector<double>> ours;
  std::map<std::string, std::vector<double>> theirs;
  for (int round = 0; round < settings.rounds; ++round) {
    for (const Operation& operation : all) {
      ours[operation.name].push_back(measure(operation, set.samples, settings.milliseconds));
      if (!peer || operation.peer.empty()) continue;
      if (const auto time = peer->measure(operation.peer, set.name, settings.milliseconds)) {
        theirs[operation.peer].push_back(*time);
      } else {
        std::printf("The peer has ended; its column is left out.\n");
        peer.reset();
      }
    }
  }

  std::size_t protobuf = 0;
  std::size_t json = 0;
  for (const Sample& sample : set.samples) {
    protobuf += sample.protobuf.size();
    json += sample.json.size();
  }
  std::printf("\n%s: on average %zu bytes of protobuf, %zu of JSON\n", set.title.c_str(),
              protobuf / set.samples.size(), json / set.samples.size());
  std::printf("%-42s %10s %10s %8s %6s\n", "nanoseconds of processor time a pod", "ours",
              "client-go", "ratio", "asked");
  std::string viewed;
  for (const Operation& operation : all) {
    const double time = median(ours[operation.name]);
    double other = 0;
    if (!operation.compared.empty()) {
      other = median(ours[operation.compared]);
      if (viewed != operation.compared)
        std::printf("one field of the bytes, to %-18s\n",
                    ("our " + operation.compared + ":").c_str());
      viewed = operation.compared;
    } else if (!operation.peer.empty()) {
      other = median(theirs[operation.peer]);
    }
    std::printf("%-42s %10.0f", operation.title.c_str(), time);
    if (operation.compared.empty() && other != 0) {
      std::printf(" %10.0f", other);
    } else {
      std::printf(" %10s", "");
    }
    if (other != 0) std::printf(" %7.1fx", other / time);
    if (other != 0 && operation.asked != 0)
      std::printf(" %5.0fx%s", operation.asked, other / time < operation.asked ? "  missed" : "");
    std::printf("\n");
  }
}

// One operation again and again, for a profiler.
int repeat(const Settings& settings, std::vector<Set>& sets) {
  for (Set& set : sets) {
    if (!settings.set.empty() && set.name != settings.set) continue;
    for (const Operation& operation : operations(set.samples)) {
      if (operation.name != settings.only) continue;
      std::printf("%s: %.0f ns\n", set.name.c_str(),
                  measure(operation, set.samples, settings.milliseconds));
    }
  }
  return 0;
}

int run(const Settings& settings) {
  auto sets = make_sets(settings);
  if (!settings.only.empty()) return repeat(settings, sets);
  auto peer = settings.peer.empty() ? std::nullopt : Peer::start(settings.peer, settings.samples);
  if (!peer)
    std::printf("Without client-go: there is no peer (it is built with Go; bench/peers/codec).\n");
  for (Set& set : sets) compare(settings, set, peer);
  std::printf(
      "\nBoth sides decode and encode whole objects: protobuf in its envelope, JSON with kind and\n"
      "apiVersion. Ours frees what it made; client-go's collector runs with its default settings,\n"
      "and its threads count. Medians of %d rounds, in turns.\n",
      settings.rounds);
  return 0;
}

}  // namespace
}  // namespace kube::bench

int main(int argc, char** argv) {
  kube::bench::Settings settings;
  CLI::App app{"What we and client-go take for the same pods."};
  app.add_option("--recorded", settings.recorded, "Folder of recorded objects");
  app.add_option("--peer", settings.peer, "Program of bench/peers/codec");
  app.add_option("--samples", settings.samples, "Folder that the pods are written to");
  app.add_option("--rounds", settings.rounds)->capture_default_str();
  app.add_option("--milliseconds", settings.milliseconds, "A measurement")->capture_default_str();
  app.add_option("--only", settings.only, "Repeats one operation, such as decode_json");
  app.add_option("--set", settings.set, "With --only: running or recorded, not both");
  CLI11_PARSE(app, argc, argv);
  return kube::bench::run(settings);
}
