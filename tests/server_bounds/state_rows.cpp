// SPDX-License-Identifier: Apache-2.0
//
// What grows with the objects that there are: each row makes them by requests that are measured,
// too, so that a byte stands for the same work at each size.
#include "row.hpp"

namespace bounds {
namespace {

constexpr std::string_view kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

std::string named(const std::string& name, std::size_t i) {
  return R"({"metadata":{"name":")" + name + "-" + std::to_string(i) + R"("},"data":{"k":"v"}})";
}

// Config maps in a namespace of the row's own, then one more request.
Row objects_row(std::string name, std::function<std::string(const std::string&)> last) {
  return {std::move(name),
          10'000,
          {201},
          [last = std::move(last)](std::size_t size, const std::string& object) {
            const std::string maps = "/api/v1/namespaces/" + object + "/configmaps";
            return Exchange{.before = {request("POST", "/api/v1/namespaces",
                                               R"({"metadata":{"name":")" + object + "\"}}")},
                            .bytes = repeat(size, "",
                                            [&](std::size_t i) {
                                              return also("POST", maps, named(object, i));
                                            }) +
                                     last(object)};
          }};
}

std::string definition(const std::string& group, std::string_view schema) {
  std::string out =
      R"({"metadata":{"name":"things.)" + group + R"("},"spec":{"group":")" + group +
      R"(","scope":"Cluster","names":{"plural":"things","kind":"Thing"},)"
      R"("versions":[{"name":"v1","served":true,"storage":true,)"
      R"("additionalPrinterColumns":[{"name":"A","type":"string","jsonPath":".spec.a"}],)"
      R"("schema":{"openAPIV3Schema":)";
  return out.append(schema) + "}}]}}";
}

constexpr std::string_view kOpen =
    R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})";

}  // namespace

std::vector<Row> state_rows() {
  std::vector<Row> rows;
  rows.push_back(objects_row("objects", [](const auto&) { return request("GET", "/healthz"); }));
  rows.push_back(objects_row("objects of a namespace that is deleted", [](const auto& name) {
    return request("DELETE", "/api/v1/namespaces/" + name);
  }));
  rows.push_back({"objects whose finalizers hold their namespace",
                  10'000,
                  {201},
                  [](std::size_t size, const std::string& name) {
                    const std::string maps = "/api/v1/namespaces/" + name + "/configmaps";
                    const std::string made = repeat(size / 2, "", [&](std::size_t i) {
                      return also("POST", maps,
                                  R"({"metadata":{"name":"m)" + std::to_string(i) +
                                      R"(","finalizers":["a.b/c"]}})");
                    });
                    const std::string freed = repeat(size / 2, "", [&](std::size_t i) {
                      return also("PATCH", maps + "/m" + std::to_string(i),
                                  R"({"metadata":{"finalizers":null}})",
                                  "Content-Type: application/merge-patch+json\r\n");
                    });
                    return Exchange{.before = {request("POST", "/api/v1/namespaces",
                                                       R"({"metadata":{"name":")" + name + "\"}}")},
                                    .bytes = made + also("DELETE", "/api/v1/namespaces/" + name) +
                                             freed + request("GET", "/healthz")};
                  }});
  rows.push_back(objects_row("objects that are deleted together", [](const auto& name) {
    return request("DELETE", "/api/v1/namespaces/" + name + "/configmaps");
  }));
  rows.push_back(objects_row("objects that are listed", [](const auto& name) {
    return request("GET", "/api/v1/namespaces/" + name + "/configmaps");
  }));
  rows.push_back(objects_row("objects in a table", [](const auto& name) {
    return table_request("/api/v1/namespaces/" + name + "/configmaps");
  }));
  rows.push_back(
      {"objects read page by page", 10'000, {201}, [](std::size_t size, const std::string& name) {
         const std::string maps = "/api/v1/namespaces/" + name + "/configmaps";
         return Exchange{.before = {request("POST", "/api/v1/namespaces",
                                            R"({"metadata":{"name":")" + name + "\"}}")},
                         .bytes = repeat(size, "",
                                         [&](std::size_t i) {
                                           return also("POST", maps, named(name, i)) +
                                                  also("GET", maps + "?limit=1");
                                         }) +
                                  request("GET", "/healthz")};
       }});
  rows.push_back(
      {"definitions", 2'000, {201}, [](std::size_t size, const std::string& name) {
         return Exchange{
             .bytes = repeat(size, "",
                             [&](std::size_t i) {
                               return also(
                                   "POST", kDefinitions,
                                   definition(name + std::to_string(i) + ".example.com", kOpen));
                             }) +
                      request("GET", "/healthz")};
       }});
  rows.push_back(
      {"definitions whose schemas are read",
       2'000,
       {201},
       [](std::size_t size, const std::string& name) {
         return Exchange{
             .bytes = repeat(size, "",
                             [&](std::size_t i) {
                               return also(
                                   "POST", kDefinitions,
                                   definition(name + std::to_string(i) + ".example.com", kOpen));
                             }) +
                      also("GET", "/openapi/v2") + also("GET", "/openapi/v3") +
                      also("GET", "/apis", {}, {}) + request("GET", "/healthz")};
       }});
  rows.push_back(
      {"a large schema that is read", 20'000, {201}, [](std::size_t size, const std::string& name) {
         const std::string fields = repeat(size, ",", [](std::size_t i) {
           return "\"f" + std::to_string(i) + R"(":{"type":"string"})";
         });
         const std::string group = name + ".example.com";
         return Exchange{.bytes = also("POST", kDefinitions,
                                       definition(group, R"({"type":"object","properties":{)" +
                                                             fields + "}}")) +
                                  also("GET", "/openapi/v3/apis/" + group + "/v1") +
                                  also("GET", "/openapi/v2") + request("GET", "/healthz")};
       }});
  // The schemas of all built-in kinds are written as well.
  allow(rows, "definitions whose schemas are read", {.bytes_per_byte = 1200});
  allow(rows, "a large schema that is read", {.bytes_per_byte = 350, .most_megabytes = 450});
  return rows;
}

}  // namespace bounds
