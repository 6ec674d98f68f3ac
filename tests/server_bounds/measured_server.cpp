// SPDX-License-Identifier: Apache-2.0
#include "measured_server.hpp"

#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include <kube/apiserver/api_server.hpp>

namespace bounds {
namespace {

using namespace std::chrono_literals;

// Tells the server to give the memory that it does not use back to the system.
constexpr int kGiveBack = SIGUSR1;

// A line of /proc/PID/status, such as "VmHWM:     12345 kB", in bytes.
std::size_t status_bytes(pid_t process, const std::string& name) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::stoul(line.substr(name.size() + 1)) * 1024;
  }
  throw std::runtime_error("no " + name + " of the server: it has ended");
}

}  // namespace

MeasuredServer::MeasuredServer() : program_({"/proc/self/exe", "--serve"}) {
  if (!program_.prints("\n")) throw std::runtime_error("no server: " + program_.err());
  port_ = static_cast<std::uint16_t>(std::stoi(program_.out()));
}

std::chrono::nanoseconds MeasuredServer::cpu() const {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(program_.process(), &clock) != 0 ||
      ::clock_gettime(clock, &time) != 0) {
    throw std::runtime_error("no CPU time of the server: it has ended");
  }
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// At rest is a server that did nothing between two looks, and whose threads all sleep: one that
// waits for a processor does nothing either.
void MeasuredServer::await_rest() const {
  const auto deadline = std::chrono::steady_clock::now() + 120s;
  for (auto last = cpu(); std::chrono::steady_clock::now() < deadline;) {
    std::this_thread::sleep_for(5ms);
    const auto now = cpu();
    if (now == last && sleeps()) return;
    last = now;
  }
  throw std::runtime_error("the server did not come to rest in two minutes");
}

bool MeasuredServer::sleeps() const {
  const std::filesystem::path tasks = "/proc/" + std::to_string(program_.process()) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks)) {
    std::ifstream file(task.path() / "stat");
    std::string stat;
    std::getline(file, stat);
    // "7 (name) S ...": a name may hold anything, a parenthesis too.
    if (stat.find(") S ", stat.rfind(')')) == std::string::npos) return false;
  }
  return true;
}

void MeasuredServer::begin() {
  await_rest();
  // Or a small input finds room in what a former one left, and seems to take none.
  ::kill(program_.process(), kGiveBack);
  await_rest();
  // Makes the peak what it is now.
  std::ofstream("/proc/" + std::to_string(program_.process()) + "/clear_refs") << "5";
  before_ = {cpu(), status_bytes(program_.process(), "VmHWM")};
}

Usage MeasuredServer::end() {
  await_rest();
  const std::size_t peak = status_bytes(program_.process(), "VmHWM");
  return {cpu() - before_.cpu, peak > before_.memory ? peak - before_.memory : 0};
}

bool MeasuredServer::alive() const {
  std::ifstream status("/proc/" + std::to_string(program_.process()) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("State:")) return line.find('Z') == std::string::npos;
  }
  return false;
}

int serve() {
  // Room for a thousand connections wherever this runs.
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, kGiveBack);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const auto server = kube::apiserver::ApiServer::start();
  if (!server) {
    std::fprintf(stderr, "%s\n", server.error().to_string().c_str());
    return 1;
  }
  std::printf("%u\n", static_cast<unsigned>((*server)->port()));
  std::fflush(stdout);
  for (int signal = 0;;) {
    if (::sigwait(&signals, &signal) == 0) ::malloc_trim(0);
  }
}

}  // namespace bounds
