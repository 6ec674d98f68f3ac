// SPDX-License-Identifier: Apache-2.0
//
// Makes the default User-Agent: program, version, platform.
#include <sys/utsname.h>

#include <cerrno>

#include <kube/base/ascii.hpp>
#include <kube/config/config.hpp>

namespace kube::rest {
namespace {

// Uses Go's names, which server logs show for other clients.
std::string machine() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  const std::string_view name = names.machine;
  if (name == "x86_64") return "amd64";
  if (name == "aarch64") return "arm64";
  return std::string(name);
}

std::string system_name() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return ascii::to_lower(names.sysname);
}

// A header value may contain only printable characters, whatever a file's name contains.
std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte >= 0x7f) c = '_';
  }
  return out;
}

}  // namespace

std::string make_user_agent(std::string_view program, std::string_view version, std::string_view os,
                            std::string_view arch) {
  const std::string_view base = program.substr(program.rfind('/') + 1);
  const std::string_view release = version.substr(0, version.find('-'));
  std::string text = base.empty() ? std::string("unknown") : printable(base);
  text.append("/")
      .append(release.empty() ? "unknown" : release)
      .append(" (")
      .append(os)
      .append("/")
      .append(arch);
  text.append(") kube-cpp/").append(version);
  return text;
}

std::string default_user_agent() {
  return make_user_agent(program_invocation_name == nullptr ? "" : program_invocation_name,
                         KUBE_VERSION, system_name(), machine());
}

void add_user_agent(Config& config, std::string_view suffix) {
  config.user_agent = default_user_agent() + "/" + std::string(suffix);
}

}  // namespace kube::rest
