// SPDX-License-Identifier: Apache-2.0
//
// The requests that move ownership to server-side apply, on a scripted server; what they do to
// objects is in the scenarios.
#include <kube/client/server_side_migration.hpp>

#include <kube/client/client_side_apply.hpp>

#include "api_fixture.hpp"

namespace kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kAnnotationFields =
    R"({"f:metadata":{"f:annotations":{"f:kubectl.kubernetes.io/last-applied-configuration":{}}}})";

std::string owner_entry(const std::string& manager, const std::string& operation,
                        const std::string& fields) {
  return R"({"manager":")" + manager + R"(","operation":")" + operation +
         R"(","apiVersion":"apps/v1","fieldsType":"FieldsV1","fieldsV1":)" + fields + "}";
}

class Migration : public ApiTest {
 protected:
  static Unstructured deployment(const std::string& version, const std::string& entries) {
    Unstructured object(json::parse(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{)"
                                    R"("name":"web","namespace":"web","managedFields":[)" +
                                    entries + R"(],"resourceVersion":")" + version + "\"}}")
                            .value());
    object.set_annotation(kLastAppliedAnnotation, "{}\n");
    return object;
  }
  json::Value migrate(const Unstructured& applied, const std::string& manager = "kubectl") {
    warnings.clear();
    return migrate_to_server_side(any, document, applied, {.field_manager = manager}, warnings)
        .content;
  }
  std::string version_after(const Unstructured& applied, const std::string& manager = "kubectl") {
    const json::Value object = migrate(applied, manager);
    return std::string(object.string_at({"metadata", "resourceVersion"}));
  }
  const json::Value document = json::parse(R"({"spec":{"replicas":1}})").value();
  std::vector<std::string> warnings;
};

TEST_F(Migration, SendsNothingForWhatTheServerHasAlwaysApplied) {
  Unstructured object = deployment("5", owner_entry("kubectl", "Apply", R"({"f:spec":{}})"));
  object.content.ensure_path({"metadata"}).if_object()->erase("annotations");
  EXPECT_EQ(migrate(object), object.content);
  const Unstructured kept =
      deployment("5", owner_entry("kubectl-last-applied", "Apply", kAnnotationFields));
  EXPECT_EQ(migrate(kept), kept.content);
  EXPECT_EQ(sent(), 0U);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(Migration, KeepsTheAnnotationMovesTheFieldsAndAppliesAgain) {
  const std::string csa = owner_entry("kubectl-client-side-apply", "Update", kAnnotationFields);
  const std::string keeper = owner_entry("kubectl-last-applied", "Apply", kAnnotationFields);
  next_answer(200, json::dump(deployment("6", csa + "," + keeper).content));
  next_answer(200, json::dump(deployment("7", keeper).content));
  next_answer(200, json::dump(deployment("8", keeper).content));
  EXPECT_EQ(version_after(deployment("5", csa)), "8");
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_EQ(sent(), 3U);
  EXPECT_EQ(header(last_request(), "Content-Type"), "application/apply-patch+yaml");
  EXPECT_EQ(last_request().body, json::dump(document));
}

TEST_F(Migration, AnotherManagerDoesNotKeepTheAnnotation) {
  const std::string csa = owner_entry("kubectl-client-side-apply", "Update", kAnnotationFields);
  next_answer(409, status_json(409, "Conflict", "changed"));
  next_answer(200, json::dump(deployment("6", csa).content));
  next_answer(200, json::dump(deployment("7", "").content));
  next_answer(403, status_json(403, "Forbidden", "no"));
  EXPECT_EQ(version_after(deployment("5", csa), "me"), "7");
  EXPECT_THAT(warnings,
              ElementsAre("failed to re-apply configuration after performing Server-Side Apply "
                          "migration. This is non-fatal and will be retried next time you apply. "
                          "Error: no"));
  EXPECT_EQ(sent(), 4U) << "a conflict is tried again on the new state";
}

TEST_F(Migration, WhatFailsIsAWarning) {
  const std::string csa = owner_entry("kubectl-client-side-apply", "Update", kAnnotationFields);
  next_answer(403, status_json(403, "Forbidden", "no"));
  EXPECT_EQ(version_after(deployment("5", csa)), "5");
  EXPECT_THAT(warnings,
              ElementsAre(HasSubstr("failed to migrate kubectl.kubernetes.io/last-applied-"
                                    "configuration for Server-Side Apply.")));
  next_answer(403, status_json(403, "Forbidden", "no"));
  EXPECT_EQ(version_after(deployment("5", csa), "me"), "5");
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("server rejected managed fields migration")));
}

}  // namespace
}  // namespace kube
