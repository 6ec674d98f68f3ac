// SPDX-License-Identifier: Apache-2.0
//
// soak_under_faults: informers of four kinds of client behind a server whose connections break
// every few seconds, while objects change all the time. Each minute the faults pause: then every
// cache and every handler must come to what the server has. Memory must not grow.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/api/core/v1/secret.hpp>
#include <kube/apiserver/api_server.hpp>
#include <kube/client/api.hpp>
#include <kube/meta/partial_object_metadata.hpp>
#include <kube/testing/eventually.hpp>

#include "faulty_front.hpp"
#include "mirror.hpp"
#include "random_fates.hpp"

namespace soak {
namespace {

using namespace std::chrono_literals;
using kube::core::v1::ConfigMap;
using kube::core::v1::Secret;
using Steady = std::chrono::steady_clock;

constexpr const char* kUsage =
    "usage: soak_under_faults [--seconds SECONDS] [--round SECONDS] [--changes N] [--seed N]\n"
    "  --seconds   how long it runs (10)\n"
    "  --round     between two comparisons (5)\n"
    "  --changes   in a second (200)\n"
    "  --seed      of changes and faults (from the clock)\n";

struct Flags {
  std::chrono::seconds time{10};
  std::chrono::seconds round{5};
  std::uint64_t changes = 200;
  std::uint64_t seed = static_cast<std::uint64_t>(Steady::now().time_since_epoch().count());
};

std::optional<Flags> read_flags(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name(argv[i]);
    const std::string_view text(argv[i + 1]);
    std::uint64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || value < 1) return std::nullopt;
    if (name == "--seconds") {
      flags.time = std::chrono::seconds(value);
    } else if (name == "--round") {
      flags.round = std::chrono::seconds(value);
    } else if (name == "--changes") {
      flags.changes = value;
    } else if (name == "--seed") {
      flags.seed = value;
    } else {
      return std::nullopt;
    }
  }
  if (argc % 2 == 0) return std::nullopt;
  return flags;
}

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  statm >> pages >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t thread_count() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Threads:")) return std::strtoull(line.c_str() + 8, nullptr, 10);
  }
  return 0;
}

/// Changes objects of one type, without faults.
template <class T>
class Writer {
 public:
  Writer(const kube::Client& direct, std::uint64_t seed)
      : api_(direct.api<T>("default")), random_(seed) {}

  /// Creates, changes or deletes one object.
  bool change() {
    const std::size_t index = random_() % kObjects;
    T object;
    object.metadata.name = "object-" + std::to_string(index);
    object.metadata.labels["round"] = std::to_string(++count_);
    // The length changes, so that memory that is given back is not always taken again as it is.
    object.metadata.annotations["text"] = std::string(random_() % 4000, 'x');
    kube::Result<T> created = api_.create(object);
    if (created) return true;
    if (!kube::is_already_exists(created.error())) return false;
    if (random_() % 4 == 0) return api_.delete_(object.metadata.name).has_value();
    return api_.update(object).has_value();
  }
  std::optional<Versions> objects() const {
    const auto list = api_.list_all();
    if (!list) return std::nullopt;
    Versions versions;
    for (const T& object : list->items) {
      versions.emplace("default/" + object.metadata.name, object.metadata.resource_version);
    }
    return versions;
  }

 private:
  static constexpr std::size_t kObjects = 2000;
  const kube::Api<T> api_;
  std::mt19937_64 random_;
  std::uint64_t count_ = 0;
};

class Run {
 public:
  explicit Run(const Flags& flags) : flags_(flags) {
    const auto& maps = kube::meta::resource_of<ConfigMap>();
    const auto& secrets = kube::meta::resource_of<Secret>();
    add<ConfigMap>("configmaps", maps);
    add<Secret>("secrets", secrets);
    add<kube::Unstructured>("configmaps, untyped", maps);
    add<kube::meta::PartialObjectMetadata>("secrets, metadata", secrets);
  }

  int run() {
    std::printf("seed %llu\n", static_cast<unsigned long long>(flags_.seed));
    front_.set_faulty(true);
    for (const auto& each : watched_) {
      if (!each->start()) return fail("an informer does not start");
    }
    const auto end = Steady::now() + flags_.time;
    int rounds = 0;
    while (Steady::now() < end) {
      if (!load_for(flags_.round)) return fail("a write without faults failed");
      if (!settle()) return 1;
      measure();
      report(++rounds);
    }
    return is_flat() ? 0 : fail("memory grew");
  }

 private:
  struct Sample {
    std::size_t resident_bytes;
    std::size_t threads;
  };

  template <class T>
  void add(std::string name, const kube::meta::ResourceInfo& resource) {
    watched_.push_back(std::make_unique<WatchedType<T>>(std::move(name), client_, resource));
  }
  static int fail(const std::string& why) {
    std::printf("FAILED: %s\n", why.c_str());
    std::fflush(stdout);
    return 1;
  }

  bool load_for(std::chrono::seconds time) {
    const auto begin = Steady::now();
    auto next_cut = begin + 3s;
    std::uint64_t done = 0;
    while (Steady::now() < begin + time) {
      const auto passed = std::chrono::duration<double>(Steady::now() - begin).count();
      if (static_cast<double>(done) < passed * static_cast<double>(flags_.changes)) {
        if (!(done % 2 == 0 ? maps_.change() : secrets_.change())) return false;
        ++done;
      } else {
        std::this_thread::sleep_for(2ms);
      }
      if (Steady::now() >= next_cut) {
        front_.cut();
        next_cut += 3s;
      }
    }
    changes_ += done;
    return true;
  }

  // Without faults every cache and every handler comes to what the server has.
  bool settle() {
    front_.set_faulty(false);
    const std::optional<Versions> maps = maps_.objects();
    const std::optional<Versions> secrets = secrets_.objects();
    if (!maps || !secrets) return fail("a list without faults failed") == 0;
    bool passed = true;
    for (const auto& each : watched_) {
      const Versions& expected = each->name().starts_with("configmaps") ? *maps : *secrets;
      // A reflector that met many faults waits up to 30 s, with its jitter a minute.
      const bool equal = kube::testing::eventually(
          [&] { return each->cache() == expected && each->mirror().objects() == expected; },
          {.timeout = 150s, .interval = 20ms});
      if (!equal) passed = fail(each->name() + " differ from the server") == 0;
      for (const std::string& mistake : each->mirror().mistakes()) {
        passed = fail(each->name() + ": " + mistake) == 0;
      }
    }
    front_.set_faulty(true);
    return passed;
  }

  void measure() { samples_.push_back({resident_bytes(), thread_count()}); }

  // The first tenth warms up. The largest of the last half is compared with that of the half
  // before.
  bool is_flat() const {
    const std::size_t warm = samples_.size() / 10;
    const std::size_t middle = warm + (samples_.size() - warm) / 2;
    if (samples_.size() < 10) return true;
    const auto largest = [&](std::size_t from, std::size_t to) {
      std::size_t most = 0;
      for (std::size_t i = from; i < to; ++i) most = std::max(most, samples_[i].resident_bytes);
      return most;
    };
    const std::size_t before = largest(warm, middle);
    const std::size_t after = largest(middle, samples_.size());
    std::printf("memory: %zu MiB at most in the first half, %zu MiB in the second\n", before >> 20,
                after >> 20);
    return after <= before + before / 20 + (std::size_t{8} << 20);
  }

  void report(int round) const {
    std::printf("round %d: %llu changes, all caches equal, %zu MiB, %zu threads;", round,
                static_cast<unsigned long long>(changes_), samples_.back().resident_bytes >> 20,
                samples_.back().threads);
    for (const auto& [name, count] : front_.counts()) {
      std::printf(" %s %llu", name.c_str(), static_cast<unsigned long long>(count));
    }
    std::printf("\n");
    for (const auto& each : watched_) {
      const kube::InformerStatus status = each->status();
      std::printf(
          "  %-20s objects %zu, events %llu (deletions inferred %llu), lists %llu, watches %llu\n",
          each->name().c_str(), status.objects,
          static_cast<unsigned long long>(each->mirror().events()),
          static_cast<unsigned long long>(each->mirror().inferred_deletions()),
          static_cast<unsigned long long>(status.lists),
          static_cast<unsigned long long>(status.watches));
    }
    std::fflush(stdout);
  }

  const Flags flags_;
  // A short history, so that watches expire by themselves too.
  const std::unique_ptr<kube::apiserver::ApiServer> server_ =
      std::move(kube::apiserver::ApiServer::start({.history = 500})).value();
  faulty_front::FaultyFront front_{server_->port(), random_fates(flags_.seed)};
  const kube::Client direct_ =
      kube::Client::create(kube::rest::Config{.host = server_->url()}).value();
  const kube::Client client_ =
      kube::Client::create(kube::rest::Config{.host = front_.url()}).value();
  Writer<ConfigMap> maps_{direct_, flags_.seed + 1};
  Writer<Secret> secrets_{direct_, flags_.seed + 2};
  std::vector<std::unique_ptr<Watched>> watched_;
  std::vector<Sample> samples_;
  std::uint64_t changes_ = 0;
};

}  // namespace
}  // namespace soak

int main(int argc, char** argv) {
  const auto flags = soak::read_flags(argc, argv);
  if (!flags) {
    std::fputs(soak::kUsage, stderr);
    return 2;
  }
  return soak::Run(*flags).run();
}
