// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/unstructured.hpp>

#include <kube/codec/codec.hpp>

#include <gtest/gtest.h>

namespace kube {
namespace {

static_assert(std::regular<Unstructured>);
static_assert(std::is_nothrow_move_constructible_v<Unstructured>);

Unstructured object_of(std::string_view text) {
  return Unstructured(json::parse(text).value());
}

TEST(Unstructured, UNS_01_EmptyIsAnEmptyObject) {
  EXPECT_EQ(json::dump(Unstructured().content), "{}");
  EXPECT_EQ(Unstructured(), Unstructured(Unstructured()));
}

TEST(Unstructured, UNS_02_MetadataRoundTripsAndResets) {
  Unstructured object;
  object.set_name("web");
  object.set_namespace("default");
  object.set_uid("u-1");
  object.set_resource_version("7");
  object.set_generate_name("web-");
  object.set_self_link("/x");
  object.set_generation(3);
  object.set_creation_timestamp("2026-01-01T00:00:00Z");
  object.set_deletion_timestamp("2026-01-02T00:00:00Z");
  object.set_deletion_grace_period_seconds(0);
  object.set_labels({{"a", "1"}});
  object.set_annotations({{"b", "2"}});
  object.set_finalizers({"x/y"});
  object.set_owner_references({json::Object{{"uid", "o"}}});
  object.set_managed_fields({json::Object{{"manager", "m"}}});

  EXPECT_EQ(object.name(), "web");
  EXPECT_EQ(object.namespace_(), "default");
  EXPECT_EQ(object.key(), (ObjectKey{"default", "web"}));
  EXPECT_EQ(object.uid(), "u-1");
  EXPECT_EQ(object.resource_version(), "7");
  EXPECT_EQ(object.generate_name(), "web-");
  EXPECT_EQ(object.self_link(), "/x");
  EXPECT_EQ(object.generation(), 3);
  EXPECT_EQ(object.creation_timestamp(), "2026-01-01T00:00:00Z");
  EXPECT_EQ(object.deletion_timestamp(), "2026-01-02T00:00:00Z");
  EXPECT_TRUE(object.is_being_deleted());
  EXPECT_EQ(object.deletion_grace_period_seconds(), 0);
  EXPECT_EQ(object.labels(), (labels::Set{{"a", "1"}}));
  EXPECT_EQ(object.annotations(), (labels::Set{{"b", "2"}}));
  EXPECT_EQ(object.finalizers(), std::vector<std::string>{"x/y"});
  EXPECT_EQ(object.owner_references(), (json::Array{json::Object{{"uid", "o"}}}));
  EXPECT_EQ(object.managed_fields(), (json::Array{json::Object{{"manager", "m"}}}));

  object.set_name("");
  object.set_namespace("");
  object.set_uid("");
  object.set_resource_version("");
  object.set_generate_name("");
  object.set_self_link("");
  object.set_generation(0);
  object.set_creation_timestamp("");
  object.set_deletion_timestamp("");
  object.set_deletion_grace_period_seconds(std::nullopt);
  object.set_labels({});
  object.set_annotations({});
  object.set_finalizers({});
  object.set_owner_references({});
  object.set_managed_fields({});
  EXPECT_EQ(json::dump(object.content), R"({"metadata":{}})");
}

TEST(Unstructured, GVK_09_TypeDataReadsAndWrites) {
  Unstructured object;
  EXPECT_EQ(object.gvk(), meta::GroupVersionKind{});
  object.set_gvk({"apps", "v1", "Deployment"});
  EXPECT_EQ(json::dump(object.content), R"({"apiVersion":"apps/v1","kind":"Deployment"})");
  EXPECT_EQ(object.gvk(), (meta::GroupVersionKind{"apps", "v1", "Deployment"}));
  EXPECT_EQ(object.api_version(), "apps/v1");
  EXPECT_EQ(object.kind(), "Deployment");
}

TEST(Unstructured, SetsSingleLabels) {
  Unstructured object;
  object.set_label("app", "web");
  object.set_label("tier", "front");
  object.set_label("app", "api");
  object.set_annotation("a/b", "c");
  EXPECT_EQ(json::dump(object.content),
            R"({"metadata":{"labels":{"app":"api","tier":"front"},"annotations":{"a/b":"c"}}})");
}

TEST(Unstructured, GettersTolerateWrongTypes) {
  for (const char* text :
       {"null", "[]", "7", R"({"metadata":[]})",
        R"({"metadata":{"name":1,"labels":[],"finalizers":{},"generation":"x"}})",
        R"({"metadata":{"labels":{"a":1},"finalizers":[1]},"kind":{},"apiVersion":[]})"}) {
    const Unstructured object = object_of(text);
    EXPECT_EQ(object.name(), "");
    EXPECT_EQ(object.key(), ObjectKey{});
    EXPECT_EQ(object.labels(), labels::Set{});
    EXPECT_TRUE(object.finalizers().empty());
    EXPECT_EQ(object.generation(), 0);
    EXPECT_EQ(object.kind(), "");
    EXPECT_FALSE(object.is_list());
    EXPECT_FALSE(object.is_being_deleted());
  }
}

TEST(Unstructured, UNS_10_ANullDeletionTimestampIsAbsent) {
  EXPECT_FALSE(object_of(R"({"metadata":{"deletionTimestamp":null}})").is_being_deleted());
  const auto null = object_of(R"({"metadata":{"deletionTimestamp":null}})");
  EXPECT_EQ(null.deletion_timestamp(), "");
  Unstructured object = object_of(R"({"kind":"X","metadata":{"creationTimestamp":"t"}})");
  object.set_creation_timestamp("");
  EXPECT_EQ(meta::to_json(object), R"({"kind":"X","metadata":{}})");
}

TEST(Unstructured, UNS_08_DecodingNeedsAKindOnly) {
  EXPECT_TRUE(unstructured_from_json(R"({"kind":"Pod"})"));
  const auto error = [](std::string_view text) { return unstructured_from_json(text).error(); };
  EXPECT_EQ(error(R"({"apiVersion":"v1","data":{"password":"hunter2"}})").message(),
            "Object 'Kind' is missing");
  EXPECT_EQ(error("[]").message(), "expected an API object, but found array");
  EXPECT_EQ(error("{").code(), ErrorCode::Decode);
}

TEST(Unstructured, UNS_09_NumbersKeepTheirTypeAndKeysTheirCase) {
  const Unstructured object =
      unstructured_from_json(R"({"kind":"X","Kind":"Y","i":3,"f":3.0})").value();
  EXPECT_EQ(object.kind(), "X");
  EXPECT_TRUE(object.content.at_path({"i"})->is_int());
  EXPECT_TRUE(object.content.at_path({"f"})->is_double());
}

TEST(Unstructured, CODEC_17_OnlyTheKindIsRequired) {
  const auto foo = unstructured_from_json(R"({"kind":"Foo"})");
  EXPECT_EQ(foo->kind(), "Foo");
  EXPECT_EQ(unstructured_from_json("{}").error().message(), "Object 'Kind' is missing");
}

TEST(Unstructured, CODEC_18_FloatsWithoutFractionComeBackAsIntegers) {
  Unstructured object = object_of(R"({"kind":"X"})");
  object.content.ensure_path({"one"}) = 1.0;
  object.content.ensure_path({"half"}) = 0.5;
  object.content.ensure_path({"large"}) = 9223372036854776000.0;
  const std::string text = meta::to_json(object);
  EXPECT_EQ(text, R"({"kind":"X","one":1,"half":0.5,"large":9223372036854776000})");
  const Unstructured back = unstructured_from_json(text).value();
  EXPECT_EQ(*back.content.at_path({"one"})->if_int(), 1);
  EXPECT_TRUE(back.content.at_path({"half"})->is_double());
  EXPECT_FALSE(back.content.at_path({"large"})->is_int());
  EXPECT_EQ(meta::to_json(back), text);
}

TEST(UnstructuredList, UNS_13_ItemsTakeTheListsKind) {
  const Unstructured list = object_of(
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"continue":"t","remainingItemCount":5},
          "items":[{"metadata":{"name":"a"}},{"kind":"Other","apiVersion":"x/v1"}]})");
  ASSERT_TRUE(list.is_list());
  EXPECT_EQ(list.continue_(), "t");
  EXPECT_EQ(list.remaining_item_count(), 5);
  const std::vector<Unstructured> items = list.items().value();
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].gvk(), (meta::GroupVersionKind{"", "v1", "Pod"}));
  EXPECT_EQ(items[0].name(), "a");
  EXPECT_EQ(items[1].gvk(), (meta::GroupVersionKind{"x", "v1", "Other"}));
  std::vector<std::string> seen;
  EXPECT_TRUE(each_list_item(list.content, [&](const json::Value& item) -> Result<void> {
    seen.push_back(json::dump(item));
    return {};
  }));
  EXPECT_EQ(seen, (std::vector<std::string>{R"({"metadata":{"name":"a"}})",
                                            R"({"kind":"Other","apiVersion":"x/v1"})"}));
  EXPECT_TRUE(object_of(R"({"items":[]})").is_list());
  for (const char* text : {"{}", R"({"kind":"PodList"})", R"({"items":{}})", R"({"items":null})"}) {
    EXPECT_FALSE(object_of(text).is_list()) << text;
  }
}

TEST(UnstructuredList, LIST_02_StopsAtTheFirstErrorAndNamesWhatIsNoList) {
  const json::Value list = json::parse(R"({"items":[{"a":1},{"a":2},{"a":3}]})").value();
  int seen = 0;
  const Result<void> result = each_list_item(list, [&](const json::Value&) -> Result<void> {
    if (++seen == 2) return Error(ErrorCode::Internal, "enough");
    return {};
  });
  EXPECT_EQ(result.error().message(), "enough");
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(object_of(R"({"kind":"Pod"})").items().error().message(),
            "content is not a list: items is missing");
  EXPECT_EQ(object_of(R"({"items":{}})").items().error().message(),
            "content is not a list: items is object");
  EXPECT_EQ(object_of(R"({"items":[{},1]})").items().error().message(),
            "items[1]: expected an object, but found number");
  EXPECT_TRUE(object_of(R"({"items":[]})").items().value().empty());
}

TEST(ResetObjectMetaForStatus, LIST_07_TakesWhatAStatusUpdateMayNotChange) {
  Unstructured object =
      object_of(R"({"metadata":{"name":"a","generation":9,"labels":{"new":"1"},"finalizers":["x"],
      "deletionTimestamp":"now","managedFields":[{"manager":"m"}]}})");
  const Unstructured existing =
      object_of(R"({"metadata":{"name":"b","generation":2,"annotations":{"k":"v"},
      "ownerReferences":[{"uid":"1"}],"managedFields":[{"manager":"old"}],"selfLink":"/b"}})");
  reset_object_meta_for_status(object, existing);
  EXPECT_EQ(object, object_of(R"({"metadata":{"name":"a","generation":2,"annotations":{"k":"v"},
      "ownerReferences":[{"uid":"1"}],"managedFields":[{"manager":"m"}],"selfLink":"/b"}})"));
}

TEST(Unstructured, AFieldIsSetAndReadByItsPath) {
  Unstructured widget;
  ASSERT_TRUE(widget.set({"spec", "size", "width"}, 7));
  ASSERT_TRUE(widget.set({"spec", "size", "height"}, nullptr));
  EXPECT_EQ(*widget.get({"spec", "size", "width"}), json::Value(7));
  EXPECT_TRUE(widget.get({"spec", "size", "height"})->is_null());
  EXPECT_EQ(widget.get({"spec", "color"}), nullptr);
  EXPECT_EQ(widget.get({"spec", "size", "width", "unit"}), nullptr);
  const Unstructured before = widget;
  const auto blocked = widget.set({"spec", "size", "width", "unit"}, "cm");
  ASSERT_FALSE(blocked);
  EXPECT_EQ(blocked.error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(blocked.error().message(),
            "value cannot be set because .spec.size.width is not a map[string]interface{}");
  EXPECT_FALSE(widget.set({"spec", "size", "height", "mm"}, 3)) << "null is not an object";
  EXPECT_FALSE(widget.set({}, 1));
  EXPECT_EQ(widget, before);
}

}  // namespace
}  // namespace kube
