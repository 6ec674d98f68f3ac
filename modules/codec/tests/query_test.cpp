// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/query.hpp>

#include <array>
#include <cstddef>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/example/v1.hpp>
#include <kube/meta/condition.hpp>
#include <kube/meta/managed_fields_entry.hpp>
#include <kube/meta/object_meta.hpp>
#include <kube/meta/partial_object_metadata.hpp>
#include <kube/meta/server_address_by_client_cidr.hpp>

namespace kube::meta {
namespace {

using example::v1::Lists;
using example::v1::Pointers;
using example::v1::Second;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Pair;

TEST(DescribedQuery, OPT_01_ZeroValuesStandOnlyWhereJsonWritesThem) {
  EXPECT_THAT(to_query(ServerAddressByClientCIDR{.client_cidr = "hello"}),
              ElementsAre(Pair("clientCIDR", "hello"), Pair("serverAddress", "")));
  EXPECT_THAT(to_query(ObjectMeta{}), IsEmpty());
}

TEST(DescribedQuery, OPT_02_ListsRepeatAndScalarsPrintPlain) {
  EXPECT_THAT(to_query(ObjectMeta{.generation = 234, .finalizers = {"one", "", "two", "three"}}),
              ElementsAre(Pair("finalizers", "one"), Pair("finalizers", "two"),
                          Pair("finalizers", "three"), Pair("generation", "234")));
  // A bool, and a string of a type of its own in Go.
  EXPECT_THAT(to_query(Pointers{.bool_ = true}), Contains(Pair("bool", "true")));
  EXPECT_THAT(to_query(Second{.color = "Red"}), ElementsAre(Pair("color", "Red")));
}

TEST(DescribedQuery, AListThatJsonAlwaysWritesKeepsItsEmptyWords) {
  Lists words;
  words.kept_strings = {"echo", "", "end"};
  EXPECT_THAT(to_query(words), IsSupersetOf({Pair("keptStrings", "echo"), Pair("keptStrings", ""),
                                             Pair("keptStrings", "end")}));
}

TEST(DescribedQuery, NestedObjectsAreFlattenedAndMapsSkipped) {
  PartialObjectMetadata object;
  object.metadata.name = "web";
  object.metadata.labels = {{"a", "b"}};
  EXPECT_THAT(to_query(object), ElementsAre(Pair("name", "web"))) << "kind and apiVersion never";
}

// Two floats that JSON always writes, in an object of an object.
struct Floats {
  double float1 = 0;
  double float2 = 0;
};
struct HasFloats {
  Floats nested{};
};

FieldDescriptor float_field(std::string_view name, std::size_t offset) {
  FieldDescriptor field{};
  field.json = name;
  field.offset = static_cast<std::uint32_t>(offset);
  field.kind = ValueKind::Double;
  field.cardinality = Cardinality::Plain;
  field.zero_json = ZeroJson::Value;
  return field;
}

QueryParameters query_of(const HasFloats& object) {
  const std::array<FieldDescriptor, 2> floats = {float_field("float1", offsetof(Floats, float1)),
                                                 float_field("float2", offsetof(Floats, float2))};
  TypeDescriptor inner{};
  inner.fields = floats;
  std::array<FieldDescriptor, 1> nested{};
  nested[0].json = "nested";
  nested[0].kind = ValueKind::Message;
  nested[0].cardinality = Cardinality::Plain;
  nested[0].zero_json = ZeroJson::Value;
  nested[0].message = &inner;
  TypeDescriptor outer{};
  outer.fields = nested;
  return to_query(&object, outer);
}

TEST(DescribedQuery, OPT_03_FloatsOfNestedObjectsKeepTheirDigits) {
  EXPECT_THAT(query_of({.nested = {.float1 = 5.0}}),
              ElementsAre(Pair("float1", "5"), Pair("float2", "0")));
  EXPECT_THAT(query_of({.nested = {.float1 = 23.5, .float2 = 100.7}}),
              ElementsAre(Pair("float1", "23.5"), Pair("float2", "100.7")));
}

TEST(DescribedQuery, OPT_05_SetPointersAreWrittenAndNullOnesWhereJsonWritesThem) {
  EXPECT_THAT(to_query(ObjectMeta{.deletion_grace_period_seconds = 0}),
              ElementsAre(Pair("deletionGracePeriodSeconds", "0")));
  EXPECT_THAT(to_query(Pointers{}), ElementsAre(Pair("int32", "")));
  EXPECT_THAT(to_query(Pointers{.int32 = 5}), ElementsAre(Pair("int32", "5")));
  EXPECT_THAT(to_query(Pointers{.bool_ = false, .int32 = 0}),
              ElementsAre(Pair("bool", "false"), Pair("int32", "0")));
}

TEST(DescribedQuery, OPT_06_TimesHaveTheirQueryForm) {
  EXPECT_THAT(to_query(Condition{.type = "t", .last_transition_time = Time(946'730'096, 0)}),
              ElementsAre(Pair("lastTransitionTime", "2000-01-01T12:34:56Z"), Pair("message", ""),
                          Pair("reason", ""), Pair("status", ""), Pair("type", "t")));
  EXPECT_THAT(to_query(Condition{.type = "t"}),
              ElementsAre(Pair("lastTransitionTime", ""), Pair("message", ""), Pair("reason", ""),
                          Pair("status", ""), Pair("type", "t")));
  EXPECT_THAT(to_query(ManagedFieldsEntry{}), IsEmpty()) << "an unset optional time is absent";
}

}  // namespace
}  // namespace kube::meta
