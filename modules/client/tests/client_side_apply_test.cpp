// SPDX-License-Identifier: Apache-2.0
//
// The requests of client-side apply on a scripted server; what they do to objects is in the
// scenarios.
#include <kube/client/client_side_apply.hpp>

#include "api_fixture.hpp"

namespace kube {
namespace {

using ::testing::HasSubstr;

Unstructured unstructured_from(const std::string& text) {
  return Unstructured(json::parse(text).value());
}

const Unstructured kAppliedMap = unstructured_from(
    R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c"},"data":{"a":"1","b":"<2>"}})");

Unstructured live_map(const std::string& data, const std::string& version = "5") {
  Unstructured live = with_last_applied(kAppliedMap);
  live.content.ensure_path({"data"}) = json::parse(data).value();
  live.set_resource_version(version);
  return live;
}

std::string patch_text(const Result<Patch>& patch) {
  return patch ? json::dump(json::sorted_members(patch->document())) : patch.error().to_string();
}

TEST(ClientSidePatch, TheAnnotationIsWhatKubectlWrites) {
  const Unstructured annotated = with_last_applied(kAppliedMap);
  EXPECT_EQ(annotated.content.string_at({"metadata", "annotations", kLastAppliedAnnotation}),
            R"({"apiVersion":"v1","data":{"a":"1","b":"\u003c2\u003e"},"kind":"ConfigMap",)"
            R"("metadata":{"annotations":{},"name":"c"}})"
            "\n");
  EXPECT_EQ(with_last_applied(annotated).content, annotated.content) << "it is not nested";
  EXPECT_TRUE(has_last_applied(annotated));
  EXPECT_FALSE(has_last_applied(kAppliedMap));
}

TEST(ClientSidePatch, RemovesWhatWasAppliedAndLeavesWhatOthersWrote) {
  const Unstructured live = live_map(R"({"a":"1","b":"<2>","other":"x"})");
  EXPECT_TRUE(is_empty(client_side_patch(with_last_applied(kAppliedMap), live).value()));
  Unstructured wanted = kAppliedMap;
  wanted.content.ensure_path({"data"}) = json::parse(R"({"a":"3"})").value();
  const auto patch = client_side_patch(wanted, live);
  EXPECT_EQ(patch_text(patch), R"({"data":{"a":"3","b":null}})");
  EXPECT_EQ(patch->type(), Patch::Type::StrategicMerge);
  const auto patched = patched_here(*patch, live);
  ASSERT_TRUE(patched) << patched.error().to_string();
  EXPECT_EQ(json::dump(*patched->content.at_path({"data"})), R"({"a":"3","other":"x"})");
}

TEST(ClientSidePatch, AKindThatIsNotBuiltInGetsAMergePatch) {
  const Unstructured live = unstructured_from(
      R"({"kind":"W","apiVersion":"x.io/v1","metadata":{"name":"w"},"spec":{"l":[1]}})");
  Unstructured wanted = live;
  wanted.content.ensure_path({"spec", "l"}) = json::parse("[1,2]").value();
  const auto patch = client_side_patch(wanted, live);
  EXPECT_EQ(patch_text(patch), R"({"spec":{"l":[1,2]}})");
  EXPECT_EQ(patch->type(), Patch::Type::Merge);
  EXPECT_EQ(patched_here(*patch, live).value().content, wanted.content);
}

TEST(ClientSidePatch, ErrorsSayWhatIsWrong) {
  Unstructured wanted = kAppliedMap;
  wanted.content.ensure_path({"data"}) = json::parse(R"({"a":"3"})").value();
  const auto conflict = client_side_patch(wanted, live_map(R"({"a":"2"})"), false);
  ASSERT_FALSE(conflict);
  EXPECT_TRUE(meta::is_patch_conflict(conflict.error()));
  Unstructured broken = live_map("{}");
  broken.set_annotation(kLastAppliedAnnotation, "{");
  EXPECT_THAT(client_side_patch(kAppliedMap, broken).error().to_string(),
              HasSubstr("annotation kubectl.kubernetes.io/last-applied-configuration: "));
  EXPECT_EQ(patched_here(Patch::json(json::Array{}), kAppliedMap).error().code(),
            ErrorCode::InvalidArgument);
}

class ApplyClientSide : public ApiTest {
 protected:
  Result<AppliedObject> apply(const Unstructured* live, ApplyManifestOptions more = {}) {
    more.field_manager = "me";
    return apply_client_side(maps, kAppliedMap, live, more, {}, &sent_patch);
  }
  const Api<Unstructured> maps = client.api({.version = "v1",
                                             .kind = "ConfigMap",
                                             .plural = "configmaps",
                                             .singular = "configmap",
                                             .namespaced = true},
                                            "web");
  std::optional<Patch> sent_patch;
};

TEST_F(ApplyClientSide, CreatesWithoutNullsAndVersion) {
  Unstructured object = kAppliedMap;
  object.set_resource_version("3");
  object.content.ensure_path({"data", "c"}) = json::Value();
  next_answer(201, json::dump(live_map("{}").content));
  const auto created = apply_client_side(maps, object, nullptr, {.field_manager = "me"});
  ASSERT_TRUE(created) << created.error().to_string();
  EXPECT_EQ(created->change, AppliedObject::Change::Created);
  EXPECT_EQ(sent_line(),
            "POST /api/v1/namespaces/web/configmaps?fieldManager=me&fieldValidation=Strict");
  const auto body = json::parse(last_request().body).value();
  EXPECT_EQ(json::dump(*body.at_path({"data"})), R"({"a":"1","b":"\u003c2\u003e"})");
  EXPECT_EQ(body.at_path({"metadata", "resourceVersion"}), nullptr);
  EXPECT_THAT(body.string_at({"metadata", "annotations", kLastAppliedAnnotation}),
              HasSubstr("\"c\":null"))
      << "as an update of the manifest writes it";
}

TEST_F(ApplyClientSide, NothingIsSentForNoChangeNorForALocalDryRun) {
  const Unstructured same = live_map(R"({"a":"1","b":"<2>"})");
  EXPECT_EQ(apply(&same).value().change, AppliedObject::Change::Unchanged);
  const Unstructured other = live_map(R"({"a":"2"})");
  const auto changed = apply(&other, {.local_dry_run = true});
  EXPECT_EQ(changed->change, AppliedObject::Change::Configured);
  EXPECT_EQ(json::dump(*changed->object.content.at_path({"data"})),
            R"({"a":"1","b":"\u003c2\u003e"})");
  const auto created = apply(nullptr, {.local_dry_run = true});
  EXPECT_EQ(created->change, AppliedObject::Change::Created);
  EXPECT_TRUE(has_last_applied(created->object));
  EXPECT_EQ(sent(), 0U);
}

TEST_F(ApplyClientSide, AConflictGetsANewPatchOfTheNewState) {
  const Unstructured before = live_map(R"({"a":"2"})");
  next_answer(409, status_json(409, "Conflict", "changed"));
  next_answer(200, json::dump(live_map(R"({"b":"3"})", "6").content));
  next_answer(200, json::dump(live_map(R"({"a":"1","b":"<2>"})", "7").content));
  const auto applied = apply(&before, {.dry_run = true, .field_validation = "Warn"});
  ASSERT_TRUE(applied) << applied.error().to_string();
  EXPECT_EQ(applied->object.resource_version(), "7");
  EXPECT_EQ(sent(), 3U);
  EXPECT_EQ(sent_line(),
            "PATCH /api/v1/namespaces/web/configmaps/c?dryRun=All&fieldManager=me"
            "&fieldValidation=Warn");
  EXPECT_EQ(patch_text(*sent_patch), R"({"data":{"a":"1","b":"\u003c2\u003e"}})");
}

TEST_F(ApplyClientSide, OtherErrorsEndIt) {
  const Unstructured before = live_map(R"({"a":"2"})");
  next_answer(403, status_json(403, "Forbidden", "no"));
  EXPECT_TRUE(is_forbidden(apply(&before).error()));
  EXPECT_EQ(sent(), 1U);
}

}  // namespace
}  // namespace kube
