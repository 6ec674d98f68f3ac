// SPDX-License-Identifier: Apache-2.0
#include <kube/client/table_api.hpp>

#include <kube/meta/errors.hpp>

#include "client_fixture.hpp"

namespace kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kTable = R"({"kind":"Table","apiVersion":"meta.k8s.io/v1",
  "metadata":{"resourceVersion":"9","continue":"more"},
  "columnDefinitions":[{"name":"Name","type":"string","format":"name","description":"","priority":0}],
  "rows":[{"cells":["front"],"object":{"kind":"PartialObjectMetadata",
           "apiVersion":"meta.k8s.io/v1","metadata":{"name":"front"}}}]})";

class TableApiTest : public ClientTest {
 protected:
  const TableApi pods{RawApi(make(), kPodsResource, "web")};
};

TEST_F(TableApiTest, ListsAndGetsAreTables) {
  answer(200, kTable);
  const auto listed = pods.list({.label_selector = "a=b", .limit = 1});
  ASSERT_TRUE(listed) << listed.error().to_string();
  EXPECT_EQ(request_line(last_request()),
            "GET /api/v1/namespaces/web/pods?labelSelector=a%3Db&limit=1");
  EXPECT_THAT(header(last_request(), "Accept"), HasSubstr("application/json;as=Table;v=v1;"));
  EXPECT_EQ(listed->metadata.continue_, "more");
  EXPECT_EQ(listed->column_definitions.at(0).name, "Name");
  ASSERT_EQ(listed->rows.size(), 1U);
  ASSERT_TRUE(pods.get("front", {}, IncludeObject::Object));
  EXPECT_EQ(request_line(last_request()),
            "GET /api/v1/namespaces/web/pods/front?includeObject=Object");
  ASSERT_TRUE(pods.get("front", {.resource_version = "5"}));
  EXPECT_EQ(request_line(last_request()),
            "GET /api/v1/namespaces/web/pods/front?resourceVersion=5");
  ASSERT_TRUE(pods.list({}, IncludeObject::None));
  EXPECT_EQ(request_line(last_request()), "GET /api/v1/namespaces/web/pods?includeObject=None");
}

std::string table_page(const std::string& name, const std::string& continue_ = "") {
  return R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9",)"
         R"("continue":")" +
         continue_ + R"("},"columnDefinitions":[],"rows":[{"cells":[")" + name + R"("]}]})";
}

TEST_F(TableApiTest, PagesAreVisitedInTheirOrder) {
  next_answer(200, table_page("a", "t1"));
  next_answer(200, table_page("b"));
  std::vector<std::string> rows;
  const auto visit = [&](meta::Table&& page) -> Result<void> {
    rows.emplace_back(page.rows.at(0).cells.at(0).raw);
    return {};
  };
  ASSERT_TRUE(pods.for_each_page({.resource_version = "5", .limit = 1}, visit, nullptr,
                                 IncludeObject::None));
  EXPECT_THAT(rows, ElementsAre("\"a\"", "\"b\""));
  const auto requests = server->requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(request_line(requests[0]),
            "GET /api/v1/namespaces/web/pods?includeObject=None&limit=1&resourceVersion=5");
  EXPECT_EQ(request_line(requests[1]),
            "GET /api/v1/namespaces/web/pods?continue=t1&includeObject=None&limit=1");

  next_answer(200, table_page("a", "t1"));
  EXPECT_EQ(pods.for_each_page({},
                               [](meta::Table&&) -> Result<void> {
                                 return Error(ErrorCode::InvalidArgument, "enough");
                               })
                .error()
                .message(),
            "enough");
  answer(200, table_page("a", "t1"));
  EXPECT_THAT(pods.for_each_page({}, visit).error().to_string(),
              HasSubstr("list pods in namespace \"web\": "))
      << "the token comes twice";
}

TEST_F(TableApiTest, AnExpiredTokenStartsOver) {
  const std::string expired = status_json(410, "Expired", "too old");
  std::vector<std::string> rows;
  const auto visit = [&](meta::Table&& page) -> Result<void> {
    rows.emplace_back(page.rows.at(0).cells.at(0).raw);
    return {};
  };
  next_answer(200, table_page("a", "t1"));
  next_answer(410, expired);
  next_answer(200, table_page("all"));
  ASSERT_TRUE(pods.for_each_page({.limit = 1}, visit, [&] { rows.clear(); }));
  EXPECT_THAT(rows, ElementsAre("\"all\""));
  EXPECT_EQ(request_line(last_request()), "GET /api/v1/namespaces/web/pods");
  next_answer(200, table_page("a", "t1"));
  next_answer(410, expired);
  EXPECT_TRUE(is_resource_expired(pods.for_each_page({.limit = 1}, visit).error()));
}

TEST_F(TableApiTest, AWatchHasTablesOfOneRow) {
  answer(200, R"({"type":"ADDED","object":)" + std::string(kTable) + "}" +
                  R"({"type":"BOOKMARK","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1",)"
                  R"("metadata":{"resourceVersion":"12"},"columnDefinitions":null,"rows":[]}})"
                  R"({"type":"ERROR","object":)" +
                  status_json(410, "Expired", "too old") + "}");
  auto stream =
      pods.watch({.allow_watch_bookmarks = true, .resource_version = "5"}, IncludeObject::Object);
  ASSERT_TRUE(stream) << stream.error().to_string();
  EXPECT_EQ(request_line(last_request()),
            "GET /api/v1/namespaces/web/pods?allowWatchBookmarks=true&includeObject=Object"
            "&resourceVersion=5&watch=true");
  EXPECT_EQ(header(last_request(), "Accept"),
            "application/json;as=Table;v=v1;g=meta.k8s.io,application/json");
  auto added = stream->next();
  ASSERT_TRUE(added && *added);
  EXPECT_EQ((*added)->type, WatchEventType::Added);
  EXPECT_EQ((*added)->object.column_definitions.at(0).name, "Name");
  EXPECT_EQ((*added)->object.rows.size(), 1U);
  auto bookmark = stream->next();
  ASSERT_TRUE(bookmark && *bookmark);
  EXPECT_EQ((*bookmark)->type, WatchEventType::Bookmark);
  EXPECT_EQ((*bookmark)->object.metadata.resource_version, "12");
  auto failed = stream->next();
  ASSERT_TRUE(failed && *failed);
  EXPECT_TRUE(is_resource_expired((*failed)->error.value()));
  EXPECT_FALSE(stream->next());
}

TEST_F(TableApiTest, AWatchOfAServerWithoutTablesEndsWithAnError) {
  answer(200, R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{}}})");
  auto stream = pods.watch();
  ASSERT_TRUE(stream);
  auto event = stream->next();
  ASSERT_TRUE(event && *event);
  EXPECT_EQ((*event)->type, WatchEventType::Error);
  EXPECT_THAT((*event)->error->message(), HasSubstr("Table"));
  EXPECT_FALSE(stream->next());
  EXPECT_FALSE(TableApi(RawApi(make(), kPodsResource, "a/b")).watch());
}

TEST_F(TableApiTest, TheOlderVersionIsRead) {
  std::string older = kTable;
  older.replace(older.find("meta.k8s.io/v1"), 14, "meta.k8s.io/v1beta1");
  answer(200, older);
  EXPECT_TRUE(pods.list());
}

TEST_F(TableApiTest, WhatIsNotATableIsAnError) {
  answer(200, R"({"kind":"PodList","apiVersion":"v1","items":[]})");
  EXPECT_EQ(pods.list().error().to_string(),
            "list pods in namespace \"web\": expected a Table, found kind \"PodList\"");
  answer(200, status_json(404, "NotFound", "pods front not found"));
  EXPECT_TRUE(is_not_found(pods.get("front").error()));
  EXPECT_THAT(pods.get("").error().to_string(), HasSubstr("name is required"));
  EXPECT_FALSE(pods.get("a/b"));
}

}  // namespace
}  // namespace kube
