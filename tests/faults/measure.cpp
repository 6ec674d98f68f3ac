// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <algorithm>
#include <thread>

#include "client_process.hpp"
#include "fault_server.hpp"
#include "judge.hpp"

namespace faults {
namespace {

using kube::json::Value;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::chrono::seconds kWarmUp{1};
constexpr milliseconds kPoll{100};
constexpr milliseconds kSettling{500};  // memory that is given back on another thread
// What takes longer than these never comes: a backoff counts for up to a minute, a Retry-After for
// up to two, and a slow machine has its own time.
constexpr std::chrono::seconds kPatience{300};
constexpr std::chrono::seconds kPatienceOfSlow{300};

double seconds(Instant from, Instant to) {
  return std::chrono::duration<double>(to - from).count();
}

std::vector<std::string> view_of(const Value& figures) {
  std::vector<std::string> lines;
  const Value* view = figures.at_path({"view"});
  if (view == nullptr || view->if_array() == nullptr) return lines;
  for (const Value& line : *view->if_array()) lines.emplace_back(line.string_or_empty());
  return lines;
}

// What the client has to know in the end.
std::vector<std::string> truth_for(const Scenario& scenario) {
  const World& world = scenario.cut_to_mend ? new_world() : old_world();
  std::vector<std::string> lines = world.view();
  switch (scenario.setup.work) {
    case Work::Informer:
      break;
    case Work::Get:
    case Work::Create:
      lines.resize(1);
      break;
    case Work::List:  // the last one comes when somebody watches
      lines.resize(2);
      break;
  }
  return lines;
}

std::string said_in(const Value& figures) {
  std::string said(figures.string_at({"said"}));
  return said.empty() ? std::string(figures.string_at({"logged"})) : said;
}

struct Sample {
  Instant when;
  std::uint64_t bytes = 0;
  Value figures;

  std::int64_t number(std::string_view name) const { return figures.int_at({name}).value_or(0); }
};

Sample sample(ClientProcess& client, const FaultServer& server) {
  Sample now;
  now.figures = client.figures();
  now.bytes = server.bytes_sent();
  now.when = steady_clock::now();
  return now;
}

// The client has met the fault: it has connected, or has said why it could not.
void await_contact(ClientProcess& client, const FaultServer& server, Instant begin) {
  while (server.connections().count(begin, Instant::max()) == 0 &&
         said_in(client.figures()).empty() && steady_clock::now() < begin + kPatience) {
    std::this_thread::sleep_for(kPoll);
  }
}

// As it is once the user can read what the scenario says.
Sample sample_when_said(const Scenario& scenario, ClientProcess& client,
                        const FaultServer& server) {
  const Instant deadline = steady_clock::now() + kPatience;
  for (;;) {
    Sample now = sample(client, server);
    const bool said = said_in(now.figures).find(scenario.bounds.says) != std::string::npos;
    if (said || now.figures.is_null() || now.when > deadline) return now;
    std::this_thread::sleep_for(kPoll);
  }
}

void compare(const Sample& from, const Sample& to, Outcome& outcome) {
  const double time = seconds(from.when, to.when);
  outcome.cpu_percent =
      static_cast<double>(to.number("cpu_us") - from.number("cpu_us")) / time / 1e4;
  outcome.bytes_per_second = static_cast<double>(to.bytes - from.bytes) / time;
  outcome.reports = to.number("reports");
  outcome.log_lines = to.number("log_lines");
  outcome.state = to.figures.string_at({"state"});
  outcome.said = said_in(to.figures);
}

void count(const FaultServer& server, Instant begin, Instant from, Instant to, Outcome& outcome) {
  outcome.seconds = seconds(begin, to);
  outcome.requests = server.requests().count(begin, to);
  outcome.most_requests = server.requests().most_in_a_second(begin, to);
  outcome.connections = server.connections().count(begin, to);
  outcome.most_connections = server.connections().most_in_a_second(begin, to);
  outcome.requests_per_second =
      static_cast<double>(server.requests().count(from, to)) / seconds(from, to);
}

double mebibytes(const Sample& sample, std::string_view name) {
  constexpr double kKibInMib = 1024;
  return static_cast<double>(sample.number(name)) / kKibInMib;
}

void await_recovery(const Scenario& scenario, Instant from, ClientProcess& client,
                    Outcome& outcome) {
  const std::vector<std::string> truth = truth_for(scenario);
  for (;;) {
    const Value figures = client.figures();
    if (figures.is_null()) return;  // it has died
    outcome.view = view_of(figures);
    const auto took = steady_clock::now() - from;
    if (outcome.view == truth) {
      outcome.recovered = std::chrono::duration_cast<milliseconds>(took);
      return;
    }
    if (took > (scenario.slow ? kPatienceOfSlow : kPatience)) return;
    std::this_thread::sleep_for(kPoll);
  }
}

// Once the client has given back what it may not keep.
Sample sample_in_the_end(const Scenario& scenario, const Run& run, ClientProcess& client,
                         const FaultServer& server) {
  const Instant deadline = steady_clock::now() + kPatience;
  for (;;) {
    std::this_thread::sleep_for(kSettling);
    Sample now = sample(client, server);
    const double left = mebibytes(now, "resident_kib") - run.idle_mib.value_or(0);
    const auto allowed = static_cast<double>(scenario.bounds.left_mib);
    if (!run.idle_mib || left <= allowed || now.when > deadline) return now;
  }
}

}  // namespace

Outcome measure(const Scenario& scenario, const Run& run) {
  Outcome outcome;
  FaultServer server(scenario);
  ClientProcess client(run.program, scenario.setup, server.url(), server.ca());
  if (client.figures().is_null()) {
    outcome.broken.push_back("the client did not come up: " + client.complaints());
    return outcome;
  }
  server.misbehave();
  const Instant begin = steady_clock::now();
  client.start();
  await_contact(client, server, begin);
  std::this_thread::sleep_for(kWarmUp);
  const Sample first = sample(client, server);
  std::this_thread::sleep_for(run.time);
  const Sample last = sample_when_said(scenario, client, server);
  const Instant mended = steady_clock::now();
  server.mend();

  compare(first, last, outcome);
  count(server, begin, first.when, last.when, outcome);
  await_recovery(scenario, scenario.cut_to_mend ? mended : begin, client, outcome);
  const Sample end = sample_in_the_end(scenario, run, client, server);
  outcome.peak_mib = mebibytes(end, "peak_kib");
  outcome.final_mib = mebibytes(end, "resident_kib");
  const int status = client.stop();
  judge(scenario, run, outcome);
  if (status != 0) {
    outcome.broken.push_back("the client ended with status " + std::to_string(status) + ": " +
                             client.complaints());
  }
  return outcome;
}

}  // namespace faults
