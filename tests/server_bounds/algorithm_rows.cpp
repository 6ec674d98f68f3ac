// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string_view>
#include <utility>

#include "row.hpp"

namespace bounds {
namespace {

struct OpenRow {
  std::string_view name;
  std::string_view why;
};
constexpr std::string_view kSlower = "the largest input costs more than three times as much a byte";
constexpr std::string_view kRefused = "the answer is not the one that was expected";
constexpr std::array<OpenRow, 7> kOpen{{{"JSON patch that moves", kSlower},
                                        {"selectable fields of a definition", kSlower},
                                        {"JSON patch that inserts in front", kSlower},
                                        {"strategic patch of items by key", kRefused},
                                        {"strategic patch that deletes items", kRefused},
                                        {"JSON patch that removes", kRefused},
                                        {"defaults in defaults", kRefused}}};

}  // namespace

std::vector<Row> algorithm_rows() {
  std::vector<Row> rows = body_rows();
  for (Row& row : definition_rows()) rows.push_back(std::move(row));
  for (Row& row : rows) {
    // Schemas and patterns are compiled, and what is refused is listed by its causes: a byte of
    // such input costs more than one that is read, and no more of it the more there are.
    row.limits.ns_per_byte = 30'000;
    row.limits.bytes_per_byte = 7'000;
    row.limits.most_megabytes = 700;
    for (const auto& [name, why] : kOpen) {
      if (row.name == name) row.open = why;
    }
  }
  return rows;
}

}  // namespace bounds
