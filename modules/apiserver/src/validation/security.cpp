// SPDX-License-Identifier: Apache-2.0
//
// Security contexts of pods and containers.
#include <algorithm>

#include <kube/base/ascii.hpp>
#include <kube/names/go_text.hpp>

#include "validation/checks.hpp"
#include "validation/formats.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;

constexpr std::string_view kProfileTypes[] = {"Localhost", "RuntimeDefault", "Unconfined"};
constexpr std::string_view kGroupChangePolicies[] = {"Always", "OnRootMismatch"};
constexpr std::string_view kGroupPolicies[] = {"Merge", "Strict"};
constexpr std::string_view kLabelChangePolicies[] = {"MountOption", "Recursive"};
constexpr std::string_view kProcMounts[] = {"Default", "Unmasked"};

bool is_sysctl_segment(std::string_view text) {
  const auto is_edge = [](char c) { return ascii::is_lower(c) || ascii::is_digit(c); };
  return !text.empty() && is_edge(text.front()) && is_edge(text.back()) &&
         std::ranges::all_of(text, [&](char c) { return is_edge(c) || c == '-' || c == '_'; });
}

bool is_sysctl_name(std::string_view name) {
  if (name.size() > 253) return false;
  for (;;) {
    const std::size_t end = name.find_first_of("./");
    if (!is_sysctl_segment(name.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    name.remove_prefix(end + 1);
  }
}

// The name with dots between its parts, whichever separator comes first in it.
std::string with_dots(std::string_view name) {
  std::string out(name);
  const std::size_t first = out.find_first_of("./");
  if (first == std::string::npos || out[first] == '.') return out;
  for (char& c : out) {
    if (c == '/') {
      c = '.';
    } else if (c == '.') {
      c = '/';
    }
  }
  return out;
}

void check_host_sysctl(const Place& context, std::size_t at, std::string_view given) {
  constexpr std::string_view kIpc[] = {
      "kernel.sem", "kernel.shmall", "kernel.shmmax", "kernel.shmmni", "kernel.shm_rmid_forced",
      "kernel.shm", "kernel.msgmax", "kernel.msgmnb", "kernel.msgmni", "kernel.msg"};
  const Place& spec = *context.parent();
  const std::string name = with_dots(given);
  const meta::FieldPath path = context.path("sysctls", at).child("name");
  const bool ipc =
      name.starts_with("fs.mqueue.") || std::ranges::find(kIpc, name) != std::end(kIpc);
  if (spec.is_true("hostNetwork") && name.starts_with("net.")) {
    context.report(
        FieldError::invalid(path, given, "may not be specified when 'hostNetwork' is true"));
  } else if (spec.is_true("hostIPC") && ipc) {
    context.report(FieldError::invalid(path, given, "may not be specified when 'hostIPC' is true"));
  }
}

void check_sysctls(const Place& context) {
  const json::Array& sysctls = context.list("sysctls");
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < sysctls.size(); ++i) {
    const std::string_view name = sysctls[i].string_at({"name"});
    const meta::FieldPath path = context.path("sysctls", i).child("name");
    if (name.empty()) {
      context.report(FieldError::required(path, {}));
    } else if (!is_sysctl_name(name)) {
      context.report(FieldError::invalid(
          path, name,
          R"(must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$)"));
    } else if (names.contains(name)) {
      context.report(FieldError::duplicate(path, name));
    }
    check_host_sysctl(context, i, name);
    names.insert(name);
  }
}

void check_supplemental_groups(const Place& context) {
  const json::Array& groups = context.list("supplementalGroups");
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::int64_t* group = groups[i].if_int();
    if (group != nullptr && (*group < 0 || *group > 2147483647))
      context.report(FieldError::invalid(context.path("supplementalGroups", i), *group,
                                         "must be between 0 and 2147483647, inclusive"));
  }
}

void check_profile_type(const Place& profile, std::string_view kind) {
  if (profile.is_empty("type")) {
    profile.required("type", "type is required when " + std::string(kind) + " is set");
  } else if (std::ranges::find(kProfileTypes, profile.text("type")) == std::end(kProfileTypes)) {
    profile.not_supported("type", kProfileTypes);
  }
}

void check_seccomp(const Place& profile) {
  check_profile_type(profile, "seccompProfile");
  if (profile.text("type") == "Localhost") {
    if (!profile.has("localhostProfile")) {
      profile.required("localhostProfile", "must be set when seccomp type is Localhost");
    } else {
      profile.problems("localhostProfile",
                       formats::descending_path(profile.text("localhostProfile")));
    }
  } else if (profile.has("localhostProfile")) {
    profile.invalid("localhostProfile", profile.shown_whole(),
                    "can only be set when seccomp type is Localhost");
  }
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

void check_app_armor(const Place& profile) {
  const std::string_view type = profile.text("type");
  const std::string_view local = profile.text("localhostProfile");
  if (type == "Localhost") {
    if (!profile.has("localhostProfile")) {
      profile.required("localhostProfile", "must be set when AppArmor type is Localhost");
      return;
    }
    if (trimmed(local) != local) {
      profile.invalid("localhostProfile", local, "must not be padded with whitespace");
    } else if (local.empty()) {
      profile.required("localhostProfile", "must be set when AppArmor type is Localhost");
    }
    if (local.size() > 4095)
      profile.report(FieldError::too_long(profile.path("localhostProfile"), 4095));
  } else if (type == "RuntimeDefault" || type == "Unconfined") {
    if (profile.has("localhostProfile"))
      profile.invalid("localhostProfile", local, "can only be set when AppArmor type is Localhost");
  } else {
    check_profile_type(profile, "appArmorProfile");
  }
}

void check_unmasked(const Place& context) {
  const Place& spec = *context.parent()->parent();
  const bool host_users = !spec.has("hostUsers") || spec.is_true("hostUsers");
  if (host_users && context.text("procMount") == "Unmasked")
    context.invalid("procMount", "`hostUsers` must be false to use `Unmasked`");
}

void check_escalation(const Place& context) {
  const json::Value* allowed = context.find("allowPrivilegeEscalation");
  if (allowed == nullptr || !(*allowed == json::Value(false))) return;
  if (context.is_true("privileged"))
    context.report(FieldError::invalid(
        context.path(), context.shown_whole(),
        "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"));
  const json::Value* capabilities = context.find("capabilities");
  if (capabilities == nullptr) return;
  for (const json::Value& each : capabilities->array_at({"add"})) {
    if (each.string_or_empty() == "CAP_SYS_ADMIN")
      context.report(FieldError::invalid(
          context.path(), context.shown_whole(),
          "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"));
  }
}

// A part of "DOMAIN\\USER", of at most 15 characters.
bool is_net_bios_name(std::string_view domain) {
  return !domain.empty() && domain.size() <= 15 && domain.front() != '.' &&
         domain.find_first_of(R"(\/:*?"<>|)") == std::string_view::npos;
}

// Labels of at most 63 letters, digits and dashes in any case, with dots between them.
bool is_windows_domain(std::string_view domain) {
  const auto parts = go::split(domain, '.');
  return std::ranges::all_of(parts, [](std::string_view part) {
    return !part.empty() && part.size() <= 63 && part.front() != '-' && part.back() != '-' &&
           std::ranges::all_of(part, [](char c) { return ascii::is_alnum(c) || c == '-'; });
  });
}

// What is wrong with a user of Windows, "DOMAIN\\USER" or "USER", after "runAsUserName".
meta::Problems windows_user_problems(std::string_view name) {
  constexpr std::size_t kMaxDomain = 256;
  constexpr std::size_t kMaxUser = 104;
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; };
  const auto parts = go::split(name, '\\');
  if (std::ranges::any_of(name, is_control)) return {" cannot contain control characters"};
  if (parts.size() > 2) return {" cannot contain more than one backslash"};
  const std::string_view domain = parts.size() == 2 ? parts[0] : std::string_view{};
  const std::string_view user = parts.back();
  meta::Problems problems;
  if (domain.size() >= kMaxDomain)
    problems.emplace_back("'s Domain length must be under 256 characters");
  if (parts.size() == 2 && !is_net_bios_name(domain) && !is_windows_domain(domain))
    problems.emplace_back("'s Domain doesn't match the NetBios nor the DNS format");
  if (user.empty()) problems.emplace_back("'s User cannot be empty");
  if (user.size() > kMaxUser)
    problems.emplace_back("'s User length must not be longer than 104 characters");
  if (!user.empty() && user.find_first_not_of(". ") == std::string_view::npos)
    problems.emplace_back("'s User cannot contain only periods or spaces");
  if (user.find_first_of(R"("/\:;|=,+*?<>@[])") != std::string_view::npos)
    problems.emplace_back(R"('s User cannot contain the following characters: "/\:;|=,+*?<>@[])");
  return problems;
}

void check_windows_options(const Place& options) {
  constexpr std::size_t kMaxSpec = std::size_t{64} * 1024;
  if (options.has("gmsaCredentialSpecName"))
    options.problems("gmsaCredentialSpecName",
                     meta::validate_dns1123_subdomain(options.text("gmsaCredentialSpecName")));
  for (const std::string_view field : {"gmsaCredentialSpec", "runAsUserName"}) {
    if (options.has(field) && options.is_empty(field))
      options.invalid(field, std::string(field) + " cannot be an empty string");
  }
  if (options.text("gmsaCredentialSpec").size() > kMaxSpec)
    options.invalid("gmsaCredentialSpec", "gmsaCredentialSpec size must be under 64 KiB");
  if (options.is_empty("runAsUserName")) return;
  for (const std::string& problem : windows_user_problems(options.text("runAsUserName")))
    options.invalid("runAsUserName", "runAsUserName" + problem);
}

constexpr Rule kWindowsRules[] = {rules::call(check_windows_options)};
constexpr Rule kPodContextRules[] = {
    rules::id("fsGroup"),
    rules::id("runAsUser"),
    rules::id("runAsGroup"),
    rules::call(check_supplemental_groups),
    rules::call("sysctls", check_sysctls),
    rules::one_of_set("fsGroupChangePolicy", kGroupChangePolicies),
    rules::into("seccompProfile"),
    rules::into("windowsOptions"),
    rules::into("appArmorProfile"),
    rules::one_of_set("supplementalGroupsPolicy", kGroupPolicies),
    rules::one_of_set("seLinuxChangePolicy", kLabelChangePolicies)};
constexpr Rule kContainerContextRules[] = {rules::id("runAsUser"),
                                           rules::id("runAsGroup"),
                                           rules::one_of_set("procMount", kProcMounts),
                                           rules::call(check_unmasked),
                                           rules::into("seccompProfile"),
                                           rules::call(check_escalation),
                                           rules::into("windowsOptions"),
                                           rules::into("appArmorProfile")};
constexpr Rule kSeccompRules[] = {rules::call(check_seccomp)};
constexpr Rule kAppArmorRules[] = {rules::call(check_app_armor)};

constexpr TypeRules kSecurityTypes[] = {
    {"core.v1.PodSecurityContext", kPodContextRules},
    {"core.v1.SecurityContext", kContainerContextRules},
    {"core.v1.WindowsSecurityContextOptions", kWindowsRules},
    {"core.v1.SeccompProfile", kSeccompRules},
    {"core.v1.AppArmorProfile", kAppArmorRules},
};

}  // namespace

std::span<const TypeRules> security_types() {
  return kSecurityTypes;
}

}  // namespace kube::apiserver
