// SPDX-License-Identifier: Apache-2.0
#include <kube/client/openapi.hpp>

#include <kube/client/discovery.hpp>

#include "client_fixture.hpp"

namespace kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kIndex = R"({"paths":{
  "version":{"serverRelativeURL":"/openapi/v3/version?hash=V"},
  "apis/apps":{"serverRelativeURL":"/openapi/v3/apis/apps?hash=A"},
  "apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1?hash=B%2F1&x=y+z"},
  "apis/batch/v1":{"serverRelativeURL":"/prefix/openapi/v3/apis/batch/v1?hash=C"},
  "apis/else/v1":{"serverRelativeURL":"/elsewhere/v1"},
  "api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=D"}}})";

class OpenApiTest : public ClientTest {
 protected:
  OpenApiTest() {
    answer(200, R"({"openapi":"3.0.0"})");
    server->on("GET", "/prefix/openapi/v3", [](ScriptedCall call) { call.respond(200, kIndex); });
  }
  std::shared_ptr<const OpenApiDocument> document(const std::string& path) {
    return openapi->paths({}).value()->at(path);
  }
  const DiscoveryClient discovery{make({.host = "https://h/prefix"})};
  const std::shared_ptr<const OpenApi> openapi = discovery.openapi_v3();
};

TEST_F(OpenApiTest, OAPI_01_TheIndex) {
  const auto paths = openapi->paths({});
  ASSERT_TRUE(paths);
  EXPECT_EQ((*paths)->size(), 6U);
  EXPECT_EQ((*paths)->at("api/v1")->server_relative_url(), "/openapi/v3/api/v1?hash=D");
  EXPECT_EQ(request_line(last_request()), "GET /prefix/openapi/v3?timeout=32s");
  server->on("GET", "/prefix/openapi/v3", [](ScriptedCall call) { call.respond(200, "{}"); });
  EXPECT_EQ(discovery.openapi_v3()->paths({}).error().code(), ErrorCode::Decode);
}

TEST_F(OpenApiTest, UrlsAreBelowTheClientsBasePath) {
  ASSERT_TRUE(document("apis/apps/v1")->schema("application/json", {}));
  EXPECT_EQ(request_line(last_request()),
            "GET /prefix/openapi/v3/apis/apps/v1?hash=B%2F1&timeout=32s&x=y+z");
  ASSERT_TRUE(document("apis/batch/v1")->schema("application/json", {}));
  EXPECT_EQ(request_line(last_request()),
            "GET /prefix/openapi/v3/apis/batch/v1?hash=C&timeout=32s");
  const auto outside = document("apis/else/v1")->schema("application/json", {});
  ASSERT_FALSE(outside);
  EXPECT_THAT(outside.error().message(), HasSubstr("\"/elsewhere/v1\" is not below"));
}

TEST_F(OpenApiTest, OAPI_03_OAPI_04_EachDocumentIsRequestedOnceInEachForm) {
  const std::string protobuf = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf";
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(document("api/v1")->schema(protobuf, {}));
    if (i == 0) {
      EXPECT_EQ(header(last_request(), "Accept"), protobuf);
    }
    ASSERT_TRUE(document("api/v1")->schema("application/json", {}));
    if (i == 0) {
      EXPECT_EQ(header(last_request(), "Accept"), "application/json");
    }
    ASSERT_TRUE(document("apis/apps/v1")->schema("application/json", {}));
  }
  EXPECT_EQ(sent(), 4U) << "the index, and three documents";
  EXPECT_EQ(**document("api/v1")->schema(protobuf, {}), R"({"openapi":"3.0.0"})");
}

TEST_F(OpenApiTest, AnErrorIsNotKept) {
  const auto schema = document("api/v1");
  next_answer(503);
  EXPECT_FALSE(schema->schema("application/json", {}));
  EXPECT_TRUE(schema->schema("application/json", {}));
}

TEST_F(OpenApiTest, OAPI_05_GroupVersionsInOrderAndTheirDocuments) {
  std::vector<std::string> versions;
  const auto found = openapi->group_versions({});
  ASSERT_TRUE(found);
  for (const auto& version : *found) versions.push_back(version.to_string());
  EXPECT_THAT(versions, ElementsAre("apps/v1", "batch/v1", "else/v1", "v1"));
  const json::Value spec = openapi->spec_of({"", "v1"}, {}).value();
  EXPECT_EQ(spec.string_at({"openapi"}), "3.0.0");
  EXPECT_EQ(openapi->spec_of({"g", "v"}, {}).error().message(),
            "GroupVersion (g/v) not found as OpenAPI V3 path");
}

TEST(OpenApiPath, OAPI_06_PathsOfGroupVersions) {
  EXPECT_EQ(openapi_path_of({"", "v1"}), "api/v1");
  EXPECT_EQ(openapi_path_of({"apps", "v1"}), "apis/apps/v1");
  EXPECT_EQ(*group_version_of_openapi_path("api/v1"), (meta::GroupVersion{"", "v1"}));
  EXPECT_EQ(*group_version_of_openapi_path("apis/apps/v1"), (meta::GroupVersion{"apps", "v1"}));
  for (const char* path : {"apis/apps", "version", "foo/bar", "", "api", "apis//v1", "a/b/c/d"}) {
    EXPECT_FALSE(group_version_of_openapi_path(path)) << path;
  }
}

}  // namespace
}  // namespace kube
