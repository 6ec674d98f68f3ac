// SPDX-License-Identifier: Apache-2.0
//
// Servers that answer lists and watches with each status that HTTP has for it, and bodies that do
// not explain it.
#include <string>
#include <utility>
#include <vector>

#include "answers.hpp"
#include "honest_server.hpp"
#include "scenario.hpp"
#include "wire.hpp"

namespace faults {
namespace {

constexpr const char* kMessage = "the pods are on holiday";
// What client-go says of a 503 that is no Status.
constexpr const char* kUnable = "currently unable to handle the request";

struct Refusal {
  int status;
  const char* reason;
  const char* headers = "";
  const char* suffix = "";  // of the name, for what the headers say
};

// With a Status in JSON, as API servers answer.
const std::vector<Refusal>& refusals() {
  static const std::vector<Refusal> all{
      {400, "BadRequest"},
      {401, "Unauthorized", "WWW-Authenticate: Basic realm=\"pods\"\r\n"},
      {403, "Forbidden"},
      {404, "NotFound"},
      {405, "MethodNotAllowed"},
      {406, "NotAcceptable"},
      {408, "Timeout"},
      {409, "Conflict"},
      {410, "Expired"},
      {413, "RequestEntityTooLarge"},
      {415, "UnsupportedMediaType"},
      {422, "Invalid"},
      {429, "TooManyRequests"},
      {429, "TooManyRequests", "Retry-After: 0\r\n", "-retry-0"},
      {429, "TooManyRequests", "Retry-After: 1\r\n", "-retry-1"},
      {429, "TooManyRequests", "Retry-After: -1\r\n", "-retry-negative"},
      {429, "TooManyRequests", "Retry-After: soon\r\n", "-retry-text"},
      {429, "TooManyRequests", "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n", "-retry-date"},
      {429, "TooManyRequests", "Retry-After: 99999999999999999999\r\n", "-retry-overflow"},
      {500, "InternalError"},
      {502, "BadGateway"},
      {503, "ServiceUnavailable"},
      {503, "ServiceUnavailable", "Retry-After: 0\r\n", "-retry-0"},
      {504, "Timeout"},
      {599, "Unheard"},
  };
  return all;
}

std::string text_of(const Refusal& refusal) {
  const std::string headers = refusal.headers;
  return " with " + std::to_string(refusal.status) + ' ' + refusal.reason +
         (headers.empty() ? "" : ", " + headers.substr(0, headers.size() - 2));
}

std::vector<Scenario> refused_by_status() {
  std::vector<Scenario> all;
  for (const Refusal& refusal : refusals()) {
    const std::string number = std::to_string(refusal.status) + refusal.suffix;
    const std::string answer =
        http_status(refusal.status, refusal.reason, kMessage, {}, refusal.headers);
    Scenario list{.name = "list-" + number, .server = "refuses lists" + text_of(refusal)};
    list.bounds.says = kMessage;
    list.list = always(answer);
    all.push_back(std::move(list));
    Scenario watch{.name = "watch-" + number, .server = "refuses watches" + text_of(refusal)};
    watch.bounds.says = kMessage;
    watch.watch = always(answer);
    all.push_back(std::move(watch));
  }
  return all;
}

// Successes and redirections that bring no list.
std::vector<Scenario> other_statuses() {
  std::vector<Scenario> all;
  for (const int status : {204, 205, 304}) {
    const std::string number = std::to_string(status);
    all.push_back({.name = "list-" + number,
                   .server = "answers lists with " + number + " and no body",
                   .list = always(http_head(status))});
    all.push_back({.name = "watch-" + number,
                   .server = "answers watches with " + number + " and no body",
                   .watch = always(http_head(status))});
  }
  const std::string body = HonestServer(old_world()).list_body();
  all.push_back({.name = "list-206",
                 .server = "answers lists with 206 and the first half",
                 .list = always(http_answer(206, body.substr(0, body.size() / 2),
                                            "Content-Range: bytes 0-99/200\r\n"))});
  for (const int status : {301, 302, 307}) {
    const std::string number = std::to_string(status);
    all.push_back({.name = "list-" + number,
                   .server = "redirects lists to the same place, " + number,
                   .bounds = {.says = number},
                   .list = always(http_answer(status, "", "Location: /api/v1/pods\r\n"))});
  }
  all.push_back({.name = "watch-302",
                 .server = "redirects watches to a page for people on another server",
                 .bounds = {.says = "302"},
                 .watch = always(http_answer_of("text/html", 302, "<a href=\"/login\">log in</a>",
                                                "Location: https://login.example/\r\n"))});
  return all;
}

std::vector<Scenario> odd_bodies() {
  const std::string json = status_text(503, "ServiceUnavailable", kMessage);
  std::vector<Scenario> all;
  all.push_back({.name = "list-503-text",
                 .server = "refuses lists with 503 in plain text",
                 .bounds = {.says = kUnable},
                 .list = always(http_answer_of("text/plain", 503, kMessage))});
  all.push_back({.name = "list-503-html",
                 .server = "refuses lists with 503 and a page for people",
                 .bounds = {.says = kUnable},
                 .list = always(http_answer_of("text/html", 503,
                                               "<html><body><h1>Bad gateway</h1></body></html>"))});
  all.push_back({.name = "list-503-empty",
                 .server = "refuses lists with 503 and no body",
                 .bounds = {.says = kUnable},
                 .list = always(http_answer(503, ""))});
  all.push_back({.name = "list-503-cut",
                 .server = "refuses lists with 503 and half a Status",
                 .bounds = {.says = kUnable},
                 .list = always(http_answer(503, json.substr(0, json.size() / 2)))});
  all.push_back({.name = "list-503-binary",
                 .server = "refuses lists with 503 and 64 KB of bytes that are no text",
                 .bounds = {.says = kUnable},
                 .list = always(http_answer_of("application/octet-stream", 503,
                                               std::string(std::size_t{64} << 10, '\xfe')))});
  all.push_back({.name = "list-500-endless",
                 .server = "refuses lists with 500 and a text that never ends",
                 .list = flood(http_head(500, "Content-Type: text/plain\r\n"),
                               std::string(std::size_t{64} << 10, 'e'), std::size_t{1} << 30),
                 .heavy = true});
  all.push_back({.name = "watch-500-endless",
                 .server = "refuses watches with 500 and a text that never ends",
                 .watch = flood(http_head(500, "Content-Type: text/plain\r\n"),
                                std::string(std::size_t{64} << 10, 'e'), std::size_t{1} << 30),
                 .heavy = true});
  all.push_back(
      {.name = "list-500-endless-slow",
       .server = "refuses lists with 500 and a text of ten bytes a second that never ends",
       .list = drip(http_head(500, "Content-Type: text/plain\r\n"), "e",
                    std::chrono::milliseconds(100))});
  all.push_back({.name = "list-503-gzip-bomb",
                 .server = "refuses lists with 503 and a gzip of 1 GB",
                 .list = bomb(503, "text/plain", "", 'g'),
                 .heavy = true});
  return all;
}

}  // namespace

std::vector<Scenario> status_scenarios() {
  std::vector<Scenario> all = refused_by_status();
  for (const auto& more : {other_statuses(), odd_bodies()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace faults
