// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace kube::bench {
namespace {

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// Three digits are more than the figures are worth: 48,700; 62.1; 0.62.
std::string text_of(double figure) {
  char text[32];
  if (figure >= 1000) {
    double step = 10;
    while (figure / step >= 1000) step *= 10;
    const auto whole = static_cast<long>(figure / step + 0.5) * static_cast<long>(step);
    std::snprintf(text, sizeof text, "%ld", whole);
    std::string out = text;
    for (std::size_t at = out.size(); at > 3;) out.insert(at -= 3, 1, ',');
    return out;
  }
  std::snprintf(text, sizeof text, figure >= 100 ? "%.0f" : figure >= 1 ? "%.1f" : "%.2f", figure);
  return text;
}

}  // namespace

void Table::add(const std::string& row, std::size_t column, double figure, Better better,
                const std::string& unit) {
  auto found = std::ranges::find(rows_, row, &Row::name);
  if (found == rows_.end()) found = rows_.insert(rows_.end(), Row{row, unit, better, {}});
  found->figures[column].push_back(figure);
}

void Table::print() const {
  std::string head = "| |";
  std::string line = "| --- |";
  for (const Column& each : columns_) {
    head += " " + each.name + " |";
    line += " --- |";
  }
  std::printf("%s\n%s\n", head.c_str(), line.c_str());
  for (const Row& row : rows_) {
    std::string text = "| " + row.name + " |";
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const auto here = row.figures.find(column);
      if (here == row.figures.end()) {
        text += " - |";
        continue;
      }
      const double figure = median(here->second);
      text += " " + text_of(figure) + row.unit;
      const auto ours = row.figures.find(columns_[column].beside);
      if (columns_[column].beside != column && ours != row.figures.end()) {
        const double other = median(ours->second);
        const double ratio = row.better == Better::More ? other / figure : figure / other;
        text += " (" + text_of(ratio) + ")";
      }
      text += " |";
    }
    std::printf("%s\n", text.c_str());
  }
}

}  // namespace kube::bench
