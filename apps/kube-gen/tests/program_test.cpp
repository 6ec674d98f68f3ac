// SPDX-License-Identifier: Apache-2.0
//
// The program as people run it: whatever it is given, it says what is wrong and exits with 1.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace kube::gen {
namespace {

namespace fs = std::filesystem;

class Program : public testing::Test {
 protected:
  struct Ran {
    int status = -1;  // -1 as well when a signal ended it
    std::string text{};
    bool operator==(const Ran&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const Ran& ran) {
      return out << ran.status << ": " << ran.text;
    }
  };

  void SetUp() override {
    directory_ =
        fs::path(testing::TempDir()) /
        ("kube-gen-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  static Ran run(const std::string& arguments, const std::string& program = KUBE_GEN_PROGRAM) {
    Ran ran;
    const std::string command = program + " " + arguments + " 2>&1";
    std::FILE* output = ::popen(command.c_str(), "re");
    if (output == nullptr) return ran;
    std::array<char, 4096> part;
    while (const std::size_t read = std::fread(part.data(), 1, part.size(), output))
      ran.text.append(part.data(), read);
    const int status = ::pclose(output);
    if (WIFEXITED(status)) ran.status = WEXITSTATUS(status);
    return ran;
  }
  static Ran failed(const std::string& error) { return {1, "kube-gen: " + error + "\n"}; }
  std::string place(const std::string& name) const { return (directory_ / name).string(); }

  fs::path directory_;
};

TEST_F(Program, WhatCannotBeReadIsAnErrorThatNamesIt) {
  const std::string schema = std::string(" --schema ") + KUBE_GEN_SCHEMA;
  const std::string here = directory_.string();
  EXPECT_EQ(run("crd " + here), failed(here + ": Is a directory"));
  EXPECT_EQ(run("openapi " + here), failed(here + ": Is a directory"));
  EXPECT_EQ(run("crd " + place("none")), failed(place("none") + ": No such file or directory"));
  EXPECT_EQ(run("crd " + here + "/" + std::string(300, 'a')),
            failed(here + "/" + std::string(300, 'a') + ": File name too long"));
  // Opens, and then can't be read, by root neither.
  EXPECT_EQ(run("crd /proc/self/mem"), failed("/proc/self/mem: Input/output error"));
  EXPECT_EQ(run("--package core.v1 --choices " + here), failed(here + ": Is a directory"));
  EXPECT_EQ(run("--resources " + here), failed(here + ": Is a directory"));
  EXPECT_EQ(run("--package meta.v1 --expect-headers " + here), failed(here + ": Is a directory"));
  fs::create_directories(directory_ / "x.v1.json");
  EXPECT_EQ(run("--package x.v1 --schema " + here),
            failed(place("x.v1.json") + ": Is a directory"));
  EXPECT_EQ(run("--package " + std::string(300, 'a') + schema),
            failed(std::string(300, 'a') + ".json: is in none of the schema directories"));
}

TEST_F(Program, WhatCannotBeWrittenIsAnErrorThatNamesIt) {
  fs::create_directories(directory_ / "acme_types.cpp");
  EXPECT_EQ(run("crd " + std::string(KUBE_GEN_TESTS) + "/crd/gadgets.yaml --name acme_types " +
                "--include-dir " + directory_.string() + " --source-dir " + directory_.string()),
            failed(place("acme_types.cpp") + ": cannot be written: Is a directory"));
}

TEST_F(Program, TheSchemaOfTheBuildTreeIsTheDefault) {
  EXPECT_EQ(
      run("crd " + std::string(KUBE_GEN_TESTS) + "/crd/plants.json --list-headers"),
      (Ran{0, "acme/v1/plant.hpp\nacme/v1.hpp\nacme/v1/resources.hpp\nkube_gen/types.hpp\n"}));
  // The choices there count as well: they give this header its name.
  EXPECT_NE(run("--package meta.v1 --list-headers").text.find("kube/meta/status_type.hpp\n"),
            std::string::npos);
}

TEST_F(Program, ACopyWithoutASchemaSaysWhereItLooked) {
  fs::create_directories(directory_ / "bin");
  fs::copy_file(KUBE_GEN_PROGRAM, directory_ / "bin" / "kube-gen");
  EXPECT_EQ(run("crd " + std::string(KUBE_GEN_TESTS) + "/crd/plants.json", place("bin/kube-gen")),
            failed("--schema: expected a directory of schema facts, there is none in " +
                   place("share/kube/schema")));
}

TEST_F(Program, DeepNestingIsAnError) {
  std::ofstream(place("deep.json")) << std::string(100'000, '[');
  const Ran json = run("crd " + place("deep.json"));
  EXPECT_EQ(json.status, 1) << json.text;
  std::string text = "{type: string}";
  for (int i = 0; i < 130; ++i) text = "{type: object, properties: {a: " + text + "}}";
  std::ofstream(place("deep.yaml"))
      << "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
         "metadata: {name: as.acme.io}\nspec: {group: acme.io, scope: Cluster, names: {plural: as, "
         "kind: A}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: " +
             text + "}}]}\n";
  const Ran yaml = run("crd " + place("deep.yaml"));
  EXPECT_EQ(yaml.status, 1);
  EXPECT_NE(yaml.text.find("nested more than 100 levels deep"), std::string::npos) << yaml.text;
}

}  // namespace
}  // namespace kube::gen
