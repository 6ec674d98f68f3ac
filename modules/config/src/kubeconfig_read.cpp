// SPDX-License-Identifier: Apache-2.0
//
// Reads the text of a kubeconfig and collects all its mistakes.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <kube/base/join.hpp>
#include <kube/base/printable.hpp>
#include <kube/config/kubeconfig_types.hpp>
#include <kube/json/base64.hpp>
#include <kube/json/value.hpp>
#include <kube/json/yaml.hpp>
#include <kube/json/yaml_edit.hpp>

#include "kubeconfig_document.hpp"
#include "kubeconfig_fields.hpp"

namespace kube::kubeconfig {
namespace {

constexpr std::size_t kMaxMistakes = 100;

// What all nodes of a document share.
struct Reading {
  const std::string& file;
  const yaml::FieldLines& lines;
  std::vector<std::pair<int, std::string>> mistakes{};

  std::string place(int line) const {
    return (file.empty() ? "" : file + ": ") + "line " + std::to_string(line) + ": ";
  }
  void fail(const std::string& path, const std::string& what) {
    if (mistakes.size() == kMaxMistakes) return;
    const int line = yaml::line_of(lines, path);
    mistakes.emplace_back(
        line, place(line) + (path.empty() ? "the document" : printable(path)) + ": " + what);
  }
};

// A value of the document with its path.
class Node {
 public:
  Node(Reading& reading, const json::Value* value, std::string path)
      : reading_(reading),
        value_(value != nullptr && value->is_null() ? nullptr : value),
        path_(std::move(path)) {}

  bool present() const { return value_ != nullptr; }
  const json::Value* value() const { return value_; }

  /// The member, if this is a map; check_map() reports what it is otherwise.
  Node operator[](std::string_view key) const {
    const json::Object* object = value_ != nullptr ? value_->if_object() : nullptr;
    std::string path = path_.empty() ? std::string(key) : path_ + "." + std::string(key);
    return {reading_, object != nullptr ? object->find(key) : nullptr, std::move(path)};
  }
  void check_map() const {
    if (value_ != nullptr && !value_->is_object()) wrong("a map");
  }

  // Calls f(node) for each element of a list.
  template <class F>
  void each(F&& f) const {
    if (value_ == nullptr) return;
    const json::Array* array = value_->if_array();
    if (array == nullptr) return wrong("a list");
    for (std::size_t i = 0; i < array->size(); ++i) {
      f(Node(reading_, &(*array)[i], path_ + "[" + std::to_string(i) + "]"));
    }
  }
  // Calls f(key, node) for each member of a map.
  template <class F>
  void each_member(F&& f) const {
    check_map();
    const json::Object* object = value_ != nullptr ? value_->if_object() : nullptr;
    if (object == nullptr) return;
    for (const auto& [key, member] : *object) {
      f(key, Node(reading_, &member, path_ + "." + key));
    }
  }

  std::string text() const {
    if (value_ == nullptr) return {};
    if (const std::string* string = value_->if_string()) return *string;
    wrong("a string");
    return {};
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> out;
    each([&](const Node& element) { out.push_back(element.text()); });
    return out;
  }
  bool flag() const {
    if (value_ == nullptr) return false;
    if (const bool* value = value_->if_bool()) return *value;
    wrong("a boolean");
    return false;
  }
  std::string bytes() const {
    const std::string encoded = text();
    std::optional<std::string> decoded = json::read_base64(encoded);
    if (decoded) return *std::move(decoded);
    fail("expected base64");
    return {};
  }

  void fail(const std::string& what) const { reading_.fail(path_, what); }

  Origin origin() const {
    Origin origin{.file = reading_.file, .path = path_};
    origin.lines[""] = yaml::line_of(reading_.lines, path_);
    const std::string below = path_ + ".";
    for (auto at = reading_.lines.lower_bound(below);
         at != reading_.lines.end() && at->first.starts_with(below); ++at)
      origin.lines[at->first.substr(below.size())] = at->second;
    return origin;
  }

 private:
  void wrong(std::string_view expected) const {
    reading_.fail(
        path_, "expected " + std::string(expected) + ", got " + std::string(value_->type_name()));
  }

  Reading& reading_;
  const json::Value* value_;
  std::string path_;
};

Extensions read_extensions(const Node& list) {
  Extensions extensions;
  list.each([&](const Node& element) {
    element.check_map();
    const std::string name = element["name"].text();
    const json::Value* value = element["extension"].value();
    if (!extensions.emplace(name, value == nullptr ? "null" : json::dump(*value)).second)
      element["name"].fail("duplicate name \"" + printable(name) + "\" in list");
  });
  return extensions;
}

template <class T>
T read_fields(const Node& node) {
  node.check_map();
  T entry;
  for (const TextField<T>& field : text_fields<T>()) {
    const Node value = node[field.name];
    field.set(entry, field.kind == FieldKind::Bytes ? value.bytes() : value.text());
  }
  for (const FlagField<T>& field : flag_fields<T>()) entry.*field.member = node[field.name].flag();
  entry.extensions = read_extensions(node["extensions"]);
  entry.origin = node.origin();
  return entry;
}

rest::ExecConfig read_exec(const Node& node, std::string& unknown_mode) {
  node.check_map();
  rest::ExecConfig exec;
  exec.command = node["command"].text();
  exec.args = node["args"].texts();
  node["env"].each([&](const Node& variable) {
    variable.check_map();
    exec.env.emplace_back(variable["name"].text(), variable["value"].text());
  });
  exec.api_version = node["apiVersion"].text();
  exec.install_hint = node["installHint"].text();
  exec.provide_cluster_info = node["provideClusterInfo"].flag();
  const std::string mode = node["interactiveMode"].text();
  if (mode == "Never") {
    exec.interactive_mode = rest::ExecInteractiveMode::Never;
  } else if (mode == "IfAvailable") {
    exec.interactive_mode = rest::ExecInteractiveMode::IfAvailable;
  } else if (mode == "Always") {
    exec.interactive_mode = rest::ExecInteractiveMode::Always;
  } else if (mode.empty() && (exec.api_version == "client.authentication.k8s.io/v1beta1" ||
                              exec.api_version == "client.authentication.k8s.io/v1alpha1")) {
    exec.interactive_mode = rest::ExecInteractiveMode::IfAvailable;
  } else {
    unknown_mode = mode;
  }
  return exec;
}

AuthInfo read_user(const Node& node) {
  AuthInfo user = read_fields<AuthInfo>(node);
  user.impersonate.user_name = node["as"].text();
  user.impersonate.uid = node["as-uid"].text();
  user.impersonate.groups = node["as-groups"].texts();
  node["as-user-extra"].each_member([&](const std::string& key, const Node& values) {
    user.impersonate.extra[key] = values.texts();
  });
  if (const Node provider = node["auth-provider"]; provider.present()) {
    provider.check_map();
    rest::AuthProviderConfig& out = user.auth_provider.ensure();
    out.name = provider["name"].text();
    provider["config"].each_member(
        [&](const std::string& key, const Node& value) { out.config[key] = value.text(); });
  }
  if (const Node exec = node["exec"]; exec.present())
    user.exec = read_exec(exec, user.unknown_interactive_mode);
  return user;
}

// Reads a list of {name, <key>: entry} as a map.
template <class T>
Entries<T> read_entries(const Node& list, std::string_view key, T (*read)(const Node&)) {
  Entries<T> entries;
  list.each([&](const Node& element) {
    element.check_map();
    const std::string name = element["name"].text();
    if (!entries.emplace(name, read(element[key])).second)
      element["name"].fail("duplicate name \"" + printable(name) + "\" in list");
  });
  return entries;
}

void expect(const Node& node, std::string_view wanted) {
  const std::string found = node.text();
  if (!found.empty() && found != wanted) {
    node.fail("expected \"" + std::string(wanted) + "\", got \"" + printable(found) + "\"");
  }
}

Error mistake(const std::string& file, const std::string& what) {
  return {ErrorCode::Config, file.empty() ? what : file + ": " + what};
}

}  // namespace

std::string Origin::at(std::string_view field) const {
  if (file.empty()) return {};
  // A field that is not written has the line of the one around it.
  std::string_view around = field;
  auto found = lines.find(around);
  while (found == lines.end() && !around.empty()) {
    const std::size_t cut = around.find_last_of(".[");
    around = around.substr(0, cut == std::string_view::npos ? 0 : cut);
    found = lines.find(around);
  }
  if (found != lines.end() && found->second == 0) return {};
  std::string text = file + ": ";
  if (found != lines.end()) text += "line " + std::to_string(found->second) + ": ";
  if (path.empty()) return text;
  text += path;
  return text + (field.empty() ? "" : "." + std::string(field)) + ": ";
}

Result<Kubeconfig> read_kubeconfig(std::string_view bytes, const std::string& file) {
  const std::string converted = as_utf8(bytes);
  std::string_view text = converted;
  // YAML has no control characters; a text with some is another kind of file.
  const auto control = std::find_if(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r';
  });
  if (control != text.end()) {
    return mistake(file, "expected YAML or JSON, got a control character at offset " +
                             std::to_string(control - text.begin()));
  }
  // As in client-go: what follows the first document may be anything.
  text = yaml::first_document(text);
  Result<std::vector<json::Value>> documents = yaml::parse_all(text);
  if (!documents) return mistake(file, documents.error().message());
  if (documents->empty()) return Kubeconfig{};

  const yaml::FieldLines lines = yaml::field_lines(text);
  Reading reading{file, lines};
  const Node root(reading, &documents->front(), "");
  root.check_map();
  expect(root["kind"], "Config");
  expect(root["apiVersion"], "v1");
  Kubeconfig out;
  out.current_context = root["current-context"].text();
  out.current_context_origin = root["current-context"].origin();
  if (out.current_context.empty()) out.current_context_origin.lines.clear();
  const Node preferences = root["preferences"];
  preferences.check_map();
  out.preferences.colors = preferences["colors"].flag();
  out.preferences.extensions = read_extensions(preferences["extensions"]);
  out.clusters = read_entries(root["clusters"], "cluster", read_fields<Cluster>);
  out.users = read_entries(root["users"], "user", read_user);
  out.contexts = read_entries(root["contexts"], "context", read_fields<Context>);
  out.extensions = read_extensions(root["extensions"]);
  if (reading.mistakes.empty()) return out;
  std::stable_sort(reading.mistakes.begin(), reading.mistakes.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> texts;
  for (auto& [line, what] : reading.mistakes) texts.push_back(std::move(what));
  return Error(ErrorCode::Config, join(texts, "\n"));
}

}  // namespace kube::kubeconfig
