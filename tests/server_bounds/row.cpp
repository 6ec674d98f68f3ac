// SPDX-License-Identifier: Apache-2.0
#include "row.hpp"

#include <algorithm>
#include <stdexcept>

namespace bounds {

std::string request(std::string_view method, std::string_view target, std::string_view body,
                    std::string_view headers) {
  std::string out(method);
  out.append(" ").append(target).append(" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
  if (!body.empty()) {
    out.append(headers).append("Content-Length: ").append(std::to_string(body.size())) += "\r\n";
  }
  return out.append("\r\n").append(body);
}

std::string also(std::string_view method, std::string_view target, std::string_view body,
                 std::string_view headers) {
  std::string out(method);
  out.append(" ").append(target).append(" HTTP/1.1\r\nHost: localhost\r\n");
  if (!body.empty())
    out.append(headers).append("Content-Length: ").append(std::to_string(body.size())) += "\r\n";
  return out.append("\r\n").append(body);
}

std::string table_request(std::string_view target) {
  std::string out("GET ");
  return out.append(target).append(
      " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      "Accept: application/json;as=Table;v=v1;g=meta.k8s.io\r\n\r\n");
}

std::string repeat(std::size_t size, std::string_view between,
                   const std::function<std::string(std::size_t)>& make) {
  std::string out;
  for (std::size_t i = 0; out.size() < size; ++i) {
    if (i != 0) out += between;
    out += make(i);
  }
  return out;
}

void allow(std::vector<Row>& rows, std::string_view name, const Limits& limits) {
  const auto row = std::ranges::find(rows, name, &Row::name);
  if (row == rows.end()) throw std::logic_error("no row " + std::string(name));
  row->limits = limits;
}

}  // namespace bounds
