// SPDX-License-Identifier: Apache-2.0
//
// The table of all kinds, for look-ups by name.
#include <tuple>

#include "emit.hpp"

namespace kube::gen {

Result<File> emit_registry(const std::vector<std::string>& packages, Planner& planner) {
  std::map<std::tuple<std::string, std::string, std::string>, const Type*> kinds;
  for (const std::string& name : packages) {
    const auto layout = planner.layout(name);
    if (!layout) return layout.error();
    for (const auto& [reference, made] : (*layout)->structs) {
      if (!made.type->kind) continue;
      const auto [group, version] =
          api_version_of(*made.type, *(*layout)->package, planner.choices());
      kinds.try_emplace({group, version, made.type->name}, made.type);
    }
  }
  std::map<std::string, const Type*> declared;
  std::string entries;
  for (const auto& [name, type] : kinds) {
    declared[type->reference()] = type;
    entries += "    &" + descriptor_name(*type) + ",\n";
  }
  return File{
      "types.cpp",
      "// SPDX-License-Identifier: Apache-2.0\n//\n// Made by kube-gen from the schema during "
      "the build; changes belong there.\n#include <kube/api/types.hpp>\n\n" +
          declare_descriptors(declared) +
          "namespace kube::api {\nnamespace {\n\nconstexpr const meta::TypeDescriptor* "
          "kKinds[] = {\n" +
          entries +
          "};\n\n}  // namespace\n\nstd::span<const meta::TypeDescriptor* const> "
          "all_types() { return kKinds; }\n\n}  // namespace kube::api\n"};
}

}  // namespace kube::gen
