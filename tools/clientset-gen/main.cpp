// SPDX-License-Identifier: Apache-2.0
//
// clientset-gen: generates the headers of Clientset from the facts of resources: for each group and
// version a class with an accessor for each resource, whose class has the methods in the facts.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "facts.hpp"
#include "names.hpp"
#include "output.hpp"

namespace kube::gen {
namespace {

using json::Value;

struct Method {
  std::string name;
  std::string verb;
  std::string subresource;
  std::string input;
  std::string result;
};

struct Resource {
  std::string group{};
  std::string version{};
  std::string kind{};
  std::string type{};  // "core.v1.Pod"
  std::string plural{};
  std::string singular{};
  bool namespaced = false;
  std::string accessor{};
  std::vector<std::string> methods{};
  std::vector<std::string> expansion{};
  std::vector<Method> special{};
};

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (;;) {
    const std::size_t dot = text.find(at, from);
    parts.emplace_back(text.substr(from, dot - from));
    if (dot == std::string_view::npos) return parts;
    from = dot + 1;
  }
}

// Turns "core.v1.Pod" into "::kube::core::v1::Pod".
std::string cpp_type(const std::string& reference) {
  const auto parts = split(reference, '.');
  return "::kube::" + parts.at(0) + "::" + parts.at(1) + "::" + parts.at(2);
}
std::string header_of(const std::string& reference) {
  const auto parts = split(reference, '.');
  return "kube/api/" + parts.at(0) + "/" + parts.at(1) + "/" + snake_case(parts.at(2)) + ".hpp";
}

// The methods of every resource: the members of Api<T> for each name in client-go.
const std::map<std::string, std::vector<std::string>>& usual_methods() {
  static const std::map<std::string, std::vector<std::string>> methods = {
      {"Create", {"create"}},
      {"Update", {"update"}},
      {"UpdateStatus", {"update_status", "patch_status"}},
      {"Delete", {"delete_"}},
      {"DeleteCollection", {"delete_collection"}},
      {"Get", {"get"}},
      {"List", {"list", "list_all", "for_each"}},
      {"Watch", {"watch"}},
      {"Patch", {"patch", "patch_subresource"}},
      {"Apply", {"apply", "apply_text"}},
      {"ApplyStatus", {"apply_status", "apply_status_text"}},
  };
  return methods;
}

// Writes the header of a group and version.
class GroupWriter {
 public:
  GroupWriter(std::string clientset, std::vector<Resource> resources)
      : clientset_(std::move(clientset)),
        base_(snake_case(clientset_)),
        resources_(std::move(resources)) {}

  const std::string& base() const { return base_; }
  const std::string& name() const { return clientset_; }

  /// @par Errors   Decode for a method that this generator does not know.
  Result<std::string> write() {
    headers_.insert({"kube/client/api.hpp", "kube/client/rest_client.hpp"});
    std::string classes;
    std::string accessors;
    for (const Resource& resource : resources_) {
      if (auto made = add_class(resource, classes); !made) return made.error();
      add_accessor(resource, accessors);
    }
    const Resource& first = resources_.front();
    const std::string group_version =
        first.group.empty() ? first.version : first.group + "/" + first.version;
    std::string text =
        "// SPDX-License-Identifier: Apache-2.0\n//\n// Made by clientset-gen from "
        "resources.json during the build; changes belong there.\n//\n// The typed clients of " +
        group_version +
        ". Their methods are those of Api<T> (kube/client/api.hpp), as far as the server has "
        "them.\n#pragma once\n\n#include <stop_token>\n#include <string>\n#include "
        "<string_view>\n#include <utility>\n\n";
    for (const std::string& header : headers_) text += "#include <" + header + ">\n";
    text += "\nnamespace kube::clientset {\n\nnamespace " + base_ + " {\n\n" + classes +
            "}  // namespace " + base_ + "\n\n/// " + group_version +
            ". A cheap handle; copies share the client.\nclass " + clientset_ +
            " {\n public:\n  explicit " + clientset_ +
            "(RestClient client) : rest_(std::move(client)) {}\n\n" + accessors +
            "\n  const RestClient& rest_client() const { return rest_; }\n\n private:\n  "
            "RestClient rest_;\n};\n\n}  // namespace kube::clientset\n";
    return text;
  }

 private:
  Result<void> add_class(const Resource& resource, std::string& out) {
    const std::string type = cpp_type(resource.type);
    headers_.insert(header_of(resource.type));
    const std::string base = base_of(resource, type);
    std::vector<std::string> members;
    for (const std::string& method : resource.methods) {
      const auto found = usual_methods().find(method);
      if (found == usual_methods().end()) return unknown(resource, method);
      members.insert(members.end(), found->second.begin(), found->second.end());
    }
    for (const std::string& name : resource.expansion) {
      // Go has a variant with a context: here each method takes a stop token.
      if (name.ends_with("WithContext")) continue;
      const std::string member = snake_case(name);
      if (std::ranges::find(members, member) == members.end()) members.push_back(member);
    }
    std::string body;
    for (const std::string& member : members) body += "  using " + base + "::" + member + ";\n";
    for (const Method& method : resource.special) {
      if (auto added = add_special(resource, method, body); !added) return added;
    }
    out += "/// " + resource.plural + (resource.group.empty() ? "" : "." + resource.group) +
           (resource.namespaced ? ", in a namespace or all of them.\n" : ", of the cluster.\n") +
           "class " + resource.accessor + " : private " + base + " {\n public:\n  explicit " +
           resource.accessor + "(RestClient client" +
           (resource.namespaced ? ", std::string namespace_" : "") + ")\n      : " + base +
           "(RawApi(std::move(client), " + info(resource) +
           (resource.namespaced ? ", std::move(namespace_)" : "") + ")) {}\n\n" + body +
           "\n  using " + base + "::resource;\n  using " + base +
           "::namespace_;\n  /// For what the typed client doesn't have.\n  const Api<" + type +
           ">& api() const { return *this; }\n};\n\n";
    return {};
  }

  // Returns Api<T>, or the class with the methods that client-go writes by hand for this kind.
  std::string base_of(const Resource& resource, const std::string& type) {
    if (resource.expansion.empty()) return "Api<" + type + ">";
    headers_.insert("kube/client/detail/expansion/" + snake_case(resource.kind) + ".hpp");
    return "expansion::" + resource.kind + "Expansion<" + type + ">";
  }

  static Error unknown(const Resource& resource, const std::string& method) {
    return bad_facts("resource of " + resource.type,
                     "method \"" + method + "\" is unknown to clientset-gen");
  }

  static std::string info(const Resource& resource) {
    // Evictions are posted to a subresource of pods.
    if (resource.kind == "Eviction") {
      return "{\"\", \"v1\", \"Pod\", \"pods\", \"pod\", true}";
    }
    return "{\"" + resource.group + "\", \"" + resource.version + "\", \"" + resource.kind +
           "\", \"" + resource.plural + "\", \"" + resource.singular + "\", " +
           (resource.namespaced ? "true" : "false") + "}";
  }

  Result<void> add_special(const Resource& resource, const Method& method, std::string& out) {
    const std::string name = snake_case(method.name);
    const std::string result = cpp_type(method.result);
    headers_.insert(header_of(method.result));
    std::string input;
    if (!method.input.empty()) {
      input = cpp_type(method.input);
      headers_.insert(header_of(method.input));
    }
    // The object contains its own name; another one needs the name of its owner.
    const bool own = method.input == resource.type;
    const std::string given = own ? "" : "std::string_view name, ";
    const std::string of = own ? "object.metadata.name" : "name";
    std::string parameters;
    std::string options;
    std::string call;
    if (method.verb == "get") {
      parameters = "std::string_view name";
      options = "const GetOptions& options = {}";
      call = "get_subresource<" + result + ">(name, \"" + method.subresource + "\", options";
    } else if (method.verb == "update" || method.verb == "create") {
      parameters = given + "const " + input + "& object";
      options = std::string("const ") + (method.verb == "update" ? "Update" : "Create") +
                "Options& options = {}";
      call = method.verb + "_subresource<" + result + ">(" + of + ", \"" + method.subresource +
             "\", object, options";
    } else if (method.verb == "apply") {
      parameters = given + "const " + input + "& object";
      options = "const ApplyOptions& options";
      call = "apply_subresource<" + result + ">(" + of + ", \"" + method.subresource +
             "\", object, options";
    } else {
      return unknown(resource, method.name);
    }
    out += "  Result<" + result + "> " + name + "(" + parameters + ", " + options +
           ", std::stop_token stop = {}) const {\n    return this->template " + call +
           ", std::move(stop));\n  }\n";
    return {};
  }

  void add_accessor(const Resource& resource, std::string& out) const {
    const std::string type = base_ + "::" + resource.accessor;
    out += "  " + type + " " + snake_case(resource.accessor) + "(" +
           (resource.namespaced ? "std::string namespace_" : "") + ") const {\n    return " + type +
           "(rest_" + (resource.namespaced ? ", std::move(namespace_)" : "") + ");\n  }\n";
  }

  std::string clientset_;
  std::string base_;
  std::vector<Resource> resources_;
  std::set<std::string> headers_;
};

Result<std::map<std::string, std::vector<Resource>>> read_resources(
    const std::filesystem::path& path) {
  const auto document = read_json_file(path);
  if (!document) return document.error();
  const std::string file = path.filename().string();
  Facts all(*document, file);
  std::map<std::string, std::vector<Resource>> groups;
  for (const Value& value : all.list("resources", true)) {
    Facts facts(value, file + ": resource");
    Resource resource{.group = facts.text("group", true),
                      .version = facts.text("version", true),
                      .kind = facts.text("kind", true),
                      .type = facts.text("type"),
                      .plural = facts.text("plural", true),
                      .singular = facts.text("singular"),
                      .namespaced = facts.flag("namespaced")};
    facts.rename(file + ": resource of " + resource.type);
    const Value* client_value = value.at_path({"client"});
    if (client_value == nullptr) continue;
    Facts client(*client_value, facts.where() + ", client");
    const std::string clientset = client.text("clientset", true);
    resource.accessor = client.text("accessor", true);
    resource.methods = client.texts("methods");
    resource.expansion = client.texts("expansion");
    for (const Value& each : facts.list("clientMethods")) {
      Facts method(each, facts.where() + ", clientMethods");
      resource.special.push_back({method.text("method", true), method.text("verb", true),
                                  method.text("subresource"), method.text("input"),
                                  method.text("result", true)});
      if (method.error()) return *method.error();
    }
    if (facts.error()) return *facts.error();
    if (client.error()) return *client.error();
    groups[clientset].push_back(std::move(resource));
  }
  if (all.error()) return *all.error();
  return groups;
}

std::string whole(const std::vector<GroupWriter>& groups) {
  std::string text =
      "// SPDX-License-Identifier: Apache-2.0\n//\n// Made by clientset-gen from resources.json "
      "during the build; changes belong there.\n//\n// kube::Clientset: the typed clients of all "
      "groups and versions. A program that needs a few\n// includes "
      "<kube/client/clientset/core_v1.hpp> and so on, which is much less to compile:\n//\n//   "
      "kube::Clientset clientset(client->rest());\n//   auto pods = "
      "clientset.core_v1().pods(\"default\").list();\n#pragma once\n\n#include <utility>\n\n"
      "#include <kube/client/discovery.hpp>\n";
  std::string accessors;
  for (const GroupWriter& group : groups) {
    text += "#include <kube/client/clientset/" + group.base() + ".hpp>\n";
    accessors += "  clientset::" + group.name() + " " + group.base() +
                 "() const { return clientset::" + group.name() + "(rest_); }\n";
  }
  return text +
         "\nnamespace kube {\n\n/// A cheap handle; copies share the client.\n///\n/// @par Thread "
         "safety   All functions may be called from any thread.\nclass Clientset {\n public:\n  "
         "explicit Clientset(RestClient client) : rest_(std::move(client)) {}\n\n" +
         accessors +
         "\n  DiscoveryClient discovery() const { return DiscoveryClient(rest_); }\n  const "
         "RestClient& rest_client() const { return rest_; }\n\n private:\n  RestClient "
         "rest_;\n};\n\n}  // namespace kube\n";
}

Result<void> run(const std::string& resources, const std::filesystem::path& include_directory,
                 const std::string& expected) {
  auto groups = read_resources(resources);
  if (!groups) return groups.error();
  std::vector<GroupWriter> writers;
  std::vector<File> headers;
  for (auto& [name, list] : *groups) {
    GroupWriter writer(name, std::move(list));
    auto text = writer.write();
    if (!text) return text.error();
    headers.push_back({"kube/client/clientset/" + writer.base() + ".hpp", *std::move(text)});
    writers.push_back(std::move(writer));
  }
  headers.push_back({"kube/client/clientset.hpp", whole(writers)});
  if (auto same = compare_headers(headers, expected); !same) return same;
  return write_files(include_directory, headers);
}

}  // namespace
}  // namespace kube::gen

int main(int argc, char** argv) {
  std::string resources;
  std::string include_directory;
  std::string expected;
  CLI::App app{"Generates the headers of Clientset from the facts of resources."};
  app.add_option("--resources", resources, "resources.json of the schema")->required();
  app.add_option("--include-dir", include_directory, "Directory for the headers")->required();
  app.add_option("--expect-headers", expected, "File that lists the headers, one per line")
      ->required();
  CLI11_PARSE(app, argc, argv);
  if (const auto done = kube::gen::run(resources, include_directory, expected); !done) {
    std::cerr << "clientset-gen: " << done.error().to_string() << "\n";
    return 1;
  }
  return 0;
}
