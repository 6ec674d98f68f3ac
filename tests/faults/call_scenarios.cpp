// SPDX-License-Identifier: Apache-2.0
//
// Servers that fail a program which calls Api, again and again.
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

using namespace std::chrono_literals;
using kube::cache::testing::list_text;
using kube::cache::testing::object_text;

constexpr const char* kMessage = "the pods are on holiday";

Scenario calls(Work work, std::string name, std::string server, Answer answer,
               std::string says = {}) {
  Scenario scenario{.name = std::move(name), .server = std::move(server)};
  scenario.setup.work = work;
  scenario.bounds = usual_bounds(work);
  scenario.bounds.says = std::move(says);
  (work == Work::List ? scenario.list : scenario.other) = std::move(answer);
  return scenario;
}

Scenario timed(Scenario scenario) {
  scenario.setup.timeout = 1s;
  return scenario;
}

std::string refusal(int status, std::string_view reason, std::string_view headers = {}) {
  return http_status(status, reason, kMessage, {}, headers);
}

std::vector<Scenario> gets() {
  const std::string pod = object_text("shop/cart", "980");
  const std::string longer = http_head(200, "Content-Length: 1000000\r\n");
  std::vector<Scenario> all;
  const auto get = [&](std::string name, std::string server, Answer answer, std::string says = {}) {
    all.push_back(calls(Work::Get, "get-" + std::move(name), std::move(server), std::move(answer),
                        std::move(says)));
  };
  get("404", "answers 404 to calls", always(refusal(404, "NotFound")), kMessage);
  get("429", "answers 429 to calls", always(refusal(429, "TooManyRequests")), kMessage);
  get("429-retry-0", "answers 429 to calls, Retry-After: 0",
      always(refusal(429, "TooManyRequests", "Retry-After: 0\r\n")));
  get("429-retry-1", "answers 429 to calls, Retry-After: 1",
      always(refusal(429, "TooManyRequests", "Retry-After: 1\r\n")));
  get("429-retry-year", "answers 429 to calls, Retry-After: a year",
      always(refusal(429, "TooManyRequests", "Retry-After: 31536000\r\n")));
  get("500", "answers 500 to calls", always(refusal(500, "InternalError")), kMessage);
  get("503-retry-0", "answers 503 to calls, Retry-After: 0",
      always(refusal(503, "ServiceUnavailable", "Retry-After: 0\r\n")));
  get("503-html", "answers 503 to calls, with a page for people",
      always(http_answer_of("text/html", 503, "<html><body>Bad gateway</body></html>")),
      "currently unable to handle the request");
  get("302", "redirects calls to the same place",
      always(http_answer(302, "", "Location: /api/v1/namespaces/shop/pods/cart\r\n")), "302");
  get("close", "closes instead of an answer to calls", then_close(""));
  get("reset", "resets in the middle of an answer to calls",
      then_reset(longer + pod.substr(0, 50)));
  get("endless-trailers", "answers calls with a pod, and trailers for ever",
      flood(endless_trailers(pod), trailer()), "more than 64 KiB of trailers");
  get("null", "answers null to calls", always(http_answer(200, "null")));
  get("other-kind", "answers a Service to calls for a pod",
      always(
          http_answer(200, R"({"kind":"Service","apiVersion":"v1","metadata":{"name":"cart"}})")));
  get("nested", "answers 100,000 open brackets to calls",
      always(http_answer(200, std::string(100'000, '['))));
  get("silence", "answers nothing to calls that have a second", then_hang(""));
  all.back() = timed(all.back());
  get("slow", "answers calls that have a second by a byte each 100 ms", drip(longer, "{", 100ms));
  all.back() = timed(all.back());
  get("silence-no-deadline", "answers nothing to calls that have no deadline", then_hang(""));
  get("gzip-bomb", "answers calls with a gzip of 1 GB",
      bomb(200, "application/json", "{\"a\":\"", 'x'));
  all.back().bounds.peak_mib = 256;
  all.back().bounds.left_mib = 64;  // what glibc keeps of what is freed at the end of a heap
  all.back().heavy = true;
  get("endless-error", "answers calls with 500 and a text that never ends",
      flood(http_head(500, "Content-Type: text/plain\r\n"), std::string(std::size_t{64} << 10, 'e'),
            std::size_t{1} << 30));
  all.back().heavy = true;
  return all;
}

std::vector<Scenario> others() {
  std::vector<Scenario> all;
  all.push_back(calls(Work::List, "call-pages-empty",
                      "sends list_all() pages without items, each with a new token, for ever",
                      [](Connection& connection, const Call& call) {
                        return connection.write(http_answer(
                            200, list_text({}, "1000", "t" + std::to_string(call.nth))));
                      }));
  all.push_back(calls(Work::List, "call-pages-same-token",
                      "sends list_all() the same continue token with each page",
                      always(http_answer(200, list_text({}, "1000", "again"))), "token"));
  all.push_back(calls(Work::List, "call-pages-expire",
                      "answers 410 to the second page of each list_all()",
                      [](Connection& connection, const Call& call) {
                        if (!call.parameter("continue").empty()) {
                          return connection.write(refusal(410, "Expired"));
                        }
                        return connection.write(http_answer(200, list_text({}, "1000", "t")));
                      }));
  all.push_back(calls(Work::List, "call-list-of-nulls", "sends list_all() null items",
                      always(http_answer(200, list_text({"null", "null"}, "1000")))));
  all.push_back(calls(Work::Create, "create-409", "answers 409 to create()",
                      always(refusal(409, "AlreadyExists")), kMessage));
  all.push_back(calls(Work::Create, "create-429-retry-0", "answers 429 to create(), Retry-After: 0",
                      always(refusal(429, "TooManyRequests", "Retry-After: 0\r\n"))));
  all.push_back(calls(Work::Create, "create-close", "closes instead of an answer to create()",
                      then_close("")));
  all.push_back(calls(Work::Create, "create-415", "answers 415 to create()",
                      always(refusal(415, "UnsupportedMediaType")), kMessage));
  all.push_back(calls(Work::Create, "create-201-empty", "answers 201 and nothing to create()",
                      always(http_answer(201, ""))));
  return all;
}

}  // namespace

std::vector<Scenario> call_scenarios() {
  std::vector<Scenario> all = gets();
  const std::vector<Scenario> more = others();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace faults
