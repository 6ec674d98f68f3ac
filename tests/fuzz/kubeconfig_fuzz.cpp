// SPDX-License-Identifier: Apache-2.0
//
// A kubeconfig is an error, or a configuration that the same document in another notation gives,
// too. Neither shows a secret.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <kube/config/kubeconfig.hpp>
#include <kube/json/yaml.hpp>

namespace {

using kube::json::Value;

// Credentials of the document that are long enough to be told from other text.
std::vector<std::string> secrets_of(const Value& document, std::string_view text) {
  std::vector<std::string> secrets;
  const Value* users = document.at_path({"users"});
  if (users == nullptr || users->if_array() == nullptr) return secrets;
  for (const Value& entry : *users->if_array()) {
    for (const std::string_view key : {"token", "password", "client-key-data"}) {
      const Value* value = entry.at_path({"user", key});
      if (value == nullptr || value->string_or_empty().size() < 8) continue;
      const std::string secret(value->string_or_empty());
      const std::size_t first = text.find(secret);
      if (first != std::string_view::npos && text.find(secret, first + 1) == std::string_view::npos)
        secrets.push_back(secret);
    }
  }
  return secrets;
}

kube::Result<kube::rest::Config> read(std::string_view text) {
  return kube::kubeconfig::parse(text, "", "/nonexistent", "kubeconfig");
}

std::string shown(const kube::Result<kube::rest::Config>& config) {
  if (!config) return config.error().to_string();
  const auto valid = kube::rest::validate(*config);
  const auto url = kube::rest::base_url(*config);
  return to_string(*config) + (valid ? "" : valid.error().to_string()) +
         (url ? *url : url.error().to_string());
}

// The lines of an error, in which each mistake has its line in the document, without those numbers.
std::vector<std::string> mistakes_in(const std::string& text) {
  static const std::regex kLine("line [0-9]+: ");
  std::vector<std::string> lines;
  std::istringstream stream(std::regex_replace(text, kLine, ""));
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // The reader opens the files that are named. None of those that never end.
  for (const char* folder : {"dev", "proc", "sys"}) {
    if (text.find(folder) != std::string_view::npos) return 0;
  }
  const auto config = read(text);
  if (!config && config.error().code() != kube::ErrorCode::Config) std::abort();
  const std::string told = shown(config);
  const auto document = kube::yaml::parse(text);
  if (!document) return 0;
  for (const std::string& secret : secrets_of(*document, text)) {
    if (told.find(secret) != std::string::npos) std::abort();
  }
  if (told.find("control character at offset") != std::string::npos) return 0;
  for (const std::string& other : {kube::json::dump(*document), kube::yaml::dump(*document)}) {
    const auto again = read(other);
    if (again.has_value() != config.has_value()) std::abort();
    if (config ? !(*again == *config) : mistakes_in(again.error().to_string()) != mistakes_in(told))
      std::abort();
  }
  return 0;
}
