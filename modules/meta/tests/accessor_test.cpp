// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/accessor.hpp>

#include <gtest/gtest.h>

#include <kube/api/example/v1.hpp>
#include <kube/codec/codec.hpp>

namespace kube::meta {
namespace {

using example::v1::Everything;
using example::v1::EverythingList;

Unstructured object_of(std::string_view text) {
  return Unstructured(json::parse(text).value());
}

TEST(Accessor, LIST_04_AnswersTheMetadataOfWhatHasSome) {
  Everything value;
  value.metadata.name = "a";
  ObjectMeta* metadata = accessor(&value, Everything::descriptor()).value();
  EXPECT_EQ(metadata, &value.metadata);
  const Everything& fixed = value;
  EXPECT_EQ((*accessor(&fixed, Everything::descriptor()))->name, "a");

  EverythingList list;
  const auto none = accessor(&list, EverythingList::descriptor());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message(), "object does not implement the Object interfaces");
  example::v1::Second second;
  EXPECT_FALSE(accessor(&second, example::v1::Second::descriptor()));
  EXPECT_EQ(as_partial_object_metadata(object_of(R"({"kind":"X"})")).error().message(),
            "object does not implement the Object interfaces");
}

TEST(PartialMetadata, LIST_05_TakesEveryFieldOfTheMetadataAndNoType) {
  const std::string metadata =
      R"({"name":"n","generateName":"g-","namespace":"ns","selfLink":"/s","uid":"u","resourceVersion":"7",)"
      R"("generation":3,"creationTimestamp":"2026-10-28T09:30:00Z","deletionTimestamp":"2026-10-28T09:31:00Z",)"
      R"("deletionGracePeriodSeconds":30,"labels":{"a":"b"},"annotations":{"c":"d"},)"
      R"("ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"o","uid":"o1"}],"finalizers":["f"],)"
      R"("managedFields":[{"manager":"m","operation":"Update"}]})";
  const std::string text =
      R"({"kind":"Everything","apiVersion":"example.com/v1","plain":{"bool":true},"metadata":)" +
      metadata + "}";
  const PartialObjectMetadata typed =
      as_partial_object_metadata(from_json<Everything>(text).value());
  EXPECT_EQ(typed.metadata, from_json<ObjectMeta>(metadata).value());
  EXPECT_EQ(to_json(typed.metadata), metadata);
  EXPECT_EQ(as_partial_object_metadata(object_of(text)).value(), typed);
  EXPECT_FALSE(as_partial_object_metadata(object_of(R"({"metadata":{"name":5}})")));
}

TEST(ListItems, LIST_03_LengthAndReplacement) {
  EXPECT_EQ(list_length(json::Value()), 0U);
  EXPECT_EQ(list_length(object_of(R"({"items":null})").content), 0U);
  EXPECT_EQ(list_length(object_of(R"({"items":[]})").content), 0U);
  EXPECT_EQ(list_length(object_of(R"({"items":[{},{}]})").content), 2U);

  Unstructured list =
      object_of(R"({"kind":"PodList","apiVersion":"v1","items":[{"a":1},{"b":2},{"c":3}]})");
  ASSERT_TRUE(set_list_items(list, {object_of(R"({"kind":"Pod","apiVersion":"v1"})"),
                                    object_of(R"({"metadata":{"name":"x"}})")}));
  EXPECT_EQ(list, object_of(R"({"kind":"PodList","apiVersion":"v1","items":)"
                            R"([{"kind":"Pod","apiVersion":"v1"},{"metadata":{"name":"x"}}]})"));

  const Unstructured before = list;
  auto refused = set_list_items(list, {object_of(R"({"kind":"Pod","apiVersion":"v1"})"),
                                       object_of(R"({"kind":"Service","apiVersion":"v1"})")});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "item[1]: can't assign or convert Service into Pod");
  EXPECT_EQ(list, before);
  refused = set_list_items(list, {object_of(R"({"kind":"Pod","apiVersion":"x/v2"})")});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "item[0]: can't assign or convert x/v2, Kind=Pod into v1, Kind=Pod");

  Unstructured any = object_of(R"({"kind":"List","apiVersion":"v1"})");
  ASSERT_TRUE(set_list_items(any, {object_of(R"({"kind":"Service"})"), object_of("{}")}));
  EXPECT_EQ(list_length(any.content), 2U);
  ASSERT_TRUE(set_list_items(any, {}));
  EXPECT_EQ(list_length(any.content), 0U);
}

}  // namespace
}  // namespace kube::meta
