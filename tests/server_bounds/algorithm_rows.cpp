// SPDX-License-Identifier: Apache-2.0
#include "row.hpp"

namespace bounds {

std::vector<Row> algorithm_rows() {
  std::vector<Row> rows = body_rows();
  for (Row& row : definition_rows()) rows.push_back(std::move(row));
  for (Row& row : state_rows()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace bounds
