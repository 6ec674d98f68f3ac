// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/query.hpp>

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

using example::v1::Pointers;
using example::v1::Second;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
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

TEST(DescribedQuery, NestedObjectsAreFlattenedAndMapsSkipped) {
  PartialObjectMetadata object;
  object.metadata.name = "web";
  object.metadata.labels = {{"a", "b"}};
  EXPECT_THAT(to_query(object), ElementsAre(Pair("name", "web"))) << "kind and apiVersion never";
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
