// SPDX-License-Identifier: Apache-2.0
#include "measurement.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "client.hpp"

namespace bounds {
namespace {

// Any exchange may take this much memory beside what its bytes do.
constexpr double kFixedBytes = 4.0 * (1U << 20U);
// From the smallest input to the largest, a byte may take so many times as much memory, and so many
// times as much CPU time. Caches that a large input does not fit, and other work on the machine,
// make linear work up to 4 times as expensive; what is quadratic becomes 100 times as expensive.
constexpr double kMemoryGrowth = 3;
constexpr double kTimeGrowth = 10;
// Below, the smallest input says nothing about the memory of a byte.
constexpr double kMinBytes = 256.0 * (1U << 10U);
// Most of the smallest inputs take about as long as a thread needs to wake up, and are repeated.
constexpr int kRunsOfSmallest = 3;
constexpr std::chrono::milliseconds kLongRun{20};

void send_all(const std::vector<std::string>& requests, std::uint16_t port) {
  for (const std::string& each : requests) {
    Client client(port);
    client.exchange(each);
    if (client.status() < 200 || client.status() > 299) {
      throw std::runtime_error("a request around the measurement failed: " + client.text());
    }
  }
}

// Returns the first status, and adds to `sent`.
int run(const Exchange& exchange, std::uint16_t port, std::size_t& sent) {
  std::vector<std::unique_ptr<Client>> clients;
  for (std::size_t i = 0; i < exchange.connections; ++i) {
    Client& client = *clients.emplace_back(std::make_unique<Client>(port, exchange.stalled));
    sent +=
        exchange.stalled ? client.exchange_head(exchange.bytes) : client.exchange(exchange.bytes);
  }
  // What is made is sent to each of those that watch.
  for (const std::string& each : exchange.after) sent += each.size() * exchange.connections;
  send_all(exchange.after, port);
  return clients.front()->status();
}

std::string text_of(const char* format, double a, double b) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), format, a, b);
  return text.data();
}

Measurement measure_once(MeasuredServer& server, const Exchange& exchange) {
  Measurement out;
  send_all(exchange.before, server.port());
  server.begin();
  out.status = run(exchange, server.port(), out.sent);
  out.usage = server.end();
  return out;
}

Measurement measure(const Row& row, std::size_t factor) {
  MeasuredServer server;
  {
    const Exchange warm = row.make(row.size, "warm");
    send_all(warm.before, server.port());
    std::size_t ignored = 0;
    run(warm, server.port(), ignored);
  }
  Measurement out = measure_once(server, row.make(row.size * factor, "measured"));
  for (int i = 1; factor == 1 && i < kRunsOfSmallest && out.usage.cpu < kLongRun; ++i) {
    const Measurement again = measure_once(server, row.make(row.size, "again" + std::to_string(i)));
    out.usage.cpu = std::min(out.usage.cpu, again.usage.cpu);
    out.usage.memory = std::max(out.usage.memory, again.usage.memory);
  }
  if (!server.alive()) throw std::runtime_error("the server died");
  return out;
}

double least(const std::vector<Sizes>& attempts, std::size_t size,
             double (Measurement::*figure)() const) {
  double found = (attempts.front()[size].*figure)();
  for (const Sizes& attempt : attempts) found = std::min(found, (attempt[size].*figure)());
  return found;
}

}  // namespace

double Measurement::ns_per_byte() const {
  return static_cast<double>(usage.cpu.count()) /
         static_cast<double>(std::max<std::size_t>(sent, 1));
}

double Measurement::bytes_per_byte() const {
  return static_cast<double>(usage.memory) / static_cast<double>(std::max<std::size_t>(sent, 1));
}

Sizes measure(const Row& row) {
  Sizes sizes;
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = measure(row, kFactors[i]);
  return sizes;
}

std::vector<std::string> judge(const Row& row, const std::vector<Sizes>& attempts) {
  std::vector<std::string> problems;
  const double ns = least(attempts, 0, &Measurement::ns_per_byte);
  for (std::size_t i = 0; i < kFactors.size(); ++i) {
    const Measurement& last = attempts.back()[i];
    const auto sent = static_cast<double>(last.sent);
    const std::string at = "at " + std::to_string(kFactors[i]) + " times the size: ";
    if (std::ranges::find(row.answers, last.status) == row.answers.end()) {
      problems.push_back(at + "the answer was " + std::to_string(last.status));
    }
    const double bytes_per_byte = least(attempts, i, &Measurement::bytes_per_byte);
    if (bytes_per_byte * sent > row.limits.most_megabytes * 1e6) {
      problems.push_back(at + text_of("%.0f MB of memory; %.0f are allowed",
                                      bytes_per_byte * sent / 1e6, row.limits.most_megabytes));
    }
    if (bytes_per_byte * sent > kFixedBytes + row.limits.bytes_per_byte * sent) {
      problems.push_back(at + text_of("%.1f bytes of memory a byte; %.1f are allowed",
                                      bytes_per_byte, row.limits.bytes_per_byte));
    }
    const double grown = least(attempts, i, &Measurement::ns_per_byte) / ns;
    if (grown > kTimeGrowth) {
      problems.push_back(at + text_of("a byte takes %.0f times as much CPU time; %.0f are allowed",
                                      grown, kTimeGrowth));
    }
  }
  const auto smallest = static_cast<double>(std::max<std::size_t>(attempts.back().front().sent, 1));
  const double bytes =
      std::max(least(attempts, 0, &Measurement::bytes_per_byte), kMinBytes / smallest);
  const double most = least(attempts, kFactors.size() - 1, &Measurement::bytes_per_byte);
  if (most > kMemoryGrowth * bytes) {
    problems.push_back(
        text_of("memory is more than linear: %.1f bytes a byte became %.1f", bytes, most));
  }
  return problems;
}

}  // namespace bounds
