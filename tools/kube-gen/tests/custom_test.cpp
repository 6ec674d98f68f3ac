// SPDX-License-Identifier: Apache-2.0
//
// What can't be generated, and which namespace types get.
#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include <kube/schema/documents.hpp>

#include "custom.hpp"

namespace kube::gen {
namespace {

using ::testing::ElementsAre;

std::string crd(const std::string& group, const std::string& kind, const std::string& root) {
  return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
         "metadata: {name: things." +
         group + "}\nspec:\n  group: " + group +
         "\n  scope: Cluster\n  names: {plural: things, kind: " + kind +
         "}\n  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: " +
         root + "}}]\n";
}

Result<CustomFiles> generate(const std::string& text, const CustomOptions& options = {}) {
  std::vector<schema::Package> packages;
  if (auto read = schema::read_crds(text, "dir/t.yaml", packages); !read) return read.error();
  Schema schema({KUBE_GEN_SCHEMA});
  return emit_custom(packages, schema, read_choices(KUBE_GEN_CHOICES).value(), options);
}
std::string error_of(const std::string& text, const CustomOptions& options = {}) {
  const auto files = generate(text, options);
  return files ? "no error" : files.error().to_string();
}

// The place of the schema of crd().
constexpr std::string_view kSchema =
    "dir/t.yaml: document 1: CRD things.acme.io: spec.versions[0].schema.openAPIV3Schema";

TEST(Custom, WhatAStructWouldLoseIsRefused) {
  EXPECT_EQ(error_of(crd("acme.io", "Thing",
                         "{type: object, x-kubernetes-preserve-unknown-fields: true}")),
            std::string(kSchema) +
                ": type Thing: keeps unknown fields at the root, which a struct would lose; use "
                "kube::Unstructured for it");
}

TEST(Custom, AnErrorNamesTheDocumentThatItIsIn) {
  std::string second =
      crd("acme.io", "Other", "{type: object, x-kubernetes-preserve-unknown-fields: true}");
  for (std::size_t at = second.find("things"); at != std::string::npos; at = second.find("things"))
    second.replace(at, 6, "others");
  EXPECT_EQ(error_of(crd("acme.io", "Thing", "{type: object}") + "---\n" + second),
            "dir/t.yaml: document 2: CRD others.acme.io: spec.versions[0].schema.openAPIV3Schema: "
            "type Other: keeps unknown fields at the root, which a struct would lose; use "
            "kube::Unstructured for it");
}

TEST(Custom, KindsThatCppCannotHaveAreRefused) {
  for (const std::string kind : {"My-Thing", "My_Thing", "thing"}) {
    EXPECT_EQ(error_of(crd("acme.io", kind, "{type: object}")),
              std::string(kSchema) + ": type " + kind +
                  ": expected a kind of letters and digits that begins with a capital");
  }
  EXPECT_EQ(error_of(crd("acme.io", "\"NULL\"", "{type: object}")),
            std::string(kSchema) +
                ": type NULL: is a macro of system headers, which no struct can have as its name");
}

TEST(Custom, PropertiesThatNoKeyOfADescriptorCanBeAreRefusedByTheirPath) {
  EXPECT_EQ(error_of(crd("acme.io", "Thing",
                         "{type: object, properties: {spec: {type: object, properties: "
                         "{\"\": {type: string}}}}}")),
            std::string(kSchema) +
                ".properties[spec]: type ThingSpec: has a property without a name, which a struct "
                "can't have");
  for (const std::string key : {R"("a\"b")", R"("a\\b")", R"("a\nb")", R"("a\u001fb")"}) {
    EXPECT_EQ(error_of(crd("acme.io", "Thing",
                           "{type: object, properties: {" + key + ": {type: string}}}")),
              std::string(kSchema) + ": type Thing: property " + key +
                  ": quotes, backslashes and control characters in names are not supported");
  }
}

TEST(Custom, NamespacesThatCppCannotHaveAreRefused) {
  for (const std::string name :
       {"a::9", "std", "acme::std", "kube", "kube::acme", "acme::kube", "kube_gen", "class",
        "acme::new", "time", "clone", "errno", "NULL", "a b", "acme::", "::acme", "a:b"}) {
    EXPECT_EQ(error_of(crd("acme.io", "Thing", "{type: object}"), {.namespace_ = name}),
              "namespace \"" + name +
                  "\": expected names separated by \"::\", such as acme::widgets; none may be "
                  "\"kube\", \"kube_gen\", \"std\", or a keyword or system macro of C++, and the "
                  "first may not be a global name of C");
  }
  EXPECT_EQ(error_of(crd("acme.io", "Thing", "{type: object}"), {.name = "a-b"}),
            "name \"a-b\": expected an identifier");
}

TEST(Custom, GroupsDoNotShareANamespace) {
  EXPECT_EQ(error_of(crd("acme.io", "Thing", "{type: object}") + "---\n" +
                         crd("acme.com", "Thing", "{type: object}"),
                     {.namespace_ = "acme"}),
            "dir/t.yaml: document 2: CRD things.acme.com: the groups acme.io and acme.com would "
            "share the namespace acme::v1: generate them "
            "separately, with different namespaces");
}

TEST(Custom, AGroupCalledLikeAFunctionOfCHasANamespaceBesideIt) {
  const auto files = generate(crd("time.acme.io", "Thing", "{type: object}"));
  ASSERT_TRUE(files) << files.error().to_string();
  EXPECT_NE(files->source.text.find("namespace time_::v1 {"), std::string::npos);
  EXPECT_TRUE(generate(crd("acme.io", "Thing", "{type: object}"), {.namespace_ = "acme::time"}));
}

TEST(Custom, NoTextBecomesATrigraph) {
  const auto files =
      generate(crd("acme.io", "Thing",
                   "{type: object, properties: {a: {type: string, default: \"what?\?/\"}}}"));
  ASSERT_TRUE(files) << files.error().to_string();
  EXPECT_EQ(files->source.text.find("?\?"), std::string::npos);
  EXPECT_NE(files->source.text.find("what?\\?/"), std::string::npos);
}

TEST(Custom, VersionsThatBecomeOneNamespaceAreRefused) {
  std::string text = crd("acme.io", "Thing", "{type: object}");
  const std::string version =
      "{name: NAME, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}";
  text.replace(text.find("versions: "), std::string::npos,
               "versions: [" + std::string(version).replace(7, 4, "a-b") + ", " +
                   std::string(version).replace(7, 4, "a--b") + "]\n");
  EXPECT_EQ(error_of(text),
            "dir/t.yaml: document 1: CRD things.acme.io: the versions a-b and a--b of acme.io "
            "would share the namespace acme::a_b: generate "
            "them separately, with different namespaces");
}

TEST(Custom, NoFileNameEndsTheCommentThatNamesIt) {
  std::vector<schema::Package> packages;
  ASSERT_TRUE(schema::read_crds(crd("acme.io", "Thing", "{type: object}"), "dir/a\nb\\", packages));
  Schema schema({KUBE_GEN_SCHEMA});
  const auto files =
      emit_custom(packages, schema, read_choices(KUBE_GEN_CHOICES).value(), CustomOptions());
  ASSERT_TRUE(files);
  EXPECT_NE(files->source.text.find("kube-gen from a?b?: document 1: CRD things.acme.io"),
            std::string::npos);
}

// The constants for values of an enum, in their order: "Red red".
std::vector<std::string> constants_of(const std::string& values) {
  const auto files = generate(crd(
      "acme.io", "Thing", "{type: object, properties: {a: {type: string, enum: " + values + "}}}"));
  EXPECT_TRUE(files) << (files ? "" : files.error().to_string());
  const auto header = std::ranges::find(files->headers, "acme/v1/thing.hpp", &File::path);
  std::vector<std::string> constants;
  std::istringstream lines(header->text);
  constexpr std::string_view kBefore = "  static constexpr std::string_view ";
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kBefore)) continue;
    line.erase(0, kBefore.size());
    const std::size_t equals = line.find(" = \"");
    constants.push_back(line.substr(0, equals) + " " +
                        line.substr(equals + 4, line.size() - equals - 6));
  }
  return constants;
}

TEST(Custom, EveryKnownValueHasAConstant) {
  EXPECT_THAT(constants_of("[red, \"\", deep-blue, \"*\", \">=\", \"-\", \"+1\", ThingA, ö, red]"),
              ElementsAre("Red red", "Empty ", "DeepBlue deep-blue", "Value_2a *", "Value_3e_3d >=",
                          "Value_2d -", "V1 +1", "ValueOf_ThingA ThingA", "Value_c3_b6 ö"));
}

TEST(Custom, ValuesThatWouldShareANameAreCalledExactly) {
  EXPECT_THAT(constants_of("[tcp, Udp, TCP, Empty, \"\", a-b, a.b, V2, \"2\", E-O-F]"),
              ElementsAre("ValueOf_tcp tcp", "Udp Udp", "ValueOf_TCP TCP", "ValueOf_Empty Empty",
                          "Empty_ ", "ValueOf_a_2db a-b", "ValueOf_a_2eb a.b", "ValueOf_V2 V2",
                          "ValueOf_2 2", "ValueOf_E_2dO_2dF E-O-F"));
}

TEST(Custom, ANewValueInFrontGivesNoNameAnotherMeaning) {
  const std::vector<std::string> before = constants_of("[tcp, \"+\", \"\", a-b, Value1]");
  for (const std::string value : {"x", "TCP", "\"-\"", "Empty", "a.b", "\"\"", "ValueOf_tcp"}) {
    for (const std::string& constant :
         constants_of("[" + value + ", tcp, \"+\", \"\", a-b, Value1]")) {
      const std::string name = constant.substr(0, constant.find(' ') + 1);
      const auto old = std::ranges::find_if(
          before, [&](const std::string& each) { return each.starts_with(name); });
      EXPECT_TRUE(old == before.end() || *old == constant) << value << ": " << constant;
    }
  }
}

TEST(Custom, ATypeWithMoreMembersThanATableHoldsIsRefusedByItsDefinition) {
  std::string properties;
  for (int i = 0; i < 65'536; ++i) properties += "p" + std::to_string(i) + ": {type: string}, ";
  EXPECT_EQ(error_of(crd("acme.io", "Thing", "{type: object, properties: {" + properties + "}}")),
            std::string(kSchema) + ": type Thing: found no perfect hash for its 65537 keys");
}

// The structs of the ways a volume can be stand in Volume, and there is no VolumeSource.
TEST(KnownTypes, WhatHasNoStructIsNotAmongThem) {
  Schema schema({KUBE_GEN_SCHEMA});
  const Choices choices = read_choices(KUBE_GEN_CHOICES).value();
  const schema::KnownType known = known_types(schema, choices);
  for (const std::string type : {"core.v1.PodSpec", "meta.v1.LabelSelector", "meta.v1.ObjectMeta",
                                 "meta.v1.Status", "apiextensions.v1.JSON"})
    EXPECT_TRUE(known(type)) << type;
  for (const std::string type : {"core.v1.VolumeSource", "admissionregistration.v1.Rule",
                                 "meta.v1.Patch", "core.v1.None", "none.v1.None"})
    EXPECT_FALSE(known(type)) << type;
}

TEST(Custom, TheFirstPartOfTheGroupIsTheNamespace) {
  const auto files = generate(crd("my-shop.acme.io", "Thing", "{type: object}"));
  ASSERT_TRUE(files) << files.error().to_string();
  const auto has = [&](std::string_view path) {
    return std::ranges::find(files->headers, path, &File::path) != files->headers.end();
  };
  EXPECT_TRUE(has("my_shop/v1/thing.hpp"));
  EXPECT_TRUE(has("my_shop/v1.hpp"));
  EXPECT_EQ(files->headers.back().path, "kube_gen/types.hpp");
}

TEST(Custom, AnyChangeShowsInTheFingerprint) {
  const auto before = generate(crd("acme.io", "Thing", "{type: object}"));
  const auto after =
      generate(crd("acme.io", "Thing", "{type: object, properties: {a: {type: string}}}"));
  ASSERT_TRUE(before && after);
  EXPECT_NE(before->headers.back().text, after->headers.back().text);
}

}  // namespace
}  // namespace kube::gen
