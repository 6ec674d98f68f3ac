// SPDX-License-Identifier: Apache-2.0
#include <kube/patch/csa_upgrade.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/patch/patch.hpp>

namespace kube::meta {
namespace {

using ::testing::HasSubstr;

std::string managed(const std::string& manager, const std::string& operation,
                    const std::string& fields, const std::string& version = "v1",
                    const std::string& subresource = "") {
  return R"({"manager":")" + manager + R"(","operation":")" + operation + R"(","apiVersion":")" +
         version + R"(","fieldsType":"FieldsV1","fieldsV1":)" + fields +
         (subresource.empty() ? "" : R"(,"subresource":")" + subresource + "\"") + "}";
}

json::Value object_with(const std::vector<std::string>& entries) {
  std::string list;
  for (const std::string& entry : entries) list += (list.empty() ? "" : ",") + entry;
  return json::parse(R"({"metadata":{"name":"a","resourceVersion":"7","managedFields":[)" + list +
                     "]}}")
      .value();
}

// Returns managedFields after the upgrade.
json::Value upgraded(json::Value object, const std::vector<std::string>& from = {"csa"},
                     std::string_view subresource = {}) {
  const auto done = upgrade_managed_fields(object, from, "ssa", subresource);
  EXPECT_TRUE(done) << done.error().to_string();
  return *object.at_path({"metadata", "managedFields"});
}
json::Value entries_of(const std::vector<std::string>& entries) {
  const json::Value object = object_with(entries);
  return *object.at_path({"metadata", "managedFields"});
}

const std::string kA = R"({"f:a":{}})";
const std::string kB = R"({"f:b":{}})";
const std::string kAB = R"({"f:a":{},"f:b":{}})";

TEST(CsaUpgrade, CSA_01_FindsTheOwnersOfAllFields) {
  const std::string owner =
      R"({"f:m":{".":{},"f:x":{},"k:{\"n\":1}":{"f:y":{}}},"f:s":{"v:1":{}}})";
  const json::Value entries = entries_of(
      {managed("both", "Update", owner), managed("apply", "Apply", owner),
       managed("one", "Update", R"({"f:m":{"f:x":{}}})"),
       managed("broken", "Update", R"({"m":{}})"), managed("odd", "Update", "[]"),
       managed("index", "Update", R"({"i:x":{}})"), managed("leaf", "Update", R"({"f:m":{}})")});
  const auto owners = [&](std::string_view operation, std::string_view fields) {
    std::string names;
    const auto found = find_field_owners(entries, operation, json::parse(fields).value());
    EXPECT_TRUE(found);
    for (const json::Value& entry : *found)
      names += std::string(entry.string_at({"manager"})) + " ";
    return names;
  };
  EXPECT_EQ(owners("Update", R"({"f:m":{"f:x":{}}})"), "both one ");
  EXPECT_EQ(owners("Update", R"({"f:m":{"f:x":{},"k:{\"n\":1}":{"f:y":{}}},"f:s":{"v:1":{}}})"),
            "both ");
  EXPECT_EQ(owners("Apply", R"({"f:m":{"f:x":{}}})"), "apply ");
  EXPECT_EQ(owners("Update", R"({"f:m":{}})"), "both leaf ") << "the member itself";
  EXPECT_EQ(owners("Update", R"({"f:m":{".":{}}})"), "both leaf ");
  EXPECT_EQ(owners("Update", R"({"f:m":{"f:x":{},"f:no":{}}})"), "");
  EXPECT_THAT(find_field_owners(entries, "Update", json::Array{}).error().message(),
              HasSubstr("expected an object, found array"));
  EXPECT_TRUE(find_field_owners(json::Value(), "Update", json::Object{}).value().empty());
}

TEST(CsaUpgrade, CSA_02_TheFirstUpdateBecomesTheApplyEntry) {
  EXPECT_EQ(upgraded(object_with({managed("other", "Update", kB), managed("csa", "Update", kA)})),
            entries_of({managed("other", "Update", kB), managed("ssa", "Apply", kA)}));
  EXPECT_EQ(upgraded(object_with({managed("csa", "Apply", kB), managed("csa", "Update", kA),
                                  managed("csa", "Update", kB, "v2")})),
            entries_of({managed("csa", "Apply", kB), managed("ssa", "Apply", kA)}))
      << "the other updates of the manager are dropped";
}

TEST(CsaUpgrade, CSA_03_FieldsOfTheSameVersionAreUnited) {
  EXPECT_EQ(upgraded(object_with({managed("csa", "Update", kB, "v2"), managed("ssa", "Apply", kA),
                                  managed("csa", "Update", kB)})),
            entries_of({managed("ssa", "Apply", kAB)}));
  EXPECT_EQ(
      upgraded(object_with({managed("ssa", "Apply", kA), managed("csa", "Update", kB, "v2")})),
      entries_of({managed("ssa", "Apply", kA)}))
      << "an update of another version is dropped, too";
  EXPECT_EQ(
      upgraded(object_with({managed("ssa", "Apply", R"({"f:m":{},"f:n":{"f:x":{}}})"),
                            managed("csa", "Update", R"({"f:m":{"f:y":{}},"f:n":{"f:x":{}}})")})),
      entries_of({managed("ssa", "Apply", R"({"f:m":{".":{},"f:y":{}},"f:n":{"f:x":{}}})")}))
      << "a member and what is below it";
}

TEST(CsaUpgrade, CSA_04_ManagersAreMergedOneAfterTheOther) {
  EXPECT_EQ(upgraded(object_with({managed("csa2", "Update", kB), managed("csa1", "Update", kA)}),
                     {"csa1", "csa2", "csa3"}),
            entries_of({managed("ssa", "Apply", kAB)}));
}

TEST(CsaUpgrade, CSA_05_NothingToDoChangesNothing) {
  for (const json::Value& object :
       {object_with({managed("other", "Update", kA), managed("ssa", "Apply", kB)}),
        object_with({managed("csa", "Apply", kA)}), object_with({})}) {
    json::Value same = object;
    EXPECT_TRUE(upgrade_managed_fields(same, {"csa"}, "ssa"));
    EXPECT_EQ(json::dump(same), json::dump(object));
    EXPECT_TRUE(upgrade_managed_fields_patch(object, {"csa"}, "ssa").value().is_null());
  }
}

TEST(CsaUpgrade, CSA_06_OnlyEntriesOfTheSubresourceTakePart) {
  const std::string status = managed("csa", "Update", kA, "v1", "status");
  EXPECT_EQ(upgraded(object_with({status, managed("csa", "Update", kB)})),
            entries_of({status, managed("ssa", "Apply", kB)}));
  EXPECT_EQ(
      upgraded(object_with({status, managed("csa", "Update", kB)}), {"csa"}, "status"),
      entries_of({managed("ssa", "Apply", kA, "v1", "status"), managed("csa", "Update", kB)}));
}

TEST(CsaUpgrade, CSA_07_ThePatchReplacesTheEntriesOfOneVersion) {
  const json::Value object = object_with({managed("csa", "Update", kA)});
  const auto patch = upgrade_managed_fields_patch(object, {"csa"}, "ssa");
  ASSERT_TRUE(patch);
  EXPECT_EQ(json::dump(*patch),
            R"([{"op":"replace","path":"/metadata/managedFields","value":)" +
                json::dump(entries_of({managed("ssa", "Apply", kA)})) +
                R"(},{"op":"replace","path":"/metadata/resourceVersion","value":"7"}])");
  const auto applied = apply_json_patch(object, *patch);
  ASSERT_TRUE(applied);
  json::Value expected = object;
  EXPECT_TRUE(upgrade_managed_fields(expected, {"csa"}, "ssa"));
  EXPECT_EQ(*applied, expected);
}

TEST(CsaUpgrade, CSA_08_NullStaysNull) {
  for (const char* text : {R"({"metadata":{"managedFields":null}})", R"({"metadata":{}})", "{}"}) {
    json::Value object = json::parse(text).value();
    EXPECT_TRUE(upgrade_managed_fields(object, {"csa"}, "ssa"));
    EXPECT_EQ(json::dump(object), text);
  }
}

TEST(CsaUpgrade, FieldsThatCannotBeReadAreAnError) {
  json::Value object =
      object_with({managed("ssa", "Apply", kA), managed("csa", "Update", R"({"f:m":{"x":{}}})")});
  const std::string before = json::dump(object);
  const auto done = upgrade_managed_fields(object, {"csa"}, "ssa");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().to_string(),
            "managedFields of \"csa\": fieldsV1.f:m: expected names that begin with f:, k:, v: or "
            "i:, found \"x\"");
  EXPECT_EQ(json::dump(object), before);
}

TEST(CsaUpgrade, ManyManagersCostWhatTheyOwn) {
  // Quadratic work would take minutes here.
  constexpr std::size_t kManagers = 20000;
  std::vector<std::string> entries;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kManagers; ++i) {
    names.push_back("m" + std::to_string(i));
    entries.push_back(managed(names.back(), "Update", R"({"f:x)" + std::to_string(i) + R"(":{}})"));
  }
  const json::Value owners = upgraded(object_with(entries), names);
  ASSERT_EQ(owners.if_array()->size(), 1U);
  const json::Value& only = owners.if_array()->front();
  EXPECT_EQ(only.string_at({"manager"}), "ssa");
  EXPECT_EQ(only.at_path({"fieldsV1"})->if_object()->size(), kManagers);
}

}  // namespace
}  // namespace kube::meta
