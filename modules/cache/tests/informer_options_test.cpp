// SPDX-License-Identifier: Apache-2.0
//
// Options of an informer: selection, storage.
#include <kube/cache/informer_options.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/cache/shared_informer.hpp>
#include <kube/meta/errors.hpp>

#include "informer_fixture.hpp"
#include "option_fields.hpp"

namespace kube::cache {
namespace {

using ::testing::HasSubstr;
using testing::list_text;
using testing::object_text;
using testing::respond_status;
using testing::ScriptedCall;

class InformerOptionsTest : public testing::InformerFixture {};

TEST_F(InformerOptionsTest, EachOptionIsInTheListOfThem) {
  const InformerOptions options;
  // Does not compile with another number of members: then count the new one here.
  [[maybe_unused]] const auto& [namespace_, labels, fields, a, b, c, d, e, f, g, h, i, j, k, l] =
      options;
  int listed = 0;
  for_each_option(options, options, [&](const char*, const auto&, const auto&) { ++listed; });
  EXPECT_EQ(listed, 15 - 3) << "option_fields.hpp lacks one";
  const ReflectorOptions copied =
      reflector_options({.storage = StoragePolicy::Decoded, .page_size = 7, .watch_list = false});
  EXPECT_EQ(copied.storage, StoragePolicy::Decoded);
  EXPECT_EQ(copied.page_size, 7);
  EXPECT_FALSE(copied.watch_list);
}

TEST_F(InformerOptionsTest, NamespaceAndSelectorsAreTheServersAffair) {
  make({.namespace_ = "web",
        .label_selector = "app in (a,b)",
        .field_selector = "status.phase!=Failed"});
  ASSERT_TRUE(informer->start());
  ScriptedCall list = next_list();
  EXPECT_EQ(list.path(), "/api/v1/namespaces/web/pods");
  EXPECT_EQ(list.query("labelSelector"), "app in (a,b)");
  EXPECT_EQ(list.query("fieldSelector"), "status.phase!=Failed");
  list.respond(200, list_text({}, "10"));
  const ScriptedCall watch = next_watch();
  EXPECT_EQ(watch.path(), "/api/v1/namespaces/web/pods");
  EXPECT_EQ(watch.query("labelSelector"), "app in (a,b)");
  EXPECT_EQ(watch.query("fieldSelector"), "status.phase!=Failed");
}

TEST_F(InformerOptionsTest, AnUnsupportedSelectorIsReportedWithTheServersWords) {
  make({.field_selector = "spec.nope=1"});
  std::vector<Error> errors;
  ASSERT_TRUE(informer->set_watch_error_handler([&](const Error& e) { errors.push_back(e); }));
  ASSERT_TRUE(informer->start());
  ScriptedCall list = next_list();
  respond_status(list, 400, "BadRequest", "field label not supported: spec.nope");
  run();
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_TRUE(is_bad_request(errors[0]));
  EXPECT_THAT(informer->status().last_error.value().to_string(),
              HasSubstr("field label not supported: spec.nope"));
  EXPECT_EQ(informer->status().state, InformerState::BackingOff);
}

TEST_F(InformerOptionsTest, ANamespaceThatCannotBeOneIsReported) {
  make({.namespace_ = "a/b"});
  std::vector<Error> errors;
  ASSERT_TRUE(informer->set_watch_error_handler([&](const Error& e) { errors.push_back(e); }));
  ASSERT_TRUE(informer->start());
  run();
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].code(), ErrorCode::InvalidArgument);
  EXPECT_TRUE(transport->requests().empty());
}

TEST_F(InformerOptionsTest, ThePolicyDecodedKeepsValuesAndNoBytes) {
  make({.storage = StoragePolicy::Decoded});
  start({object_text("x/a", "5", R"("labels":{"app":"web"})")});
  const auto a = informer->lister().get("x/a");
  ASSERT_TRUE(a);
  EXPECT_TRUE(a->cell().body().empty());
  EXPECT_EQ((*a)->labels().at("app"), "web");
  EXPECT_EQ(informer->lister().list(*labels::parse("app=web")).value().size(), 1U);
  EXPECT_EQ(informer->lister().list(*labels::parse("app=db")).value().size(), 0U);
}

}  // namespace
}  // namespace kube::cache
