// SPDX-License-Identifier: Apache-2.0
#include <kube/validation/options_validation.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ValidateListOptions, OPT_14_ForList) {
  const auto errors = [](const ListOptions& options) {
    return meta::to_string(validate(options, false));
  };
  EXPECT_EQ(errors({}), "");
  EXPECT_EQ(errors({.resource_version = "0", .resource_version_match = "NotOlderThan"}), "");
  EXPECT_EQ(errors({.resource_version = "5", .resource_version_match = "Exact"}), "");
  EXPECT_EQ(errors({.resource_version_match = "NotOlderThan"}),
            "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless "
            "resourceVersion is provided");
  EXPECT_EQ(errors({.resource_version = "5", .resource_version_match = "Exact", .continue_ = "x"}),
            "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is "
            "provided");
  EXPECT_EQ(
      errors({.resource_version = "5", .resource_version_match = "foo"}),
      R"(resourceVersionMatch: Unsupported value: "foo": supported values: "Exact", "NotOlderThan", "")");
  EXPECT_THAT(errors({.resource_version = "0", .resource_version_match = "Exact"}),
              HasSubstr(R"(resourceVersionMatch "exact" is forbidden for resourceVersion "0")"));
  EXPECT_EQ(errors({.send_initial_events = true}),
            "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list");
}

TEST(ValidateListOptions, OPT_14_ForWatch) {
  const auto errors = [](const ListOptions& options) {
    return meta::to_string(validate(options, true));
  };
  EXPECT_EQ(errors({.resource_version = "5"}), "");
  EXPECT_EQ(errors({.resource_version_match = "NotOlderThan", .send_initial_events = false}), "");
  EXPECT_THAT(errors({.send_initial_events = true}),
              HasSubstr("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  EXPECT_THAT(
      errors({.resource_version_match = "NotOlderThan"}),
      HasSubstr(
          "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  EXPECT_THAT(errors({.resource_version_match = "Exact", .send_initial_events = true}),
              HasSubstr(R"(Unsupported value: "Exact")"));
  EXPECT_THAT(errors({.resource_version_match = "NotOlderThan",
                      .continue_ = "x",
                      .send_initial_events = true}),
              HasSubstr("forbidden when continue is provided"));
}

TEST(ValidateWriteOptions, NameTheOptionThatIsWrong) {
  EXPECT_THAT(validate(CreateOptions{
                  .dry_run = {"All"}, .field_manager = "kubectl", .field_validation = "Strict"}),
              IsEmpty());
  EXPECT_EQ(meta::to_string(validate(CreateOptions{.dry_run = {"foo"}})),
            R"(dryRun: Unsupported value: ["foo"]: supported values: "All")");
  EXPECT_EQ(meta::to_string(validate(UpdateOptions{.field_manager = std::string(129, 'a')})),
            "fieldManager: Too long: may not be more than 128 bytes");
  EXPECT_EQ(meta::to_string(validate(UpdateOptions{.field_manager = "a\nb"})),
            R"(fieldManager: Invalid value: "a\nb": invalid character U+000A (at position 1))");
  EXPECT_EQ(
      meta::to_string(validate(CreateOptions{.field_validation = "foo"})),
      R"(fieldValidation: Unsupported value: "foo": supported values: "", "Ignore", "Strict", "Warn")");
  EXPECT_EQ(meta::to_string(validate(PatchOptions{}, Patch::Type::Apply)),
            "fieldManager: Required value: is required for apply patch");
  EXPECT_EQ(meta::to_string(validate(PatchOptions{.force = true}, Patch::Type::Merge)),
            "force: Forbidden: may not be specified for non-apply patch");
  EXPECT_THAT(validate(PatchOptions{.force = true, .field_manager = "m"}, Patch::Type::Apply),
              IsEmpty());
}

TEST(ValidateDeleteOptions, PoliciesExcludeEachOther) {
  EXPECT_THAT(validate(DeleteOptions{.propagation_policy = "Orphan"}), IsEmpty());
  EXPECT_THAT(meta::to_string(validate(DeleteOptions{.propagation_policy = "Now"})),
              HasSubstr("Unsupported value"));
  EXPECT_THAT(meta::to_string(validate(
                  DeleteOptions{.orphan_dependents = true, .propagation_policy = "Orphan"})),
              HasSubstr("cannot be both set"));
  EXPECT_THAT(meta::to_string(validate(
                  DeleteOptions{.grace_period_seconds = 1,
                                .ignore_store_read_error_with_cluster_breaking_potential = true})),
              HasSubstr("cannot be set together with .gracePeriodSeconds"));
}

TEST(ValidateListOptions, TheWatchOfAListIsValid) {
  for (const ListOptions& list : {ListOptions{}, ListOptions{.resource_version = "5"},
                                  ListOptions{.resource_version = "0", .limit = 500}}) {
    EXPECT_THAT(validate(watch_list_options(list).value(), true), IsEmpty());
  }
}

}  // namespace
}  // namespace kube
