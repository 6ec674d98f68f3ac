// SPDX-License-Identifier: Apache-2.0
//
// The page, without a browser: what it is made of, and what it asks for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <regex>

#include "cluster_fixture.hpp"
#include "page/html_page.hpp"
#include "server_files.hpp"

namespace kube::cacheserver::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Headers kBrowser = {{"Accept", "text/html,application/xhtml+xml,*/*;q=0.8"}};

/// The source of a policy that is the one element of a name.
std::string source_of(const std::string& html, const std::string& name) {
  const std::string begin = "<" + name + ">";
  const std::size_t from = html.find(begin) + begin.size();
  const std::string text = html.substr(from, html.find("</" + name + ">") - from);
  std::array<unsigned char, 32> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::array<unsigned char, 45> out{};
  EVP_EncodeBlock(out.data(), digest.data(), digest.size());
  return "'sha256-" + std::string(reinterpret_cast<const char*>(out.data())) + "'";
}

class PageTest : public ClusterTest {
 protected:
  static meta::ResourceInfo events() { return {"", "v1", "Event", "events", "event", true}; }
  void fill() {
    load(pod_json("a", R"("app":"web")") + "\n---\n" + pod_json("b", R"("app":"db")"));
    load(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"web",)"
         R"("annotations":{"kubectl.kubernetes.io/last-applied-configuration":"hunter2"}},)"
         R"("stringData":{"password":"hunter2"}})");
  }
};

TEST_F(PageTest, IsOneFileThatAsksOnlyItsOwnServer) {
  serve(pods());
  const Answer page = ask_cache("/", kBrowser);
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.header("content-type"), HasSubstr("text/html"));
  EXPECT_EQ(page.header("content-security-policy"),
            "default-src 'none'; connect-src 'self'; script-src " + source_of(page.body, "script") +
                "; style-src " + source_of(page.body, "style") +
                "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  EXPECT_THAT(page.body, Not(HasSubstr("http://")));
  EXPECT_THAT(page.body, Not(HasSubstr("https://")));
  EXPECT_THAT(page.body, Not(HasSubstr("innerHTML"))) << "names of objects are text";
  // Each element that the script looks up exists.
  const std::regex used(R"(\$\('([a-z]+)'\))");
  for (std::sregex_iterator at(page.body.begin(), page.body.end(), used), end; at != end; ++at) {
    EXPECT_THAT(page.body, HasSubstr("id=\"" + (*at)[1].str() + "\""));
  }
  EXPECT_EQ(ask_cache("/").at({"paths", "0"}), "") << "clients get the list of paths";
  EXPECT_THAT(ask_cache("/").body, HasSubstr("\"paths\":["));
}

// A browser makes the hash of what it has read: each end of a line is "\n" then.
TEST(ContentPolicy, HasTheHashesOfEachScriptAndStyleOfThePage) {
  const std::string empty = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";
  const std::string a = "'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='";
  const auto policy = [](std::string_view html) {
    const std::string all = content_policy(html);
    EXPECT_THAT(all, Not(HasSubstr("unsafe")));
    const std::size_t from = all.find("script-src");
    return all.substr(from, all.find("; base-uri") - from);
  };
  EXPECT_EQ(policy(""), "script-src 'none'; style-src 'none'");
  EXPECT_EQ(policy("<scripts>a</scripts><p style=\"a\" onclick=\"a\">"),
            "script-src 'none'; style-src 'none'");
  EXPECT_EQ(policy("<script>a</script>"), "script-src " + a + "; style-src 'none'");
  EXPECT_EQ(policy("<SCRIPT\ntype=module>a</Script\n><style></style><style>a</style>"),
            "script-src " + a + "; style-src " + empty + " " + a);
  EXPECT_EQ(policy("<script>a\r\nb\rc</script>"), policy("<script>a\nb\nc</script>"));
  EXPECT_NE(policy("<script>a\r\nb</script>"), policy("<script>a\n\nb</script>"));
}

TEST_F(PageTest, ListsWhatIsCached) {
  fill();
  serve(pods());
  const Answer list = ask_cache("/page/resources");
  EXPECT_THAT(list.body, HasSubstr(R"("group":"","version":"v1","kind":"Pod","plural":"pods",)"
                                   R"("namespaced":true,"namespace":"","objects":2,"age":)"));
}

TEST_F(PageTest, RowsFollowTheCacheAndTheFilters) {
  fill();
  serve(pods());
  catch_up();
  const std::string query =
      "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  WatchClient rows(cache->port(), "/page/rows/api/v1/namespaces/web/pods" + query);
  const auto first = rows.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->string_at({"type"}), "ADDED");
  EXPECT_EQ(first->string_at({"key"}), "web/a");
  EXPECT_EQ(first->string_at({"labels", "app"}), "web");
  EXPECT_THAT(json::dump(*first), HasSubstr(R"("cells":["a","0/1","Pending","0",")"));
  EXPECT_THAT(json::dump(*first), HasSubstr(R"("columns":["Name","Ready","Status","Restarts",)"));
  EXPECT_EQ(rows.next()->string_at({"name"}), "b");
  EXPECT_EQ(rows.next()->string_at({"type"}), "SYNCED");
  load(pod_json("c"));
  const auto live = rows.next();
  EXPECT_EQ(live->string_at({"type"}), "ADDED");
  EXPECT_EQ(live->string_at({"name"}), "c");
  WatchClient selected(cache->port(), "/page/rows/api/v1/pods" + query + "&labelSelector=app%3Ddb");
  EXPECT_EQ(selected.next()->string_at({"name"}), "b");
  EXPECT_EQ(selected.next()->string_at({"type"}), "SYNCED");
  const Answer wrong = ask_cache("/page/rows/api/v1/pods" + query + "&labelSelector=!!");
  EXPECT_EQ(wrong.status, 400);
}

TEST_F(PageTest, ShowsObjectsAsYaml) {
  fill();
  serve(pods());
  const Answer pod = ask_cache("/page/object/api/v1/namespaces/web/pods/a");
  EXPECT_THAT(pod.header("content-type"), HasSubstr("text/plain"));
  EXPECT_THAT(pod.body, HasSubstr("kind: Pod\n"));
  EXPECT_EQ(ask_cache("/page/object/api/v1/namespaces/web/pods/none").status, 404);
  EXPECT_EQ(ask_cache("/page/object/api/v1/namespaces/web/services/a").status, 404);
}

TEST_F(PageTest, PathsOfNoObjectAndNoTableAreMissing) {
  fill();
  serve(pods());
  serve({"", "v1", "Node", "nodes", "node", false});
  for (const char* path : {"object/api/v1/namespaces/web/pods/a/log",
                           "object/api/v1/namespaces/web/pods/a/b/c", "object/api/v1/pods/a",
                           "object/api/v1/namespaces/web/pods", "rows/api/v1/namespaces/web/pods/a",
                           "rows/api/v1/namespaces/web/nodes", "rows/api/v1/services"}) {
    const WatchClient asked(cache->port(), std::string("/page/") + path);
    EXPECT_EQ(asked.head().status, 404) << path;
  }
}

TEST_F(PageTest, NeverGetsTheValuesOfSecrets) {
  fill();
  serve(secrets());
  catch_up("/api/v1/secrets");
  const Answer secret = ask_cache("/page/object/api/v1/namespaces/web/secrets/s");
  EXPECT_THAT(secret.body, HasSubstr("password: (hidden)\n"));
  EXPECT_THAT(secret.body, Not(HasSubstr("hunter2")));
  EXPECT_THAT(secret.body, Not(HasSubstr("aHVudGVyMg")));
  WatchClient rows(cache->port(),
                   "/page/rows/api/v1/secrets?watch=1&sendInitialEvents=true"
                   "&resourceVersionMatch=NotOlderThan");
  const std::string row = json::dump(*rows.next());
  EXPECT_THAT(row, HasSubstr("\"name\":\"s\""));
  EXPECT_THAT(row, Not(HasSubstr("hunter2")));
  EXPECT_THAT(row, Not(HasSubstr("aHVudGVyMg")));
}

// All the ways in which a value could come along, as those who apply secrets make them.
TEST_F(PageTest, ShowsOfASecretOnlyWhatHasNoValues) {
  const std::string applied =
      R"({\"stringData\":{\"password\":\"hunter2\"},\"data\":{\"k\":\"aHVudGVyMg==\"}})";
  load(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"web",)"
       R"("labels":{"app":"web"},"annotations":{"note":"hunter2",)"
       R"("kubectl.kubernetes.io/last-applied-configuration":")" +
       applied +
       R"("},"managedFields":[{"manager":"hunter2","operation":"Apply","apiVersion":"v1",)"
       R"("fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:hunter2":{}}}}]},"type":"Opaque",)"
       R"("immutable":true,"data":{"k":"aHVudGVyMg=="},"stringData":{"password":"hunter2"}})");
  serve(secrets());
  catch_up("/api/v1/secrets");
  const std::string object = "/page/object/api/v1/namespaces/web/secrets/s";
  for (const std::string& target :
       {object, object + "?pretty=true", object + "?resourceVersion=0"}) {
    for (const std::string accept :
         {"*/*", "application/json", "application/yaml", "application/vnd.kubernetes.protobuf",
          "application/json;as=Table;v=v1;g=meta.k8s.io"}) {
      const Answer answer = ask_cache(target, {{"Accept", accept}});
      EXPECT_EQ(answer.status, 200);
      EXPECT_THAT(answer.body, HasSubstr("k: (hidden)\n"));
      EXPECT_THAT(answer.body, HasSubstr("app: web\n"));
      EXPECT_THAT(answer.body, HasSubstr("type: Opaque\n"));
      for (const char* const hidden : {"hunter2", "aHVudGVyMg", "annotations", "managedFields"}) {
        EXPECT_THAT(answer.body, Not(HasSubstr(hidden))) << target << " " << accept;
      }
    }
  }
  const std::string watch =
      "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&fieldSelector=";
  EXPECT_EQ(ask_cache("/page/rows/api/v1/secrets" + watch + "data.k%3DaHVudGVyMg%3D%3D").status,
            400)
      << "nor can a value be guessed";
  EXPECT_EQ(ask_cache("/page/object/api/v1/secrets").status, 404) << "one at a time";
}

TEST_F(PageTest, TextOfObjectsIsNeverAPage) {
  const std::string html = "<script>alert(1)</script>";
  load(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"web",)"
       R"("annotations":{"note":")" +
       html + R"("}},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  serve(pods());
  catch_up();
  for (const char* target : {"/page/object/api/v1/namespaces/web/pods/a", "/page/resources"}) {
    const Answer answer = ask_cache(target, kBrowser);
    EXPECT_EQ(answer.status, 200);
    EXPECT_THAT(answer.header("content-type"), Not(HasSubstr("html")));
    EXPECT_EQ(answer.header("x-content-type-options"), "nosniff");
  }
  WatchClient rows(cache->port(),
                   "/page/rows/api/v1/pods?watch=1&sendInitialEvents=true"
                   "&resourceVersionMatch=NotOlderThan",
                   kBrowser);
  EXPECT_THAT(rows.head().header("content-type"), HasSubstr("application/json"));
  EXPECT_EQ(rows.head().header("x-content-type-options"), "nosniff");
  const Answer missing = ask_cache(
      "/page/object/api/v1/namespaces/web/pods/%3Cscript%3Ealert(1)%3C%2Fscript%3E", kBrowser);
  EXPECT_GE(missing.status, 400);
  EXPECT_THAT(missing.header("content-type"), Not(HasSubstr("html")));
}

TEST_F(PageTest, RowsHaveTheTimesThatTheirAgesCountFrom) {
  fill();
  serve(pods());
  WatchClient rows(cache->port(),
                   "/page/rows/api/v1/pods?watch=1&sendInitialEvents=true"
                   "&resourceVersionMatch=NotOlderThan");
  const auto row = rows.next();
  ASSERT_TRUE(row);
  const json::Array& columns = row->array_at({"columns"});
  const auto age = std::ranges::find(columns, json::Value("Age")) - columns.begin();
  const std::string created =
      ask_cache("/api/v1/namespaces/web/pods/a").at({"metadata", "creationTimestamp"});
  EXPECT_EQ(row->string_at({"times", std::to_string(age)}), created);
  EXPECT_GT(row->int_at({"now"}).value_or(0), 1'000'000'000'000);
  EXPECT_THAT(json::dump(*rows.next()), Not(HasSubstr("\"now\"")));
}

TEST_F(PageTest, EventsHaveTheTimesAtWhichTheyWereSeen) {
  const std::string event =
      R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"NAME","namespace":"web"},)"
      R"("involvedObject":{"kind":"Pod","namespace":"web","name":"a"},TIMES})";
  const auto load_event = [&](const std::string& name, const std::string& times) {
    load(std::regex_replace(std::regex_replace(event, std::regex("NAME"), name),
                            std::regex("TIMES"), times));
  };
  load_event("counted", R"("firstTimestamp":"2026-01-01T00:00:00Z",)"
                        R"("lastTimestamp":"2026-01-02T00:00:00Z")");
  load_event("once", R"("eventTime":"2026-01-03T00:00:00.000000Z")");
  serve(events());
  catch_up("/api/v1/events");
  WatchClient rows(cache->port(),
                   "/page/rows/api/v1/namespaces/web/events?watch=1&sendInitialEvents=true"
                   "&resourceVersionMatch=NotOlderThan&fieldSelector=involvedObject.name%3Da");
  const auto counted = rows.next();
  ASSERT_TRUE(counted);
  const json::Array& columns = counted->array_at({"columns"});
  const auto index = [&](const char* column) {
    return std::to_string(std::ranges::find(columns, json::Value(column)) - columns.begin());
  };
  EXPECT_EQ(counted->string_at({"times", index("Last Seen")}), "2026-01-02T00:00:00Z");
  EXPECT_EQ(counted->string_at({"times", index("First Seen")}), "2026-01-01T00:00:00Z");
  const auto once = rows.next();
  ASSERT_TRUE(once);
  EXPECT_EQ(once->string_at({"times", index("Last Seen")}), "2026-01-03T00:00:00.000000Z");
}

class PageTokenTest : public PageTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = PageTest::cache_options();
    options.token_auth_file = folder.write("tokens", "right,reader,1\n");
    return options;
  }
  Folder folder;
};

TEST_F(PageTokenTest, ThePageNeedsNoTokenAndWhatItAsksForDoes) {
  fill();
  serve(pods());
  EXPECT_EQ(ask_cache("/", kBrowser).status, 200);
  EXPECT_EQ(ask_cache("/").status, 401) << "the list of paths";
  const std::string rows = "/page/rows/api/v1/pods?watch=1";
  EXPECT_EQ(ask_cache(rows, kBrowser).status, 401);
  const WatchClient watch(cache->port(), rows, {{"Authorization", "Bearer right"}});
  EXPECT_EQ(watch.head().status, 200);
  for (const char* target : {"/page/resources", "/page/object/api/v1/namespaces/web/pods/a"}) {
    EXPECT_EQ(ask_cache(target, kBrowser).status, 401) << target;
    EXPECT_EQ(ask_cache(target, {{"Authorization", "Bearer wrong"}}).status, 401) << target;
    EXPECT_EQ(ask_cache(target, {{"Authorization", "Bearer right"}}).status, 200) << target;
  }
}

}  // namespace
}  // namespace kube::cacheserver::test
