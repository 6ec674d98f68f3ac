// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "row.hpp"

namespace bounds {
namespace {

constexpr std::string_view kConfigMaps = "/api/v1/namespaces/default/configmaps";

std::string hex(std::size_t value) {
  std::string out(16, '0');
  out.resize(static_cast<std::size_t>(std::snprintf(out.data(), out.size(), "%zx", value)));
  return out;
}

std::string config_map(std::string_view name, std::string_view value = "v") {
  std::string out = R"({"metadata":{"name":")";
  return out.append(name).append(R"(","labels":{"app":"a"}},"data":{"k":")").append(value) + "\"}}";
}

std::string create(const std::string& name, std::string_view value = "v") {
  return request("POST", kConfigMaps, config_map(name, value));
}

// A POST of chunks; what comes behind the head is up to the caller.
std::string chunked_post() {
  return "POST " + std::string(kConfigMaps) +
         " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
         "Transfer-Encoding: chunked\r\n\r\n";
}

// Some objects, so that selectors have something to be asked of.
std::vector<std::string> some_objects(const std::string& name) {
  std::vector<std::string> out;
  for (int i = 0; i < 50; ++i) out.push_back(create(name + "-" + std::to_string(i)));
  return out;
}

Row list_row(std::string name, std::size_t size, std::vector<int> answers, std::string_view before,
             std::string_view between, std::function<std::string(std::size_t)> part,
             std::string_view after = {}) {
  return {std::move(name), size, std::move(answers),
          [=, part = std::move(part)](std::size_t bytes, const std::string& object) {
            std::string target(kConfigMaps);
            target.append("?").append(before).append(repeat(bytes, between, part)).append(after);
            return Exchange{.before = some_objects(object), .bytes = request("GET", target)};
          }};
}

void add_heads(std::vector<Row>& rows) {
  rows.push_back({"fields of a head", 10'000, {200}, [](std::size_t size, const auto&) {
                    const std::string fields = repeat(size, "", [](std::size_t i) {
                      return "X-" + std::to_string(i) + ": v\r\n";
                    });
                    return Exchange{.bytes = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n" +
                                             fields + "Connection: close\r\n\r\n"};
                  }});
  rows.push_back({"one name in many fields", 10'000, {200}, [](std::size_t size, const auto&) {
                    const std::string fields =
                        repeat(size, "", [](std::size_t) { return "Accept: text/html\r\n"; });
                    return Exchange{.bytes = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n" +
                                             fields + "Connection: close\r\n\r\n"};
                  }});
  rows.push_back({"media types in Accept", 600, {200}, [](std::size_t size, const auto&) {
                    const std::string types = repeat(size, ",", [](std::size_t i) {
                      return "a/b" + std::to_string(i) + ";q=0.1";
                    });
                    return Exchange{.bytes = "GET " + std::string(kConfigMaps) +
                                             " HTTP/1.1\r\nHost: localhost\r\nAccept: " + types +
                                             ",*/*\r\nConnection: close\r\n\r\n"};
                  }});
  rows.push_back(
      {"head that is too long", 1'000'000, {404, 431}, [](std::size_t size, const auto&) {
         return Exchange{.bytes = request("GET", "/" + std::string(size, 'x'))};
       }});
}

void add_targets(std::vector<Row>& rows) {
  rows.push_back({"segments of a path", 10'000, {404}, [](std::size_t size, const auto&) {
                    return Exchange{.bytes = request(
                                        "GET", repeat(size, "", [](std::size_t) { return "/a"; }))};
                  }});
  rows.push_back({"escapes in a path", 10'000, {404}, [](std::size_t size, const auto&) {
                    return Exchange{.bytes = request("GET", "/" + repeat(size, "", [](std::size_t) {
                                                              return "%41";
                                                            }))};
                  }});
  rows.push_back(list_row("parameters of a query", 10'000, {200}, "", "&",
                          [](std::size_t i) { return "p" + std::to_string(i) + "=v"; }));
  rows.push_back(list_row("values of dryRun", 10'000, {200}, "", "&",
                          [](std::size_t) { return "dryRun=All"; }));
  rows.push_back(list_row("label selector with many terms", 10'000, {200}, "labelSelector=", ",",
                          [](std::size_t i) { return "!l" + std::to_string(i); }));
  // Requirements as they are read, and a term for each key.
  allow(rows, "label selector with many terms", {.bytes_per_byte = 130});
  rows.push_back(list_row(
      "label selector with many values", 10'000, {200}, "labelSelector=app%20notin%20(", ",",
      [](std::size_t i) { return "v" + std::to_string(i); }, ")"));
  rows.push_back(list_row("field selector with many terms", 10'000, {200}, "fieldSelector=", ",",
                          [](std::size_t i) { return "metadata.name!%3dn" + std::to_string(i); }));
  rows.push_back(list_row("field selector that is wrong", 10'000, {400}, "fieldSelector=", ",",
                          [](std::size_t i) { return "f" + std::to_string(i) + "%3dn"; }));
  rows.push_back(
      list_row("continue token", 10'000, {400}, "continue=", "", [](std::size_t) { return "e"; }));
}

// What stands between, in front of and behind the bytes of a body must not cost what a body does.
constexpr Limits kFraming{.most_megabytes = 12};

void add_framing(std::vector<Row>& rows) {
  rows.push_back({"chunk extensions",
                  100'000,
                  {201, 400, 413, 431},
                  [](std::size_t size, const std::string& name) {
                    const std::string body = config_map(name);
                    return Exchange{.bytes = chunked_post() + hex(body.size()) + ";" +
                                             std::string(size, 'x') + "\r\n" + body +
                                             "\r\n0\r\n\r\n"};
                  },
                  kFraming});
  rows.push_back({"extensions of many chunks",
                  100'000,
                  {201, 400, 413, 431},
                  [](std::size_t size, const std::string& name) {
                    const std::string body = config_map(name);
                    const std::string chunks = repeat(size, "", [](std::size_t) {
                      return "1;x=" + std::string(1000, 'y') + "\r\n \r\n";
                    });
                    return Exchange{.bytes = chunked_post() + chunks + hex(body.size()) + "\r\n" +
                                             body + "\r\n0\r\n\r\n"};
                  },
                  kFraming});
  rows.push_back({"trailers",
                  100'000,
                  {201, 400, 413, 431},
                  [](std::size_t size, const std::string& name) {
                    const std::string body = config_map(name);
                    const std::string fields = repeat(size, "", [](std::size_t i) {
                      return "X-" + std::to_string(i) + ": v\r\n";
                    });
                    return Exchange{.bytes = chunked_post() + hex(body.size()) + "\r\n" + body +
                                             "\r\n0\r\n" + fields + "\r\n"};
                  },
                  kFraming});
  rows.push_back({"trailers without an end",
                  3'000'000,
                  {400, 413, 431},
                  [](std::size_t size, const std::string& name) {
                    const std::string body = config_map(name);
                    return Exchange{.bytes = chunked_post() + hex(body.size()) + "\r\n" + body +
                                             "\r\n0\r\nX: " + std::string(size, 'v')};
                  },
                  kFraming});
  rows.push_back({"chunks of one byte",
                  20'000,
                  {201, 400, 413},
                  [](std::size_t size, const std::string& name) {
                    std::string chunks;
                    for (const char c : config_map(name, std::string(size / 6, 'v'))) {
                      chunks.append("1\r\n").append(1, c).append("\r\n");
                    }
                    return Exchange{.bytes = chunked_post() + chunks + "0\r\n\r\n"};
                  }});
  rows.push_back({"zeros before a chunk's size",
                  10'000,
                  {201, 400, 413, 431},
                  [](std::size_t size, const std::string& name) {
                    const std::string body = config_map(name);
                    return Exchange{.bytes = chunked_post() + std::string(size, '0') +
                                             hex(body.size()) + "\r\n" + body + "\r\n0\r\n\r\n"};
                  },
                  kFraming});
  rows.push_back({"body that is too long",
                  1'000'000,
                  {201, 413},
                  [](std::size_t size, const std::string& name) {
                    return Exchange{.bytes = create(name, std::string(size, 'v'))};
                  },
                  kFraming});
  rows.push_back({"pipelined requests",
                  5'000,
                  {200},
                  [](std::size_t size, const auto&) {
                    return Exchange{.bytes = repeat(size, "",
                                                    [](std::size_t) {
                                                      return "GET /healthz HTTP/1.1\r\nHost: "
                                                             "localhost\r\n\r\n";
                                                    }) +
                                             request("GET", "/healthz")};
                  },
                  kFraming});
  rows.push_back({"empty lines before a request",
                  10'000,
                  {200, 400, 431},
                  [](std::size_t size, const auto&) {
                    return Exchange{.bytes = repeat(size, "", [](std::size_t) { return "\r\n"; }) +
                                             request("GET", "/healthz")};
                  },
                  kFraming});
}

void add_bodies(std::vector<Row>& rows) {
  rows.push_back({"body in JSON", 10'000, {201}, [](std::size_t size, const std::string& name) {
                    return Exchange{.bytes = create(name, std::string(size, 'v'))};
                  }});
  rows.push_back(
      {"body in YAML", 10'000, {201}, [](std::size_t size, const std::string& name) {
         const std::string data =
             repeat(size, "", [](std::size_t i) { return "  k" + std::to_string(i) + ": v\n"; });
         return Exchange{.bytes = request("POST", kConfigMaps,
                                          "metadata:\n  name: " + name + "\ndata:\n" + data,
                                          "Content-Type: application/yaml\r\n")};
       }});
  rows.push_back({"body of a path that is not there",
                  30'000,
                  {404},
                  [](std::size_t size, const std::string& name) {
                    return Exchange{.bytes = request("POST", "/api/v1/nothing",
                                                     config_map(name, std::string(size, 'v')))};
                  }});
}

// Watches that do not read, of events that are the same for all of them.
Row watch_row(std::string name, std::size_t watches, std::size_t events, std::size_t event_size,
              std::string_view query = {}) {
  return {std::move(name),
          watches,
          {200},
          [=](std::size_t connections, const std::string& object) {
            Exchange exchange;
            exchange.connections = connections;
            exchange.stalled = true;
            exchange.bytes =
                request("GET", std::string(kConfigMaps) + "?watch=true" + std::string(query));
            std::string& made = exchange.after.emplace_back();
            for (std::size_t i = 0; i < events; ++i) {
              made +=
                  also("POST", kConfigMaps,
                       config_map(object + "-" + std::to_string(i), std::string(event_size, 'v')));
            }
            made += request("GET", "/healthz");
            return exchange;
          },
          {.most_megabytes = 60}};
}

void add_watches(std::vector<Row>& rows) {
  rows.push_back(watch_row("watches that do not read", 10, 40, 200'000));
  rows.push_back(watch_row("the same, small events", 10, 10'000, 300));
  rows.push_back(watch_row("watches of nothing", 10, 100, 10'000, "&labelSelector=no"));
}

}  // namespace

std::vector<Row> request_rows() {
  std::vector<Row> rows;
  add_heads(rows);
  add_targets(rows);
  add_framing(rows);
  add_bodies(rows);
  add_watches(rows);
  return rows;
}

}  // namespace bounds
