// SPDX-License-Identifier: Apache-2.0
//
// F-20 to F-38: statuses that the server did not give.
#include <utility>

#include "fault.hpp"

namespace real_threads {
namespace {

using faulty_front::http_response;
using faulty_front::status_response;
using std::chrono::seconds;

bool asks_for(const Request& request, std::string_view text) {
  return request.target.find(text) != std::string::npos;
}

// After some events an error, in the server's place.
std::function<Fates(Chance)> error_after_some_events(std::string name, int code,
                                                     std::string reason) {
  return fates_of(kStreams, 2, [=](Chance& chance, const Request&) -> Fate {
    return {.name = name,
            .json = true,
            .piece = [left = chance.dice.below(4), code, reason](const std::string& event,
                                                                 Way& way) mutable {
              if (left-- != 0) return way.write(event);
              way.write(error_event(code, reason));
              way.end();
            }};
  });
}

// One of these instead of a response.
std::function<Fates(Chance)> answers(std::string name, std::vector<Kind> kinds,
                                     std::uint64_t one_in, std::vector<std::string> texts) {
  return fates_of(
      std::move(kinds), one_in,
      [name = std::move(name), texts = std::move(texts)](Chance& chance, const Request&) -> Fate {
        return {.name = name, .answer = texts[chance.dice.below(texts.size())]};
      });
}

Fault answered(std::string number, std::string name, std::vector<Kind> kinds, std::uint64_t one_in,
               std::vector<std::string> texts) {
  Fault fault{.number = std::move(number), .name = name};
  fault.fates = answers(std::move(name), std::move(kinds), one_in, std::move(texts));
  return fault;
}

std::vector<Fault> gone() {
  return {
      {.number = "F-20",
       .name = "410 as an event",
       .fates = error_after_some_events("410 as an event", 410, "Expired")},
      answered("F-21", "410 to a watch", kStreams, 2,
               {status_response("410 Gone", "Expired", 410)}),
      {.number = "F-22",
       .name = "410 to a later page",
       .fates = fates_of(kListsAndWatches, 1,
                         [](Chance&, const Request& request) -> Fate {
                           // A watch that is refused is followed by a list.
                           if (kind_of(request) != Kind::List) {
                             return {.answer = status_response("410 Gone", "Expired", 410)};
                           }
                           if (!asks_for(request, "continue=")) return {};
                           return {.name = "410 to a later page",
                                   .answer = status_response("410 Gone", "Expired", 410)};
                         })},
      {.number = "F-23",
       .name = "500 as an event",
       .fates = error_after_some_events("500 as an event", 500, "InternalError")},
  };
}

std::vector<Fault> overload() {
  const std::string html =
      "<html><head><title>503 Service Unavailable</title></head><body>{not json}</body></html>";
  return {
      answered("F-24", "429 with Retry-After", kAll, 3,
               {http_response("429 Too Many Requests",
                              "Content-Type: text/plain\r\nRetry-After: 2\r\n", "slow down")}),
      answered("F-25", "429 without Retry-After", kAll, 3,
               {status_response("429 Too Many Requests", "TooManyRequests", 429)}),
      answered("F-26", "500, 502, 503, 504", kAll, 3,
               {status_response("500 Internal Server Error", "InternalError", 500),
                http_response("502 Bad Gateway", "Content-Type: text/plain\r\n", "bad gateway"),
                status_response("503 Service Unavailable", "ServiceUnavailable", 503),
                status_response("504 Gateway Timeout", "Timeout", 504)}),
      answered("F-27", "503 with a page of a proxy", kAll, 3,
               {http_response("503 Service Unavailable", "Content-Type: text/html\r\n", html)}),
      {.number = "F-28",
       .name = "504 for a version that is too large",
       .fates = fates_of(
           kListsAndWatches, 2,
           [](Chance&, const Request& request) -> Fate {
             if (!asks_for(request, "resourceVersion=") || asks_for(request, "resourceVersion=0")) {
               return {};
             }
             return {.name = "504 for a version that is too large",
                     .answer = http_response(
                         "504 Gateway Timeout", "Content-Type: application/json\r\n",
                         R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                         R"("message":"Too large resource version: 9, current: 1",)"
                         R"("reason":"Timeout","details":{"causes":[{"reason":)"
                         R"("ResourceVersionTooLarge","message":"Too large resource version"}],)"
                         R"("retryAfterSeconds":1},"code":504})")};
           })},
  };
}

// What writes meet.
std::vector<Fault> writes() {
  const auto to_method = [](std::string name, std::string method, Fate fate) {
    fate.name = std::move(name);
    return fates_of(
        {Kind::Write}, 2,
        [method = std::move(method), fate = std::move(fate)](Chance&, const Request& request) {
          return method.find(request.method) != std::string::npos ? fate : Fate();
        });
  };
  return {
      {.number = "F-29",
       .name = "409 Conflict to an update",
       .fates = to_method("409 Conflict to an update", "PUT",
                          {.answer = status_response("409 Conflict", "Conflict", 409)}),
       .needs_writes = true},
      {.number = "F-30",
       .name = "409 AlreadyExists to a create that was carried out",
       .fates = to_method("409 AlreadyExists to a create that was carried out", "POST",
                          {.answer = status_response("409 Conflict", "AlreadyExists", 409),
                           .is_carried_out = true}),
       .needs_writes = true},
      {.number = "F-31",
       .name = "404 to an update or a delete",
       .fates = to_method("404 to an update or a delete", "PUT DELETE",
                          {.answer = status_response("404 Not Found", "NotFound", 404)}),
       .needs_writes = true},
      {.number = "F-37",
       .name = "a write whose response is lost",
       .fates = to_method("a write whose response is lost", "POST PUT DELETE", {.bytes = 0}),
       .needs_writes = true},
  };
}

std::vector<Fault> refusals() {
  return {
      answered("F-32", "401 in mid-life", kAll, 4,
               {status_response("401 Unauthorized", "Unauthorized", 401)}),
      answered("F-33", "403 to a watch after its list", {Kind::Watch}, 1,
               {status_response("403 Forbidden", "Forbidden", 403)}),
      answered("F-34", "400 or 422 to a stream", {Kind::Stream}, 1,
               {status_response("400 Bad Request", "BadRequest", 400),
                status_response("422 Unprocessable Entity", "Invalid", 422)}),
      {.number = "F-35",
       .name = "406 or 415 to protobuf",
       .fates = fates_of(
           kAll, 1,
           [](Chance&, const Request& request) -> Fate {
             if (request.head.find("application/vnd.kubernetes.protobuf") == std::string::npos) {
               return {};
             }
             return {.name = "406 or 415 to protobuf",
                     .answer = request.method == "GET"
                                   ? status_response("406 Not Acceptable", "NotAcceptable", 406)
                                   : status_response("415 Unsupported Media Type",
                                                     "UnsupportedMediaType", 415)};
           })},
      answered("F-36", "413 or 431", kAll, 4,
               {http_response("431 Request Header Fields Too Large", "Content-Type: text/plain\r\n",
                              "too large"),
                status_response("413 Request Entity Too Large", "RequestEntityTooLarge", 413)}),
      answered("F-38", "a Status without details", kAll, 3,
               {status_response("500 Internal Server Error", "Mystery", 500),
                http_response("503 Service Unavailable", "Content-Type: application/json\r\n",
                              R"({"kind":"Status","apiVersion":"v1","status":"Failure"})"),
                http_response("429 Too Many Requests", "Content-Type: application/json\r\n",
                              R"({"kind":"Status","code":7})")}),
  };
}

}  // namespace

std::vector<Fault> status_faults() {
  std::vector<Fault> all = gone();
  for (auto&& group : {overload(), writes(), refusals()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

}  // namespace real_threads
