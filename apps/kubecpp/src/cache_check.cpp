// SPDX-License-Identifier: Apache-2.0
#include "cache_check.hpp"

namespace kubecpp {

std::string compare_versions(const Versions& cache, const Versions& server) {
  constexpr int kMost = 10;
  std::string text;
  int differences = 0;
  const auto add = [&](const std::string& clause) {
    if (++differences <= kMost) text += (text.empty() ? "" : "; ") + clause;
  };
  for (const auto& [key, version] : server) {
    const auto found = cache.find(key);
    if (found == cache.end()) {
      add(key + " is missing in the cache");
    } else if (found->second != version) {
      add(key + " has version " + found->second + " in the cache, " + version + " on the server");
    }
  }
  for (const auto& [key, version] : cache) {
    if (!server.contains(key)) add(key + " is in the cache alone");
  }
  if (differences > kMost) text += "; and " + std::to_string(differences - kMost) + " more";
  return text;
}

}  // namespace kubecpp
