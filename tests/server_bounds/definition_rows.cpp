// SPDX-License-Identifier: Apache-2.0
//
// What definitions ask of the server: their schemas, and objects under them.
#include "row.hpp"

namespace bounds {
namespace {

using Part = std::function<std::string(std::size_t)>;

constexpr std::string_view kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

// "things" of a group that nobody else has. `more` is put into its version.
std::string definition(const std::string& name, std::string_view schema,
                       std::string_view more = {}) {
  std::string out = R"({"metadata":{"name":"things.)" + name +
                    R"(.example.com"},"spec":{"group":")" + name +
                    R"(.example.com","scope":"Cluster","names":{"plural":"things",)"
                    R"("kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true)";
  out.append(more).append(R"(,"schema":{"openAPIV3Schema":)").append(schema);
  return out + "}}]}}";
}

std::string schema_of_spec(std::string_view spec) {
  return R"({"type":"object","properties":{"spec":)" + std::string(spec) + "}}";
}

std::string things(const std::string& name) {
  return "/apis/" + name + ".example.com/v1/things";
}

std::string thing(const std::string& name, std::string_view spec) {
  std::string out = R"({"apiVersion":")" + name + R"(.example.com/v1","kind":"Thing",)" +
                    R"("metadata":{"name":"a"},"spec":)";
  return out.append(spec) + "}";
}

// A row whose input is a definition with a schema made of parts.
Row schema_row(std::string name, std::size_t size, std::vector<int> answers,
               std::string_view before, Part part, std::string_view after,
               std::string_view between = ",") {
  return {std::move(name), size, std::move(answers),
          [=, part = std::move(part)](std::size_t bytes, const std::string& object) {
            std::string spec(before);
            spec.append(repeat(bytes, between, part)).append(after);
            return Exchange{
                .bytes = request("POST", kDefinitions, definition(object, schema_of_spec(spec)))};
          }};
}

// A row whose input is an object under a definition.
Row object_row(std::string name, std::size_t size, std::vector<int> answers, std::string schema,
               std::string_view before, Part part, std::string_view after,
               std::string_view between = ",") {
  return {std::move(name), size, std::move(answers),
          [=, schema = std::move(schema), part = std::move(part)](std::size_t bytes,
                                                                  const std::string& object) {
            std::string spec(before);
            spec.append(repeat(bytes, between, part)).append(after);
            return Exchange{.before = {request("POST", kDefinitions,
                                               definition(object, schema_of_spec(schema)))},
                            .bytes = request("POST", things(object), thing(object, spec))};
          }};
}

Part numbered(std::string before, std::string after) {
  return [=](std::size_t i) { return before + std::to_string(i) + after; };
}

void add_patterns(std::vector<Row>& rows) {
  rows.push_back(
      {"a pattern of parentheses",
       10'000,
       {201, 422},
       [](std::size_t size, const std::string& name) {
         const std::string pattern = std::string(size / 2, '(') + std::string(size / 2, ')');
         return Exchange{
             .bytes = request("POST", kDefinitions,
                              definition(name, schema_of_spec(R"({"type":"string","pattern":")" +
                                                              pattern + "\"}")))};
       }});
  const auto patterns = [](std::string name, std::size_t size, std::string pattern) {
    return schema_row(
        std::move(name), size, {201, 422}, R"({"type":"object","properties":{)",
        [=](std::size_t i) {
          return "\"f" + std::to_string(i) + R"(":{"type":"string","pattern":")" + pattern +
                 std::to_string(i) + "\"}";
        },
        "}}");
  };
  rows.push_back(patterns("patterns", 20'000, "^[a-z]+$"));
  rows.push_back(patterns("patterns that repeat", 20'000, "((a{30}){30}b)?"));
  rows.push_back(patterns("patterns of all letters", 2'000, R"([\\pL\\pN\\pS]+)"));
  rows.push_back(schema_row(
      "a pattern of classes", 1'000, {201, 422}, R"({"type":"string","pattern":")",
      [](std::size_t) { return R"(|\\pL)"; }, "\"}", ""));
  const auto text = [](std::string name, std::string pattern, std::string part) {
    return object_row(
        std::move(name), 10'000, {201, 422}, R"({"type":"string","pattern":")" + pattern + "\"}",
        "\"", [=](std::size_t) { return part; }, "\"", "");
  };
  rows.push_back(text("text of a pattern", "^(a+)+$", "a"));
  rows.push_back(text("text of a pattern that backtracks", "(x+x+)+y", "x"));
  rows.push_back(text("text of a pattern of many states", "(a|b)*a(a|b){300}c", "ab"));
  rows.push_back(
      object_row("texts of a pattern", 10'000, {201, 422},
                 R"({"type":"array","items":{"type":"string","pattern":"^(a|b)*a(a|b){10}$"}})",
                 "[", numbered("\"ab", "\""), "]"));
}

void add_objects(std::vector<Row>& rows) {
  const std::string strings = R"({"type":"object","properties":{"a":{"type":"string"}}})";
  rows.push_back(object_row("unknown fields under a schema", 10'000, {201}, strings, "{",
                            numbered("\"k", "\":1"), "}"));
  rows.push_back(
      {"unknown fields under a schema, strict",
       10'000,
       {400},
       [=](std::size_t size, const std::string& name) {
         const std::string fields = repeat(size, ",", numbered("\"k", "\":1"));
         return Exchange{
             .before = {request("POST", kDefinitions, definition(name, schema_of_spec(strings)))},
             .bytes = request("POST", things(name) + "?fieldValidation=Strict",
                              thing(name, "{" + fields + "}"))};
       }});
  rows.push_back(object_row("nulls under a schema", 10'000, {201},
                            R"({"type":"object","additionalProperties":{"type":"string"}})", "{",
                            numbered("\"k", "\":null"), "}"));
  rows.push_back(object_row("members under a schema", 10'000, {201},
                            R"({"type":"object","additionalProperties":{"type":"integer"}})", "{",
                            numbered("\"k", "\":1"), "}"));
  rows.push_back(object_row("members of a wrong type", 10'000, {422},
                            R"({"type":"object","additionalProperties":{"type":"integer"}})", "{",
                            numbered("\"k", "\":\"\""), "}"));
  rows.push_back(object_row(
      "members below a long key", 20'000, {201, 422},
      R"({"type":"object","additionalProperties":{"type":"object","additionalProperties":{"type":"integer"}}})",
      "{\"", [](std::size_t) { return "x"; }, "\":{\"a\":1}}", ""));
  rows.back().make = [](std::size_t size, const std::string& name) {
    const std::string schema =
        R"({"type":"object","additionalProperties":{"type":"object","additionalProperties":{"type":"integer"}}})";
    const std::string members = repeat(size / 2, ",", numbered("\"k", "\":\"\""));
    return Exchange{
        .before = {request("POST", kDefinitions, definition(name, schema_of_spec(schema)))},
        .bytes =
            request("POST", things(name),
                    thing(name, "{\"" + std::string(size / 2, 'x') + "\":{" + members + "}}"))};
  };
  rows.push_back(
      object_row("items that are unique", 10'000, {201},
                 R"({"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}})",
                 "[", numbered("\"", "\""), "]"));
  rows.push_back(object_row(
      "items that are not unique", 10'000, {422},
      R"({"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}})", "[",
      [](std::size_t i) { return "\"" + std::to_string(i / 2) + "\""; }, "]"));
  rows.push_back(object_row(
      "items with keys", 10'000, {201},
      R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a"],"items":{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}})",
      "[", numbered(R"({"a":")", "\"}"), "]"));
  rows.push_back(object_row(
      "items with defaults", 10'000, {201, 413, 422},
      R"({"type":"array","items":{"type":"object","properties":{"a":{"type":"string","default":"0123456789012345678901234567890123456789"}}}})",
      "[", [](std::size_t) { return "{}"; }, "]"));
  rows.push_back(object_row(
      "items with large defaults", 10'000, {201, 413, 422},
      R"({"type":"array","items":{"type":"object","properties":{"a":{"type":"string","default":")" +
          std::string(10'000, 'd') + "\"}}}}",
      "[", [](std::size_t) { return "{}"; }, "]"));
  rows.push_back(object_row(
      "quantities under a schema", 10'000, {201},
      R"x({"type":"object","additionalProperties":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"}})x",
      "{", numbered("\"k", "\":\"1Gi\""), "}"));
}

void add_schemas(std::vector<Row>& rows) {
  rows.push_back(schema_row("properties", 20'000, {201}, R"({"type":"object","properties":{)",
                            numbered("\"f", R"(":{"type":"string"})"), "}}"));
  rows.push_back(schema_row("properties that are wrong", 20'000, {422},
                            R"({"type":"object","properties":{)", numbered("\"f", "\":{}"), "}}"));
  rows.push_back(schema_row("values of an enumeration", 20'000, {201},
                            R"({"type":"string","enum":[)", numbered("\"e", "\""), "]}"));
  rows.push_back(schema_row("schemas of anyOf", 20'000, {201, 400}, R"({"type":"string","anyOf":[)",
                            numbered(R"({"minLength":)", "}"), "]}"));
  rows.push_back(schema_row("fields that only allOf names", 20'000, {422},
                            R"({"type":"object","properties":{"a":{"type":"string"}},"allOf":[)",
                            numbered(R"({"properties":{"f)", R"(":{"minLength":1}}})"), "]}"));
  rows.push_back(schema_row(
      "keys of a list that are no fields", 20'000, {422},
      R"({"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}},)"
      R"("x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":[)",
      numbered("\"k", "\""), "]}"));
  rows.push_back(schema_row("required fields", 20'000, {201, 422},
                            R"({"type":"object","required":[)", numbered("\"f", "\""), "]}"));
  rows.push_back(
      {"schemas in schemas", 3'000, {201, 400, 422}, [](std::size_t size, const std::string& name) {
         constexpr std::string_view kLevel = R"({"type":"array","items":)";
         std::string schema;
         std::string end;
         for (; schema.size() < size; end += '}') schema += kLevel;
         return Exchange{
             .bytes =
                 request("POST", kDefinitions,
                         definition(name, schema_of_spec(schema + R"({"type":"string"})" + end)))};
       }});
  // Each level fills in ten of the next one: an empty object would be as large as 10 to the power
  // of the levels.
  const auto defaults = [](std::size_t size) {
    std::string schema = R"({"type":"string","default":"d"})";
    while (schema.size() < size) {
      schema =
          R"({"type":"array","default":[{},{},{},{},{},{},{},{},{},{}],"items":{"type":"object","properties":{"a":)" +
          schema + "}}}";
    }
    return R"({"type":"object","properties":{"a":)" + schema + "}}";
  };
  rows.push_back({"defaults in defaults",
                  250,
                  {201, 400, 422},
                  [=](std::size_t size, const std::string& name) {
                    return Exchange{.bytes =
                                        request("POST", kDefinitions,
                                                definition(name, schema_of_spec(defaults(size))))};
                  }});
  rows.push_back(
      {"objects that defaults in defaults fill",
       10'000,
       {201, 413, 422},
       [=](std::size_t size, const std::string& name) {
         const std::string schema = R"({"type":"array","items":)" + defaults(400) + "}";
         return Exchange{
             .before = {request("POST", kDefinitions, definition(name, schema_of_spec(schema)))},
             .bytes = request(
                 "POST", things(name),
                 thing(name, "[" + repeat(size, ",", [](std::size_t) { return "{}"; }) + "]"))};
       }});
  rows.push_back({"versions of a definition",
                  10'000,
                  {201, 422},
                  [](std::size_t size, const std::string& name) {
                    std::string text = definition(name, R"({"type":"object"})");
                    const std::string versions =
                        repeat(size, "",
                               numbered(R"(,{"name":"v1alpha)",
                                        R"(","served":true,"storage":false,"schema":)"
                                        R"({"openAPIV3Schema":{"type":"object"}}})"));
                    text.insert(text.size() - 3, versions);
                    return Exchange{.bytes = request("POST", kDefinitions, text)};
                  }});
  rows.push_back(
      {"columns of a definition",
       10'000,
       {201, 422},
       [](std::size_t size, const std::string& name) {
         const std::string columns =
             repeat(size, ",", numbered(R"({"name":"c)", R"(","type":"string","jsonPath":".a"})"));
         return Exchange{
             .bytes = request("POST", kDefinitions,
                              definition(name, R"({"type":"object"})",
                                         R"(,"additionalPrinterColumns":[)" + columns + "]"))};
       }});
  rows.push_back(
      {"selectable fields of a definition",
       10'000,
       {201, 422},
       [](std::size_t size, const std::string& name) {
         const std::string fields = repeat(size, ",", numbered(R"({"jsonPath":".spec.f)", "\"}"));
         return Exchange{.bytes = request("POST", kDefinitions,
                                          definition(name, R"({"type":"object"})",
                                                     R"(,"selectableFields":[)" + fields + "]"))};
       }});
  rows.push_back({"short names of a definition",
                  10'000,
                  {201, 422},
                  [](std::size_t size, const std::string& name) {
                    std::string text = definition(name, R"({"type":"object"})");
                    const std::string names = repeat(size, ",", numbered("\"n", "\""));
                    text.insert(text.find(R"("kind":"Thing")"), R"("shortNames":[)" + names + "],");
                    return Exchange{.bytes = request("POST", kDefinitions, text)};
                  }});
}

// Objects of a definition whose columns show all of the object, in tables.
void add_tables(std::vector<Row>& rows) {
  const auto row = [](std::string name, std::string path, std::string item) {
    return Row{
        std::move(name), 10'000, {201}, [=](std::size_t size, const std::string& object) {
          const std::string spec = repeat(size, ",", [&](std::size_t) { return item; });
          std::string columns;
          for (int i = 0; i < 64; ++i) {
            columns += (i == 0 ? "" : ",") + (R"({"name":"c)" + std::to_string(i)) +
                       R"(","type":"string","jsonPath":")" + path + "\"}";
          }
          return Exchange{
              .before = {request("POST", kDefinitions,
                                 definition(object,
                                            R"({"type":"object",)"
                                            R"("x-kubernetes-preserve-unknown-fields":true})",
                                            R"(,"additionalPrinterColumns":[)" + columns + "]"))},
              .bytes = also("POST", things(object), thing(object, "[" + spec + "]")) +
                       table_request(things(object))};
        }};
  };
  rows.push_back(row("columns times size of an object", ".spec", "[1,1]"));
  rows.push_back(row("values of columns times size of an object", ".spec[*][*].a", "[1,1]"));
}

}  // namespace

std::vector<Row> definition_rows() {
  std::vector<Row> rows;
  add_patterns(rows);
  add_objects(rows);
  add_schemas(rows);
  add_tables(rows);

  // A field of a schema, 20 bytes and more, becomes two kilobytes: its JSON, its rules, and what
  // checks values by it, once for the definition and once for what it serves.
  for (const char* name : {"properties", "schemas of anyOf", "patterns"})
    allow(rows, name, {.bytes_per_byte = 180, .most_megabytes = 350});
  for (const char* name : {"values of an enumeration", "required fields", "items with keys"})
    allow(rows, name, {.bytes_per_byte = 80, .most_megabytes = 160});
  // Lists of two numbers: 6 bytes are three values, twice in memory.
  for (const char* name :
       {"columns times size of an object", "values of columns times size of an object"})
    allow(rows, name, {.bytes_per_byte = 150, .most_megabytes = 150});
  // What patterns may cost together is fixed, and small texts can use it up.
  allow(rows, "patterns that repeat", {.bytes_per_byte = 100, .most_megabytes = 200});
  allow(rows, "patterns of all letters", {.bytes_per_byte = 500, .most_megabytes = 250});
  allow(rows, "a pattern of classes", {.bytes_per_byte = 12'000, .most_megabytes = 200});
  // So is what defaults may fill in.
  allow(rows, "items with defaults", {.bytes_per_byte = 300});
  allow(rows, "objects that defaults in defaults fill",
        {.bytes_per_byte = 15'000, .most_megabytes = 200});
  return rows;
}

}  // namespace bounds
