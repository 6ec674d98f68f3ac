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

constexpr std::chrono::seconds kWarmUp{1};
constexpr milliseconds kPoll{100};
constexpr milliseconds kSettling{500};  // memory that is given back on another thread

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
  now.when = std::chrono::steady_clock::now();
  return now;
}

void compare(const Scenario& scenario, const Sample& from, const Sample& to, Outcome& outcome) {
  const double time = seconds(from.when, to.when);
  const auto each_second = [&](std::string_view name) {
    return static_cast<double>(to.number(name) - from.number(name)) / time;
  };
  outcome.reports_per_second = each_second("reports");
  outcome.log_lines_per_second = each_second("log_lines");
  outcome.calls_per_second = each_second("calls");
  outcome.cpu_percent = each_second("cpu_us") / 1e4;
  outcome.bytes_per_second = static_cast<double>(to.bytes - from.bytes) / time;
  outcome.cpu_allowed = scenario.bounds.cpu_percent +
                        outcome.bytes_per_second * scenario.bounds.cpu_ns_per_byte / 1e7;
  outcome.threads = to.number("threads");
  outcome.files = to.number("files");
  outcome.longest_call_ms = to.number("longest_ms");
  outcome.state = to.figures.string_at({"state"});
  outcome.said = said_in(to.figures);
}

void count(const FaultServer& server, Instant begin, Instant from, Instant to, Outcome& outcome) {
  const double time = seconds(from, to);
  outcome.requests_per_second = static_cast<double>(server.requests().count(from, to)) / time;
  outcome.most_requests = server.requests().most_in_a_second(begin, to);
  outcome.connections_per_second = static_cast<double>(server.connections().count(from, to)) / time;
  outcome.most_connections = server.connections().most_in_a_second(begin, to);
}

void await_recovery(const Scenario& scenario, Instant from, ClientProcess& client,
                    Outcome& outcome) {
  const std::vector<std::string> truth = truth_for(scenario);
  for (;;) {
    const Value figures = client.figures();
    if (figures.is_null()) return;  // it has died
    outcome.view = view_of(figures);
    const auto took = std::chrono::steady_clock::now() - from;
    if (outcome.view == truth) {
      outcome.recovered = std::chrono::duration_cast<milliseconds>(took);
      return;
    }
    if (took > scenario.bounds.recovery) return;
    std::this_thread::sleep_for(kPoll);
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
  const Instant begin = std::chrono::steady_clock::now();
  client.start();
  std::this_thread::sleep_for(kWarmUp);
  const Sample first = sample(client, server);
  std::this_thread::sleep_for(run.time);
  const Sample last = sample(client, server);
  const Instant mended = std::chrono::steady_clock::now();
  server.mend();

  compare(scenario, first, last, outcome);
  count(server, begin, first.when, last.when, outcome);
  await_recovery(scenario, scenario.cut_to_mend ? mended : begin, client, outcome);
  std::this_thread::sleep_for(kSettling);
  const Sample end = sample(client, server);
  constexpr double kKibInMib = 1024;
  outcome.peak_mib = static_cast<double>(end.number("peak_kib")) / kKibInMib;
  outcome.final_mib = static_cast<double>(end.number("resident_kib")) / kKibInMib;
  const int status = client.stop();
  judge(scenario, run, outcome);
  if (status != 0) {
    outcome.broken.push_back("the client ended with status " + std::to_string(status) + ": " +
                             client.complaints());
  }
  return outcome;
}

}  // namespace faults
