// SPDX-License-Identifier: Apache-2.0
//
// What kube-gen makes of a small schema that has everything, against golden/. After a change that
// is meant: KUBE_GEN_UPDATE_GOLDEN=1 kube-gen_test --gtest_filter=Golden.*
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <kube/json/yaml.hpp>
#include <kube/schema/documents.hpp>

#include "custom.hpp"
#include "emit.hpp"

namespace kube::gen {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<File> generate(std::size_t shards) {
  auto choices = read_choices(KUBE_GEN_CHOICES);
  EXPECT_TRUE(choices);
  choices->octal.insert("example.v1.ExampleMode");
  choices->by_hand["example.v1.ByHand"] = "example/by_hand.hpp";
  Schema schema({fs::path(KUBE_GEN_TESTS) / "schema", KUBE_GEN_SCHEMA});
  Planner planner(schema, *choices);
  const auto layout = planner.layout("example.v1");
  EXPECT_TRUE(layout) << (layout ? "" : layout.error().to_string());
  auto headers = emit_headers(**layout, planner);
  EXPECT_TRUE(headers) << (headers ? "" : headers.error().to_string());
  const auto sources = emit_sources(**layout, schema, *choices, shards);
  EXPECT_TRUE(sources) << (sources ? "" : sources.error().to_string());
  std::vector<File> files = *std::move(headers);
  files.push_back(emit_registry({"example.v1"}, planner).value());
  files.push_back(emit_resources(fs::path(KUBE_GEN_TESTS) / "schema" / "resources.json").value());
  files.insert(files.end(), sources->begin(), sources->end());
  return files;
}

void expect_golden(const std::vector<File>& files, const fs::path& golden) {
  const bool update = std::getenv("KUBE_GEN_UPDATE_GOLDEN") != nullptr;
  std::set<fs::path> made;
  for (const File& file : files) {
    const fs::path path = golden / (file.path + ".golden");
    made.insert(path);
    if (update) {
      fs::create_directories(path.parent_path());
      std::ofstream(path, std::ios::binary) << file.text;
    }
    EXPECT_EQ(read_file(path), file.text) << file.path;
  }
  for (const auto& entry : fs::recursive_directory_iterator(golden)) {
    if (entry.is_regular_file()) {
      EXPECT_TRUE(made.contains(entry.path())) << entry.path() << " is no longer made";
    }
  }
}

TEST(Golden, GeneratedFilesAreAsTheyWere) {
  expect_golden(generate(1), fs::path(KUBE_GEN_TESTS) / "golden");
}

std::vector<File> generate_custom(const std::vector<schema::Package>& packages,
                                  const CustomOptions& options) {
  Schema schema({KUBE_GEN_SCHEMA});
  auto files = emit_custom(packages, schema, read_choices(KUBE_GEN_CHOICES).value(), options);
  EXPECT_TRUE(files) << (files ? "" : files.error().to_string());
  if (!files) return {};
  files->headers.push_back(files->source);
  return files->headers;
}

TEST(Golden, TypesOfDefinitionsAreAsTheyWere) {
  std::vector<schema::Package> packages;
  for (const std::string name : {"gadgets.yaml", "plants.json"}) {
    const auto read = schema::read_crds(read_file(fs::path(KUBE_GEN_TESTS) / "crd" / name),
                                        "crd/" + name, packages);
    ASSERT_TRUE(read) << read.error().to_string();
  }
  expect_golden(generate_custom(packages, {.namespace_ = "acme::shop", .name = "acme_types"}),
                fs::path(KUBE_GEN_TESTS) / "golden_crd");
}

// That they compile is tested in module api.
TEST(Golden, NamesThatCppCannotHaveAreAsTheyWere) {
  std::vector<schema::Package> packages;
  const auto read = schema::read_crds(
      read_file(fs::path(KUBE_GEN_TESTS) / "crd" / "odd_names.yaml"), "odd_names.yaml", packages);
  ASSERT_TRUE(read) << read.error().to_string();
  std::vector<File> files = generate_custom(packages, {});
  const auto holds_names = [](const File& file) {
    return file.path == "odd/class_/odd.hpp" || file.path.ends_with(".cpp");
  };
  std::erase_if(files, [&](const File& file) { return !holds_names(file); });
  expect_golden(files, fs::path(KUBE_GEN_TESTS) / "golden_odd_names");
}

TEST(Golden, TypesOfAnOpenApiDocumentAreAsTheyWere) {
  const auto document = yaml::parse(read_file(fs::path(KUBE_GEN_TESTS) / "crd" / "openapi.json"));
  ASSERT_TRUE(document);
  const auto package = schema::read_openapi(
      *document, "openapi.json",
      [](const std::string& reference) { return reference == "meta.v1.LabelSelector"; });
  ASSERT_TRUE(package) << package.error().to_string();
  expect_golden(generate_custom({*package}, {}), fs::path(KUBE_GEN_TESTS) / "golden_openapi");
}

// That they compile is tested in module api.
TEST(Golden, TypesThatContainEachOtherAreAsTheyWere) {
  const auto document = yaml::parse(read_file(fs::path(KUBE_GEN_TESTS) / "crd" / "circles.json"));
  ASSERT_TRUE(document);
  const auto package = schema::read_openapi(*document, "circles.json", nullptr);
  ASSERT_TRUE(package) << package.error().to_string();
  expect_golden(generate_custom({*package}, {}), fs::path(KUBE_GEN_TESTS) / "golden_circles");
}

TEST(Golden, ShardsShareTheStructsOut) {
  std::string one;
  for (const File& file : generate(1)) one = file.text;  // the source comes last
  std::string all;
  std::size_t sources = 0;
  for (const File& file : generate(3)) {
    if (!file.path.ends_with(".cpp") || !file.path.starts_with("example_")) continue;
    ++sources;
    EXPECT_EQ(file.path, "example_v1_" + std::to_string(sources) + ".cpp");
    all += file.text;
  }
  EXPECT_EQ(sources, 3U);
  const auto count = [](const std::string& text, std::string_view what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count(all, "::descriptor() {"), count(one, "::descriptor() {"));
  EXPECT_EQ(count(all, "descriptors::by_hand{"), 1U);
}

}  // namespace
}  // namespace kube::gen
