// SPDX-License-Identifier: Apache-2.0
//
// Makes types from OpenAPI documents, version 2 and 3.
#include <kube/schema/documents.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include <kube/base/ascii.hpp>
#include <kube/base/dns_names.hpp>

#include "type_builder.hpp"

namespace kube::schema {
namespace {

using json::Value;

constexpr std::string_view kComponents = "#/components/schemas/";
constexpr std::string_view kMachinery = "io.k8s.apimachinery.pkg.";

// The maximum number of references that lead to one another.
constexpr std::size_t kMaxNames = 100;

// Components that are not objects with fields.
constexpr auto kScalars = std::to_array<std::pair<std::string_view, ValueType>>({
    {"io.k8s.apimachinery.pkg.api.resource.Quantity", ValueType::Quantity},
    {"io.k8s.apimachinery.pkg.apis.meta.v1.Duration", ValueType::Duration},
    {"io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1", ValueType::Any},
    {"io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime", ValueType::MicroTime},
    {"io.k8s.apimachinery.pkg.apis.meta.v1.Time", ValueType::Time},
    {"io.k8s.apimachinery.pkg.runtime.RawExtension", ValueType::Any},
    {"io.k8s.apimachinery.pkg.util.intstr.IntOrString", ValueType::IntOrString},
});

// The built-in types among the components: "io.k8s.api.core.v1.Pod" is "core.v1.Pod".
constexpr auto kRoots = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"io.k8s.apimachinery.pkg.apis.meta.", "meta."},
    {"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.", "apiextensions."},
    {"io.k8s.kube-aggregator.pkg.apis.apiregistration.", "apiregistration."},
    {"io.k8s.api.", ""},
});

std::string builtin_reference(std::string_view component) {
  for (const auto& [root, package] : kRoots) {
    if (component.starts_with(root))
      return std::string(package) + std::string(component.substr(root.size()));
  }
  return {};
}

std::string last_part(std::string_view component) {
  std::string name = type_name_of(component.substr(component.rfind('.') + 1));
  if (ascii::is_digit(name.front())) name.insert(0, "Type");
  return name;
}

struct GroupVersion {
  std::string group{};
  std::string version{};
  bool operator==(const GroupVersion&) const = default;
};

class OpenApiReader : private TypeBuilder::References {
 public:
  OpenApiReader(const Value& document, const std::string& file, const KnownType& known)
      : known_(known), problem_(file), root_(document, "", problem_), builder_(package_, this) {}

  Result<Package> read() {
    const auto components = root_.child("components");
    if (!components || !components->has("schemas"))
      root_.fail("components.schemas", "Required value: expected an OpenAPI v3 document");
    if (!root_.text("openapi").starts_with("3."))
      root_.fail("openapi", "expected a version 3, found \"" + root_.text("openapi") + "\"");
    if (problem_.error()) return *problem_.error();
    for (auto& [name, node] : components->members("schemas")) {
      components_.emplace(name, std::move(node));
    }
    find_group_version();
    // Kinds keep their names, whatever other types are called.
    for (const auto& [name, kind] : kinds_) {
      names_.emplace(name, kind);
      if (!builder_.take_kind(kind))
        components_.at(name).fail("x-kubernetes-group-version-kind", "there are two kinds " + kind);
    }
    for (const auto& [name, kind] : kinds_) {
      if (!problem_.error()) builder_.add_kind(components_.at(name), kind);
    }
    while (!waiting_.empty() && !problem_.error()) {
      const std::string name = *waiting_.begin();
      waiting_.erase(waiting_.begin());
      builder_.add_object(components_.at(name), names_.at(name));
    }
    read_paths();
    if (problem_.error()) return *problem_.error();
    return std::move(package_);
  }

 private:
  bool is_known(const std::string& component) const {
    const std::string reference = builtin_reference(component);
    return reference == "meta.v1.ObjectMeta" || reference == "meta.v1.ListMeta" ||
           (!reference.empty() && known_ && known_(reference));
  }

  void find_group_version() {
    std::optional<GroupVersion> found;
    for (const auto& [name, node] : components_) {
      if (name.starts_with(kMachinery) || is_known(name)) continue;
      for (const Node& each : node.children("x-kubernetes-group-version-kind")) {
        const GroupVersion here{each.text("group"), each.required_text("version")};
        if (found && *found != here)
          each.fail("is of " + here.group + "/" + here.version +
                    ", other kinds of the document of " + found->group + "/" + found->version +
                    "; expected one group and version, as /openapi/v3/apis/GROUP/VERSION has");
        each.fail_for("version", dns1035_label_problems(each.text("version")));
        if (!here.group.empty())
          each.fail_for("group", dns1123_subdomain_problems(each.text("group")));
        found = here;
        kinds_.emplace(name, each.required_text("kind"));
      }
    }
    if (!found) {
      root_.fail("components.schemas",
                 "expected a kind (x-kubernetes-group-version-kind) that isn't built in");
      return;
    }
    package_.group = found->group;
    package_.version = found->version;
    package_.source = "OpenAPI document";
  }

  Field resolve(const Node& node, const std::string& reference) override {
    if (!reference.starts_with(kComponents)) {
      node.fail("$ref",
                "expected " + std::string(kComponents) + "..., found \"" + reference + "\"");
      return {};
    }
    const std::string name = reference.substr(kComponents.size());
    Field field;
    const auto scalar =
        std::ranges::find(kScalars, name, &std::pair<std::string_view, ValueType>::first);
    if (scalar != kScalars.end()) {
      field.type = scalar->second;
      return field;
    }
    field.type = ValueType::Object;
    if (is_known(name)) {
      field.object = builtin_reference(name);
      field.external = true;
      return field;
    }
    const auto found = components_.find(name);
    if (found == components_.end()) {
      node.fail("$ref", "refers to " + name + ", which isn't in the document");
      return {};
    }
    if (const auto made = names_.find(name); made != names_.end()) {
      field.object = made->second;
      return field;
    }
    const Node& component = found->second;
    if (!component.object("properties").empty()) {
      std::string type = last_part(name);
      for (int i = 2; !builder_.take(type); ++i) type = last_part(name) + std::to_string(i);
      names_.emplace(name, type);
      waiting_.insert(name);
      field.object = std::move(type);
      return field;
    }
    // Another name for a type that isn't an object with fields.
    if (resolving_.size() >= kMaxNames) {
      node.fail("$ref", "refers to " + name + " through more than 100 references");
      return {};
    }
    if (!resolving_.insert(name).second) return {};
    field = builder_.shape(component, last_part(name));
    resolving_.erase(name);
    return field;
  }

  // Reads paths such as "/apis/acme.io/v1/namespaces/{namespace}/widgets/{name}/status".
  void read_paths() {
    std::map<std::string, Resource> resources;
    const std::string base = package_.group.empty()
                                 ? "/api/" + package_.version + "/"
                                 : "/apis/" + package_.group + "/" + package_.version + "/";
    for (const auto& [path, node] : root_.members("paths")) {
      if (!path.starts_with(base)) continue;
      std::vector<std::string> parts;
      std::string part;
      for (const char c : path.substr(base.size()) + "/") {
        if (c != '/') {
          part += c;
        } else if (!part.empty()) {
          parts.push_back(std::exchange(part, {}));
        }
      }
      const bool namespaced = parts.size() > 2 && parts[0] == "namespaces";
      if (namespaced) parts.erase(parts.begin(), parts.begin() + 2);
      if (parts.empty() || parts[0] == "watch" || (parts.size() > 1 && parts[1] != "{name}"))
        continue;
      Resource& resource = resources[parts[0]];
      resource.plural = parts[0];
      resource.namespaced = resource.namespaced || namespaced;
      if (parts.size() == 3) {
        if (std::ranges::find(resource.subresources, parts[2]) == resource.subresources.end())
          resource.subresources.push_back(parts[2]);
      } else if (parts.size() < 3) {
        for (const std::string_view verb : {"get", "post", "put"}) {
          const auto operation = node.child(verb);
          const auto gvk =
              operation ? operation->child("x-kubernetes-group-version-kind") : std::nullopt;
          if (gvk && resource.kind.empty()) resource.kind = gvk->text("kind");
        }
      }
    }
    for (auto& [plural, resource] : resources) {
      const Type* type = package_.find(resource.kind);
      if (type == nullptr || !type->kind) continue;
      resource.singular = ascii::to_lower(resource.kind);
      for (const Type& list : package_.types) {
        if (list.item == resource.kind) resource.list_kind = list.name;
      }
      package_.resources.push_back(std::move(resource));
    }
  }

  KnownType known_;
  Problem problem_;
  Node root_;
  Package package_;
  TypeBuilder builder_;
  std::map<std::string, Node> components_;
  std::map<std::string, std::string> kinds_;  // component -> kind
  std::map<std::string, std::string> names_;  // component -> type
  std::set<std::string> waiting_;             // components whose types are not made yet
  std::set<std::string> resolving_;
};

}  // namespace

Result<Package> read_openapi(const Value& document, const std::string& file,
                             const KnownType& known) {
  return OpenApiReader(document, file, known).read();
}

}  // namespace kube::schema
