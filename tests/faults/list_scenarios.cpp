// SPDX-License-Identifier: Apache-2.0
//
// Servers that answer lists with 200 and a body that is no list, or a strange one.
#include <string>
#include <vector>

#include "answers.hpp"
#include "curl_answers.hpp"
#include "honest_server.hpp"
#include "scenario.hpp"
#include "wire.hpp"

namespace faults {
namespace {

using namespace std::chrono_literals;
using kube::cache::testing::list_text;
using kube::cache::testing::object_text;
using kube::transport::chunk;

constexpr std::size_t kMebi = std::size_t{1} << 20;
constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

std::string times(std::size_t count, std::string_view text) {
  std::string all;
  all.reserve(count * text.size());
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

Scenario list_of(std::string name, std::string server, std::string body,
                 std::string_view type = "application/json") {
  return {.name = "list-" + std::move(name),
          .server = "answers lists with " + std::move(server),
          .list = always(http_answer_of(type, 200, body))};
}

std::vector<Scenario> no_lists() {
  const std::string body = HonestServer(old_world()).list_body();
  std::vector<Scenario> all;
  all.push_back(list_of("html", "a page for people, as application/json",
                        "<!DOCTYPE html><html><body>Log in</body></html>"));
  all.push_back(list_of("html-type", "a page for people, as text/html",
                        "<!DOCTYPE html><html><body>Log in</body></html>", "text/html"));
  all.push_back(list_of("empty", "an empty body", ""));
  all.push_back(list_of("null", "null", "null"));
  all.push_back(list_of("number", "a number", "17"));
  all.push_back(list_of("array", "an array", "[" + object_text("shop/cart", "980") + "]"));
  all.push_back(
      list_of("of-nulls", "a list of null items", list_text({"null", "null", "null"}, "1000")));
  all.push_back(list_of("of-texts", "a list of texts", list_text({"\"a\"", "\"b\""}, "1000")));
  all.push_back(list_of("items-object", "a list whose items are an object",
                        R"({"kind":"PodList","metadata":{"resourceVersion":"1000"},"items":{}})"));
  all.push_back(
      list_of("items-null", "a list whose items are null",
              R"({"kind":"PodList","metadata":{"resourceVersion":"1000"},"items":null})"));
  all.push_back(list_of("items-missing", "a list without the member items",
                        R"({"kind":"PodList","metadata":{"resourceVersion":"1000"}})"));
  all.push_back(list_of("pod", "a pod instead of a list", object_text("shop/cart", "980")));
  all.push_back(list_of("status", "a Status of failure under 200",
                        status_text(403, "Forbidden", "the pods are on holiday")));
  all.push_back(list_of("cut", "the first half of the list, as if it were all",
                        body.substr(0, body.size() / 2)));
  all.push_back(list_of("twice", "the list, twice", body + body));
  all.push_back(list_of("nested", "a million open brackets", times(kMebi, "[")));
  all.push_back(list_of("nested-item", "an item nested 100,000 deep",
                        list_text({times(100'000, "{\"a\":")}, "1000")));
  all.push_back(list_of("nul", "64 KB of NUL bytes", std::string(std::size_t{64} << 10, '\0')));
  all.push_back(list_of("as-protobuf", "JSON that is called protobuf", body, kProtobuf));
  all.push_back(list_of("bad-protobuf", "protobuf that is cut",
                        std::string("k8s\0\x0a\x7f\x0a\x02v1", 10), kProtobuf));
  all.push_back(list_of("protobuf-sizes", "protobuf whose lengths are 2^63",
                        std::string("k8s\0", 4) + "\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
                        kProtobuf));
  all.push_back(list_of("other-type", "a list that is called image/png", body, "image/png"));
  return all;
}

std::vector<Scenario> odd_lists() {
  std::vector<Scenario> all;
  all.push_back(list_of("invalid-utf8", "a name that is no UTF-8",
                        list_text({object_text("shop/\xff\xfe", "980")}, "1000")));
  all.push_back(list_of("names-no-path", "names that are no path segments",
                        list_text({object_text("shop/..", "980"), object_text("shop/%2e", "981"),
                                   object_text("shop/a/b", "982")},
                                  "1000")));
  all.push_back(list_of("name-empty", "a pod without a name",
                        list_text({object_text("shop/", "980")}, "1000")));
  all.push_back(
      list_of("name-huge", "a name of 1 MB",
              list_text({object_text("shop/" + std::string(kMebi, 'n'), "980")}, "1000")));
  all.push_back(list_of("item-no-version", "a pod without a version",
                        list_text({object_text("shop/cart", "")}, "1000")));
  all.push_back(list_of("item-no-metadata", "a pod without metadata",
                        list_text({R"({"kind":"Pod","apiVersion":"v1"})"}, "1000")));
  all.push_back(list_of("duplicates", "the same pod three times",
                        list_text({object_text("shop/cart", "980"), object_text("shop/cart", "981"),
                                   object_text("shop/cart", "982")},
                                  "1000")));
  all.push_back(
      list_of("duplicate-members", "metadata that says everything twice",
              R"({"metadata":{"resourceVersion":"1","resourceVersion":"1000"},)"
              R"("items":[{"metadata":{"name":"a","name":"b"},"metadata":{}}],"items":[]})"));
  all.push_back(list_of("version-text", "a resourceVersion that is no number",
                        list_text({object_text("shop/cart", "980")}, "newest")));
  all.push_back(list_of("version-number", "a resourceVersion that is a JSON number",
                        R"({"kind":"PodList","metadata":{"resourceVersion":1000},"items":[]})"));
  return all;
}

std::vector<Scenario> large_lists() {
  const std::string begin = list_text({}, "1000");
  const std::string before_items = begin.substr(0, begin.size() - 3);  // "]}\n"
  const std::string head = http_head(200, "Content-Type: application/json\r\n");
  std::vector<Scenario> all;
  all.push_back({.name = "list-white-space",
                 .server = "answers lists with 64 MB of white space and a list",
                 .list = flood(head, std::string(kMebi, ' '), 64 * kMebi),
                 .heavy = true});
  all.push_back({.name = "list-large-object",
                 .server = "answers lists with a pod of 80 MB that does not end",
                 .bounds = {.peak_mib = 128, .says = "the list ended early, after 8388"},
                 .list = flood(head + before_items + R"({"metadata":{"name":"a"},"spec":")",
                               std::string(kMebi, 'x'), 80 * kMebi),
                 .heavy = true});
  all.push_back({.name = "list-gzip-bomb",
                 .server = "answers lists with a gzip of 1 GB, all of it one text of one pod",
                 .bounds = {.peak_mib = 128, .says = "list pods"},
                 .list = bomb(200, "application/json",
                              before_items + R"({"metadata":{"name":"a"},"spec":")", 'x'),
                 .heavy = true});
  all.push_back({.name = "list-gzip-spaces",
                 .server = "answers lists with a gzip of 1 GB of white space",
                 .list = bomb(200, "application/json", "", ' '),
                 .heavy = true});
  all.push_back({.name = "list-endless-slow",
                 .server = "answers lists with ten pods a second, for ever",
                 .list = [before_items](Connection& connection, const Call&) {
                   connection.write(std::string(kWatchHead) +
                                    chunk(before_items + object_text("shop/cart", "980")));
                   for (int i = 0; connection.pause(100ms); ++i) {
                     const std::string key = "shop/pod-" + std::to_string(i);
                     if (!connection.write(chunk(',' + object_text(key, "980")))) return false;
                   }
                   return false;
                 }});
  return all;
}

}  // namespace

std::vector<Scenario> list_scenarios() {
  std::vector<Scenario> all = no_lists();
  for (const auto& more : {odd_lists(), large_lists()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace faults
