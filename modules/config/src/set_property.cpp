// SPDX-License-Identifier: Apache-2.0
//
// Changes of a Kubeconfig by the names of its fields.
#include <algorithm>
#include <optional>
#include <utility>

#include <kube/config/modify.hpp>
#include <kube/json/base64.hpp>

#include "kubeconfig_fields.hpp"
#include "kubeconfig_validate.hpp"

namespace kube::kubeconfig {
namespace {

Error wrong(std::string what) {
  return {ErrorCode::InvalidArgument, std::move(what)};
}

// The kind of entry, its name and its field: "users", "a.b", "token".
struct Property {
  std::string_view kind{};
  std::string_view name{};
  std::string_view field{};
};

template <class T>
bool has_field(std::string_view name) {
  const auto is_it = [&](const auto& field) { return field.name == name; };
  const auto texts = text_fields<T>();
  const auto flags = flag_fields<T>();
  if (std::any_of(texts.begin(), texts.end(), is_it)) return true;
  if (std::any_of(flags.begin(), flags.end(), is_it)) return true;
  if (name == "extensions") return true;
  return std::is_same_v<T, AuthInfo> &&
         (name == "as" || name == "as-uid" || name == "as-groups" || name == "as-user-extra" ||
          name == "auth-provider" || name == "exec");
}

// As kubectl does, the name ends before the first word that is a field's name.
template <class T>
Property split(std::string_view property) {
  Property out;
  const std::size_t first = std::min(property.find('.'), property.size());
  out.kind = property.substr(0, first);
  if (first == property.size()) return out;
  const std::string_view rest = property.substr(first + 1);
  out.name = rest;
  for (std::size_t dot = rest.find('.'); dot != std::string_view::npos;
       dot = rest.find('.', dot + 1)) {
    const std::string_view field = rest.substr(dot + 1);
    if (!has_field<T>(field.substr(0, field.find('.')))) continue;
    out.name = rest.substr(0, dot);
    out.field = field;
    break;
  }
  return out;
}

template <class T>
std::string known_fields() {
  std::string names;
  for (const auto& field : text_fields<T>())
    names.append(names.empty() ? "" : ", ").append(field.name);
  for (const auto& field : flag_fields<T>()) names.append(", ").append(field.name);
  return names + (std::is_same_v<T, AuthInfo> ? ", as, as-uid" : "");
}

std::optional<bool> parse_bool(std::string_view text) {
  for (const std::string_view each : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == each) return true;
  }
  for (const std::string_view each : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == each) return false;
  }
  return std::nullopt;
}

Result<bool> flag_value(std::string_view property, std::string_view value) {
  const std::optional<bool> flag = parse_bool(value);
  if (flag) return *flag;
  return wrong(std::string(property) + ": expected true or false");
}

// The text that a field of an entry is set to or, without a value, cleared by.
std::string* impersonation_field(AuthInfo& user, std::string_view name) {
  if (name == "as") return &user.impersonate.user_name;
  return name == "as-uid" ? &user.impersonate.uid : nullptr;
}
template <class T>
std::string* impersonation_field(T&, std::string_view) {
  return nullptr;
}

template <class T>
Result<void> set_field(T& entry, const Property& property, std::string_view whole,
                       std::string_view value, bool is_raw) {
  for (const TextField<T>& field : text_fields<T>()) {
    if (field.name != property.field) continue;
    if (field.kind != FieldKind::Bytes || is_raw) {
      field.set(entry, std::string(value));
      return {};
    }
    std::optional<std::string> bytes = json::read_base64(value);
    if (!bytes) return wrong(std::string(whole) + ": expected base64");
    field.set(entry, *std::move(bytes));
    return {};
  }
  for (const FlagField<T>& field : flag_fields<T>()) {
    if (field.name != property.field) continue;
    const Result<bool> flag = flag_value(whole, value);
    if (!flag) return flag.error();
    entry.*field.member = *flag;
    return {};
  }
  if (std::string* text = impersonation_field(entry, property.field); text != nullptr) {
    *text = value;
    return {};
  }
  return wrong("can't set " + std::string(whole) + ": it is not a single value");
}

template <class T>
Result<void> set_entry_field(Entries<T>& entries, std::string_view whole, std::string_view value,
                             bool is_raw) {
  const Property property = split<T>(whole);
  if (property.field.empty()) {
    return wrong("can't set " + std::string(whole) + ": expected " + std::string(property.kind) +
                 ".NAME.FIELD with one of the fields " + known_fields<T>());
  }
  const auto found = entries.find(property.name);
  T entry = found == entries.end() ? T{} : found->second;
  if (auto done = set_field(entry, property, whole, value, is_raw); !done) return done;
  entries[std::string(property.name)] = std::move(entry);
  return {};
}

void unset_more(AuthInfo& user, std::string_view field) {
  if (std::string* text = impersonation_field(user, field); text != nullptr) text->clear();
  if (field == "as-groups") user.impersonate.groups.clear();
  if (field == "as-user-extra") user.impersonate.extra.clear();
  if (field == "auth-provider") user.auth_provider.reset();
  if (field == "exec") user.exec.reset();
}
template <class T>
void unset_more(T&, std::string_view) {}

template <class T>
Result<void> unset_entry_field(Entries<T>& entries, std::string_view whole) {
  const Property property = split<T>(whole);
  if (property.name.empty()) {
    entries.clear();
    return {};
  }
  const auto found = entries.find(property.name);
  if (property.field.empty()) {
    if (found != entries.end()) entries.erase(found);
    return {};
  }
  if (found == entries.end()) {
    return wrong("can't unset " + std::string(whole) + ": " + in_quotes(property.name) +
                 " does not exist; " + std::string(property.kind) + ": " + names_of(entries));
  }
  if (property.field.find('.') != std::string_view::npos)
    return wrong("can't unset " + std::string(whole) + ": it is a part of a field");
  T& entry = found->second;
  for (const TextField<T>& field : text_fields<T>()) {
    if (field.name == property.field) field.set(entry, {});
  }
  for (const FlagField<T>& field : flag_fields<T>()) {
    if (field.name == property.field) entry.*field.member = false;
  }
  if (property.field == "extensions") entry.extensions.clear();
  unset_more(entry, property.field);
  return {};
}

Error no_such_property(std::string_view property) {
  return wrong("unknown property " + in_quotes(property) +
               ": expected clusters.NAME.FIELD, contexts.NAME.FIELD, users.NAME.FIELD, "
               "current-context or preferences.colors");
}

bool is_of(std::string_view property, std::string_view kind) {
  return property == kind ||
         (property.starts_with(kind) && property.substr(kind.size()).starts_with('.'));
}

}  // namespace

Result<void> set(Kubeconfig& config, std::string_view property, std::string_view value,
                 bool is_raw) {
  if (is_of(property, "clusters")) return set_entry_field(config.clusters, property, value, is_raw);
  if (is_of(property, "users")) return set_entry_field(config.users, property, value, is_raw);
  if (is_of(property, "contexts")) return set_entry_field(config.contexts, property, value, is_raw);
  if (property == "current-context") {
    config.current_context = value;
    return {};
  }
  if (property != "preferences.colors") return no_such_property(property);
  const Result<bool> flag = flag_value(property, value);
  if (!flag) return flag.error();
  config.preferences.colors = *flag;
  return {};
}

Result<void> unset(Kubeconfig& config, std::string_view property) {
  if (is_of(property, "clusters")) return unset_entry_field(config.clusters, property);
  if (is_of(property, "users")) return unset_entry_field(config.users, property);
  if (is_of(property, "contexts")) return unset_entry_field(config.contexts, property);
  if (property == "current-context") {
    config.current_context.clear();
  } else if (property == "preferences") {
    config.preferences = {};
  } else if (property == "preferences.colors") {
    config.preferences.colors = false;
  } else if (property == "extensions") {
    config.extensions.clear();
  } else {
    return no_such_property(property);
  }
  return {};
}

Result<void> rename_context(Kubeconfig& config, const std::string& from, const std::string& to) {
  const auto found = config.contexts.find(from);
  if (found == config.contexts.end()) {
    return wrong("cannot rename the context " + in_quotes(from) +
                 ", it does not exist; contexts: " + names_of(config.contexts));
  }
  if (config.contexts.contains(to)) {
    return wrong("cannot rename the context " + in_quotes(from) + ", the context " + in_quotes(to) +
                 " already exists");
  }
  Context context = found->second;
  config.contexts.erase(found);
  config.contexts[to] = std::move(context);
  if (config.current_context == from) config.current_context = to;
  return {};
}

Result<void> use_context(Kubeconfig& config, const std::string& name) {
  if (!config.contexts.contains(name))
    return wrong("no context exists with the name: " + in_quotes(name));
  config.current_context = name;
  return {};
}

}  // namespace kube::kubeconfig
