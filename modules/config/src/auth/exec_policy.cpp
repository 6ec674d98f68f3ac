// SPDX-License-Identifier: Apache-2.0
#include "exec_policy.hpp"

#include <algorithm>
#include <filesystem>

#include "process.hpp"

namespace kube::rest {
namespace {

Error misconfigured(const std::string& text) {
  return {ErrorCode::Config, text};
}

std::string_view name_of(ExecPluginPolicy::Type type) {
  switch (type) {
    case ExecPluginPolicy::Type::AllowAll:
      return "AllowAll";
    case ExecPluginPolicy::Type::DenyAll:
      return "DenyAll";
    case ExecPluginPolicy::Type::Allowlist:
      return "Allowlist";
  }
  return "";
}

// As Go's filepath.Clean(): without "." and "..", double slashes or a slash at the end.
std::string cleaned(const std::string& path) {
  std::string text = std::filesystem::path(path).lexically_normal().string();
  if (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

std::string absolute(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path full = std::filesystem::absolute(path, failed);
  return failed || path.empty() ? path : full.lexically_normal().string();
}

Result<void> check_allowlist(const ExecPluginPolicy& policy) {
  const std::string set = "credential plugin policy set to \"Allowlist\", but ";
  if (!policy.allowlist) return misconfigured(set + "allowlist is unspecified");
  if (policy.allowlist->empty()) {
    return misconfigured(set + "allowlist is empty; use \"DenyAll\" policy instead");
  }
  std::size_t number = 0;
  for (const std::string& entry : *policy.allowlist) {
    const std::string place =
        "misconfigured credential plugin allowlist: entry #" + std::to_string(++number);
    if (entry.empty()) return misconfigured(place + " is empty");
    if (entry != cleaned(entry)) {
      return misconfigured(place + " is not normalized: \"" + entry + "\" instead of \"" +
                           cleaned(entry) + "\"");
    }
  }
  return {};
}

}  // namespace

Result<void> check_policy(const ExecPluginPolicy& policy) {
  switch (policy.type) {
    case ExecPluginPolicy::Type::AllowAll:
    case ExecPluginPolicy::Type::DenyAll:
      if (!policy.allowlist) return {};
      return misconfigured("misconfigured credential plugin allowlist: plugin policy is \"" +
                           std::string(name_of(policy.type)) + "\" but allowlist is non-nil");
    case ExecPluginPolicy::Type::Allowlist:
      return check_allowlist(policy);
  }
  return misconfigured("unknown plugin policy " + std::to_string(static_cast<int>(policy.type)) +
                       "; expected AllowAll, DenyAll or Allowlist");
}

Result<void> permit(const ExecPluginPolicy& policy, const std::string& command,
                    const std::string& executable, std::string_view path) {
  if (auto valid = check_policy(policy); !valid) return valid;
  if (policy.type == ExecPluginPolicy::Type::AllowAll) return {};
  const std::string plugin = "plugin \"" + command + "\"";
  if (policy.type == ExecPluginPolicy::Type::DenyAll) {
    return misconfigured(plugin + " is not allowed: policy set to \"DenyAll\"");
  }
  const std::string full = absolute(executable);
  const bool listed = std::any_of(
      policy.allowlist->begin(), policy.allowlist->end(), [&](const std::string& entry) {
        if (entry == command) return true;
        if (full.empty()) return false;
        const bool is_name = entry.find('/') == std::string::npos;
        return full == (is_name ? absolute(find_executable(entry, path)) : entry);
      });
  if (listed) return {};
  return misconfigured(plugin + " is not permitted by the credential plugin allowlist");
}

}  // namespace kube::rest
