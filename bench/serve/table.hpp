// SPDX-License-Identifier: Apache-2.0
//
// What was measured of some servers, printed as the table of a README: a column for each server,
// and beside each figure of another one how many times better ours is.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace kube::bench {

enum class Better { More, Less };

/// @par Thread safety   None: for one thread at a time.
class Table {
 public:
  struct Column {
    std::string name;
    /// The column that it is compared with; its own index for none.
    std::size_t beside;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Adds a round's figure; the table has the median of the rounds.
  void add(const std::string& row, std::size_t column, double figure, Better better,
           const std::string& unit = "");
  void print() const;

 private:
  struct Row {
    std::string name;
    std::string unit;
    Better better;
    std::map<std::size_t, std::vector<double>> figures;
  };

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace kube::bench
