// SPDX-License-Identifier: Apache-2.0
//
// Servers whose every answer invites the next request at once.
#include <string>
#include <utility>
#include <vector>

#include "answers.hpp"
#include "curl_answers.hpp"
#include "honest_server.hpp"
#include "scenario.hpp"
#include "wire.hpp"

namespace faults {
namespace {

using kube::cache::testing::bookmark_text;
using kube::cache::testing::event_text;
using kube::cache::testing::list_text;
using kube::cache::testing::object_text;

constexpr std::string_view kYear = "31536000";
// A reflector's pace: 20 requests at once, and what comes in that second.
constexpr std::size_t kHurry = 24;

// A list whose versions are other ones each time.
Answer list_of_version(std::string (*version)(std::size_t nth)) {
  return [version](Connection& connection, const Call& call) {
    return connection.write(http_answer(
        200, list_text({object_text("shop/cart", version(call.nth))}, version(call.nth))));
  };
}

std::vector<Scenario> versions() {
  std::vector<Scenario> all;
  all.push_back(
      {.name = "version-alternates",
       .server = "ends each watch after one event, whose versions alternate between 1001 and 1002",
       .watch = [](Connection& connection, const Call& call) {
         const std::string version = call.nth % 2 == 0 ? "1001" : "1002";
         return connection.write(
             watch_of(event_text("MODIFIED", object_text("shop/cart", version))) +
             std::string(kLastChunk));
       }});
  all.push_back(
      {.name = "version-bookmark-malformed",
       .server = "sends a bookmark of version \"x\", and answers 400 to requests that name it",
       .watch = [](Connection& connection, const Call& call) {
         if (call.parameter("resourceVersion") == "x") {
           return connection.write(http_status(400, "BadRequest", "invalid resource version"));
         }
         return connection.write(watch_of(bookmark_text("x")) + std::string(kLastChunk));
       }});
  all.push_back({.name = "version-none-in-list",
                 .server = "sends lists without a resourceVersion",
                 .bounds = {.says = "resourceVersion"},
                 .list = always(http_answer(200, list_text({object_text("shop/cart", "7")}, "")))});
  all.push_back(
      {.name = "version-changes-each-list",
       .server = "answers each watch with 410, each list with a greater version",
       .list = list_of_version([](std::size_t nth) { return std::to_string(1000 + nth); }),
       .watch = always(http_status(410, "Expired", "too old resource version"))});
  return all;
}

std::vector<Scenario> pages() {
  std::vector<Scenario> all;
  all.push_back({.name = "pages-empty",
                 .server = "sends pages without items, each with a new continue token, for ever",
                 .list = [](Connection& connection, const Call& call) {
                   return connection.write(
                       http_answer(200, list_text({}, "1000", "t" + std::to_string(call.nth))));
                 }});
  all.push_back({.name = "pages-of-one",
                 .server = "sends pages of one pod, each with a new continue token, for ever",
                 .list = [](Connection& connection, const Call& call) {
                   const std::string n = std::to_string(call.nth);
                   return connection.write(http_answer(
                       200, list_text({object_text("shop/pod-" + n, "900")}, "1000", "t" + n)));
                 }});
  all.push_back({.name = "pages-same-token",
                 .server = "sends the same continue token with each page",
                 .list = always(http_answer(
                     200, list_text({object_text("shop/cart", "900")}, "1000", "again")))});
  return all;
}

std::vector<Scenario> short_watches() {
  std::vector<Scenario> all;
  all.push_back({.name = "watch-one-event",
                 .server = "ends each watch after one event of a new version",
                 .watch = [](Connection& connection, const Call& call) {
                   const std::string version = std::to_string(1001 + call.nth);
                   return connection.write(
                       watch_of(event_text("MODIFIED", object_text("shop/cart", version))) +
                       std::string(kLastChunk));
                 }});
  all.push_back({.name = "watch-one-bookmark",
                 .server = "ends each watch after one bookmark of a new version",
                 .watch = [](Connection& connection, const Call& call) {
                   return connection.write(
                       watch_of(bookmark_text(std::to_string(1001 + call.nth))) +
                       std::string(kLastChunk));
                 }});
  all.push_back({.name = "watch-ends-empty",
                 .server = "ends each watch without an event",
                 .watch = always(std::string(kWatchHead) + std::string(kLastChunk))});
  return all;
}

std::vector<Scenario> long_pauses() {
  const auto retry_after = [](std::string_view value) {
    return http_status(429, "TooManyRequests", "not now", {},
                       "Retry-After: " + std::string(value) + "\r\n");
  };
  std::vector<Scenario> all;
  all.push_back({.name = "retry-after-year",
                 .server = "answers lists with 429 and a Retry-After of a year",
                 .list = always(retry_after(kYear))});
  all.push_back({.name = "retry-after-year-watch",
                 .server = "answers watches with 429 and a Retry-After of a year",
                 .watch = always(retry_after(kYear))});
  all.push_back(
      {.name = "retry-after-year-event",
       .server = "ends each watch by an error event with retryAfterSeconds of a year",
       .watch = always(watch_of(event_text(
                           "ERROR", status_text(429, "TooManyRequests", "not now",
                                                R"("details":{"retryAfterSeconds":31536000})"))) +
                       std::string(kLastChunk))});
  return all;
}

}  // namespace

std::vector<Scenario> storm_scenarios() {
  std::vector<Scenario> all = versions();
  for (const auto& more : {pages(), short_watches()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  for (Scenario& scenario : all) scenario.bounds.most_in_a_second = kHurry;
  for (Scenario& scenario : long_pauses()) {
    scenario.slow = true;
    all.push_back(std::move(scenario));
  }
  return all;
}

}  // namespace faults
