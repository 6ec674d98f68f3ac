// SPDX-License-Identifier: Apache-2.0
//
// Signals are the program's: no thread of a client, an informer, a controller or a server takes
// one, and no program that such a thread starts inherits that.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/apiserver/api_server.hpp>
#include <kube/base/stop.hpp>
#include <kube/base/stop_signal.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/cacheserver/cache_server.hpp>
#include <kube/client/client.hpp>
#include <kube/controller/controller.hpp>
#include <kube/testing/eventually.hpp>

#include "plugin_folder.hpp"

namespace signals {
namespace {

using kube::core::v1::ConfigMap;
using kube::rest::PluginFolder;
using kube::testing::eventually;

// Everything that has threads. The client's credentials come from a plugin.
class Program {
 public:
  explicit Program(const PluginFolder& plugin)
      : client(*kube::Client::create({.host = server->url(), .exec_provider = plugin.config()})),
        maps(client.rest(), {.namespace_ = "default"}),
        controller(client.rest().runtime(),
                   [](const kube::ReconcileRequest&, const std::stop_token&) {
                     return kube::ReconcileResult::done();
                   }) {
    if (!cache->add(maps) || !controller.watch(maps) || !controller.start() || !maps.start()) {
      std::abort();
    }
  }

  const std::unique_ptr<kube::apiserver::ApiServer> server = *kube::apiserver::ApiServer::start();
  const std::unique_ptr<kube::CacheServer> cache = *kube::CacheServer::start();
  const kube::Client client;
  kube::SharedInformer<ConfigMap> maps;
  kube::Controller controller;
};

// The blocked signals of this process' threads, by their names. A bit is a signal, as in
// /proc/PID/status.
std::map<std::string, std::vector<std::uint64_t>> masks() {
  std::map<std::string, std::vector<std::uint64_t>> out;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    std::string name;
    for (std::string word; status >> word;) {
      if (word == "Name:") status >> name;
      if (word != "SigBlk:") continue;
      status >> word;
      out[name].push_back(std::strtoull(word.c_str(), nullptr, 16));
    }
  }
  return out;
}

constexpr std::uint64_t bit(int signal) {
  return std::uint64_t{1} << static_cast<unsigned>(signal - 1);
}
constexpr std::uint64_t kOfTheProgram = bit(SIGHUP) | bit(SIGINT) | bit(SIGQUIT) | bit(SIGTERM) |
                                        bit(SIGUSR1) | bit(SIGUSR2) | bit(SIGPIPE) | bit(SIGALRM) |
                                        bit(SIGCHLD);
constexpr std::uint64_t kOfTheThread = bit(SIGSEGV) | bit(SIGBUS) | bit(SIGFPE) | bit(SIGILL) |
                                       bit(SIGABRT) | bit(SIGTRAP) | bit(SIGSYS) | bit(SIGTTIN) |
                                       bit(SIGTTOU) | bit(SIGPROF);

// Which of these threads are missing, or block other signals than they should: "kube-io ".
std::string wrong(const std::vector<std::string>& names) {
  const auto found = masks();
  std::string out;
  for (const std::string& name : names) {
    const auto threads = found.find(name);
    const bool right =
        threads != found.end() && std::ranges::all_of(threads->second, [](std::uint64_t mask) {
          return (mask & (kOfTheProgram | kOfTheThread)) == kOfTheProgram;
        });
    if (!right) out += name + " ";
  }
  return out;
}
// A thread names itself, and the C library blocks all signals while it starts a thread or program.
std::string in_the_end_wrong(const std::vector<std::string>& names) {
  std::string out;
  static_cast<void>(eventually([&] { return (out = wrong(names)).empty(); }));
  return out;
}

TEST(Signals, NoThreadOfTheLibraryTakesThoseOfTheProgram) {
  const PluginFolder plugin;
  // Runs until the test has seen the thread that waits for it.
  plugin.script("plugin",
                "here=$(dirname \"$0\")\n"
                "grep SigBlk /proc/self/status > \"$here/mask\"\n"
                "while ! test -e \"$here/answer\"; do sleep 0.01; done\n"
                "cat \"$here/answer\"\n");
  const Program program(plugin);
  EXPECT_EQ(in_the_end_wrong({"kube-auth"}), "");
  const auto mask = [&] { return plugin.noted("mask"); };
  EXPECT_TRUE(eventually([&] { return mask() == "SigBlk:\t0000000000000000\n"; })) << mask();
  plugin.print_token("token");
  // The controller's threads start when the informer has synced.
  EXPECT_EQ(in_the_end_wrong({"kube-io", "kube-0", "kube-handler-0", "controller-0", "apiserver-0",
                              "cacheserver-0"}),
            "");
}

// In a process of its own, whose threads are there before the StopSignal is.
void stop_by_a_late_stop_signal() {
  const PluginFolder plugin;
  plugin.print_token("token");
  Program program(plugin);
  if (!program.maps.wait_for_sync({})) std::_Exit(1);
  const kube::StopSignal signal;
  ::kill(::getpid(), SIGTERM);
  kube::wait_for_stop(signal.token());
  std::_Exit(0);
}

TEST(Signals, AStopSignalMayBeMadeAfterAllThreadsOfTheLibrary) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(stop_by_a_late_stop_signal(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace signals
