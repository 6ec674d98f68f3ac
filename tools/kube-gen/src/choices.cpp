// SPDX-License-Identifier: Apache-2.0
#include "choices.hpp"

#include "facts.hpp"

namespace kube::gen {

Result<Choices> read_choices(const std::filesystem::path& path) {
  auto document = read_json_file(path);
  if (!document) return document.error();
  Facts facts(*document, path.filename().string());
  Choices choices;
  for (std::string& type : facts.texts("skip")) choices.skip.insert(std::move(type));
  for (std::string& package : facts.texts("headerForEachType"))
    choices.each_alone.insert(std::move(package));
  for (std::string& constant : facts.texts("octalConstants"))
    choices.octal.insert(std::move(constant));
  choices.by_hand = facts.dictionary("byHand");
  choices.header_names = facts.dictionary("headerNames");
  choices.go_types = facts.dictionary("goTypes");
  for (const auto& [type, version] : facts.dictionary("apiVersions")) {
    const std::size_t slash = version.find('/');
    choices.api_versions[type] =
        slash == std::string::npos ? std::pair(std::string(), version)
                                   : std::pair(version.substr(0, slash), version.substr(slash + 1));
  }
  if (facts.error()) return *facts.error();
  return choices;
}

}  // namespace kube::gen
