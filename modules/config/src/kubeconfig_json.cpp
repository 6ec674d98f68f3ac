// SPDX-License-Identifier: Apache-2.0
#include "kubeconfig_json.hpp"

#include <algorithm>
#include <utility>

#include <kube/json/base64.hpp>
#include <kube/json/yaml.hpp>

#include "kubeconfig_fields.hpp"

namespace kube::kubeconfig {
namespace {

using json::Array;
using json::Object;
using json::Value;

Object sorted(Object object) {
  std::vector<Object::Member> members(object.begin(), object.end());
  std::sort(members.begin(), members.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return Object(std::move(members));
}

Value sorted_all(const Value& value) {
  if (const Array* array = value.if_array()) {
    Array out;
    for (const Value& each : *array) out.push_back(sorted_all(each));
    return out;
  }
  const Object* object = value.if_object();
  if (object == nullptr) return value;
  Object out;
  for (const auto& [key, member] : *object) out.set(key, sorted_all(member));
  return sorted(std::move(out));
}

// The order of the fields in client-go's structs, which its JSON has.
constexpr std::string_view kOrder[] = {"kind",
                                       "name",
                                       "command",
                                       "args",
                                       "env",
                                       "apiVersion",
                                       "installHint",
                                       "provideClusterInfo",
                                       "interactiveMode",
                                       "value",
                                       "preferences",
                                       "colors",
                                       "clusters",
                                       "users",
                                       "contexts",
                                       "current-context",
                                       "server",
                                       "tls-server-name",
                                       "insecure-skip-tls-verify",
                                       "certificate-authority",
                                       "certificate-authority-data",
                                       "proxy-url",
                                       "disable-compression",
                                       "client-certificate",
                                       "client-certificate-data",
                                       "client-key",
                                       "client-key-data",
                                       "token",
                                       "tokenFile",
                                       "as",
                                       "as-uid",
                                       "as-groups",
                                       "as-user-extra",
                                       "username",
                                       "password",
                                       "auth-provider",
                                       "exec",
                                       "cluster",
                                       "user",
                                       "namespace",
                                       "extensions"};

Value in_order_of_structs(const Value& value) {
  if (const Array* array = value.if_array()) {
    Array out;
    for (const Value& each : *array) out.push_back(in_order_of_structs(each));
    return out;
  }
  const Object* object = value.if_object();
  if (object == nullptr) return value;
  std::vector<Object::Member> members(object->begin(), object->end());
  const auto rank = [](const auto& member) {
    return std::find(std::begin(kOrder), std::end(kOrder), member.first);
  };
  std::stable_sort(members.begin(), members.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  for (auto& [key, member] : members) {
    const bool is_map_of_users = key == "extension" || key == "config" || key == "as-user-extra";
    if (!is_map_of_users) member = in_order_of_structs(member);
  }
  return Object(std::move(members));
}

template <class T>
Object plain_fields(const T& entry) {
  Object out;
  for (const TextField<T>& field : text_fields<T>()) {
    if (!field.is_set(entry) && !field.always) continue;
    const std::string& text = field.to_write(entry);
    std::string encoded;
    if (field.kind == FieldKind::Bytes) json::write_base64(text, encoded);
    out.set(field.name, field.kind == FieldKind::Bytes ? std::move(encoded) : text);
  }
  for (const FlagField<T>& field : flag_fields<T>()) {
    if (entry.*field.member) out.set(field.name, true);
  }
  if (!entry.extensions.empty()) out.set("extensions", to_list(entry.extensions));
  return out;
}

Value texts(const std::vector<std::string>& list) {
  if (list.empty()) return {};
  return Array(list.begin(), list.end());
}

std::string_view mode_name(rest::ExecInteractiveMode mode) {
  switch (mode) {
    case rest::ExecInteractiveMode::Never:
      return "Never";
    case rest::ExecInteractiveMode::IfAvailable:
      return "IfAvailable";
    case rest::ExecInteractiveMode::Always:
      return "Always";
    case rest::ExecInteractiveMode::Unset:
      break;
  }
  return "";
}

Object exec_object(const AuthInfo& user) {
  const rest::ExecConfig& exec = *user.exec;
  Object out{
      {"apiVersion", exec.api_version}, {"args", texts(exec.args)}, {"command", exec.command}};
  Value env;
  if (!exec.env.empty()) {
    Array list;
    for (const auto& [name, value] : exec.env)
      list.emplace_back(Object{{"name", name}, {"value", value.reveal()}});
    env = std::move(list);
  }
  out.set("env", std::move(env));
  if (!exec.install_hint.empty()) out.set("installHint", exec.install_hint);
  const std::string_view mode = user.unknown_interactive_mode.empty()
                                    ? mode_name(exec.interactive_mode)
                                    : std::string_view(user.unknown_interactive_mode);
  if (!mode.empty()) out.set("interactiveMode", mode);
  out.set("provideClusterInfo", exec.provide_cluster_info);
  return out;
}

template <class T>
Value entry_list(const Entries<T>& entries, std::string_view key) {
  if (entries.empty()) return {};
  Array list;
  for (const auto& [name, entry] : entries) {
    list.emplace_back(sorted(Object{{std::string(key), to_object(entry)}, {"name", name}}));
  }
  return list;
}

}  // namespace

Value to_list(const Extensions& extensions) {
  Array list;
  for (const auto& [name, text] : extensions) {
    const Result<Value> value = json::parse(text);
    list.emplace_back(Object{{"extension", value ? sorted_all(*value) : Value()}, {"name", name}});
  }
  return list;
}

Object to_object(const Cluster& cluster) {
  return sorted(plain_fields(cluster));
}

Object to_object(const Context& context) {
  return sorted(plain_fields(context));
}

Object to_object(const AuthInfo& user) {
  Object out = plain_fields(user);
  const rest::ImpersonationConfig& as = user.impersonate;
  if (!as.user_name.empty()) out.set("as", as.user_name);
  if (!as.uid.empty()) out.set("as-uid", as.uid);
  if (!as.groups.empty()) out.set("as-groups", texts(as.groups));
  if (!as.extra.empty()) {
    Object extra;
    for (const auto& [key, values] : as.extra) extra.set(key, texts(values));
    out.set("as-user-extra", std::move(extra));
  }
  if (user.auth_provider) {
    Object settings;
    for (const auto& [key, value] : user.auth_provider->config) settings.set(key, value.reveal());
    out.set("auth-provider",
            Object{{"config", settings.empty() ? Value() : Value(std::move(settings))},
                   {"name", user.auth_provider->name}});
  }
  if (user.exec) out.set("exec", exec_object(user));
  return sorted(std::move(out));
}

Object to_object(const Preferences& preferences) {
  Object out;
  if (preferences.colors) out.set("colors", true);
  if (!preferences.extensions.empty()) out.set("extensions", to_list(preferences.extensions));
  return out;
}

Object to_object(const Kubeconfig& config) {
  Object out{{"apiVersion", "v1"},
             {"clusters", entry_list(config.clusters, "cluster")},
             {"contexts", entry_list(config.contexts, "context")},
             {"current-context", config.current_context}};
  if (!config.extensions.empty()) out.set("extensions", to_list(config.extensions));
  out.set("kind", "Config");
  if (Object preferences = to_object(config.preferences); !preferences.empty())
    out.set("preferences", std::move(preferences));
  out.set("users", entry_list(config.users, "user"));
  return out;
}

std::string to_yaml(const Kubeconfig& config) {
  return yaml::dump(Value(to_object(config)));
}

std::string to_json(const Kubeconfig& config) {
  // kubectl indents by four.
  std::string out;
  bool at_start = true;
  for (const char c : json::dump_pretty(in_order_of_structs(Value(to_object(config))))) {
    if (at_start && c == ' ') out.push_back(' ');
    at_start = c == '\n' || (at_start && c == ' ');
    out.push_back(c);
  }
  return out + "\n";
}

}  // namespace kube::kubeconfig
