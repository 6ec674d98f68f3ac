// SPDX-License-Identifier: Apache-2.0
#include "row.hpp"

namespace bounds {

std::vector<Row> algorithm_rows() {
  std::vector<Row> rows;

  rows.push_back(
      {"labels of an object", 30'000, {201, 422}, [](std::size_t size, const auto& name) {
         const std::string labels = repeat(
             size, ",", [](std::size_t i) { return "\"l" + std::to_string(i) + "\":\"v\""; });
         return Exchange{.bytes = request("POST", "/api/v1/namespaces/default/configmaps",
                                          R"({"metadata":{"name":")" + name + R"(","labels":{)" +
                                              labels + "}}}")};
       }});
  return rows;
}

}  // namespace bounds
