// SPDX-License-Identifier: Apache-2.0
#include "measurement.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "client.hpp"

namespace bounds {
namespace {

// From the smallest to the largest input.
constexpr double kAllowedGrowth = 3;
// Any exchange may cost this much beside what its bytes do.
constexpr double kFixedNs = 20e6;
constexpr double kFixedBytes = 4.0 * (1U << 20U);
// Below, the smallest input says nothing about the cost of a byte.
constexpr double kMinNs = 300e3;
constexpr double kMinBytes = 256.0 * (1U << 10U);

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

}  // namespace

double Measurement::ns_per_byte() const {
  return static_cast<double>(usage.cpu.count()) /
         static_cast<double>(std::max<std::size_t>(sent, 1));
}

double Measurement::bytes_per_byte() const {
  return static_cast<double>(usage.memory) / static_cast<double>(std::max<std::size_t>(sent, 1));
}

Measurement send(MeasuredServer& server, const Exchange& exchange) {
  Measurement out;
  send_all(exchange.before, server.port());
  server.begin();
  out.status = run(exchange, server.port(), out.sent);
  out.usage = server.end();
  return out;
}

Measurement measure(const Row& row, std::size_t factor) {
  MeasuredServer server;
  Measurement out;
  {
    const Exchange warm = row.make(row.size, "warm");
    send_all(warm.before, server.port());
    std::size_t ignored = 0;
    run(warm, server.port(), ignored);
  }
  const std::size_t runs = factor == 1 ? 5 : 1;
  Usage total;
  for (std::size_t i = 0; i < runs; ++i) {
    out = send(server, row.make(row.size * factor, "measured" + std::to_string(i)));
    total.cpu += out.usage.cpu;
    total.memory = std::max(total.memory, out.usage.memory);
  }
  out.usage = {total.cpu / static_cast<int>(runs), total.memory};
  if (!server.alive()) throw std::runtime_error("the server died");
  return out;
}

std::vector<std::string> judge(const Row& row,
                               const std::array<Measurement, kFactors.size()>& measured,
                               double slowness) {
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < kFactors.size(); ++i) {
    const Measurement& each = measured[i];
    const std::string at = "at " + std::to_string(kFactors[i]) + " times the size: ";
    if (std::ranges::find(row.answers, each.status) == row.answers.end()) {
      problems.push_back(at + "the answer was " + std::to_string(each.status));
    }
    const auto sent = static_cast<double>(each.sent);
    const auto ns = static_cast<double>(each.usage.cpu.count());
    const auto bytes = static_cast<double>(each.usage.memory);
    const double allowed = slowness * row.limits.ns_per_byte;
    if (ns > slowness * kFixedNs + allowed * sent) {
      problems.push_back(at + text_of("%.0f ns of CPU time a byte; %.0f are allowed",
                                      each.ns_per_byte(), allowed));
    }
    if (bytes > row.limits.most_megabytes * 1e6) {
      problems.push_back(at + text_of("%.0f MB of memory; %.0f are allowed", bytes / 1e6,
                                      row.limits.most_megabytes));
    }
    if (bytes > kFixedBytes + row.limits.bytes_per_byte * sent) {
      problems.push_back(at + text_of("%.1f bytes of memory a byte; %.1f are allowed",
                                      each.bytes_per_byte(), row.limits.bytes_per_byte));
    }
  }
  const Measurement& least = measured.front();
  const Measurement& most = measured.back();
  const auto sent = static_cast<double>(std::max<std::size_t>(least.sent, 1));
  const double ns = std::max(least.ns_per_byte(), kMinNs / sent);
  const double bytes = std::max(least.bytes_per_byte(), kMinBytes / sent);
  if (most.ns_per_byte() > kAllowedGrowth * ns) {
    problems.push_back(text_of("CPU time is more than linear: %.0f ns a byte became %.0f", ns,
                               most.ns_per_byte()));
  }
  if (most.bytes_per_byte() > kAllowedGrowth * bytes) {
    problems.push_back(text_of("memory is more than linear: %.1f bytes a byte became %.1f", bytes,
                               most.bytes_per_byte()));
  }
  return problems;
}

}  // namespace bounds
