// SPDX-License-Identifier: Apache-2.0
#include "kuberc.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/ascii.hpp>
#include <kube/base/file.hpp>
#include <kube/config/exec_policy.hpp>
#include <kube/json/yaml.hpp>
#include <kube/json/yaml_edit.hpp>
#include <kube/names/go_text.hpp>

#include "error_output.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::rest::ExecPluginPolicy;
namespace json = kube::json;

constexpr std::string_view kGroup = "kubectl.config.k8s.io/";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

struct KubercFile {
  std::string path{};  // empty: none is to be read
  bool is_named = false;
};

Result<KubercFile> file_to_read(const std::string& file) {
  const std::string by_variable = environment("KUBERC");
  if (kube::ascii::to_lower(environment("KUBECTL_KUBERC")) == "false") return KubercFile{};
  if (by_variable == "off") {
    if (file.empty()) return KubercFile{};
    return Error(ErrorCode::InvalidArgument,
                 "disabling kuberc via KUBERC=off and passing kuberc flag are mutually exclusive");
  }
  if (!file.empty()) return KubercFile{file, true};
  if (!by_variable.empty()) return KubercFile{by_variable, true};
  const std::string home = environment("HOME");
  return KubercFile{home.empty() ? "" : home + "/.kube/kuberc", false};
}

// What a document of the kind says; nullopt when its type does not fit.
class Preference {
 public:
  static std::optional<Preference> read(const json::Value& document) {
    const std::string_view version = document.string_at({"apiVersion"});
    const json::Object* members = document.if_object();
    if (members == nullptr || document.string_at({"kind"}) != "Preference") return std::nullopt;
    if (!version.starts_with(kGroup)) return std::nullopt;
    Preference preference;
    const bool has_policy = version.substr(kGroup.size()) == "v1beta1";
    if (!has_policy && version.substr(kGroup.size()) != "v1alpha1") return std::nullopt;
    for (const auto& [name, value] : *members) {
      const std::string_view key = name;
      if (key == "apiVersion" || key == "kind" || key == "defaults" || key == "aliases") continue;
      bool fits = true;
      if (has_policy && key == "credentialPluginPolicy") {
        fits = preference.read_policy(value);
      } else if (has_policy && key == "credentialPluginAllowlist") {
        fits = preference.read_list(value);
      } else {
        preference.unknown_.push_back(std::string(key));
      }
      if (!fits) return std::nullopt;
    }
    return preference;
  }

  const std::vector<std::string>& unknown_fields() const { return unknown_; }

  Result<ExecPluginPolicy> policy() const {
    ExecPluginPolicy policy;
    policy.allowlist = list_;
    if (policy_ == "DenyAll") {
      policy.type = ExecPluginPolicy::Type::DenyAll;
    } else if (policy_ == "Allowlist") {
      policy.type = ExecPluginPolicy::Type::Allowlist;
    } else if (!policy_.empty() && policy_ != "AllowAll") {
      return Error(ErrorCode::Config, "unknown plugin policy: " + kube::go::quote(policy_));
    }
    if (auto valid = kube::rest::check_policy(policy); !valid) return valid.error();
    return policy;
  }

 private:
  bool read_policy(const json::Value& value) {
    if (value.is_null()) return true;
    if (!value.is_string()) return false;
    policy_ = *value.if_string();
    return true;
  }

  bool read_list(const json::Value& value) {
    if (value.is_null()) return true;
    const json::Array* entries = value.if_array();
    if (entries == nullptr) return false;
    std::vector<std::string> list;
    for (const json::Value& entry : *entries) {
      if (!read_entry(entry, list)) return false;
    }
    list_ = std::move(list);
    return true;
  }

  // "name" is the old word for "command".
  bool read_entry(const json::Value& entry, std::vector<std::string>& list) {
    const json::Object* members = entry.if_object();
    if (members == nullptr) return false;
    std::string name;
    std::string command;
    for (const auto& [key, value] : *members) {
      const bool is_name = std::string_view(key) == "name";
      if (!is_name && std::string_view(key) != "command") {
        unknown_.push_back("credentialPluginAllowlist[" + std::to_string(list.size()) + "]." +
                           std::string(key));
        continue;
      }
      if (!value.is_string()) return false;
      (is_name ? name : command) = *value.if_string();
    }
    if (!name.empty() && !command.empty() && name != command) return false;
    list.push_back(command.empty() ? name : command);
    return true;
  }

  std::string policy_;
  kube::Optional<std::vector<std::string>> list_;
  std::vector<std::string> unknown_;
};

// Returns the first preference of the file; nullopt for an empty one.
Result<std::optional<Preference>> read_preference(const std::string& path) {
  const auto file = kube::read_regular_file(path);
  if (!file) return file.error();
  // As kubectl: a mistake in another document does not count.
  for (std::string_view rest = file->text; !rest.empty();) {
    const std::string_view document = kube::yaml::first_document(rest);
    rest.remove_prefix(document.size());
    const auto values = kube::yaml::parse_all(document);
    if (!values || values->empty()) continue;
    if (auto preference = Preference::read(values->front())) return preference;
  }
  const auto documents = kube::yaml::parse_all(file->text);
  if (!documents) return documents.error().with_context(path);
  if (documents->empty()) return std::optional<Preference>();
  return Error(ErrorCode::Config,
               "no valid preferences found in " + path +
                   "; expected kind Preference of kubectl.config.k8s.io/v1beta1");
}

}  // namespace

Result<ExecPluginPolicy> plugin_policy_of_kuberc(const std::string& file) {
  const auto where = file_to_read(file);
  if (!where) return where.error();
  std::error_code unknown;
  if (where->path.empty() || (!where->is_named && !std::filesystem::exists(where->path, unknown)))
    return ExecPluginPolicy{};
  const auto preference = read_preference(where->path);
  if (!preference) {
    const std::string why = preference.error().to_string();
    if (where->is_named) return Error(ErrorCode::Config, "kuberc: " + why);
    print_note("kuberc: no preferences loaded from " + where->path + ": " + why);
    return ExecPluginPolicy{};
  }
  if (!*preference) return ExecPluginPolicy{};
  for (const std::string& field : (*preference)->unknown_fields()) {
    print_note("kuberc: ignoring strict decoding error in " + where->path + ": unknown field " +
               kube::go::quote(field));
  }
  auto policy = (*preference)->policy();
  if (!policy) return Error(ErrorCode::Config, where->path + ": " + policy.error().message());
  return policy;
}

}  // namespace kubecpp
