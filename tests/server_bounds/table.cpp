// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace bounds {
namespace {

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), value < 10 ? "%.1f" : "%.0f", value);
  return text.data();
}

std::string bytes_text(std::size_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes < 1'000) return number(value) + " B";
  return bytes < 1'000'000 ? number(value / 1e3) + " kB" : number(value / 1e6) + " MB";
}

}  // namespace

std::string heading() {
  return "| input | bytes sent | answer | CPU ms | CPU ns a byte | memory | memory a byte |\n"
         "| --- | --- | --- | --- | --- | --- | --- |\n";
}

std::string line_of(const Row& row, const Sizes& measured) {
  std::array<std::string, 6> cells;
  for (const Measurement& each : measured) {
    const std::array<std::string, 6> values = {
        bytes_text(each.sent),
        std::to_string(each.status),
        number(static_cast<double>(each.usage.cpu.count()) / 1e6),
        number(each.ns_per_byte()),
        bytes_text(each.usage.memory),
        number(each.bytes_per_byte())};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells[i] += (cells[i].empty() ? "" : ", ") + values[i];
    }
  }
  std::string line = "| " + row.name;
  for (const std::string& cell : cells) line += " | " + cell;
  return line + " |\n";
}

void write_table(const std::string& path, const std::string& table) {
  constexpr std::string_view kBegin = "<!-- measured -->\n";
  constexpr std::string_view kEnd = "<!-- /measured -->";
  std::string text;
  {
    std::ifstream file(path, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  const std::size_t from = text.find(kBegin);
  const std::size_t to = text.find(kEnd);
  if (from == std::string::npos || to == std::string::npos || to < from) {
    throw std::runtime_error(path +
                             ": expected the lines <!-- measured --> and <!-- /measured -->");
  }
  const std::size_t at = from + kBegin.size();
  text.replace(at, to - at, "\n" + table + "\n");
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error(path + ": can't be written");
}

}  // namespace bounds
