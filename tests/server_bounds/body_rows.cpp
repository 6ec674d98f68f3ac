// SPDX-License-Identifier: Apache-2.0
//
// What is done with the bodies of objects: reading, strict checks, metadata, patches.
#include "row.hpp"

namespace bounds {
namespace {

using Part = std::function<std::string(std::size_t)>;

const std::string kConfigMapsPath = "/api/v1/namespaces/default/configmaps";
const std::string kPods = "/api/v1/namespaces/default/pods";
constexpr std::string_view kMergePatch = "Content-Type: application/merge-patch+json\r\n";
constexpr std::string_view kStrategicPatch =
    "Content-Type: application/strategic-merge-patch+json\r\n";
constexpr std::string_view kJsonPatch = "Content-Type: application/json-patch+json\r\n";

std::string member(std::size_t i) {
  return "\"k" + std::to_string(i) + "\":\"v\"";
}

// A row whose input is one POST of "{metadata,MORE}"; `before` and `after` are around the parts.
Row post_row(std::string name, std::size_t size, std::vector<int> answers, std::string target,
             std::string_view before, Part part, std::string_view after,
             std::string_view between = ",") {
  return {std::move(name), size, std::move(answers),
          [=, part = std::move(part)](std::size_t bytes, const std::string& object) {
            std::string body = R"({"metadata":{"name":")" + object + "\"";
            body.append(before).append(repeat(bytes, between, part)).append(after);
            return Exchange{.bytes = request("POST", target, body)};
          }};
}

// A row whose input is one PATCH of an object that was made of `object` and parts of `there`.
Row patch_row(std::string name, std::size_t size, std::vector<int> answers, std::string target,
              std::string_view headers, std::string_view object_before, Part there,
              std::string_view object_after, std::string_view before, Part part,
              std::string_view after) {
  return {std::move(name), size, std::move(answers),
          [=, there = std::move(there), part = std::move(part)](std::size_t bytes,
                                                                const std::string& object) {
            std::string made = R"({"metadata":{"name":")" + object + "\"";
            made.append(object_before);
            if (there) made.append(repeat(bytes, ",", there));
            made.append(object_after);
            std::string patch(before);
            patch.append(repeat(bytes, ",", part)).append(after);
            return Exchange{
                .before = {request("POST", target, made)},
                .bytes = request("PATCH", std::string(target) + "/" + object, patch, headers)};
          }};
}

void add_fields(std::vector<Row>& rows) {
  const std::string strict = std::string(kConfigMapsPath) + "?fieldValidation=Strict";
  const std::string ignore = std::string(kConfigMapsPath) + "?fieldValidation=Ignore";
  rows.push_back(post_row("unknown fields", 10'000, {201}, kConfigMapsPath, "},", member, "}"));
  rows.push_back(post_row("unknown fields, strict", 10'000, {400}, strict, "},", member, "}"));
  rows.push_back(post_row("unknown fields, ignored", 10'000, {201}, ignore, "},", member, "}"));
  rows.push_back(post_row(
      "fields that come again", 10'000, {201}, kConfigMapsPath, "},",
      [](std::size_t) { return R"("data":{})"; }, "}"));
  rows.push_back(post_row(
      "keys that come again", 10'000, {201}, kConfigMapsPath, R"(},"data":{)",
      [](std::size_t) { return R"("a":"b")"; }, "}}"));
  rows.push_back(post_row(
      "unknown fields of items", 10'000, {201}, kPods,
      R"(},"spec":{"containers":[{"name":"a","image":"b"})",
      [](std::size_t i) {
        const std::string number = std::to_string(i);
        return R"(,{"name":"a)" + number + R"(","image":"b","x)" + number + "\":1}";
      },
      "]}}", ""));
  rows.push_back({"unknown fields below a long key",
                  20'000,
                  {201},
                  [](std::size_t size, const std::string& name) {
                    const std::string fields = repeat(size / 2, ",", member);
                    return Exchange{.bytes = request("POST", kConfigMapsPath,
                                                     R"({"metadata":{"name":")" + name + R"("},")" +
                                                         std::string(size / 2, 'x') + "\":{" +
                                                         fields + "}}")};
                  }});
  rows.push_back({"known fields below a long key",
                  20'000,
                  {201, 422},
                  [](std::size_t size, const std::string& name) {
                    const std::string keys =
                        repeat(size / 2, ",", [](std::size_t) { return R"({"name":"a"})"; });
                    return Exchange{.bytes = request("POST", "/api/v1/nodes",
                                                     R"({"metadata":{"name":")" + name +
                                                         R"("},"spec":{"taints":[]},"status":{")" +
                                                         std::string(size / 2, 'x') + R"(":[)" +
                                                         keys + "]}}")};
                  }});
  rows.push_back(post_row(
      "items of a list", 10'000, {201}, kPods,
      R"(},"spec":{"containers":[{"name":"a","image":"b","args":[)",
      [](std::size_t) { return R"("a")"; }, "]}]}}"));
}

void add_nesting(std::vector<Row>& rows) {
  rows.push_back({"brackets", 10'000, {400}, [](std::size_t size, const std::string&) {
                    return Exchange{.bytes = request("POST", kConfigMapsPath,
                                                     R"({"a":)" + std::string(size, '['))};
                  }});
  rows.push_back({"braces", 10'000, {400}, [](std::size_t size, const std::string&) {
                    return Exchange{
                        .bytes = request("POST", kConfigMapsPath,
                                         repeat(size, "", [](std::size_t) { return "{\"a\":"; }))};
                  }});
  rows.push_back({"brackets in YAML", 3'000, {400}, [](std::size_t size, const std::string&) {
                    return Exchange{.bytes = request("POST", kConfigMapsPath,
                                                     "a: " + std::string(size, '['),
                                                     "Content-Type: application/yaml\r\n")};
                  }});
  rows.push_back({"aliases in YAML", 3'000, {400, 201}, [](std::size_t size, const std::string&) {
                    const std::string levels = repeat(size, "", [](std::size_t i) {
                      const std::string last = "*a" + std::to_string(i);
                      return "x" + std::to_string(i) + ": &a" + std::to_string(i + 1) + " [" +
                             last + "," + last + "," + last + "]\n";
                    });
                    return Exchange{.bytes =
                                        request("POST", kConfigMapsPath, "x: &a0 [a]\n" + levels,
                                                "Content-Type: application/yaml\r\n")};
                  }});
  rows.push_back({"one large node with many aliases in YAML",
                  10'000,
                  {400, 201},
                  [](std::size_t size, const std::string& name) {
                    const std::string list = repeat(size / 2, ",", [](std::size_t) { return "a"; });
                    const std::string aliases =
                        repeat(size / 2, "", [](std::size_t) { return "- *a\n"; });
                    return Exchange{.bytes = request("POST", kConfigMapsPath,
                                                     "metadata: {name: " + name + "}\nx: &a [" +
                                                         list + "]\ny:\n" + aliases,
                                                     "Content-Type: application/yaml\r\n")};
                  }});
  rows.push_back(
      {"indentation in YAML", 10'000, {400, 201}, [](std::size_t size, const std::string& name) {
         std::string text = "metadata: {name: " + name + "}\nx:\n";
         for (std::size_t i = 1; text.size() < size; ++i) text.append(i, ' ').append("a:\n");
         return Exchange{
             .bytes = request("POST", kConfigMapsPath, text, "Content-Type: application/yaml\r\n")};
       }});
  rows.push_back({"keys that come again in YAML",
                  10'000,
                  {400, 201},
                  [](std::size_t size, const std::string& name) {
                    return Exchange{.bytes = request(
                                        "POST", kConfigMapsPath,
                                        "metadata: {name: " + name + "}\ndata:\n" +
                                            repeat(size, "", [](std::size_t) { return " a: b\n"; }),
                                        "Content-Type: application/yaml\r\n")};
                  }});
}

void add_metadata(std::vector<Row>& rows) {
  rows.push_back(post_row("labels of an object", 10'000, {201, 422}, kConfigMapsPath,
                          R"(,"labels":{)", member, "}}}"));
  rows.push_back(post_row(
      "labels that are wrong", 10'000, {422}, kConfigMapsPath, R"(,"labels":{)",
      [](std::size_t i) { return "\"_" + std::to_string(i) + "\":\"-\""; }, "}}}"));
  rows.push_back(
      post_row("annotations", 2'000, {201}, kConfigMapsPath, R"(,"annotations":{)", member, "}}}"));
  rows.push_back(post_row("annotations of more than 256 KiB", 30'000, {201, 422}, kConfigMapsPath,
                          R"(,"annotations":{)", member, "}}}"));
  rows.push_back(post_row(
      "finalizers", 10'000, {201}, kConfigMapsPath, R"(,"finalizers":[)",
      [](std::size_t i) { return "\"a.b/f" + std::to_string(i) + "\""; }, "]}}"));
  rows.push_back(post_row(
      "finalizers that are wrong", 10'000, {422}, kConfigMapsPath, R"(,"finalizers":[)",
      [](std::size_t) { return "\"_\""; }, "]}}"));
  const auto owner = [](std::size_t i) {
    return R"({"apiVersion":"v1","kind":"Pod","name":"p","uid":"u)" + std::to_string(i) +
           R"(","controller":true})";
  };
  rows.push_back(post_row(
      "owner references that are empty", 10'000, {400, 422}, kConfigMapsPath,
      R"(,"ownerReferences":[)", [](std::size_t) { return "{}"; }, "]}}"));
  rows.push_back(post_row("owner references that all control", 14'000, {422}, kConfigMapsPath,
                          R"(,"ownerReferences":[)", owner, "]}}"));
  rows.push_back(post_row(
      "owner references", 10'000, {201}, kConfigMapsPath, R"(,"ownerReferences":[)",
      [](std::size_t i) {
        return R"({"apiVersion":"v1","kind":"Pod","name":"p","uid":"u)" + std::to_string(i) + "\"}";
      },
      "]}}"));
  rows.push_back(post_row(
      "managed fields", 10'000, {201, 400}, kConfigMapsPath, R"(,"managedFields":[)",
      [](std::size_t) { return "{}"; }, "]}}"));
  rows.push_back(post_row(
      "a long name", 10'000, {422}, kConfigMapsPath, "", [](std::size_t) { return ""; }, "}}"));
  rows.back().make = [](std::size_t size, const std::string&) {
    return Exchange{.bytes = request("POST", kConfigMapsPath,
                                     R"({"metadata":{"name":")" + std::string(size, '-') + "\"}}")};
  };
}

void add_values(std::vector<Row>& rows) {
  rows.push_back(post_row(
      "bytes in base64", 10'000, {201}, "/api/v1/namespaces/default/secrets", R"(},"data":{"a":")",
      [](std::size_t) { return "YWFh"; }, "\"}}", ""));
  rows.push_back(post_row(
      "quantities", 10'000, {201}, kPods,
      R"(},"spec":{"containers":[{"name":"a","image":"b","resources":{"limits":{)",
      [](std::size_t i) { return "\"a.io/r" + std::to_string(i) + "\":\"1Gi\""; }, "}}}]}}"));
  rows.push_back(post_row(
      "quantities with large exponents", 10'000, {400, 201}, kPods,
      R"(},"spec":{"containers":[{"name":"a","image":"b","resources":{"limits":{)",
      [](std::size_t i) { return "\"r" + std::to_string(i) + "\":\"1e2147483647\""; }, "}}}]}}"));
  rows.push_back(post_row(
      "quantities with many digits", 10'000, {400, 201}, kPods,
      R"(},"spec":{"containers":[{"name":"a","image":"b","resources":{"limits":{"cpu":"0)",
      [](std::size_t) { return "1"; }, "\"}}}]}}", ""));
  rows.push_back(post_row(
      "quantities with many digits and an exponent", 10'000, {400, 201}, kPods,
      R"(},"spec":{"containers":[{"name":"a","image":"b","resources":{"limits":{"cpu":"0.)",
      [](std::size_t) { return "1"; }, "e-5\"}}}]}}", ""));
  rows.push_back(post_row(
      "digits of a number", 10'000, {400, 201}, kPods, R"(},"spec":{"containers":[]},"x":1)",
      [](std::size_t) { return "1"; }, "}", ""));
}

void add_patches(std::vector<Row>& rows) {
  const auto null = [](std::size_t i) { return "\"k" + std::to_string(i) + "\":null"; };
  rows.push_back(patch_row("merge patch of nulls", 10'000, {200}, kConfigMapsPath, kMergePatch,
                           R"(},"data":{)", member, "}}", R"({"data":{)", null, "}}"));
  rows.push_back(patch_row("merge patch of nulls for nothing", 10'000, {200}, kConfigMapsPath,
                           kMergePatch, "},\"data\":{\"a\":\"b\"}}", nullptr, "", R"({"data":{)",
                           null, "}}"));
  rows.push_back(patch_row("merge patch of members", 10'000, {200}, kConfigMapsPath, kMergePatch,
                           "}}", nullptr, "", R"({"data":{)", member, "}}"));
  rows.push_back(patch_row("merge patch of labels", 10'000, {200}, kConfigMapsPath, kMergePatch,
                           "}}", nullptr, "", R"({"metadata":{"labels":{)", member, "}}}"));
  rows.push_back(patch_row("strategic patch of nulls", 10'000, {200}, kConfigMapsPath,
                           kStrategicPatch, R"(},"data":{)", member, "}}", R"({"data":{)", null,
                           "}}"));
  const auto env = [](std::size_t i) {
    return R"({"name":"e)" + std::to_string(i) + R"(","value":"a"})";
  };
  // A deployment's template may change.
  const std::string deployments = "/apis/apps/v1/namespaces/default/deployments";
  constexpr std::string_view kMade =
      R"(},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},)"
      R"("spec":{"containers":[{"name":"a","image":"b","env":[)";
  constexpr std::string_view kPatch =
      R"({"spec":{"template":{"spec":{"containers":[{"name":"a","env":[)";
  rows.push_back(patch_row(
      "strategic patch of items by key", 10'000, {200}, deployments, kStrategicPatch, kMade, env,
      "]}]}}}}", kPatch,
      [](std::size_t i) { return R"({"name":"e)" + std::to_string(i) + R"(","value":"b"})"; },
      "]}]}}}}"));
  rows.push_back(patch_row(
      "strategic patch that deletes items", 10'000, {200}, deployments, kStrategicPatch, kMade, env,
      "]}]}}}}", kPatch,
      [](std::size_t i) { return R"({"name":"e)" + std::to_string(i) + R"(","$patch":"delete"})"; },
      "]}]}}}}"));
  rows.push_back(patch_row(
      "strategic patch with an order", 10'000, {200}, deployments, kStrategicPatch, kMade, env,
      "]}]}}}}",
      R"({"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"a"}],)"
      R"("containers":[{"name":"a","$setElementOrder/env":[)",
      [](std::size_t i) { return R"({"name":"e)" + std::to_string(i) + "\"}"; }, "]}]}}}}"));
  rows.push_back(patch_row("strategic patch of unknown directives", 10'000, {500}, kConfigMapsPath,
                           kStrategicPatch, "}}", nullptr, "", R"({"$patch":"x",)", member, "}"));
}

// Writes of a kind whose parts are looked up by name.
void add_updates(std::vector<Row>& rows) {
  rows.push_back(
      {"ports of a service", 20'000, {200}, [](std::size_t size, const std::string& name) {
         const std::string services = "/api/v1/namespaces/default/services";
         const std::string body =
             R"({"metadata":{"name":")" + name +
             R"("},"spec":{"type":"LoadBalancer","allocateLoadBalancerNodePorts":false,"ports":[)" +
             repeat(size, ",",
                    [](std::size_t i) {
                      return R"({"name":"p)" + std::to_string(i) + R"(","port":)" +
                             std::to_string(i % 65'535 + 1) + "}";
                    }) +
             "]}}";
         return Exchange{.before = {request("POST", services, body)},
                         .bytes = request("PUT", services + "/" + name, body)};
       }});
  rows.push_back(
      {"tolerations of a pod", 20'000, {200}, [](std::size_t size, const std::string& name) {
         const std::string body =
             R"({"metadata":{"name":")" + name +
             R"("},"spec":{"containers":[{"name":"a","image":"b"}],"tolerations":[)" +
             repeat(size, ",",
                    [](std::size_t i) {
                      return R"({"key":"k)" + std::to_string(i) + R"(","operator":"Exists"})";
                    }) +
             "]}}";
         return Exchange{.before = {request("POST", kPods, body)},
                         .bytes = request("PUT", kPods + "/" + name, body)};
       }});
  rows.push_back(
      {"finalizers of what is being deleted",
       20'000,
       {200, 422},
       [](std::size_t size, const std::string& name) {
         const auto body = [&](const std::string& more) {
           return R"({"metadata":{"name":")" + name + R"(","finalizers":[)" +
                  repeat(size, ",",
                         [](std::size_t i) { return "\"a.b/f" + std::to_string(i) + "\""; }) +
                  more + "]}}";
         };
         const std::string target = kConfigMapsPath + "/" + name;
         return Exchange{
             .before = {request("POST", kConfigMapsPath, body("")), request("DELETE", target)},
             .bytes = request("PUT", target, body(R"(,"a.b/new")"))};
       }});
}

void add_json_patches(std::vector<Row>& rows) {
  const auto operations = [](std::string name, std::size_t size, std::vector<int> answers,
                             std::string_view before, Part part) {
    return patch_row(
        std::move(name), size, std::move(answers), kConfigMapsPath, kJsonPatch,
        R"(},"data":{"b":"c")", [](std::size_t i) { return (i == 0 ? "," : "") + member(i); }, "}}",
        before, std::move(part), "]");
  };
  rows.push_back(operations("JSON patch that adds", 4'000, {200}, "[", [](std::size_t i) {
    return R"({"op":"add","path":"/data/n)" + std::to_string(i) + R"(","value":"v"})";
  }));
  rows.push_back(
      operations("JSON patch that removes", 4'000, {200, 413, 422}, "[", [](std::size_t i) {
        return R"({"op":"remove","path":"/data/k)" + std::to_string(i) + "\"}";
      }));
  rows.push_back(
      {"JSON patch that adds members and removes some",
       13'000,
       {200, 422},
       [](std::size_t size, const std::string& name) {
         const std::size_t most = size / 200;
         const auto member = [](std::size_t i) { return "k" + std::to_string(100'000 + i); };
         std::string text = R"([{"op":"add","path":"/data","value":{)";
         text += repeat(size, ",",
                        [&](std::size_t i) { return "\"" + member(i) + R"(":"some text")"; });
         text += "}}";
         for (std::size_t i = 0; i < most; ++i)
           text += R"(,{"op":"remove","path":"/data/)" + member(i) + "\"}";
         return Exchange{.before = {request("POST", kConfigMapsPath,
                                            R"({"metadata":{"name":")" + name + "\"}}")},
                         .bytes = request("PATCH", std::string(kConfigMapsPath) + "/" + name,
                                          text + "]", kJsonPatch)};
       }});
  rows.push_back(operations("JSON patch that tests", 4'000, {200}, "[", [](std::size_t i) {
    return R"({"op":"test","path":"/data/k)" + std::to_string(i) + R"(","value":"v"})";
  }));
  rows.push_back(operations("JSON patch that copies", 4'000, {422}, "[", [](std::size_t i) {
    return R"({"op":"copy","from":"/data","path":"/data/c)" + std::to_string(i) + "\"}";
  }));
  rows.push_back(operations("JSON patch that moves", 4'000, {200, 422}, "[", [](std::size_t i) {
    return R"({"op":"move","from":"/data)" + std::string(i == 0 ? "" : std::to_string(i)) +
           R"(","path":"/data)" + std::to_string(i + 1) + "\"}";
  }));
  rows.push_back(operations("JSON patch of too many operations", 30'000, {200, 413, 422}, "[",
                            [](std::size_t) { return R"({"op":"test","path":"","value":1})"; }));
  rows.push_back(patch_row(
      "JSON patch that inserts in front", 4'000, {200, 422}, kPods, kJsonPatch,
      R"(},"spec":{"containers":[{"name":"a","image":"b","args":[)",
      [](std::size_t) { return R"("a")"; }, "]}]}}", "[",
      [](std::size_t) { return R"({"op":"add","path":"/spec/containers/0/args/0","value":"v"})"; },
      "]"));
  rows.push_back(patch_row(
      "JSON patch with a long path", 10'000, {422}, kConfigMapsPath, kJsonPatch, "}}", nullptr, "",
      R"([{"op":"add","value":1,"path":")", [](std::size_t) { return "/a"; }, "\"}]"));
}

}  // namespace

std::vector<Row> body_rows() {
  std::vector<Row> rows;
  add_fields(rows);
  add_nesting(rows);
  add_metadata(rows);
  add_values(rows);
  add_patches(rows);
  add_updates(rows);
  add_json_patches(rows);

  // A value of a list or object takes 40 to 72 bytes of memory, however short it is written.
  for (const char* name :
       {"unknown fields of items", "merge patch of nulls", "merge patch of labels",
        "tolerations of a pod", "JSON patch with a long path"}) {
    allow(rows, name, {.bytes_per_byte = 120, .most_megabytes = 180});
  }
  for (const char* name : {"ports of a service", "strategic patch of items by key",
                           "strategic patch that deletes items", "strategic patch with an order"}) {
    allow(rows, name, {.bytes_per_byte = 160, .most_megabytes = 300});
  }
  // Each {} has four fields that are always written.
  allow(rows, "owner references that are empty", {.bytes_per_byte = 500});
  // Its value is in the message and in the cause. That of the references is, for each that is one
  // too many, up to a fixed size.
  allow(rows, "a long name", {.bytes_per_byte = 130, .most_megabytes = 150});
  allow(rows, "owner references that all control", {.bytes_per_byte = 2200});
  // yaml-cpp keeps the tokens of a line.
  allow(rows, "brackets in YAML", {.bytes_per_byte = 600, .most_megabytes = 200});
  allow(rows, "keys that come again in YAML", {.bytes_per_byte = 150, .most_megabytes = 180});
  // What aliases may copy is fixed, and small texts can use it up.
  allow(rows, "aliases in YAML", {.bytes_per_byte = 7000});
  allow(rows, "one large node with many aliases in YAML",
        {.bytes_per_byte = 2500, .most_megabytes = 250});
  // So is what a JSON patch may copy and move.
  allow(rows, "JSON patch that copies", {.bytes_per_byte = 9000});
  allow(rows, "JSON patch that inserts in front", {.bytes_per_byte = 90});
  return rows;
}

}  // namespace bounds
