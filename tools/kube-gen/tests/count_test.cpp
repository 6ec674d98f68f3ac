// SPDX-License-Identifier: Apache-2.0
//
// The built-in types are all there: those that the facts describe, and the descriptors that are
// made of them, with the same functions that the build calls.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include <kube/base/file.hpp>

#include "emit.hpp"
#include "facts.hpp"

namespace kube::gen {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

// The packages that the build generates: those of packages.txt, and meta.v1.
std::set<std::string> packages() {
  const auto text = read_file((fs::path(KUBE_GEN_CHOICES).parent_path() / "packages.txt").string());
  EXPECT_TRUE(text);
  std::set<std::string> names = {"meta.v1"};
  std::istringstream lines(text.value_or(std::string()));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && !line.starts_with('#')) names.insert(line);
  }
  return names;
}

TEST(Count, AllPackagesOfTheSchemaAreGenerated) {
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(KUBE_GEN_SCHEMA)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".json" && name.find('.') != std::string::npos)
      files.insert(name);
  }
  EXPECT_EQ(files.size(), 66U);
  EXPECT_EQ(files, packages());
}

TEST(Count, OfAllTypesOnlyThoseWithoutAStructHaveNoDescriptor) {
  const auto choices = read_choices(KUBE_GEN_CHOICES);
  ASSERT_TRUE(choices);
  Schema schema({KUBE_GEN_SCHEMA});
  Planner planner(schema, *choices);
  constexpr std::string_view kDefinition = "constinit const meta::TypeDescriptor descriptors::";
  std::set<std::string> types;
  std::set<std::string> described;
  std::size_t definitions = 0;
  for (const std::string& name : packages()) {
    const auto layout = planner.layout(name);
    ASSERT_TRUE(layout) << layout.error().to_string();
    for (const Type& type : (*layout)->package->types) types.insert(type.reference());
    for (const auto* structs : {&(*layout)->structs, &(*layout)->by_hand}) {
      for (const auto& [reference, made] : *structs) described.insert(reference);
    }
    const auto sources = emit_sources(**layout, schema, *choices, 1);
    ASSERT_TRUE(sources) << sources.error().to_string();
    const std::string& text = sources->front().text;
    for (std::size_t at = text.find(kDefinition); at != std::string::npos;
         at = text.find(kDefinition, at + 1)) {
      ++definitions;
    }
  }
  EXPECT_EQ(types.size(), 1332U);
  EXPECT_EQ(definitions, described.size());
  std::set<std::string> without;
  std::ranges::set_difference(types, described, std::inserter(without, without.end()));
  // Written by hand or not wanted (choices.json), held as raw JSON or text, or only ever inlined.
  EXPECT_THAT(
      without,
      ElementsAre("admissionregistration.v1.Rule", "apiextensions.v1.JSON",
                  "apiextensions.v1beta1.JSON", "core.v1.EphemeralContainerCommon",
                  "core.v1.PersistentVolumeSource", "core.v1.ProbeHandler", "core.v1.VolumeSource",
                  "extensions.v1beta1.IngressRuleValue", "meta.v1.GroupVersion", "meta.v1.Patch",
                  "meta.v1.Timestamp", "meta.v1.TypeMeta", "networking.v1.IngressRuleValue",
                  "networking.v1beta1.IngressRuleValue", "resource.v1.DeviceConfiguration",
                  "resource.v1beta1.DeviceConfiguration", "resource.v1beta2.DeviceConfiguration"));
  EXPECT_EQ(definitions + without.size(), types.size());
}

}  // namespace
}  // namespace kube::gen
